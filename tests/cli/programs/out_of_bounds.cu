// One thread too many: block 2, thread 44 writes just past 1200 bytes.
#include <cstdio>

__global__ void fill(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = i;  // should be <
}

int main() {
  int* out;
  cudaMalloc(&out, 300 * sizeof(int));
  fill<<<1, 64>>>(out, 10);
  fill<<<3, 128>>>(out, 300);
  cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(error));
  return error == cudaErrorIllegalAddress ? 7 : 0;
}
