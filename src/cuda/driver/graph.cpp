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

const void* kernel_of(const KernelNodeParams* p) { return !p || p->function ? (p ? p->function : nullptr) : p->kernel; }

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
  if (!copy) return invalid_value();
  Memcpy3DParams params;
  CuResult result = as_runtime_copy(*copy, params);
  if (result != CuResult::CUDA_SUCCESS) return result;
  return forward([&] { return wl_cudaGraphAddMemcpyNode(out, graph, after, count, &params); });
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
  constexpr unsigned long long kKnown = 15;
  return forward([&] { return flags & ~kKnown ? Error::cudaErrorInvalidValue : wl_cudaGraphInstantiate(out, graph); });
}
WL_DRIVER_API wl_cuGraphInstantiateWithParams(GraphExec** out, Graph* graph, InstantiateParams* params) {
  return forward([&] { return wl_cudaGraphInstantiateWithParams(out, graph, params); });
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
WL_DRIVER_API wl_cuGraphExecKernelNodeSetParams(GraphExec* exec, const Node* node, const KernelNodeParams* p) {
  return with_params(p, p ? p->function : nullptr, [&](const KernelParams& params) {
    return wl_cudaGraphExecKernelNodeSetParams(exec, node, &params);
  });
}
WL_DRIVER_API wl_cuGraphExecKernelNodeSetParams_v2(GraphExec* exec, const Node* node, const KernelNodeParams* p) {
  return with_params(p, kernel_of(p), [&](const KernelParams& params) {
    return wl_cudaGraphExecKernelNodeSetParams(exec, node, &params);
  });
}
WL_DRIVER_API wl_cuGraphExecUpdate(GraphExec* exec, Graph* graph, Node** error_node, int* result) {
  return forward([&] { return wl_cudaGraphExecUpdate_v11(exec, graph, error_node, result); });
}
WL_DRIVER_API wl_cuGraphExecUpdate_v2(GraphExec* exec, Graph* graph, int* result_info) {
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

namespace {
CuResult capture_info(StreamHandle stream, int* status, uint64_t* id, Graph** graph, size_t* dependencies) {
  return serve(Needs::Nothing, [&](Runtime&) {
    if (!is_valid(stream)) return CuResult::CUDA_ERROR_INVALID_HANDLE;
    if (!status) return CuResult::CUDA_ERROR_INVALID_VALUE;
    std::shared_ptr<Graph> captured = capture_of(stream);
    *status = captured ? 1 : 0;
    if (id) *id = captured ? reinterpret_cast<uint64_t>(captured.get()) : 0;
    if (graph) *graph = captured.get();
    if (dependencies) *dependencies = 0;
    return CuResult::CUDA_SUCCESS;
  });
}
}  // namespace

WL_DRIVER_API wl_cuStreamGetCaptureInfo(StreamHandle stream, int* status, uint64_t* id) {
  return capture_info(stream, status, id, nullptr, nullptr);
}
// Asking for what comes next in the capture is refused: its dependencies are kept as one row.
WL_DRIVER_API wl_cuStreamGetCaptureInfo_v2(StreamHandle stream, int* status, uint64_t* id, Graph** graph,
                                           Node* const** after, size_t* count) {
  if (after) return refuse("cuStreamGetCaptureInfo with dependencies");
  return capture_info(stream, status, id, graph, count);
}
WL_DRIVER_API wl_cuStreamGetCaptureInfo_v3(StreamHandle stream, int* status, uint64_t* id, Graph** graph,
                                           Node* const** after, const void** edges, size_t* count) {
  if (after || edges) return refuse("cuStreamGetCaptureInfo with dependencies");
  return capture_info(stream, status, id, graph, count);
}

}  // namespace warplens::cuda::driver
