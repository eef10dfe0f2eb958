// An instruction that Warplens does not run, in one of two kernels.
#include <cstdio>

__global__ void good(int* data) { data[threadIdx.x] = 1; }

__global__ void exotic(unsigned long long* data) {
  float d[4], zero = 0;  // a product with a sparse matrix
  asm volatile("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%4,%4}, {%5,%5,%5,%5}, %4, 0x0;" : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : "r"(0x44444444), "f"(zero));
  data[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
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
