// Graphs and capture, which are the runtime's own.
#include "cuda/graph.h"

#include "cuda/driver/copy.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/launch.h"
#include "cuda/served.h"
#include "cuda/stream.h"

namespace warplens::cuda::driver {
namespace {

CuResult invalid_value() {
  return forward([] { return CuResult::CUDA_ERROR_INVALID_VALUE; });
}

const void* kernel_of(const KernelNodeParams* p) { return !p || p->function ? (p ? p->function : nullptr) : p->kernel; }

// use(const KernelParams&) -> Error, with the kernel's parameters as the runtime writes them.
template <typename Use>
CuResult with_params(const KernelNodeParams* p, const void* kernel, Use&& use) {
  if (!p) return invalid_value();
  CuResult result = check_context();
  if (result != CuResult::CUDA_SUCCESS) return result;
  std::vector<void*> arguments;
  result =
      framed(Needs::Nothing, [&](Runtime& r) { return arguments_of(r, kernel, p->arguments, p->extra, arguments); });
  if (result != CuResult::CUDA_SUCCESS) return result;
  KernelParams params{const_cast<void*>(kernel), p->grid, p->block, p->shared_bytes, arguments.data(), nullptr};
  return forward([&] { return use(params); });
}

// The same with a copy.
template <typename Use>
CuResult with_copy(const Memcpy3D* copy, Use&& use) {
  if (!copy) return invalid_value();
  Memcpy3DParams params;
  CuResult result = as_runtime_copy(*copy, params);
  return result == CuResult::CUDA_SUCCESS ? forward([&] { return use(params); }) : result;
}

struct CopyNodeParams {  // CUDA_MEMCPY_NODE_PARAMS
  int flags, reserved;
  Context* context;
  Memcpy3D copy;
};

// use(NodeParams&) -> Error, with CUgraphNodeParams as the runtime writes it: kernels and copies look different there.
template <typename Use>
CuResult with_node(NodeParams* p, Use&& use) {
  if (!p) return invalid_value();
  const void* own = p->words;
  if (p->type == static_cast<int>(NodeType::Kernel)) {
    const auto* kernel = static_cast<const KernelNodeParams*>(own);
    return with_params(kernel, kernel_of(kernel), [&](const KernelParams& params) {
      NodeParams node{};
      node.type = p->type;
      node.kernel = params;
      return use(node);
    });
  }
  if (p->type == static_cast<int>(NodeType::Memcpy)) {
    return with_copy(&static_cast<const CopyNodeParams*>(own)->copy, [&](const Memcpy3DParams& params) {
      NodeParams node{};
      node.type = p->type;
      node.copy.params = params;
      return use(node);
    });
  }
  return forward([&] { return use(*p); });
}

}  // namespace

WL_DRIVER_API wl_cuGraphCreate(Graph** out, unsigned flags) {
  return forward([&] { return wl_cudaGraphCreate(out, flags); });
}
WL_DRIVER_API wl_cuGraphDestroy(Graph* graph) {
  return forward([&] { return wl_cudaGraphDestroy(graph); });
}
WL_DRIVER_API wl_cuGraphAddKernelNode(Node** out, Graph* graph, Node* const* after, size_t count,
                                      const KernelNodeParams* p) {
  return with_params(p, p ? p->function : nullptr, [&](const KernelParams& params) {
    return wl_cudaGraphAddKernelNode(out, graph, after, count, &params);
  });
}
WL_DRIVER_API wl_cuGraphAddKernelNode_v2(Node** out, Graph* graph, Node* const* after, size_t count,
                                         const KernelNodeParams* p) {
  return with_params(p, kernel_of(p), [&](const KernelParams& params) {
    return wl_cudaGraphAddKernelNode(out, graph, after, count, &params);
  });
}
WL_DRIVER_API wl_cuGraphAddMemcpyNode(Node** out, Graph* graph, Node* const* after, size_t count, const Memcpy3D* copy,
                                      Context*) {
  return with_copy(
      copy, [&](const Memcpy3DParams& params) { return wl_cudaGraphAddMemcpyNode(out, graph, after, count, &params); });
}
WL_DRIVER_API wl_cuGraphAddMemsetNode(Node** out, Graph* graph, Node* const* after, size_t count,
                                      const MemsetParams* params, Context*) {
  return forward([&] { return wl_cudaGraphAddMemsetNode(out, graph, after, count, params); });
}
WL_DRIVER_API wl_cuGraphAddHostNode(Node** out, Graph* graph, Node* const* after, size_t count,
                                    const HostParams* params) {
  return forward([&] { return wl_cudaGraphAddHostNode(out, graph, after, count, params); });
}
WL_DRIVER_API wl_cuGraphAddEmptyNode(Node** out, Graph* graph, Node* const* after, size_t count) {
  return forward([&] { return wl_cudaGraphAddEmptyNode(out, graph, after, count); });
}
WL_DRIVER_API wl_cuGraphAddChildGraphNode(Node** out, Graph* graph, Node* const* after, size_t count, Graph* child) {
  return forward([&] { return wl_cudaGraphAddChildGraphNode(out, graph, after, count, child); });
}
WL_DRIVER_API wl_cuGraphAddDependencies(Graph* graph, Node* const* from, Node* const* to, size_t count) {
  return forward([&] { return wl_cudaGraphAddDependencies_v12(graph, from, to, count); });
}
WL_DRIVER_API wl_cuGraphAddDependencies_v2(Graph* graph, Node* const* from, Node* const* to, const void* edges,
                                           size_t count) {
  return forward([&] { return wl_cudaGraphAddDependencies_v13(graph, from, to, edges, count); });
}
WL_DRIVER_API wl_cuGraphGetNodes(Graph* graph, Node** out, size_t* count) {
  return forward([&] { return wl_cudaGraphGetNodes(graph, out, count); });
}
WL_DRIVER_API wl_cuGraphGetRootNodes(Graph* graph, Node** out, size_t* count) {
  return forward([&] { return wl_cudaGraphGetRootNodes(graph, out, count); });
}
WL_DRIVER_API wl_cuGraphNodeGetType(const Node* node, int* out) {
  return forward([&] { return wl_cudaGraphNodeGetType(node, out); });
}
WL_DRIVER_API wl_cuGraphClone(Graph** out, Graph* graph) {
  return forward([&] { return wl_cudaGraphClone(out, graph); });
}

WL_DRIVER_API wl_cuGraphInstantiate(GraphExec** out, Graph* graph, Node** error_node, char* log, size_t log_bytes) {
  if (error_node) *error_node = nullptr;
  if (log && log_bytes) *log = 0;
  return forward([&] { return wl_cudaGraphInstantiate(out, graph); });
}
WL_DRIVER_API wl_cuGraphInstantiate_v2(GraphExec** out, Graph* graph, Node** error_node, char* log, size_t log_bytes) {
  return wl_cuGraphInstantiate(out, graph, error_node, log, log_bytes);
}
WL_DRIVER_API wl_cuGraphInstantiateWithFlags(GraphExec** out, Graph* graph, unsigned long long flags) {
  return forward([&] { return wl_cudaGraphInstantiateWithFlags(out, graph, flags); });
}
WL_DRIVER_API wl_cuGraphInstantiateWithParams(GraphExec** out, Graph* graph, InstantiateParams* params) {
  return forward([&] { return wl_cudaGraphInstantiateWithParams(out, graph, params); });
}
WL_DRIVER_API wl_cuGraphExecGetFlags(GraphExec* exec, uint64_t* out) {
  unsigned long long flags = 0;
  CuResult result = forward([&] { return wl_cudaGraphExecGetFlags(exec, out ? &flags : nullptr); });
  if (result == CuResult::CUDA_SUCCESS) *out = flags;
  return result;
}
WL_DRIVER_API wl_cuGraphExecDestroy(GraphExec* exec) {
  return forward([&] { return wl_cudaGraphExecDestroy(exec); });
}
WL_DRIVER_API wl_cuGraphUpload(GraphExec* exec, StreamHandle stream) {
  return forward([&] { return wl_cudaGraphUpload(exec, stream); });
}
WL_DRIVER_API wl_cuGraphLaunch(GraphExec* exec, StreamHandle stream) {
  return forward([&] { return wl_cudaGraphLaunch(exec, stream); });
}
WL_DRIVER_API wl_cuGraphExecKernelNodeSetParams(GraphExec* exec, Node* node, const KernelNodeParams* p) {
  return with_params(p, p ? p->function : nullptr, [&](const KernelParams& params) {
    return wl_cudaGraphExecKernelNodeSetParams(exec, node, &params);
  });
}
WL_DRIVER_API wl_cuGraphExecKernelNodeSetParams_v2(GraphExec* exec, Node* node, const KernelNodeParams* p) {
  return with_params(p, kernel_of(p), [&](const KernelParams& params) {
    return wl_cudaGraphExecKernelNodeSetParams(exec, node, &params);
  });
}
WL_DRIVER_API wl_cuGraphExecUpdate(GraphExec* exec, Graph* graph, Node** error_node, int* result) {
  return forward([&] { return wl_cudaGraphExecUpdate_v11(exec, graph, error_node, result); });
}
WL_DRIVER_API wl_cuGraphExecUpdate_v2(GraphExec* exec, Graph* graph, UpdateResult* result_info) {
  return forward([&] { return wl_cudaGraphExecUpdate_v12(exec, graph, result_info); });
}

// ---- objects of the program, which need no context

namespace {
template <typename Body>
CuResult without_context(Body&& body) {
  CuResult result = check_initialised();
  if (result != CuResult::CUDA_SUCCESS) return result;
  KeptLastError kept;
  return as_result(body());
}
}  // namespace

WL_DRIVER_API wl_cuUserObjectCreate(UserObject** out, void* data, void (*destroy)(void*), unsigned count,
                                    unsigned flags) {
  return without_context([&] { return wl_cudaUserObjectCreate(out, data, destroy, count, flags); });
}
WL_DRIVER_API wl_cuUserObjectRetain(UserObject* object, unsigned count) {
  return without_context([&] { return wl_cudaUserObjectRetain(object, count); });
}
WL_DRIVER_API wl_cuUserObjectRelease(UserObject* object, unsigned count) {
  return without_context([&] { return wl_cudaUserObjectRelease(object, count); });
}
WL_DRIVER_API wl_cuGraphRetainUserObject(Graph* graph, UserObject* object, unsigned count, unsigned flags) {
  return without_context([&] { return wl_cudaGraphRetainUserObject(graph, object, count, flags); });
}
WL_DRIVER_API wl_cuGraphReleaseUserObject(Graph* graph, UserObject* object, unsigned count) {
  return without_context([&] { return wl_cudaGraphReleaseUserObject(graph, object, count); });
}

// ---- capture

WL_DRIVER_API wl_cuStreamBeginCapture_v2(StreamHandle stream, int mode) {
  return forward([&] { return wl_cudaStreamBeginCapture(stream, mode); });
}
WL_DRIVER_API wl_cuStreamBeginCapture(StreamHandle stream) { return wl_cuStreamBeginCapture_v2(stream, 0); }
WL_DRIVER_API wl_cuStreamEndCapture(StreamHandle stream, Graph** out) {
  return forward([&] { return wl_cudaStreamEndCapture(stream, out); });
}
WL_DRIVER_API wl_cuStreamIsCapturing(StreamHandle stream, int* status) {
  return forward([&] { return wl_cudaStreamIsCapturing(stream, status); });
}
WL_DRIVER_API wl_cuThreadExchangeStreamCaptureMode(int* mode) {
  return forward([&] { return wl_cudaThreadExchangeStreamCaptureMode(mode); });
}

WL_DRIVER_API wl_cuStreamGetCaptureInfo(StreamHandle stream, int* status, unsigned long long* id) {
  return forward([&] { return wl_cudaStreamGetCaptureInfo(stream, status, id); });
}
WL_DRIVER_API wl_cuStreamGetCaptureInfo_v2(StreamHandle stream, int* status, unsigned long long* id, Graph** graph,
                                           Node* const** after, size_t* count) {
  return forward([&] { return wl_cudaStreamGetCaptureInfo_v2(stream, status, id, graph, after, count); });
}
WL_DRIVER_API wl_cuStreamGetCaptureInfo_v3(StreamHandle stream, int* status, unsigned long long* id, Graph** graph,
                                           Node* const** after, const void** edges, size_t* count) {
  return forward([&] { return wl_cudaStreamGetCaptureInfo_v3(stream, status, id, graph, after, edges, count); });
}
WL_DRIVER_API wl_cuStreamUpdateCaptureDependencies(StreamHandle stream, Node* const* nodes, size_t count,
                                                   unsigned flags) {
  return forward([&] { return wl_cudaStreamUpdateCaptureDependencies(stream, nodes, count, flags); });
}
WL_DRIVER_API wl_cuStreamUpdateCaptureDependencies_v2(StreamHandle stream, Node* const* nodes, const void* edges,
                                                      size_t count, unsigned flags) {
  return forward([&] { return wl_cudaStreamUpdateCaptureDependencies_v13(stream, nodes, edges, count, flags); });
}
WL_DRIVER_API wl_cuStreamBeginCaptureToGraph(StreamHandle stream, Graph* graph, Node* const* after, const void* edges,
                                             size_t count, int mode) {
  return forward([&] { return wl_cudaStreamBeginCaptureToGraph(stream, graph, after, edges, count, mode); });
}

// ---- nodes of any kind

WL_DRIVER_API wl_cuGraphAddNode(Node** out, Graph* graph, Node* const* after, size_t count, NodeParams* p) {
  return with_node(p, [&](NodeParams& node) {
    Error error = wl_cudaGraphAddNode(out, graph, after, count, &node);
    if (error == Error::cudaSuccess && node.type == static_cast<int>(NodeType::MemAlloc)) p->alloc = node.alloc;
    return error;
  });
}
WL_DRIVER_API wl_cuGraphAddNode_v2(Node** out, Graph* graph, Node* const* after, const void* edges, size_t count,
                                   NodeParams* p) {
  return wl_cuGraphAddNode(out, graph, after, count, p);
}
WL_DRIVER_API wl_cuGraphNodeSetParams(Node* node, NodeParams* p) {
  return with_node(p, [&](NodeParams& params) { return wl_cudaGraphNodeSetParams(node, &params); });
}
WL_DRIVER_API wl_cuGraphExecNodeSetParams(GraphExec* exec, Node* node, NodeParams* p) {
  return with_node(p, [&](NodeParams& params) { return wl_cudaGraphExecNodeSetParams(exec, node, &params); });
}

// ---- kernels and copies, which the driver writes down in its own way

namespace {
// `whole`: the form with a kernel and a context behind it.
CuResult kernel_params(Node* node, KernelNodeParams* out, bool whole) {
  KernelParams p{};
  CuResult result = forward([&] { return wl_cudaGraphKernelNodeGetParams(node, out ? &p : nullptr); });
  if (result != CuResult::CUDA_SUCCESS) return result;
  out->function = p.function;
  out->grid = p.grid;
  out->block = p.block;
  out->shared_bytes = p.shared;
  out->arguments = p.arguments;
  out->extra = nullptr;
  if (!whole) return result;
  out->kernel = nullptr;
  out->context = current_context();
  return result;
}
}  // namespace

WL_DRIVER_API wl_cuGraphKernelNodeGetParams(Node* node, KernelNodeParams* out) {
  return kernel_params(node, out, false);
}
WL_DRIVER_API wl_cuGraphKernelNodeGetParams_v2(Node* node, KernelNodeParams* out) {
  return kernel_params(node, out, true);
}
WL_DRIVER_API wl_cuGraphKernelNodeSetParams(Node* node, const KernelNodeParams* p) {
  return with_params(p, p ? p->function : nullptr,
                     [&](const KernelParams& params) { return wl_cudaGraphKernelNodeSetParams(node, &params); });
}
WL_DRIVER_API wl_cuGraphKernelNodeSetParams_v2(Node* node, const KernelNodeParams* p) {
  return with_params(p, kernel_of(p),
                     [&](const KernelParams& params) { return wl_cudaGraphKernelNodeSetParams(node, &params); });
}
WL_DRIVER_API wl_cuGraphMemcpyNodeGetParams(Node* node, Memcpy3D* out) {
  Memcpy3DParams p{};
  CuResult result = forward([&] { return wl_cudaGraphMemcpyNodeGetParams(node, out ? &p : nullptr); });
  return result == CuResult::CUDA_SUCCESS ? as_driver_copy(p, *out) : result;
}
WL_DRIVER_API wl_cuGraphMemcpyNodeSetParams(Node* node, const Memcpy3D* copy) {
  return with_copy(copy, [&](const Memcpy3DParams& params) { return wl_cudaGraphMemcpyNodeSetParams(node, &params); });
}
WL_DRIVER_API wl_cuGraphExecMemcpyNodeSetParams(GraphExec* exec, Node* node, const Memcpy3D* copy, Context*) {
  return with_copy(
      copy, [&](const Memcpy3DParams& params) { return wl_cudaGraphExecMemcpyNodeSetParams(exec, node, &params); });
}

// ---- the rest is the runtime's as it is

WL_DRIVER_API wl_cuGraphAddEventRecordNode(Node** out, Graph* graph, Node* const* after, size_t count,
                                           EventHandle event) {
  return forward([&] { return wl_cudaGraphAddEventRecordNode(out, graph, after, count, event); });
}
WL_DRIVER_API wl_cuGraphAddEventWaitNode(Node** out, Graph* graph, Node* const* after, size_t count,
                                         EventHandle event) {
  return forward([&] { return wl_cudaGraphAddEventWaitNode(out, graph, after, count, event); });
}
WL_DRIVER_API wl_cuGraphAddMemAllocNode(Node** out, Graph* graph, Node* const* after, size_t count,
                                        MemAllocParams* params) {
  return forward([&] { return wl_cudaGraphAddMemAllocNode(out, graph, after, count, params); });
}
WL_DRIVER_API wl_cuGraphDestroyNode(Node* node) {
  return forward([&] { return wl_cudaGraphDestroyNode(node); });
}
WL_DRIVER_API wl_cuGraphNodeFindInClone(Node** out, Node* original, Graph* clone) {
  return forward([&] { return wl_cudaGraphNodeFindInClone(out, original, clone); });
}
WL_DRIVER_API wl_cuGraphChildGraphNodeGetGraph(Node* node, Graph** out) {
  return forward([&] { return wl_cudaGraphChildGraphNodeGetGraph(node, out); });
}
WL_DRIVER_API wl_cuGraphMemsetNodeGetParams(Node* node, MemsetParams* out) {
  return forward([&] { return wl_cudaGraphMemsetNodeGetParams(node, out); });
}
WL_DRIVER_API wl_cuGraphMemsetNodeSetParams(Node* node, const MemsetParams* params) {
  return forward([&] { return wl_cudaGraphMemsetNodeSetParams(node, params); });
}
WL_DRIVER_API wl_cuGraphHostNodeGetParams(Node* node, HostParams* out) {
  return forward([&] { return wl_cudaGraphHostNodeGetParams(node, out); });
}
WL_DRIVER_API wl_cuGraphHostNodeSetParams(Node* node, const HostParams* params) {
  return forward([&] { return wl_cudaGraphHostNodeSetParams(node, params); });
}
WL_DRIVER_API wl_cuGraphEventRecordNodeGetEvent(Node* node, EventHandle* out) {
  return forward([&] { return wl_cudaGraphEventRecordNodeGetEvent(node, out); });
}
WL_DRIVER_API wl_cuGraphEventRecordNodeSetEvent(Node* node, EventHandle event) {
  return forward([&] { return wl_cudaGraphEventRecordNodeSetEvent(node, event); });
}
WL_DRIVER_API wl_cuGraphEventWaitNodeGetEvent(Node* node, EventHandle* out) {
  return forward([&] { return wl_cudaGraphEventWaitNodeGetEvent(node, out); });
}
WL_DRIVER_API wl_cuGraphEventWaitNodeSetEvent(Node* node, EventHandle event) {
  return forward([&] { return wl_cudaGraphEventWaitNodeSetEvent(node, event); });
}
WL_DRIVER_API wl_cuGraphMemAllocNodeGetParams(Node* node, MemAllocParams* out) {
  return forward([&] { return wl_cudaGraphMemAllocNodeGetParams(node, out); });
}
WL_DRIVER_API wl_cuGraphExecHostNodeSetParams(GraphExec* exec, Node* node, const HostParams* params) {
  return forward([&] { return wl_cudaGraphExecHostNodeSetParams(exec, node, params); });
}
WL_DRIVER_API wl_cuGraphExecChildGraphNodeSetParams(GraphExec* exec, Node* node, Graph* child) {
  return forward([&] { return wl_cudaGraphExecChildGraphNodeSetParams(exec, node, child); });
}
WL_DRIVER_API wl_cuGraphExecEventRecordNodeSetEvent(GraphExec* exec, Node* node, EventHandle event) {
  return forward([&] { return wl_cudaGraphExecEventRecordNodeSetEvent(exec, node, event); });
}
WL_DRIVER_API wl_cuGraphExecEventWaitNodeSetEvent(GraphExec* exec, Node* node, EventHandle event) {
  return forward([&] { return wl_cudaGraphExecEventWaitNodeSetEvent(exec, node, event); });
}
WL_DRIVER_API wl_cuGraphNodeSetEnabled(GraphExec* exec, Node* node, unsigned enabled) {
  return forward([&] { return wl_cudaGraphNodeSetEnabled(exec, node, enabled); });
}
WL_DRIVER_API wl_cuGraphNodeGetEnabled(GraphExec* exec, Node* node, unsigned* out) {
  return forward([&] { return wl_cudaGraphNodeGetEnabled(exec, node, out); });
}
WL_DRIVER_API wl_cuGraphKernelNodeSetAttribute(Node* node, int attribute, const AttributeValue* value) {
  return forward([&] { return wl_cudaGraphKernelNodeSetAttribute(node, attribute, value); });
}
WL_DRIVER_API wl_cuGraphKernelNodeGetAttribute(Node* node, int attribute, AttributeValue* out) {
  return forward([&] { return wl_cudaGraphKernelNodeGetAttribute(node, attribute, out); });
}
WL_DRIVER_API wl_cuGraphKernelNodeCopyAttributes(Node* target, Node* source) {
  return forward([&] { return wl_cudaGraphKernelNodeCopyAttributes(target, source); });
}
WL_DRIVER_API wl_cuGraphGetEdges(Graph* graph, Node** from, Node** to, size_t* count) {
  return forward([&] { return wl_cudaGraphGetEdges(graph, from, to, count); });
}
WL_DRIVER_API wl_cuGraphGetEdges_v2(Graph* graph, Node** from, Node** to, EdgeData* edges, size_t* count) {
  return forward([&] { return wl_cudaGraphGetEdges_v13(graph, from, to, edges, count); });
}
WL_DRIVER_API wl_cuGraphNodeGetDependencies(Node* node, Node** out, size_t* count) {
  return forward([&] { return wl_cudaGraphNodeGetDependencies(node, out, count); });
}
WL_DRIVER_API wl_cuGraphNodeGetDependencies_v2(Node* node, Node** out, EdgeData* edges, size_t* count) {
  return forward([&] { return wl_cudaGraphNodeGetDependencies_v13(node, out, edges, count); });
}
WL_DRIVER_API wl_cuGraphNodeGetDependentNodes(Node* node, Node** out, size_t* count) {
  return forward([&] { return wl_cudaGraphNodeGetDependentNodes(node, out, count); });
}
WL_DRIVER_API wl_cuGraphNodeGetDependentNodes_v2(Node* node, Node** out, EdgeData* edges, size_t* count) {
  return forward([&] { return wl_cudaGraphNodeGetDependentNodes_v13(node, out, edges, count); });
}
WL_DRIVER_API wl_cuGraphRemoveDependencies(Graph* graph, Node* const* from, Node* const* to, size_t count) {
  return forward([&] { return wl_cudaGraphRemoveDependencies(graph, from, to, count); });
}
WL_DRIVER_API wl_cuGraphRemoveDependencies_v2(Graph* graph, Node* const* from, Node* const* to, const void* edges,
                                              size_t count) {
  return forward([&] { return wl_cudaGraphRemoveDependencies_v13(graph, from, to, edges, count); });
}
WL_DRIVER_API wl_cuGraphDebugDotPrint(Graph* graph, const char* path, unsigned flags) {
  return forward([&] { return wl_cudaGraphDebugDotPrint(graph, path, flags); });
}
WL_DRIVER_API wl_cuDeviceGetGraphMemAttribute(Device device, int attribute, void* out) {
  return forward([&] { return wl_cudaDeviceGetGraphMemAttribute(device, attribute, out); });
}
WL_DRIVER_API wl_cuDeviceSetGraphMemAttribute(Device device, int attribute, void* value) {
  return forward([&] { return wl_cudaDeviceSetGraphMemAttribute(device, attribute, value); });
}
WL_DRIVER_API wl_cuDeviceGraphMemTrim(Device device) {
  return forward([&] { return wl_cudaDeviceGraphMemTrim(device); });
}
WL_DRIVER_API wl_cuGraphAddMemFreeNode(Node** out, Graph* graph, Node* const* after, size_t count,
                                       DevicePointer address) {
  return forward(
      [&] { return wl_cudaGraphAddMemFreeNode(out, graph, after, count, reinterpret_cast<void*>(address)); });
}
WL_DRIVER_API wl_cuGraphMemFreeNodeGetParams(Node* node, DevicePointer* out) {
  return forward([&] { return wl_cudaGraphMemFreeNodeGetParams(node, reinterpret_cast<void**>(out)); });
}
WL_DRIVER_API wl_cuGraphExecMemsetNodeSetParams(GraphExec* exec, Node* node, const MemsetParams* params, Context*) {
  return forward([&] { return wl_cudaGraphExecMemsetNodeSetParams(exec, node, params); });
}

}  // namespace warplens::cuda::driver
