// Opens and closes a library with kernels (step.cu, FACTOR 2) again and again, while another thread compiles and launches.
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdio.h>

#include <atomic>
#include <thread>

template <int kind>
__global__ void busy(int* data) {
  for (int i = 0; i < 1000; i++) data[threadIdx.x] = data[threadIdx.x] * kind + i;
}

int main(int argc, char** argv) {
  std::atomic<bool> stop{false};
  std::thread other([&] {
    int* d;
    cudaMalloc(&d, 4096);
    while (!stop) {
      busy<1><<<4, 64>>>(d);
      busy<2><<<4, 64>>>(d);
      busy<3><<<4, 64>>>(d);
      cudaDeviceSynchronize();
    }
  });
  int *d, h[32], wrong = 0;
  for (int i = 0; i < 15; i++) {
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    auto step = reinterpret_cast<const char* (*)(int*)>(dlsym(library, "step"));
    cudaMalloc(&d, sizeof h);
    for (int lane = 0; lane < 32; lane++) h[lane] = lane + i;
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    step(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int lane = 0; lane < 32; lane++) wrong += h[lane] != 2 * (lane + i) + 1;
    cudaFree(d);
    dlclose(library);
  }
  stop = true;
  other.join();
  printf("wrong %d %s\n", wrong, cudaGetErrorName(cudaGetLastError()));
}
