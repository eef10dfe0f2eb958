// Each lane copies a word to shared memory in the background; the sources of two of the three copies share a bank.
#include <cstdint>

__global__ void copies(const int* from, int* to, int stride) {
  __shared__ int place[32];
  const auto at = static_cast<uint32_t>(__cvta_generic_to_shared(place + threadIdx.x));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from + stride * threadIdx.x) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  to[threadIdx.x] = place[threadIdx.x];
}

int main() {
  int *from, *to;
  cudaMalloc(&from, 4096);
  cudaMalloc(&to, 128);
  cudaMemset(from, 0, 4096);
  for (int stride : {1, 32, 0}) copies<<<1, 32>>>(from, to, stride);
  return cudaDeviceSynchronize() != cudaSuccess;
}
