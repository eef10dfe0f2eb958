// printf, malloc and free in kernels. device_calls.h200.txt is what an H200 printed (driver 580, CUDA 13.0).
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

__constant__ char in_constant[] = "constant";
__device__ char in_global[] = "global";
__device__ int* kept;

__global__ void integers(int minus, unsigned u, long long big) {
  printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%.3d] [%i]\n", minus, minus, minus, minus, -minus, -minus, minus, minus);
  printf("[%u] [%x] [%X] [%#x] [%o] [%#o]\n", u, u, u, u, u, u);
  printf("[%lld] [%llu] [%llx] [%ld] [%lu]\n", big, (unsigned long long)big, big, (long)big, (unsigned long)big);
  printf("[%*d] [%-*d]\n", 7, minus, 7, minus);
}
__global__ void reals(double d, float f) {
  printf("[%f] [%e] [%g] [%E] [%G] [%a]\n", d, d, d, d, d, d);
  printf("[%10.3f] [%-10.3f] [%+.1f] [%010.2f] [%.0f] [%#.0f]\n", f, f, f, f, f, f);
  printf("[%f] [%f] [%g]\n", 1 / (d - d), -1 / (d - d), -0.0);
}
__global__ void texts(char c, const char* given) {
  char local[] = "local";
  local[0] = 'L';
  printf("[%c] [%5c] [%s] [%10s] [%-10s] [%.3s]\n", c, c, "literal", in_constant, in_global, local);
  printf("[%s] %% [%5s] no newline", given, "");
  printf("\n");
}
__global__ void results(int* out) {
  out[0] = printf("three %d %s %f\n", 1, "two", 3.0);
  out[1] = printf("none\n");
  out[2] = printf("percent %%\n");
}
__global__ void some_lanes() {
  if (threadIdx.x % 10 == 3) printf("lane %d\n", threadIdx.x);
}
__global__ void on_the_heap(int* out, int n) {
  int* mine = (int*)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) mine[i] = threadIdx.x * i;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < n; i++) sum += mine[i];
  out[threadIdx.x] = sum;
  free(mine);
  free(nullptr);
}
__global__ void too_much(int* out) {
  void* p = malloc(size_t(1) << 34);
  kept = (int*)p;  // so that no compiler leaves malloc out
  out[0] = p == nullptr;
  double* q = new double(2.5);
  out[1] = *q * 4;
  delete q;
}
__global__ void keep() { kept = new int(77); }
__global__ void use(int* out) {
  out[0] = *kept;
  delete kept;
}

int main() {
  int* out;
  int host[64];
  cudaMalloc(&out, sizeof host);
  integers<<<1, 1>>>(-42, 3000000000u, -1234567890123456789ll);
  printf("the host is first\n");
  cudaDeviceSynchronize();
  reals<<<1, 1>>>(12345.678901, 2.5f);
  texts<<<1, 1>>>('x', nullptr);
  results<<<1, 1>>>(out);
  cudaMemcpy(host, out, 12, cudaMemcpyDeviceToHost);
  printf("results %d %d %d\n", host[0], host[1], host[2]);
  some_lanes<<<1, 32>>>();
  cudaStreamSynchronize(0);
  on_the_heap<<<1, 64>>>(out, 5);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("heap %d %d %d\n", host[0], host[1], host[63]);
  too_much<<<1, 1>>>(out);
  cudaMemcpy(host, out, 8, cudaMemcpyDeviceToHost);
  printf("too much %d %d\n", host[0], host[1]);
  keep<<<1, 1>>>();
  use<<<1, 1>>>(out);
  cudaMemcpy(host, out, 4, cudaMemcpyDeviceToHost);
  printf("kept %d %s\n", host[0], cudaGetErrorName(cudaDeviceSynchronize()));
  some_lanes<<<1, 4>>>();  // nobody waits for it: lost
  return 0;
}
