/* Host code alone, with the few declarations that it needs, so that it is linked with any release's runtime. */
#include <stdio.h>

int cudaMalloc(void **, unsigned long), cudaFree(void *), cudaMemset(void *, int, unsigned long);
int cudaMemcpy(void *, const void *, unsigned long, int), cudaRuntimeGetVersion(int *), cudaGetDeviceCount(int *);
const char *cudaGetErrorName(int);

int main(void) {
  unsigned char bytes[4] = {0};
  void *d = 0;
  int version = 0, count = 0;
  cudaRuntimeGetVersion(&version);
  cudaGetDeviceCount(&count);
  int error = cudaMalloc(&d, sizeof bytes);
  cudaMemset(d, 7, sizeof bytes);
  cudaMemcpy(bytes, d, sizeof bytes, 2);
  cudaFree(d);
  printf("%d %d %d %s\n", version / 1000, count, bytes[3], cudaGetErrorName(error));
  return 0;
}
