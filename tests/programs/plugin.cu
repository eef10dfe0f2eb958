// A library with a kernel and a variable of its own, loaded and unloaded by plugin_main.cu.
#include <cuda_runtime.h>

__device__ int calls = 10;
__global__ void count(int* out) { *out = ++calls; }

extern "C" int call_plugin() {
  int *d, h = -1;
  if (cudaMalloc(&d, sizeof h) != cudaSuccess) return -1;
  count<<<1, 1>>>(d);
  cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(d);
  return cudaGetLastError() == cudaSuccess ? h : -1;
}
