// A kernel that never ends, after one that does.
#include <cstdio>

__global__ void once(int* data) { data[threadIdx.x] = 1; }

__global__ void forever(volatile int* flag) {
  while (*flag == 0) {
    ++flag[32 + threadIdx.x];  // a loop that only waits would be found to be a deadlock
  }
}

int main() {
  int* data;
  cudaMalloc(&data, 256);
  cudaMemset(data, 0, 256);
  once<<<1, 32>>>(data + 32);
  forever<<<1, 32>>>(data);
  cudaDeviceSynchronize();
  std::printf("not reached\n");
  return 0;
}
