// Two kernels, one of them a template; prints what they made.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void scale(float* data, float by) { data[threadIdx.x] *= by; }

template <int N>
__global__ void add(float* data) {
  data[threadIdx.x] += N;
}

int main() {
  float h[32], *d;
  for (int i = 0; i < 32; i++) h[i] = static_cast<float>(i);
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  scale<<<1, 32>>>(d, 2);
  add<5><<<1, 32>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("%g %g %s\n", h[1], h[31], cudaGetErrorString(cudaGetLastError()));
  cudaFree(d);
  return 0;  // as a library this is no main(), which could do without
}
