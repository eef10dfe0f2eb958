// Allocates until the device has no more, then goes on with what it has.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void fill(int* data) { data[blockIdx.x * blockDim.x + threadIdx.x] = 9; }

int main() {
  int *d, *more, h = 0;
  cudaMalloc(&d, 1024 * sizeof(int));
  long gib = 0;
  cudaError_t e;
  while ((e = cudaMalloc(&more, 1 << 30)) == cudaSuccess) gib++;
  printf("%s after %ld GiB\n", cudaGetErrorName(e), gib);
  cudaError_t last = cudaGetLastError();
  printf("last: %s, then: %s\n", cudaGetErrorName(last), cudaGetErrorName(cudaGetLastError()));
  fill<<<4, 256>>>(d);
  cudaMemcpy(&h, d + 1023, sizeof h, cudaMemcpyDeviceToHost);
  printf("data %d\n", h);
}
