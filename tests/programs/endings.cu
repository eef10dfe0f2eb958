// One finished launch, then an end of the kind that argv[1] names.
#include <cuda_runtime.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

__global__ void add_one(int* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1;
}

__global__ void forever(volatile int* data) {
  while (data[threadIdx.x] == 0) data[threadIdx.x + 32] = 1;
}

// Does it wait, or is it at work? It writes, so only a person can tell.
__global__ void wait_at_work(volatile int* flag) {
  while (*flag == 0) flag[32] = 1;  // waits for nobody
}

static int launch_once() {
  int *d, h = -1;
  cudaMalloc(&d, 256 * sizeof(int));
  cudaMemset(d, 0, 256 * sizeof(int));
  add_one<<<2, 128>>>(d, 256);
  cudaMemcpy(&h, d + 255, sizeof h, cudaMemcpyDeviceToHost);
  return h;
}

static void end_by(const char* how) {
  if (!strcmp(how, "exit")) exit(3);
  if (!strcmp(how, "_exit")) _exit(4);
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "throw")) throw std::runtime_error("nobody catches this");
  if (!strcmp(how, "segfault")) *(volatile int*)8 = 1;
  if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
  if (!strcmp(how, "reset")) cudaDeviceReset();
  if (!strcmp(how, "close")) {  // every descriptor, ours too; a file of the program's then gets their numbers
    for (int fd = 3; fd < 1024; fd++) close(fd);
    char name[] = "/tmp/warplens-test-XXXXXX";
    int mine = mkstemp(name);
    for (int fd = 3; fd < 1024; fd++) dup2(mine, fd);
    printf("after closing %d, in my file %ld\n", launch_once(), (long)lseek(mine, 0, SEEK_END));
    unlink(name);
  }
  if (!strcmp(how, "forever") || !strcmp(how, "blocked") || !strcmp(how, "handled") || !strcmp(how, "waits")) {
    sigset_t all;
    sigfillset(&all);
    if (!strcmp(how, "blocked")) sigprocmask(SIG_BLOCK, &all, nullptr);
    if (!strcmp(how, "handled")) signal(SIGTERM, [](int) { _exit(12); });
    int* d;
    cudaMalloc(&d, 256 * sizeof(int));
    cudaMemset(d, 0, 256 * sizeof(int));
    if (!strcmp(how, "waits"))
      wait_at_work<<<1, 64>>>(d);
    else
      forever<<<1, 32>>>(d);
    printf("after: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  }
}

__global__ void late(int* data) { data[threadIdx.x] = threadIdx.x; }

// Launches a kernel that was compiled before, and one that never was.
static void launch_late(const char* when) {
  int *d, h = -1;
  cudaMalloc(&d, 128);
  late<<<1, 32>>>(d);
  cudaMemcpy(&h, d + 31, sizeof h, cudaMemcpyDeviceToHost);
  printf("%s %d %d\n", when, launch_once(), h);
  fflush(stdout);
}
struct LaunchesWhenDestroyed {
  ~LaunchesWhenDestroyed() { launch_late("destructor"); }
};

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "return";
  if (!strcmp(how, "clearenv")) clearenv();
  if (!strcmp(how, "atexit")) atexit([] { launch_late("atexit"); });
  if (!strcmp(how, "destructor")) static LaunchesWhenDestroyed object;
  if (!strcmp(how, "fork")) {  // parent and child each use CUDA, the child first
    if (pid_t child = fork()) {
      waitpid(child, 0, 0);
    } else {
      printf("child %d\n", launch_once());
      return 0;
    }
  }
  if (!strcmp(how, "fork-late")) {
    launch_once();
    if (pid_t child = fork()) {
      waitpid(child, 0, 0);
    } else {
      printf("child %d\n", launch_once());
      fflush(stdout);
      _exit(0);
    }
  }
  printf("data %d\n", launch_once());
  fflush(stdout);
  end_by(how);
  return 0;
}
