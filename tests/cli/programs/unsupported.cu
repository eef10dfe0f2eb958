// An instruction that Warplens does not run, in one of two kernels.
#include <cstdio>

__global__ void good(int* data) { data[threadIdx.x] = 1; }

__global__ void exotic(unsigned long long* data) {
  // A barrier of the cluster's blocks.
  asm volatile("barrier.cluster.arrive;");
  data[threadIdx.x] = 1;
}

int main() {
  unsigned long long* data;
  cudaMalloc(&data, 512);
  good<<<1, 32>>>(reinterpret_cast<int*>(data));
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  exotic<<<1, 32>>>(data);
  cudaError_t launch = cudaGetLastError(), wait = cudaDeviceSynchronize();
  std::printf("%s\n", launch == cudaSuccess && wait == cudaSuccess ? "ran" : "refused");
  return 0;
}
