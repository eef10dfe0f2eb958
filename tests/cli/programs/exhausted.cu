// Asks for more memory than any GPU has.
#include <cstdio>

int main() {
  void* pointer = nullptr;
  cudaError_t error = cudaMalloc(&pointer, size_t(1) << 44);
  std::printf("%s\n", cudaGetErrorName(error));
  return error == cudaErrorMemoryAllocation ? 9 : 0;
}
