extern "C" __global__ void collatz(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned value = in[i];
  int steps = 0;
  while (value != 1 && steps < 500) {
    value = value % 2 ? 3 * value + 1 : value / 2;
    steps++;
  }
  out[i] = steps;
}
