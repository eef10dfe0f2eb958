extern "C" __global__ void mandel(int* out, int width, int height, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float cr = 3.0f * x / width - 2.0f, ci = 3.0f * y / height - 1.5f;
  float zr = 0.0f, zi = 0.0f;
  int steps = 0;
  while (steps < limit && zr * zr + zi * zi < 4.0f) {
    float next = zr * zr - zi * zi + cr;
    zi = 2.0f * zr * zi + ci;
    zr = next;
    steps++;
  }
  out[y * width + x] = steps;
}
