// Device code that needs a function and a variable of another file.
#include <cstdio>

extern __device__ int twice(int);
extern __device__ int counter;
void print_devices();

__global__ void k(int* p) { p[threadIdx.x] = twice(threadIdx.x) + counter; }

int main() {
  int *d, h[32];
  cudaMalloc(&d, sizeof h);
  k<<<1, 32>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d %s\n", h[0], h[31], cudaGetErrorString(cudaGetLastError()));
  print_devices();
}
