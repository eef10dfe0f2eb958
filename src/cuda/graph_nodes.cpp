// The nodes of a graph: adding them, asking for what they were made from, changing it, in the graph or in what was
// instantiated from it. Each kind of node has the same few functions, so they share one frame.
#include <algorithm>
#include <cstring>

#include "cuda/copy.h"
#include "cuda/graph.h"
#include "cuda/launch.h"
#include "cuda/served.h"
#include "cuda/stream.h"
#include "cuda/symbol.h"

namespace warplens::cuda {
namespace {

Error memset_work(const MemsetParams& p, Work& out) {
  if (p.element_bytes != 1 && p.element_bytes != 2 && p.element_bytes != 4) return Error::cudaErrorInvalidValue;
  out = [p](Runtime& r) { return fill_elements(r, p.target, p.value, p.element_bytes, p.pitch, p.width, p.height); };
  return Error::cudaSuccess;
}

Error host_work(const HostParams& p, Work& out) {
  if (!p.function) return Error::cudaErrorInvalidValue;
  out = [p](Runtime& r) {
    r.host_queue.push([p] { p.function(p.data); });
    return Error::cudaSuccess;
  };
  return Error::cudaSuccess;
}

Error event_work(NodeType type, EventHandle event, Work& out) {
  if (!is_valid(event)) return Error::cudaErrorInvalidValue;
  if (type == NodeType::WaitEvent) return Error::cudaSuccess;
  out = [event](Runtime&) { return is_valid(event) ? record_now(event) : Error::cudaErrorInvalidResourceHandle; };
  return Error::cudaSuccess;
}

Error allocation_work(Runtime& runtime, GraphAllocation& a, Work& out) {
  constexpr int kPinned = 1, kOnDevice = 1;
  MemAllocParams& p = a.params;
  bool on_device = p.location_type == kOnDevice && runtime.is_device(p.location_id);
  if (p.allocation_type != kPinned || p.handle_types || !on_device || !p.bytes) return Error::cudaErrorInvalidValue;
  a.memory = reserve_graph_memory(p.bytes, p.location_id);
  if (!a.memory) return Error::cudaErrorMemoryAllocation;
  p.address = address_of(*a.memory);
  out = [memory = a.memory](Runtime& r) { return allocate_graph_memory(r, memory); };
  return Error::cudaSuccess;
}

Error free_work(void* address, Work& out) {
  if (!address) return Error::cudaErrorInvalidValue;
  out = [address](Runtime& r) {
    bool freed = free_graph_memory(r, reinterpret_cast<uint64_t>(address));
    return freed ? Error::cudaSuccess : Error::cudaErrorInvalidValue;
  };
  return Error::cudaSuccess;
}

// What the parameters of a node say, by its type.
Error details_of(Runtime& runtime, const NodeParams& p, Details& out) {
  switch (static_cast<NodeType>(p.type)) {
    case NodeType::Kernel: {
      if (p.kernel.extra) return Error::cudaErrorInvalidValue;
      KernelCall call;
      Error error = describe_launch(runtime, p.kernel.function, p.kernel.grid, p.kernel.block, p.kernel.arguments,
                                    p.kernel.shared, call);
      out = std::move(call);
      return error;
    }
    case NodeType::Memcpy:
      out = p.copy.params;
      return Error::cudaSuccess;
    case NodeType::Memset:
      out = p.fill;
      return Error::cudaSuccess;
    case NodeType::Host:
      out = p.host;
      return Error::cudaSuccess;
    case NodeType::Graph:
      if (!is_graph(p.child)) return Error::cudaErrorInvalidValue;
      out = p.child->clone();
      return Error::cudaSuccess;
    case NodeType::WaitEvent:
    case NodeType::EventRecord:
      out = p.event;
      return Error::cudaSuccess;
    case NodeType::MemAlloc:
      out = GraphAllocation{p.alloc, nullptr};
      return Error::cudaSuccess;
    case NodeType::MemFree:
      out = FreedMemory{p.freed};
      return Error::cudaSuccess;
    case NodeType::Empty:
      return Error::cudaSuccess;
    default:
      runtime.refuse(static_cast<NodeType>(p.type) == NodeType::Conditional
                         ? "a conditional node of a graph"
                         : "a graph's node of an external semaphore");
      return Error::cudaErrorNotSupported;
  }
}

template <typename T>
NodeParams params_for(NodeType type, const T& value) {
  NodeParams p{};
  p.type = static_cast<int>(type);
  memcpy(p.words, &value, sizeof value);
  return p;
}
NodeParams copy_params(const Memcpy3DParams& copy) {
  NodeParams p{};
  p.type = static_cast<int>(NodeType::Memcpy);
  p.copy.params = copy;
  return p;
}

Error add(Runtime& runtime, Node** out, Graph* graph, Node* const* after, size_t count, NodeParams& p) {
  if (!out || !is_graph(graph) || (count && !after)) return Error::cudaErrorInvalidValue;
  std::vector<Node*> before(after, after + count);
  for (const Node* node : before) {
    if (!graph->owns(node)) return Error::cudaErrorInvalidValue;
  }
  Details details;
  Work work;
  Error error = details_of(runtime, p, details);
  if (error == Error::cudaSuccess) error = work_of(runtime, static_cast<NodeType>(p.type), details, work);
  if (error != Error::cudaSuccess) return error;
  if (auto* allocation = std::get_if<GraphAllocation>(&details)) p.alloc.address = allocation->params.address;
  if (auto* child = std::get_if<std::shared_ptr<Graph>>(&details)) keep(*child);
  *out = graph->add(static_cast<NodeType>(p.type), std::move(work), std::move(before), std::move(details));
  return Error::cudaSuccess;
}
// `params`: null is an error of the caller's.
template <typename T>
Error add(Node** out, Graph* graph, Node* const* after, size_t count, NodeType type, const T* params) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!params) return Error::cudaErrorInvalidValue;
    NodeParams p = params_for(type, *params);
    return add(r, out, graph, after, count, p);
  });
}

