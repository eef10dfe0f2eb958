// Every device attribute and property of GPU 0, one line each, as numbers: the source of what Warplens answers for a
// GPU. tests/api/device_facts.h200.txt holds what an H200 with driver 580 printed.
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdio.h>

int main() {
  for (int a = 1; a < 160; a++) {
    int value = -1;
    cudaError_t e = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)a, 0);
    if (e == cudaSuccess)
      printf("attribute %d = %d\n", a, value);
    else
      printf("attribute %d: error %d\n", a, (int)e);
  }
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  printf("name %s\nsizeof %zu\n", p.name, sizeof p);
  const int* words = (const int*)((const char*)&p + offsetof(cudaDeviceProp, totalGlobalMem));
  int count = (offsetof(cudaDeviceProp, reserved) - offsetof(cudaDeviceProp, totalGlobalMem)) / 4;
  for (int i = 0; i < count; i++)
    if (words[i]) printf("word %d = %d\n", i, words[i]);
  int driver = 0;
  cudaDriverGetVersion(&driver);
  printf("driver %d\n", driver / 1000);
  size_t free_bytes, total;
  cudaMemGetInfo(&free_bytes, &total);
  printf("total %zu free %zu\n", total, free_bytes);
  size_t sizes[] = {1, 512, 513, 4096, 100000, 1 << 20, (1 << 20) + 1, 2 << 20, 3 << 20, 16 << 20};
  for (size_t bytes : sizes) {
    char* at;
    cudaMalloc((void**)&at, bytes);
    printf("malloc %zu: multiple of 512 %d, of 2 MiB %d\n", bytes, (size_t)at % 512 == 0,
           bytes > 1 << 20 && (size_t)at % (2 << 20) == 0);
  }
}
