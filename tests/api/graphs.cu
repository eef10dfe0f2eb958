// Graphs: adding nodes of every kind, asking about them, changing them in a graph and in what was made of it, memory
// that a graph allocates, user objects, capture; one line an answer. tests/api/graphs.h200.txt holds what an H200 with
// driver 580 printed; Warplens must print the same. Build: nvcc -arch=sm_80 -cudart shared graphs.cu
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__device__ int variable[4] = {1, 2, 3, 4};
__global__ void add(int* data, int by) { data[threadIdx.x] += by; }
__global__ void twice(int* data) { data[threadIdx.x] *= 2; }

static void say(const char* what, cudaError_t e) {
  printf("%s: %d %s\n", what, (int)e, cudaGetErrorName(e));
  fflush(stdout);
}
#define SAY(call) say(#call, call)
#define SHOW(value) printf("  " #value ": %lld\n", (long long)(value)), fflush(stdout)
static void section(const char* title) { printf("== %s\n", title), fflush(stdout); }

static int* device_memory() {
  int* data;
  cudaMalloc(&data, 64);
  cudaMemset(data, 0, 64);
  return data;
}
static int first(const int* data) {
  int value = -1;
  cudaMemcpy(&value, data, 4, cudaMemcpyDefault);
  return value;
}
static cudaKernelNodeParams kernel(void* function, void** arguments) {
  cudaKernelNodeParams p{};
  p.func = function;
  p.gridDim = dim3(1);
  p.blockDim = dim3(4);
  p.kernelParams = arguments;
  return p;
}
static void count(void* data) { ++*(int*)data; }

static void shape() {
  cudaGraph_t graph, other;
  cudaGraphNode_t a, b, c, d, e, nodes[8], ends[8];
  SAY(cudaGraphCreate(&graph, 0));
  SAY(cudaGraphCreate(&other, 0));
  SAY(cudaGraphAddEmptyNode(&a, graph, nullptr, 0));
  SAY(cudaGraphAddEmptyNode(&b, graph, &a, 1));
  SAY(cudaGraphAddEmptyNode(&c, graph, &a, 1));
  cudaGraphNode_t both[] = {b, c};
  SAY(cudaGraphAddEmptyNode(&d, graph, both, 2));
  SAY(cudaGraphAddEmptyNode(&e, other, nullptr, 0));
  SAY(cudaGraphAddEmptyNode(&e, other, &a, 1));
  size_t n = 0;
  SAY(cudaGraphGetNodes(graph, nullptr, &n));
  SHOW(n);
  n = 8;
  SAY(cudaGraphGetNodes(graph, nodes, &n));
  SHOW(n);
  SHOW(nodes[0] == a && nodes[3] == d);
  SHOW(nodes[4] == nullptr);
  n = 2;
  SAY(cudaGraphGetNodes(graph, nodes, &n));
  SHOW(n);
  SAY(cudaGraphGetNodes(graph, nodes, nullptr));
  n = 8;
  SAY(cudaGraphGetRootNodes(graph, nodes, &n));
  SHOW(n);
  SAY(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &n));
  SHOW(n);
  n = 8;
  SAY(cudaGraphGetEdges(graph, nodes, ends, nullptr, &n));
  SHOW(n);
  int to_d = 0, from_a = 0;
  for (size_t i = 0; i < n; i++) to_d += ends[i] == d, from_a += nodes[i] == a;
  SHOW(to_d);
  SHOW(from_a);
  SAY(cudaGraphGetEdges(graph, nodes, nullptr, nullptr, &n));
  n = 8;
  SAY(cudaGraphNodeGetDependencies(d, nodes, nullptr, &n));
  SHOW(n);
  n = 8;
  SAY(cudaGraphNodeGetDependentNodes(a, nodes, nullptr, &n));
  SHOW(n);
  SAY(cudaGraphAddDependencies(graph, &a, &d, nullptr, 1));
  SAY(cudaGraphAddDependencies(graph, &a, &d, nullptr, 1));
  SAY(cudaGraphAddDependencies(graph, &a, &a, nullptr, 1));
  SAY(cudaGraphRemoveDependencies(graph, &a, &d, nullptr, 1));
  SAY(cudaGraphRemoveDependencies(graph, &a, &d, nullptr, 1));
  cudaGraphNodeType type;
  SAY(cudaGraphNodeGetType(a, &type));
  SHOW(type);
  SAY(cudaGraphNodeGetType(a, nullptr));
  cudaGraph_t clone;
  SAY(cudaGraphClone(&clone, graph));
  cudaGraphNode_t twin;
  SAY(cudaGraphNodeFindInClone(&twin, d, clone));
  SHOW(twin == d);
  n = 8;
  SAY(cudaGraphNodeGetDependencies(twin, nodes, nullptr, &n));
  SHOW(n);
  SAY(cudaGraphNodeFindInClone(&twin, d, graph));
  SAY(cudaGraphDestroyNode(b));
  n = 8;
  SAY(cudaGraphNodeGetDependencies(d, nodes, nullptr, &n));
  SHOW(n);
  SAY(cudaGraphGetEdges(clone, nullptr, nullptr, nullptr, &n));
  SHOW(n);
  SAY(cudaGraphDebugDotPrint(graph, "/dev/null", 0));
  SAY(cudaGraphDebugDotPrint(graph, "/no/such/folder/graph.dot", 0));
  cudaGraphExec_t exec;
  SAY(cudaGraphAddDependencies(graph, &d, &a, nullptr, 1));
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  SAY(cudaGraphDestroy(graph));
  SAY(cudaGraphDestroy(clone));
}