// Changes a node, or the step of what was instantiated that it stands for; never its type.
Error set(Runtime& runtime, GraphExec* exec, Node* node, const NodeParams& p) {
  auto type = static_cast<NodeType>(p.type);
  if (type == NodeType::MemAlloc || type == NodeType::MemFree) return Error::cudaErrorInvalidValue;
  GraphExec::Step* step = exec ? (is_exec(exec) ? exec->find(node, type) : nullptr) : nullptr;
  if (exec ? !step : !is_node(node) || node->type != type) return Error::cudaErrorInvalidValue;
  Details details;
  Work work;
  Error error = details_of(runtime, p, details);
  if (error == Error::cudaSuccess) error = work_of(runtime, type, details, work);
  if (error != Error::cudaSuccess) return error;
  if (!step) {
    if (auto* old = std::get_if<std::shared_ptr<Graph>>(&node->details)) forget(old->get());
    if (auto* child = std::get_if<std::shared_ptr<Graph>>(&details)) keep(*child);
    node->details = std::move(details);
    node->work = std::move(work);
    return Error::cudaSuccess;
  }
  if (auto* child = std::get_if<std::shared_ptr<Graph>>(&details)) {
    GraphExec inner;
    error = instantiate(**child, inner);
    work = [steps = std::move(inner.steps)](Runtime& r) { return run(r, steps); };
  }
  step->work = std::move(work);
  return error;
}
template <typename T>
Error set(GraphExec* exec, bool in_exec, Node* node, NodeType type, const T* params) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!params || in_exec != (exec != nullptr)) return Error::cudaErrorInvalidValue;
    return set(r, exec, node, params_for(type, *params));
  });
}
Error set_copy(GraphExec* exec, bool in_exec, Node* node, const Memcpy3DParams* params) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!params || in_exec != (exec != nullptr)) return Error::cudaErrorInvalidValue;
    return set(r, exec, node, copy_params(*params));
  });
}

// give(details) for a node of that type. A captured call may have no such form.
template <typename T, typename Give>
Error get(Node* node, NodeType type, Give&& give) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!is_node(node) || node->type != type) return Error::cudaErrorInvalidValue;
    if (auto* details = std::get_if<T>(&node->details)) return give(*details);
    r.refuse("asking a node for its parameters that was captured from a call of another form");
    return Error::cudaErrorNotSupported;
  });
}
template <typename T>
Error give(Node* node, NodeType type, T* out) {
  return get<T>(node, type, [&](const T& value) {
    if (!out) return Error::cudaErrorInvalidValue;
    *out = value;
    return Error::cudaSuccess;
  });
}

