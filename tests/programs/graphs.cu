// Graphs: captured from streams, and built by hand; launched more than once; updated.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void add(int* data, int value) { data[threadIdx.x] += value; }
__global__ void multiply(int* data, int value) { data[threadIdx.x] *= value; }

static void check(const char* what, cudaError_t e) {
  if (e != cudaSuccess) printf("%s: %s\n", what, cudaGetErrorString(e));
}
#define CHECK(call) check(#call, call)

static void count_call(void* calls) { ++*(int*)calls; }

static int first(const int* d) {
  int h = -1;
  CHECK(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
  return h;
}

static void captured(int* d) {
  cudaStream_t a, b;
  cudaEvent_t fork, join;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCaptureStatus status;
  int calls = 0;
  size_t nodes = 0;
  CHECK(cudaStreamCreate(&a));
  CHECK(cudaStreamCreate(&b));
  CHECK(cudaEventCreate(&fork));
  CHECK(cudaEventCreate(&join));
  CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(d, 0, 32 * sizeof(int), a));
  add<<<1, 32, 0, a>>>(d, 5);
  CHECK(cudaEventRecord(fork, a));
  CHECK(cudaStreamWaitEvent(b, fork, 0));
  multiply<<<1, 32, 0, b>>>(d, 3);
  CHECK(cudaLaunchHostFunc(b, count_call, &calls));
  CHECK(cudaEventRecord(join, b));
  CHECK(cudaStreamWaitEvent(a, join, 0));
  add<<<1, 32, 0, a>>>(d, 1);
  CHECK(cudaStreamIsCapturing(b, &status));
  CHECK(cudaStreamEndCapture(a, &graph));
  printf("before launch: %d, other stream captured: %d\n", first(d), status == cudaStreamCaptureStatusActive);
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphGetNodes(graph, 0, &nodes));
  CHECK(cudaGraphLaunch(exec, a));
  CHECK(cudaGraphLaunch(exec, a));
  CHECK(cudaStreamSynchronize(a));
  printf("captured: %d calls %d nodes %d\n", first(d), calls, (int)nodes);
  add<<<1, 32, 0, b>>>(d, 100);  // the stream is its own again
  printf("afterwards: %d\n", first(d));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

static void by_hand(int* d) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t set, plus, times;
  int value = 4, factor = 10;
  void* plus_args[] = {&d, &value};
  void* times_args[] = {&d, &factor};
  cudaMemsetParams fill = {};
  fill.dst = d;
  fill.value = 2;
  fill.elementSize = 4;
  fill.width = 32;
  fill.height = 1;
  cudaKernelNodeParams kernel = {};
  kernel.func = (void*)multiply;
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(32);
  kernel.kernelParams = times_args;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemsetNode(&set, graph, 0, 0, &fill));
  CHECK(cudaGraphAddKernelNode(&times, graph, 0, 0, &kernel));  // what it waits for comes later
  kernel.func = (void*)add;
  kernel.kernelParams = plus_args;
  CHECK(cudaGraphAddKernelNode(&plus, graph, &set, 1, &kernel));
#if CUDART_VERSION >= 13000
  CHECK(cudaGraphAddDependencies(graph, &plus, &times, 0, 1));
#else
  CHECK(cudaGraphAddDependencies(graph, &plus, &times, 1));
#endif
  value = 1000;  // arguments were copied when the node was added
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, 0));
  printf("by hand: %d\n", first(d));
  CHECK(cudaGraphExecKernelNodeSetParams(exec, plus, &kernel));
  CHECK(cudaGraphLaunch(exec, 0));
  printf("updated: %d\n", first(d));
}

int main() {
  int* d;
  CHECK(cudaMalloc(&d, 32 * sizeof(int)));
  CHECK(cudaMemset(d, 0, 32 * sizeof(int)));
  captured(d);
  by_hand(d);
}
