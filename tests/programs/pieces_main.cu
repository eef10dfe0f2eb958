// A program compiled in two pieces (-rdc=true): a kernel that calls a function and uses a variable of the other.
#include <cuda_runtime.h>
#include <stdio.h>

extern __device__ int from_other_piece(int x);
extern __device__ int other_counter;

__global__ void use_other(int* out) { out[threadIdx.x] = from_other_piece(threadIdx.x) + other_counter; }

void launch_other(int* out);

int main() {
  int *d, h[32];
  cudaMalloc(&d, sizeof h);
  use_other<<<1, 32>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d %s\n", h[0], h[31], cudaGetErrorName(cudaGetLastError()));
  launch_other(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d %s\n", h[0], h[31], cudaGetErrorName(cudaGetLastError()));
}
