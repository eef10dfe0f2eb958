// Loops of different length, branches in them, and stores on some of the ways.
extern "C" __global__ void irregular(const int* in, int* out, int* trace, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned value = in[i], mix = 0;
  int steps = 0;
  while (value != 1 && steps < 300) {
    if (value % 2) {
      value = 3 * value + 1;
      mix ^= value * 2654435761u;
      mix = mix << 5 | mix >> 27;
      trace[i] = mix;
    } else {
      value /= 2;
      mix += value;
      if (mix % 8 == 3) {
        mix = mix * 1664525u + 1013904223u;
        trace[i] = value;
      }
    }
    steps++;
  }
  out[i] = steps + mix % 2;
}