static void parameters() {
  int *data = device_memory(), *more = device_memory(), by = 5, host = 0;
  void* arguments[] = {&data, &by};
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t k, m, s, h, empty;
  cudaGraphCreate(&graph, 0);
  cudaKernelNodeParams p = kernel((void*)add, arguments);
  SAY(cudaGraphAddKernelNode(&k, graph, nullptr, 0, &p));
  SAY(cudaGraphAddKernelNode(&k, graph, nullptr, 1, &p));
  SAY(cudaGraphAddKernelNode(&k, graph, nullptr, 0, nullptr));
  by = 100;  // the node has the value that it had
  cudaKernelNodeParams q{};
  SAY(cudaGraphKernelNodeGetParams(k, &q));
  SHOW(q.gridDim.x * 100 + q.blockDim.x);
  SHOW(q.sharedMemBytes);
  SHOW(*(int**)q.kernelParams[0] == data);
  SHOW(*(int*)q.kernelParams[1]);
  SHOW(q.extra == nullptr);
  SAY(cudaGraphKernelNodeGetParams(k, nullptr));
  SAY(cudaGraphAddMemcpyNode1D(&m, graph, &k, 1, more, data, 16, cudaMemcpyDeviceToDevice));
  cudaMemcpy3DParms copy{};
  SAY(cudaGraphMemcpyNodeGetParams(m, &copy));
  SHOW(copy.extent.width * 100 + copy.extent.height * 10 + copy.extent.depth);
  SHOW(copy.srcPtr.ptr == data && copy.dstPtr.ptr == more);
  SHOW(copy.kind);
  SAY(cudaGraphMemcpyNodeGetParams(k, &copy));
  cudaMemsetParams fill{};
  fill.dst = more;
  fill.value = 7;
  fill.elementSize = 4;
  fill.width = 4;
  fill.height = 1;
  SAY(cudaGraphAddMemsetNode(&s, graph, nullptr, 0, &fill));
  cudaMemsetParams fill2{};
  SAY(cudaGraphMemsetNodeGetParams(s, &fill2));
  SHOW(fill2.value * 100 + fill2.width * 10 + fill2.elementSize);
  fill.elementSize = 3;
  SAY(cudaGraphAddMemsetNode(&s, graph, nullptr, 0, &fill));
  fill.elementSize = 4;
  cudaHostNodeParams call{count, &host}, call2{};
  SAY(cudaGraphAddHostNode(&h, graph, &m, 1, &call));
  SAY(cudaGraphHostNodeGetParams(h, &call2));
  SHOW(call2.fn == count && call2.userData == &host);
  SAY(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  unsigned long long flags = 9;
  SAY(cudaGraphExecGetFlags(exec, &flags));
  SHOW(flags);
  SAY(cudaGraphLaunch(exec, 0));
  SAY(cudaDeviceSynchronize());
  SHOW(first(data));
  SHOW(host);
  // A change of the graph is none of what was made from it.
  by = 11;
  SAY(cudaGraphKernelNodeSetParams(k, &p));
  SAY(cudaGraphLaunch(exec, 0));
  cudaDeviceSynchronize();
  SHOW(first(data));
  SAY(cudaGraphExecKernelNodeSetParams(exec, k, &p));
  SAY(cudaGraphLaunch(exec, 0));
  cudaDeviceSynchronize();
  SHOW(first(data));
  SAY(cudaGraphExecKernelNodeSetParams(exec, m, &p));
  void* one[] = {&data};
  cudaKernelNodeParams t = kernel((void*)twice, one);
  SAY(cudaGraphExecKernelNodeSetParams(exec, k, &t));
  SAY(cudaGraphLaunch(exec, 0));
  cudaDeviceSynchronize();
  SHOW(first(data));
  unsigned on = 9;
  SAY(cudaGraphNodeGetEnabled(exec, k, &on));
  SHOW(on);
  SAY(cudaGraphNodeSetEnabled(exec, k, 0));
  SAY(cudaGraphLaunch(exec, 0));
  cudaDeviceSynchronize();
  SHOW(first(data));
  SAY(cudaGraphNodeGetEnabled(exec, k, &on));
  SHOW(on);
  SAY(cudaGraphNodeSetEnabled(exec, empty, 0));
  SAY(cudaGraphNodeSetEnabled(exec, k, 1));
  SAY(cudaGraphMemcpyNodeSetParams1D(m, more + 4, data, 8, cudaMemcpyDeviceToDevice));
  SAY(cudaGraphMemcpyNodeGetParams(m, &copy));
  SHOW(copy.extent.width);
  SAY(cudaGraphExecMemcpyNodeSetParams1D(exec, m, more + 4, data, 16, cudaMemcpyDeviceToDevice));
  fill.value = 9;
  SAY(cudaGraphExecMemsetNodeSetParams(exec, s, &fill));
  int other = 0;
  call.userData = &other;
  SAY(cudaGraphExecHostNodeSetParams(exec, h, &call));
  SAY(cudaGraphLaunch(exec, 0));
  cudaDeviceSynchronize();
  SHOW(first(more));
  SHOW(first(more + 4) == first(data));
  SHOW(other);
  // Another graph of the same shape.
  cudaGraphExecUpdateResultInfo result;
  SAY(cudaGraphExecUpdate(exec, graph, &result));
  SHOW(result.result);
  SAY(cudaGraphLaunch(exec, 0));
  cudaDeviceSynchronize();
  SHOW(first(data));
  cudaGraph_t different;
  cudaGraphCreate(&different, 0);
  cudaGraphAddEmptyNode(&empty, different, nullptr, 0);
  SAY(cudaGraphExecUpdate(exec, different, &result));
  SHOW(result.result);
  SAY(cudaGetLastError());
  SAY(cudaGraphExecDestroy(exec));
  SAY(cudaGraphDestroy(graph));
}

static void more_kinds() {
  int *data = device_memory(), four[4] = {9, 8, 7, 6}, back[4] = {};
  cudaGraph_t graph, child;
  cudaGraphNode_t to, from, c, inner, r, w, any;
  cudaGraphCreate(&graph, 0);
  SAY(cudaGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, variable, four, 8, 4, cudaMemcpyHostToDevice));
  SAY(cudaGraphAddMemcpyNodeToSymbol(&from, graph, nullptr, 0, variable, four, 16, 4, cudaMemcpyHostToDevice));
  SAY(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, back, variable, 16, 0, cudaMemcpyDeviceToHost));
  cudaGraphCreate(&child, 0);
  int by = 3;
  void* arguments[] = {&data, &by};
  cudaKernelNodeParams p = kernel((void*)add, arguments);
  cudaGraphAddKernelNode(&inner, child, nullptr, 0, &p);
  SAY(cudaGraphAddChildGraphNode(&c, graph, nullptr, 0, child));
  cudaGraph_t held;
  SAY(cudaGraphChildGraphNodeGetGraph(c, &held));
  SHOW(held == child);
  size_t n = 0;
  SAY(cudaGraphGetNodes(held, nullptr, &n));
  SHOW(n);
  cudaEvent_t event, event2;
  cudaEventCreate(&event);
  cudaEventCreate(&event2);
  SAY(cudaGraphAddEventRecordNode(&r, graph, &c, 1, event));
  SAY(cudaGraphAddEventWaitNode(&w, graph, &r, 1, event));
  cudaEvent_t got;
  SAY(cudaGraphEventRecordNodeGetEvent(r, &got));
  SHOW(got == event);
  SAY(cudaGraphEventRecordNodeSetEvent(r, event2));
  SAY(cudaGraphEventRecordNodeGetEvent(r, &got));
  SHOW(got == event2);
  SAY(cudaGraphEventWaitNodeGetEvent(w, &got));
  SHOW(got == event);
  SAY(cudaGraphEventRecordNodeSetEvent(r, event));
  cudaGraphNodeParams g{};
  g.type = cudaGraphNodeTypeKernel;
  g.kernel.func = (void*)add;
  g.kernel.gridDim = dim3(1);
  g.kernel.blockDim = dim3(4);
  g.kernel.kernelParams = arguments;
  SAY(cudaGraphAddNode(&any, graph, &c, nullptr, 1, &g));
  cudaGraphNodeType type;
  SAY(cudaGraphNodeGetType(any, &type));
  SHOW(type);
  by = 20;
  SAY(cudaGraphNodeSetParams(any, &g));
  g.type = cudaGraphNodeTypeMemset;
  SAY(cudaGraphNodeSetParams(any, &g));
  cudaGraphExec_t exec;
  cudaGraphInstantiateParams ip{};
  SAY(cudaGraphInstantiateWithParams(&exec, graph, &ip));
  SHOW(ip.result_out);
  SAY(cudaGraphLaunch(exec, 0));
  SAY(cudaDeviceSynchronize());
  SAY(cudaEventQuery(event));
  SHOW(first(data));
  SHOW(back[0] * 1000 + back[1] * 100 + back[2] * 10 + back[3]);
  by = 50;
  cudaGraph_t child2;
  cudaGraphCreate(&child2, 0);
  cudaGraphAddKernelNode(&inner, child2, nullptr, 0, &p);
  SAY(cudaGraphExecChildGraphNodeSetParams(exec, c, child2));
  g.type = cudaGraphNodeTypeKernel;
  by = 1;
  SAY(cudaGraphExecNodeSetParams(exec, any, &g));
  SAY(cudaGraphExecEventRecordNodeSetEvent(exec, r, event2));
  SAY(cudaGraphLaunch(exec, 0));
  SAY(cudaDeviceSynchronize());
  SHOW(first(data));
  cudaLaunchAttributeValue value{};
  value.priority = -2;
  SAY(cudaGraphKernelNodeSetAttribute(any, cudaLaunchAttributePriority, &value));
  value.priority = 0;
  SAY(cudaGraphKernelNodeGetAttribute(any, cudaLaunchAttributePriority, &value));
  SHOW(value.priority);
  SAY(cudaGraphKernelNodeGetAttribute(c, cudaLaunchAttributePriority, &value));
}

