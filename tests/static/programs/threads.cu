// 16 host threads launch at once, each on its own data, with the very first CUDA call of the process among them: on the
// default stream, or ("streams") each on a stream of its own with a kernel that prints, while some fork children that use
// CUDA in vain.
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

__global__ void count(int* data, int by) { atomicAdd(data + threadIdx.x % 4, by); }
__global__ void count_and_say(int* data, int by) {
  atomicAdd(data + threadIdx.x % 4, by);
  if (blockIdx.x == 0 && threadIdx.x == 0) printf("thread %d\n", by);
}

static bool child_gets_an_error() {
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(cudaDeviceSynchronize() == cudaErrorInitializationError ? 3 : 4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 3;
}

int main(int argc, char** argv) {
  bool streams = argc > 1 && !strcmp(argv[1], "streams");
  std::atomic<int> ready{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; t++)
    threads.emplace_back([&, t] {
      ready++;
      while (ready < 16) std::this_thread::yield();
      int *d, h[4] = {};
      cudaStream_t stream = nullptr;
      if (streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
      cudaMalloc(&d, sizeof h);
      cudaMemsetAsync(d, 0, sizeof h, stream);
      for (int i = 0; i < 10; i++) {
        if (streams)
          count_and_say<<<2, 64, 0, stream>>>(d, t);
        else
          count<<<2, 64>>>(d, t);
        if (streams && t % 4 == 0 && i == 5) wrong += !child_gets_an_error();
      }
      cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, stream);
      wrong += cudaStreamSynchronize(stream) != cudaSuccess;
      for (int value : h) wrong += value != t * 10 * 32;
      cudaFree(d);
    });
  for (std::thread& thread : threads) thread.join();
  cudaDeviceSynchronize();
  printf("wrong %d %s\n", wrong.load(), cudaGetErrorName(cudaGetLastError()));
}
