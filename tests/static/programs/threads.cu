// 16 host threads launch at once, each on its own data, with the very first CUDA call of the process among them.
#include <cuda_runtime.h>
#include <stdio.h>

#include <atomic>
#include <thread>
#include <vector>

__global__ void count(int* data, int by) { atomicAdd(data + threadIdx.x % 4, by); }

int main() {
  std::atomic<int> ready{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; t++)
    threads.emplace_back([&, t] {
      ready++;
      while (ready < 16) std::this_thread::yield();
      int *d, h[4] = {};
      cudaMalloc(&d, sizeof h);
      cudaMemset(d, 0, sizeof h);
      for (int i = 0; i < 10; i++) count<<<2, 64>>>(d, t);
      cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
      for (int value : h) wrong += value != t * 10 * 32;
      cudaFree(d);
    });
  for (std::thread& thread : threads) thread.join();
  printf("wrong %d %s\n", wrong.load(), cudaGetErrorName(cudaGetLastError()));
}