// A copy of a variable, as a copy of memory. to_symbol: else from it.
Error symbol_copy(Runtime& runtime, bool to_symbol, const void* symbol, void* memory, size_t bytes, size_t offset,
                  int kind, Memcpy3DParams& out) {
  char* at = nullptr;
  bool right = kind == DeviceToDevice || kind == Default || kind == (to_symbol ? HostToDevice : DeviceToHost);
  if (!right) return Error::cudaErrorInvalidMemcpyDirection;
  Error error = symbol_part(runtime, current_device(), symbol, bytes, offset, at);
  out = to_symbol ? row_copy(at, memory, bytes, kind) : row_copy(memory, at, bytes, kind);
  return error;
}

Error set_symbol_copy(GraphExec* exec, bool in_exec, Node* node, bool to_symbol, const void* symbol, const void* memory,
                      size_t bytes, size_t offset, int kind) {
  return call(Needs::Context, [&](Runtime& r) {
    if (in_exec != (exec != nullptr)) return Error::cudaErrorInvalidValue;
    Memcpy3DParams copy{};
    Error error = symbol_copy(r, to_symbol, symbol, const_cast<void*>(memory), bytes, offset, kind, copy);
    return error == Error::cudaSuccess ? set(r, exec, node, copy_params(copy)) : error;
  });
}

}  // namespace

Memcpy3DParams row_copy(void* target, const void* source, size_t bytes, int kind) {
  Memcpy3DParams p{};
  p.target = {target, bytes, bytes, 1};
  p.source = {const_cast<void*>(source), bytes, bytes, 1};
  p.extent = {bytes, 1, 1};
  p.kind = kind;
  return p;
}

Error work_of(Runtime& runtime, NodeType type, Details& details, Work& out) {
  if (auto* call = std::get_if<KernelCall>(&details)) return prepare_launch(runtime, *call, out);
  if (auto* p = std::get_if<MemsetParams>(&details)) return memset_work(*p, out);
  if (auto* p = std::get_if<HostParams>(&details)) return host_work(*p, out);
  if (auto* event = std::get_if<EventHandle>(&details)) return event_work(type, *event, out);
  if (auto* a = std::get_if<GraphAllocation>(&details)) return allocation_work(runtime, *a, out);
  if (auto* f = std::get_if<FreedMemory>(&details)) return free_work(f->address, out);
  if (auto* p = std::get_if<Memcpy3DParams>(&details)) {
    out = [p = *p](Runtime& r) { return copy_3d(r, &p); };
  }
  return Error::cudaSuccess;
}

// ---- adding

