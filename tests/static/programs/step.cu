// One of the libraries of two_runtimes.cu: FACTOR tells them apart.
#include <cuda_runtime.h>

__global__ void multiply(int* data) { data[threadIdx.x] = data[threadIdx.x] * FACTOR + 1; }

extern "C" const char* step(int* data) {
  multiply<<<1, 32>>>(data);
  return cudaGetErrorName(cudaDeviceSynchronize());
}
