// Launches one kernel on each of its devices and another on the last, and prints how many there are.
#include <cstdio>

__global__ void everywhere(int* out) { out[threadIdx.x] = 1; }
__global__ void on_the_last(int* out) { out[threadIdx.x] = 2; }

int main() {
  int devices = 0;
  cudaGetDeviceCount(&devices);
  for (int device = 0; device < devices; device++) {
    int* out = nullptr;
    cudaSetDevice(device);
    cudaMalloc(&out, 32 * sizeof *out);
    everywhere<<<1, 32>>>(out);
    if (device == devices - 1) on_the_last<<<1, 32>>>(out);
  }
  std::printf("%d %s\n", devices, cudaGetErrorName(cudaGetLastError()));
  return 0;
}