WL_API wl_cudaGraphAddNode(Node** out, Graph* graph, Node* const* after, size_t count, NodeParams* p) {
  return call(Needs::Context,
              [&](Runtime& r) { return p ? add(r, out, graph, after, count, *p) : Error::cudaErrorInvalidValue; });
}
WL_API wl_cudaGraphAddNode_v13(Node** out, Graph* graph, Node* const* after, const void* edges, size_t count,
                               NodeParams* p) {
  return wl_cudaGraphAddNode(out, graph, after, count, p);
}
WL_API wl_cudaGraphAddKernelNode(Node** out, Graph* graph, Node* const* after, size_t count, const KernelParams* p) {
  return add(out, graph, after, count, NodeType::Kernel, p);
}
WL_API wl_cudaGraphAddMemcpyNode(Node** out, Graph* graph, Node* const* after, size_t count, const Memcpy3DParams* p) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!p) return Error::cudaErrorInvalidValue;
    NodeParams params = copy_params(*p);
    return add(r, out, graph, after, count, params);
  });
}
WL_API wl_cudaGraphAddMemcpyNode1D(Node** out, Graph* graph, Node* const* after, size_t count, void* target,
                                   const void* source, size_t bytes, int kind) {
  Memcpy3DParams p = row_copy(target, source, bytes, kind);
  return wl_cudaGraphAddMemcpyNode(out, graph, after, count, &p);
}
WL_API wl_cudaGraphAddMemcpyNodeToSymbol(Node** out, Graph* graph, Node* const* after, size_t count, const void* symbol,
                                         const void* source, size_t bytes, size_t offset, int kind) {
  return call(Needs::Context, [&](Runtime& r) {
    Memcpy3DParams p{};
    Error error = symbol_copy(r, true, symbol, const_cast<void*>(source), bytes, offset, kind, p);
    NodeParams params = copy_params(p);
    return error == Error::cudaSuccess ? add(r, out, graph, after, count, params) : error;
  });
}
WL_API wl_cudaGraphAddMemcpyNodeFromSymbol(Node** out, Graph* graph, Node* const* after, size_t count, void* target,
                                           const void* symbol, size_t bytes, size_t offset, int kind) {
  return call(Needs::Context, [&](Runtime& r) {
    Memcpy3DParams p{};
    Error error = symbol_copy(r, false, symbol, target, bytes, offset, kind, p);
    NodeParams params = copy_params(p);
    return error == Error::cudaSuccess ? add(r, out, graph, after, count, params) : error;
  });
}
WL_API wl_cudaGraphAddMemsetNode(Node** out, Graph* graph, Node* const* after, size_t count, const MemsetParams* p) {
  return add(out, graph, after, count, NodeType::Memset, p);
}
WL_API wl_cudaGraphAddHostNode(Node** out, Graph* graph, Node* const* after, size_t count, const HostParams* p) {
  return add(out, graph, after, count, NodeType::Host, p);
}
WL_API wl_cudaGraphAddEmptyNode(Node** out, Graph* graph, Node* const* after, size_t count) {
  constexpr int kNothing = 0;
  return add(out, graph, after, count, NodeType::Empty, &kNothing);
}
WL_API wl_cudaGraphAddChildGraphNode(Node** out, Graph* graph, Node* const* after, size_t count, Graph* child) {
  return add(out, graph, after, count, NodeType::Graph, &child);
}
WL_API wl_cudaGraphAddEventRecordNode(Node** out, Graph* graph, Node* const* after, size_t count, EventHandle event) {
  return add(out, graph, after, count, NodeType::EventRecord, &event);
}
WL_API wl_cudaGraphAddEventWaitNode(Node** out, Graph* graph, Node* const* after, size_t count, EventHandle event) {
  return add(out, graph, after, count, NodeType::WaitEvent, &event);
}
WL_API wl_cudaGraphAddMemAllocNode(Node** out, Graph* graph, Node* const* after, size_t count, MemAllocParams* p) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!p) return Error::cudaErrorInvalidValue;
    NodeParams params = params_for(NodeType::MemAlloc, *p);
    Error error = add(r, out, graph, after, count, params);
    if (error == Error::cudaSuccess) p->address = params.alloc.address;
    return error;
  });
}
WL_API wl_cudaGraphAddMemFreeNode(Node** out, Graph* graph, Node* const* after, size_t count, void* address) {
  return add(out, graph, after, count, NodeType::MemFree, &address);
}
WL_API wl_cudaGraphDestroyNode(Node* node) {
  return call(Needs::Context, [&](Runtime&) {
    if (!is_node(node)) return Error::cudaErrorInvalidValue;
    if (node->graph->has_memory()) return Error::cudaErrorNotSupported;  // as on a GPU
    node->graph->remove(node);
    return Error::cudaSuccess;
  });
}

// ---- asking

