// A program with a static runtime that opens two libraries, each with another one, and works with all three: they are one
// device, for memory made by one is used by the others.
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdio.h>

__global__ void start(int* data) { data[threadIdx.x] = threadIdx.x; }

int main(int argc, char** argv) {
  int *d, h[32];
  cudaMalloc(&d, sizeof h);
  start<<<1, 32>>>(d);
  for (int i = 1; i < argc; i++) {
    void* library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      puts(dlerror());
      return 1;
    }
    auto step = reinterpret_cast<const char* (*)(int*)>(dlsym(library, "step"));
    printf("%s\n", step(d));
    if (argc > 4 && i == 1) dlclose(library);
  }
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d %s\n", h[0], h[31], cudaGetErrorName(cudaGetLastError()));
}
