// Starts children that use CUDA each for itself: by fork alone, and by fork and exec of itself; a child of a process that has
// used CUDA must exec first.
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void in_parent(int* p) { *p = 1; }
__global__ void in_child(int* p) { *p = 2; }

static int use(void (*kernel)(int*)) {
  int *d, h = 0;
  cudaMalloc(&d, sizeof h);
  kernel<<<1, 1>>>(d);
  cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
  return h;
}

int main(int argc, char** argv) {
  if (argc > 1 && !strcmp(argv[1], "child")) return use(in_child);
  int status, sum = 0;
  for (int i = 0; i < 4; i++)
    if (fork() == 0) {
      if (i % 2) execl("/proc/self/exe", argv[0], "child", nullptr);
      _exit(use(in_child));
    }
  while (wait(&status) > 0) sum += WEXITSTATUS(status);
  sum += use(in_parent);
  pid_t late = fork();  // gets an initialization error of everything, however much it tries
  if (late == 0) {
    int *d, ok = cudaMalloc(&d, 4) == cudaErrorInitializationError;
    in_child<<<1, 1>>>(nullptr);
    ok &= cudaGetLastError() == cudaErrorInitializationError;
    _exit(ok && cudaDeviceSynchronize() == cudaErrorInitializationError ? 3 : 50);
  }
  waitpid(late, &status, 0);
  sum += WEXITSTATUS(status);
  late = fork();
  if (late == 0) execl("/proc/self/exe", argv[0], "child", nullptr);
  waitpid(late, &status, 0);
  printf("%d\n", sum + WEXITSTATUS(status));
}
