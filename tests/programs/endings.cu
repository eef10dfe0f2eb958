// One finished launch, then an end of the kind that argv[1] names.
#include <cuda_runtime.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

__global__ void add_one(int* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1;
}

__global__ void forever(volatile int* data) {
  while (data[threadIdx.x] == 0) data[threadIdx.x + 32] = 1;
}

__global__ void says_so_and_runs(volatile int* running, volatile int* go_on) {
  *running = 1;
  while (*go_on) go_on[threadIdx.x + 1]++;
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

// handler SIGNAL HOW WHEN: gets the signal INT or SEGV, and in its handler ends in the way HOW, or returns; with a kernel at
// work in another thread ("other"), in the same one ("kernel"), or none ("idle").
static const char* how_in_handler;
static volatile int* in_kernel;  // whether it runs, and whether it shall go on
static void end_in_handler(int) {
  if (!strcmp(how_in_handler, "exit")) exit(5);
  if (!strcmp(how_in_handler, "_exit")) _exit(6);
  if (!strcmp(how_in_handler, "abort")) abort();
  if (!strcmp(how_in_handler, "cuda")) {
    bool works = launch_once() == 1 && cudaGetLastError() == cudaSuccess;
    exit(cudaDeviceReset() == cudaSuccess && works ? 7 : 8);
  }
  in_kernel[1] = 0;
}
static void get_signal(const char* name) {
  if (!strcmp(name, "INT"))
    raise(SIGINT);
  else
    *(volatile int*)8 = 1;
}
static void end_in_handler(const char* name, const char* how, const char* when) {
  how_in_handler = how;
  int signal = !strcmp(name, "INT") ? SIGINT : SIGSEGV;
  ::signal(signal, end_in_handler);
  cudaMallocManaged((void**)&in_kernel, 256);
  in_kernel[1] = 1;
  pthread_t self = pthread_self();
  if (!strcmp(when, "idle")) get_signal(name);
  std::thread other([=] {
    while (in_kernel[1] && !in_kernel[0]) usleep(1000);
    usleep(20000);
    if (!strcmp(when, "other")) get_signal(name);
    if (!strcmp(when, "kernel")) pthread_kill(self, signal);
  });
  if (strcmp(when, "idle")) {
    says_so_and_runs<<<4, 32>>>(in_kernel, in_kernel + 1);
    cudaDeviceSynchronize();
  }
  other.join();
  printf("after %d %s\n", launch_once(), cudaGetErrorName(cudaGetLastError()));
  fflush(stdout);
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
  if (!strcmp(how, "handler") && argc > 4) end_in_handler(argv[2], argv[3], argv[4]);
  end_by(how);
  return 0;
}
