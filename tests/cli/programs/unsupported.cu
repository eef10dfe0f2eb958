// An instruction that Warplens does not run, in one of two kernels.
#include <cstdio>

__global__ void good(int* data) { data[threadIdx.x] = 1; }

__global__ void exotic(unsigned long long* data) {
  float d[4], zero = 0;  // a texel compared with a depth
  asm volatile("tex.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%5}], %5;"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : "l"(data), "f"(zero));
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