static void memory() {
  int by = 4;
  cudaGraph_t graph;
  cudaGraphNode_t a, k, f;
  cudaGraphExec_t exec;
  cudaGraphCreate(&graph, 0);
  cudaMemAllocNodeParams p{};
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location.type = cudaMemLocationTypeDevice;
  SAY(cudaGraphAddMemAllocNode(&a, graph, nullptr, 0, &p));
  p.bytesize = 64;
  SAY(cudaGraphAddMemAllocNode(&a, graph, nullptr, 0, &p));
  SHOW(p.dptr != nullptr);
  int* data = (int*)p.dptr;
  void* arguments[] = {&data, &by};
  cudaKernelNodeParams kp = kernel((void*)add, arguments);
  SAY(cudaGraphAddKernelNode(&k, graph, &a, 1, &kp));
  cudaMemAllocNodeParams again{};
  SAY(cudaGraphMemAllocNodeGetParams(a, &again));
  SHOW(again.bytesize);
  SHOW(again.dptr == data);
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  cudaPointerAttributes pa{};
  SAY(cudaGraphLaunch(exec, 0));
  SAY(cudaDeviceSynchronize());
  SAY(cudaGraphLaunch(exec, 0));
  SAY(cudaGetLastError());
  SAY(cudaPointerGetAttributes(&pa, data));
  SHOW(pa.type);
  SAY(cudaFree(data));
  SAY(cudaGraphLaunch(exec, 0));
  SAY(cudaFreeAsync(data, 0));
  SAY(cudaDeviceSynchronize());
  SAY(cudaGraphExecDestroy(exec));
  SAY(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  SAY(cudaGraphLaunch(exec, 0));
  SAY(cudaGraphLaunch(exec, 0));
  SAY(cudaDeviceSynchronize());
  SAY(cudaFree(data));
  cudaGraph_t clone;
  SAY(cudaGraphClone(&clone, graph));
  SAY(cudaGraphDestroyNode(k));
  SAY(cudaGraphExecDestroy(exec));
  // Allocated, used and freed in one graph.
  cudaGraph_t whole;
  cudaGraphCreate(&whole, 0);
  cudaGraphAddMemAllocNode(&a, whole, nullptr, 0, &p);
  data = (int*)p.dptr;
  cudaGraphAddKernelNode(&k, whole, &a, 1, &kp);
  SAY(cudaGraphAddMemFreeNode(&f, whole, &k, 1, data));
  void* freed = nullptr;
  SAY(cudaGraphMemFreeNodeGetParams(f, &freed));
  SHOW(freed == data);
  SAY(cudaGraphInstantiate(&exec, whole, 0));
  SAY(cudaGraphLaunch(exec, 0));
  SAY(cudaGraphLaunch(exec, 0));
  SAY(cudaDeviceSynchronize());
  SAY(cudaDeviceGraphMemTrim(0));
}

static void objects() {
  int ended = 0;
  cudaUserObject_t object;
  cudaGraph_t graph, clone;
  cudaGraphCreate(&graph, 0);
  SAY(cudaUserObjectCreate(&object, &ended, count, 1, 0));
  SAY(cudaUserObjectCreate(&object, &ended, count, 0, cudaUserObjectNoDestructorSync));
  SAY(cudaUserObjectCreate(&object, &ended, count, 2, cudaUserObjectNoDestructorSync));
  SAY(cudaUserObjectRetain(object, 1));
  SAY(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  SAY(cudaGraphRetainUserObject(graph, object, 1, 0));
  SAY(cudaUserObjectRelease(object, 2));
  SAY(cudaGraphReleaseUserObject(graph, object, 1));
  SAY(cudaGraphClone(&clone, graph));
  SAY(cudaGraphDestroy(graph));
  cudaDeviceSynchronize();
  usleep(100000);
  SHOW(ended);
  SAY(cudaGraphDestroy(clone));
  cudaDeviceSynchronize();
  usleep(100000);
  SHOW(ended);
}

static void capture() {
  int* data = device_memory();
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
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  SAY(cudaStreamGetCaptureInfo(s, &status, &id, &got, &tips, nullptr, &n));
  SHOW(status);
  SHOW(n);
  SHOW(id != 0);
  add<<<1, 4, 0, s>>>(data, 1);
  SAY(cudaEventRecord(fork, s));
  SAY(cudaStreamWaitEvent(t, fork, 0));
  add<<<1, 4, 0, s>>>(data, 2);
  add<<<1, 4, 0, t>>>(data + 4, 3);
  SAY(cudaStreamIsCapturing(t, &status));
  SHOW(status);
  SAY(cudaEventRecord(joined, t));
  SAY(cudaStreamWaitEvent(s, joined, 0));
  SAY(cudaStreamGetCaptureInfo(s, &status, &id, &got, &tips, nullptr, &n));
  SHOW(n);
  twice<<<1, 4, 0, s>>>(data);
  SAY(cudaMemsetAsync(data + 8, 1, 4, s));
  SAY(cudaMemcpyAsync(data + 9, data + 8, 4, cudaMemcpyDeviceToDevice, s));
  SAY(cudaStreamEndCapture(t, &graph));
  SAY(cudaStreamEndCapture(s, &graph));
}

static void captured_wrongly() {
  int* data = device_memory();
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudaEvent_t fork;
  cudaEventCreate(&fork);
  cudaGraph_t graph = nullptr;
  cudaStreamCaptureStatus status;
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  SAY(cudaEventRecord(fork, s));
  SAY(cudaStreamWaitEvent(t, fork, 0));
  add<<<1, 4, 0, t>>>(data, 1);
  SAY(cudaStreamEndCapture(s, &graph));
  SHOW(graph == nullptr);
  SAY(cudaStreamIsCapturing(t, &status));
  SHOW(status);
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  SAY(cudaStreamSynchronize(s));
  SAY(cudaStreamIsCapturing(s, &status));
  SHOW(status);
  SAY(cudaMemsetAsync(data, 0, 4, s));
  SAY(cudaStreamEndCapture(s, &graph));
  SHOW(graph == nullptr);
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  SAY(cudaStreamQuery(s));
  SAY(cudaStreamEndCapture(s, &graph));
  SAY(cudaEventRecord(fork, t));
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  SAY(cudaStreamWaitEvent(s, fork, 0));
  SAY(cudaStreamEndCapture(s, &graph));
}

static void captured_memory() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  int* data = nullptr;
  cudaGraph_t graph;
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  SAY(cudaMallocAsync(&data, 64, s));
  add<<<1, 4, 0, s>>>(data, 1);
  SAY(cudaFreeAsync(data, s));
  SAY(cudaStreamEndCapture(s, &graph));
  cudaGraphNode_t nodes[4];
  size_t n = 4;
  SAY(cudaGraphGetNodes(graph, nodes, &n));
  SHOW(n);
  cudaGraphNodeType type;
  SAY(cudaGraphNodeGetType(nodes[0], &type));
  SHOW(type);
  SAY(cudaGraphNodeGetType(nodes[2], &type));
  SHOW(type);
  cudaGraphExec_t exec;
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  SAY(cudaGraphLaunch(exec, s));
  SAY(cudaGraphLaunch(exec, s));
  SAY(cudaStreamSynchronize(s));
}

static void in_process(const char* title, void (*body)()) {
  section(title);
  pid_t child = fork();
  if (child == 0) {
    body();
    fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("ends with %d\n", status);
}

int main() {
  in_process("the shape", shape);
  in_process("parameters", parameters);
  in_process("other kinds of nodes", more_kinds);
  in_process("memory", memory);
  in_process("user objects", objects);
  in_process("capture", capture);
  in_process("captured wrongly", captured_wrongly);
  in_process("captured memory", captured_memory);
  return 0;
}
