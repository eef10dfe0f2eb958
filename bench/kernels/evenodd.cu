// Neighbouring lanes take different ways: the textbook example of divergence.
extern "C" __global__ void evenodd(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  if (threadIdx.x % 2 == 0) {
    for (int k = 0; k < 16; k++) x = x * x - 0.25f;
  } else {
    for (int k = 0; k < 16; k++) x = x * 1.0001f + 0.5f;
  }
  out[i] = x;
}
