// Loads the library argv[1] three times; each time it starts afresh.
#include <dlfcn.h>
#include <stdio.h>

__global__ void own(int* out) { *out = 5; }

int main(int, char** argv) {
  for (int round = 0; round < 3; round++) {
    void* library = dlopen(argv[1], RTLD_NOW);
    if (!library) {
      puts(dlerror());
      return 1;
    }
    auto call = (int (*)())dlsym(library, "call_plugin");
    int first = call(), second = call();
    printf("%d %d\n", first, second);
    dlclose(library);
  }
  int *d, h = 0;
  cudaMalloc(&d, sizeof h);
  own<<<1, 1>>>(d);
  cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("own %d\n", h);
}
