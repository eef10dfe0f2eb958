#include <cuda_runtime.h>

#include <cstdio>

void print_devices() {
  int n = 0;
  cudaGetDeviceCount(&n);
  std::printf("%d device\n", n);
}