WL_API wl_cudaGraphKernelNodeGetParams(Node* node, KernelParams* out) {
  return get<KernelCall>(node, NodeType::Kernel, [&](KernelCall& call) {
    if (!out) return Error::cudaErrorInvalidValue;
    call.arguments.clear();
    for (uint32_t offset : call.offsets) call.arguments.push_back(call.buffer.data() + offset);
    *out = {call.function, call.grid, call.block, call.shared, call.arguments.data(), nullptr};
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGraphMemcpyNodeGetParams(Node* node, Memcpy3DParams* out) { return give(node, NodeType::Memcpy, out); }
WL_API wl_cudaGraphMemsetNodeGetParams(Node* node, MemsetParams* out) { return give(node, NodeType::Memset, out); }
WL_API wl_cudaGraphHostNodeGetParams(Node* node, HostParams* out) { return give(node, NodeType::Host, out); }
WL_API wl_cudaGraphEventRecordNodeGetEvent(Node* node, EventHandle* out) {
  return give(node, NodeType::EventRecord, out);
}
WL_API wl_cudaGraphEventWaitNodeGetEvent(Node* node, EventHandle* out) { return give(node, NodeType::WaitEvent, out); }
WL_API wl_cudaGraphChildGraphNodeGetGraph(Node* node, Graph** out) {
  return get<std::shared_ptr<Graph>>(node, NodeType::Graph, [&](const std::shared_ptr<Graph>& child) {
    if (!out) return Error::cudaErrorInvalidValue;
    *out = child.get();
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGraphMemAllocNodeGetParams(Node* node, MemAllocParams* out) {
  return get<GraphAllocation>(node, NodeType::MemAlloc, [&](const GraphAllocation& allocation) {
    if (!out) return Error::cudaErrorInvalidValue;
    *out = allocation.params;
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGraphMemFreeNodeGetParams(Node* node, void** out) {
  return get<FreedMemory>(node, NodeType::MemFree, [&](const FreedMemory& freed) {
    if (!out) return Error::cudaErrorInvalidValue;
    *out = freed.address;
    return Error::cudaSuccess;
  });
}

// ---- changing: a graph's node, ...

WL_API wl_cudaGraphNodeSetParams(Node* node, const NodeParams* p) {
  return call(Needs::Context, [&](Runtime& r) { return p ? set(r, nullptr, node, *p) : Error::cudaErrorInvalidValue; });
}
WL_API wl_cudaGraphKernelNodeSetParams(Node* node, const KernelParams* p) {
  return set(nullptr, false, node, NodeType::Kernel, p);
}
WL_API wl_cudaGraphMemcpyNodeSetParams(Node* node, const Memcpy3DParams* p) {
  return set_copy(nullptr, false, node, p);
}
WL_API wl_cudaGraphMemcpyNodeSetParams1D(Node* node, void* target, const void* source, size_t bytes, int kind) {
  Memcpy3DParams p = row_copy(target, source, bytes, kind);
  return set_copy(nullptr, false, node, &p);
}
WL_API wl_cudaGraphMemcpyNodeSetParamsToSymbol(Node* node, const void* symbol, const void* source, size_t bytes,
                                               size_t offset, int kind) {
  return set_symbol_copy(nullptr, false, node, true, symbol, source, bytes, offset, kind);
}
WL_API wl_cudaGraphMemcpyNodeSetParamsFromSymbol(Node* node, void* target, const void* symbol, size_t bytes,
                                                 size_t offset, int kind) {
  return set_symbol_copy(nullptr, false, node, false, symbol, target, bytes, offset, kind);
}
WL_API wl_cudaGraphMemsetNodeSetParams(Node* node, const MemsetParams* p) {
  return set(nullptr, false, node, NodeType::Memset, p);
}
WL_API wl_cudaGraphHostNodeSetParams(Node* node, const HostParams* p) {
  return set(nullptr, false, node, NodeType::Host, p);
}
WL_API wl_cudaGraphEventRecordNodeSetEvent(Node* node, EventHandle event) {
  return set(nullptr, false, node, NodeType::EventRecord, &event);
}
WL_API wl_cudaGraphEventWaitNodeSetEvent(Node* node, EventHandle event) {
  return set(nullptr, false, node, NodeType::WaitEvent, &event);
}

// ---- ... and what was instantiated

WL_API wl_cudaGraphExecNodeSetParams(GraphExec* exec, Node* node, const NodeParams* p) {
  return call(Needs::Context,
              [&](Runtime& r) { return p && exec ? set(r, exec, node, *p) : Error::cudaErrorInvalidValue; });
}
WL_API wl_cudaGraphExecKernelNodeSetParams(GraphExec* exec, Node* node, const KernelParams* p) {
  return set(exec, true, node, NodeType::Kernel, p);
}
WL_API wl_cudaGraphExecMemcpyNodeSetParams(GraphExec* exec, Node* node, const Memcpy3DParams* p) {
  return set_copy(exec, true, node, p);
}
WL_API wl_cudaGraphExecMemcpyNodeSetParams1D(GraphExec* exec, Node* node, void* target, const void* source,
                                             size_t bytes, int kind) {
  Memcpy3DParams p = row_copy(target, source, bytes, kind);
  return set_copy(exec, true, node, &p);
}
WL_API wl_cudaGraphExecMemcpyNodeSetParamsToSymbol(GraphExec* exec, Node* node, const void* symbol, const void* source,
                                                   size_t bytes, size_t offset, int kind) {
  return set_symbol_copy(exec, true, node, true, symbol, source, bytes, offset, kind);
}
WL_API wl_cudaGraphExecMemcpyNodeSetParamsFromSymbol(GraphExec* exec, Node* node, void* target, const void* symbol,
                                                     size_t bytes, size_t offset, int kind) {
  return set_symbol_copy(exec, true, node, false, symbol, target, bytes, offset, kind);
}
WL_API wl_cudaGraphExecMemsetNodeSetParams(GraphExec* exec, Node* node, const MemsetParams* p) {
  return set(exec, true, node, NodeType::Memset, p);
}
WL_API wl_cudaGraphExecHostNodeSetParams(GraphExec* exec, Node* node, const HostParams* p) {
  return set(exec, true, node, NodeType::Host, p);
}
WL_API wl_cudaGraphExecChildGraphNodeSetParams(GraphExec* exec, Node* node, Graph* child) {
  return set(exec, true, node, NodeType::Graph, &child);
}
WL_API wl_cudaGraphExecEventRecordNodeSetEvent(GraphExec* exec, Node* node, EventHandle event) {
  return set(exec, true, node, NodeType::EventRecord, &event);
}
WL_API wl_cudaGraphExecEventWaitNodeSetEvent(GraphExec* exec, Node* node, EventHandle event) {
  return set(exec, true, node, NodeType::WaitEvent, &event);
}

// Kernels, copies and fills may be left out of a launch.
static Error with_step(GraphExec* exec, Node* node, void (*use)(GraphExec::Step&, unsigned*), unsigned* value) {
  return call(Needs::Context, [&](Runtime&) {
    if (!is_exec(exec) || !value) return Error::cudaErrorInvalidValue;
    for (NodeType type : {NodeType::Kernel, NodeType::Memcpy, NodeType::Memset}) {
      GraphExec::Step* step = exec->find(node, type);
      if (!step) continue;
      use(*step, value);
      return Error::cudaSuccess;
    }
    return Error::cudaErrorInvalidValue;
  });
}
WL_API wl_cudaGraphNodeSetEnabled(GraphExec* exec, Node* node, unsigned enabled) {
  return with_step(exec, node, [](GraphExec::Step& step, unsigned* value) { step.enabled = *value; }, &enabled);
}
WL_API wl_cudaGraphNodeGetEnabled(GraphExec* exec, Node* node, unsigned* out) {
  return with_step(exec, node, [](GraphExec::Step& step, unsigned* value) { *value = step.enabled; }, out);
}

// ---- attributes of a kernel's launch: kept, and no more than that

WL_API wl_cudaGraphKernelNodeSetAttribute(Node* node, int attribute, const AttributeValue* value) {
  return call(Needs::Context, [&](Runtime&) {
    if (!is_node(node) || node->type != NodeType::Kernel || !value) return Error::cudaErrorInvalidValue;
    node->attributes[attribute] = *value;
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGraphKernelNodeGetAttribute(Node* node, int attribute, AttributeValue* out) {
  return call(Needs::Context, [&](Runtime&) {
    if (!is_node(node) || node->type != NodeType::Kernel || !out) return Error::cudaErrorInvalidValue;
    auto found = node->attributes.find(attribute);
    *out = found == node->attributes.end() ? AttributeValue{} : found->second;
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGraphKernelNodeCopyAttributes(Node* target, Node* source) {
  return call(Needs::Context, [&](Runtime&) {
    for (const Node* node : {target, source}) {
      if (!is_node(node) || node->type != NodeType::Kernel) return Error::cudaErrorInvalidValue;
    }
    target->attributes = source->attributes;
    return Error::cudaSuccess;
  });
}

}  // namespace warplens::cuda
