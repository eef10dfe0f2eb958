// Capture: what a captured graph holds, and adding to it; each line checks itself, by CUDA's documentation. Prints what
// is not so.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void add(int* data, int by) { data[threadIdx.x] += by; }
__global__ void twice(int* data) { data[threadIdx.x] *= 2; }

#define EXPECT(...)                                                 \
  do {                                                              \
    if (!(__VA_ARGS__)) printf("%d: " #__VA_ARGS__ "\n", __LINE__); \
  } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)

static int first(const int* data) {
  int value = -1;
  cudaMemcpy(&value, data, 4, cudaMemcpyDefault);
  return value;
}

int main() {
  int* data;
  cudaMalloc(&data, 64);
  cudaMemset(data, 0, 64);
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudaEvent_t fork, joined;
  cudaEventCreate(&fork);
  cudaEventCreate(&joined);
  cudaGraph_t graph, got;
  cudaStreamCaptureStatus status;
  unsigned long long id = 0;
  const cudaGraphNode_t* tips;
  size_t n = 9;
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  add<<<1, 4, 0, s>>>(data, 1);
  OK(cudaEventRecord(fork, s));
  OK(cudaStreamWaitEvent(t, fork, 0));
  add<<<1, 4, 0, s>>>(data, 2);
  add<<<1, 4, 0, t>>>(data + 4, 3);
  OK(cudaEventRecord(joined, t));
  OK(cudaStreamWaitEvent(s, joined, 0));
  twice<<<1, 4, 0, s>>>(data);
  OK(cudaMemsetAsync(data + 8, 1, 4, s));
  OK(cudaMemcpyAsync(data + 9, data + 8, 4, cudaMemcpyDeviceToDevice, s));
  OK(cudaStreamGetCaptureInfo(s, &status, &id, &got, &tips, nullptr, &n));
  EXPECT(n == 1);
  OK(cudaStreamEndCapture(s, &graph));
  EXPECT(got == graph);

  // Six nodes; the first is before two, which are both before the next.
  cudaGraphNode_t nodes[8];
  n = 8;
  OK(cudaGraphGetNodes(graph, nodes, &n));
  EXPECT(n == 6);
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &n));
  EXPECT(n == 6);
  OK(cudaGraphNodeGetDependencies(nodes[3], nullptr, nullptr, &n));
  EXPECT(n == 2);
  cudaKernelNodeParams p{};
  OK(cudaGraphKernelNodeGetParams(nodes[0], &p));
  EXPECT(*(int*)p.kernelParams[1] == 1);
  EXPECT(p.blockDim.x == 4);
  cudaMemsetParams fill{};
  OK(cudaGraphMemsetNodeGetParams(nodes[4], &fill));
  EXPECT(fill.dst == data + 8 && fill.value == 1 && fill.width == 4);
  cudaMemcpy3DParms copy{};
  OK(cudaGraphMemcpyNodeGetParams(nodes[5], &copy));
  EXPECT(copy.extent.width == 4 && copy.srcPtr.ptr == data + 8);

  // Nothing was done so far.
  EXPECT(first(data) == 0);
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, s));
  OK(cudaStreamSynchronize(s));
  EXPECT(first(data) == 6);
  EXPECT(first(data + 4) == 3);
  EXPECT(first(data + 9) == 0x01010101);
  int five = 5;
  void* arguments[] = {&data, &five};
  p.kernelParams = arguments;
  OK(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &p));
  OK(cudaGraphLaunch(exec, s));
  EXPECT(first(data) == (6 + 5 + 2) * 2);

  // More of it into the same graph.
  OK(cudaStreamBeginCaptureToGraph(s, graph, &nodes[0], nullptr, 1, cudaStreamCaptureModeGlobal));
  add<<<1, 4, 0, s>>>(data, 5);
  OK(cudaStreamUpdateCaptureDependencies(s, &nodes[1], nullptr, 1, cudaStreamAddCaptureDependencies));
  OK(cudaStreamGetCaptureInfo(s, &status, &id, &got, &tips, nullptr, &n));
  EXPECT(n == 2);
  OK(cudaStreamUpdateCaptureDependencies(s, &nodes[1], nullptr, 1, cudaStreamSetCaptureDependencies));
  OK(cudaStreamGetCaptureInfo(s, &status, &id, &got, &tips, nullptr, &n));
  EXPECT(n == 1 && tips[0] == nodes[1]);
  OK(cudaStreamEndCapture(s, &got));
  EXPECT(got == graph);
  OK(cudaGraphGetNodes(graph, nullptr, &n));
  EXPECT(n == 7);
  EXPECT(cudaStreamUpdateCaptureDependencies(s, &nodes[1], nullptr, 1, 0) == cudaErrorIllegalState);
  EXPECT(cudaStreamEndCapture(s, &got) == cudaErrorIllegalState);
  EXPECT(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);

  // What a node that frees took away is a fault to use.
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  int* held;
  OK(cudaMallocAsync(&held, 64, s));
  OK(cudaFreeAsync(held, s));
  OK(cudaStreamEndCapture(s, &graph));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, s));
  add<<<1, 4, 0, s>>>(held, 1);
  EXPECT(cudaStreamSynchronize(s) == cudaErrorIllegalAddress);
  return 0;
}
