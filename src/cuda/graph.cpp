#include "cuda/graph.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "cuda/copy.h"
#include "cuda/launch.h"
#include "cuda/served.h"
#include "cuda/stream.h"

namespace warplens::cuda {

Node* Graph::add(NodeType type, Work work, std::vector<Node*> after) {
  nodes_.push_back(std::make_unique<Node>(Node{type, std::move(work), std::move(after)}));
  return nodes_.back().get();
}

std::vector<Node*> Graph::last() const {
  if (nodes_.empty()) return {};
  return {nodes_.back().get()};
}

bool Graph::owns(const Node* node) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& own) { return own.get() == node; });
}

std::vector<const Node*> Graph::order() const {
  std::vector<const Node*> out;
  std::unordered_map<const Node*, bool> done;
  auto ready = [&](const Node& node) {
    return std::all_of(node.after.begin(), node.after.end(), [&](const Node* before) { return done[before]; });
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (const auto& node : nodes_) {
      if (done[node.get()] || !ready(*node)) continue;
      done[node.get()] = progress = true;
      out.push_back(node.get());
    }
  }
  if (out.size() != nodes_.size()) out.clear();
  return out;
}

namespace {

using GraphHandle = Graph*;
using ExecHandle = GraphExec*;

std::map<const Graph*, std::shared_ptr<Graph>>& graphs() {
  static auto* all = new std::map<const Graph*, std::shared_ptr<Graph>>;
  return *all;
}
std::map<const GraphExec*, std::unique_ptr<GraphExec>>& execs() {
  static auto* all = new std::map<const GraphExec*, std::unique_ptr<GraphExec>>;
  return *all;
}

GraphHandle keep(std::shared_ptr<Graph> graph) {
  GraphHandle handle = graph.get();
  graphs().emplace(handle, std::move(graph));
  return handle;
}

// The frame of every cudaGraphAdd...Node. make(Runtime&, Work&) -> Error.
template <typename Make>
Error add_node(Node** out, GraphHandle graph, Node* const* after, size_t count, NodeType type, Make&& make) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!out || !graphs().contains(graph) || (count && !after)) return Error::cudaErrorInvalidValue;
    std::vector<Node*> before(after, after + count);
    for (const Node* node : before) {
      if (!graph->owns(node)) return Error::cudaErrorInvalidValue;
    }
    Work work;
    Error error = make(r, work);
    if (error == Error::cudaSuccess) *out = graph->add(type, std::move(work), std::move(before));
    return error;
  });
}

Error instantiate(Runtime&, const Graph& graph, GraphExec& exec) {
  std::vector<const Node*> order = graph.order();
  if (order.size() != graph.nodes().size()) return Error::cudaErrorInvalidValue;
  exec.steps.clear();
  exec.references = graph.references;
  for (const Node* node : order) exec.steps.push_back({node, node->work});
  return Error::cudaSuccess;
}

Error run(Runtime& runtime, const std::vector<GraphExec::Step>& steps) {
  for (const GraphExec::Step& step : steps) {
    runtime.host_queue.wait();
    Error error = step.work ? step.work(runtime) : Error::cudaSuccess;
    if (error != Error::cudaSuccess) return error;
    if (runtime.any_pending()) break;  // a kernel failed: the rest is never done
  }
  return Error::cudaSuccess;
}

Work host_call(HostParams params) {
  return [params](Runtime& r) {
    r.host_queue.push([params] { params.function(params.data); });
    return Error::cudaSuccess;
  };
}

Error memset_work(const MemsetParams* p, Work& work) {
  if (!p || (p->element_bytes != 1 && p->element_bytes != 2 && p->element_bytes != 4))
    return Error::cudaErrorInvalidValue;
  work = [p = *p](Runtime& r) {
    return fill_elements(r, p.target, p.value, p.element_bytes, p.pitch, p.width, p.height);
  };
  return Error::cudaSuccess;
}

Error kernel_work(Runtime& runtime, const KernelParams* p, Work& work) {
  if (!p || p->extra) return Error::cudaErrorInvalidValue;
  return prepare_launch(runtime, p->function, p->grid, p->block, p->arguments, p->shared, work);
}

Error list(const std::vector<Node*>& nodes, Node** out, size_t* count) {
  if (!count) return Error::cudaErrorInvalidValue;
  if (out) std::copy_n(nodes.begin(), std::min(*count, nodes.size()), out);
  *count = nodes.size();
  return Error::cudaSuccess;
}

}  // namespace

bool is_graph(const Graph* graph) { return graphs().contains(graph); }

WL_API wl_cudaGraphCreate(GraphHandle* out, unsigned flags) {
  return call(Needs::Context, [&](Runtime&) {
    if (!out || flags) return Error::cudaErrorInvalidValue;
    *out = keep(std::make_shared<Graph>());
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGraphDestroy(GraphHandle graph) {
  return call(Needs::Context,
              [&](Runtime&) { return graphs().erase(graph) ? Error::cudaSuccess : Error::cudaErrorInvalidValue; });
}

WL_API wl_cudaGraphAddKernelNode(Node** out, GraphHandle graph, Node* const* after, size_t count,
                                 const KernelParams* p) {
  return add_node(out, graph, after, count, NodeType::Kernel,
                  [&](Runtime& r, Work& work) { return kernel_work(r, p, work); });
}
WL_API wl_cudaGraphAddMemcpyNode(Node** out, GraphHandle graph, Node* const* after, size_t count,
                                 const Memcpy3DParams* p) {
  return add_node(out, graph, after, count, NodeType::Memcpy, [&](Runtime&, Work& work) {
    if (!p) return Error::cudaErrorInvalidValue;
    work = [p = *p](Runtime& r) { return copy_3d(r, &p); };
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGraphAddMemcpyNode1D(Node** out, GraphHandle graph, Node* const* after, size_t count, void* target,
                                   const void* source, size_t bytes, int kind) {
  return add_node(out, graph, after, count, NodeType::Memcpy, [&](Runtime&, Work& work) {
    work = [=](Runtime& r) { return copy(r, target, source, bytes, kind); };
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGraphAddMemsetNode(Node** out, GraphHandle graph, Node* const* after, size_t count,
                                 const MemsetParams* p) {
  return add_node(out, graph, after, count, NodeType::Memset,
                  [&](Runtime&, Work& work) { return memset_work(p, work); });
}
WL_API wl_cudaGraphAddHostNode(Node** out, GraphHandle graph, Node* const* after, size_t count, const HostParams* p) {
  return add_node(out, graph, after, count, NodeType::Host, [&](Runtime&, Work& work) {
    if (!p || !p->function) return Error::cudaErrorInvalidValue;
    work = host_call(*p);
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGraphAddEmptyNode(Node** out, GraphHandle graph, Node* const* after, size_t count) {
  return add_node(out, graph, after, count, NodeType::Empty, [](Runtime&, Work&) { return Error::cudaSuccess; });
}
WL_API wl_cudaGraphAddChildGraphNode(Node** out, GraphHandle graph, Node* const* after, size_t count,
                                     GraphHandle child) {
  return add_node(out, graph, after, count, NodeType::Graph, [&](Runtime& r, Work& work) {
    if (!graphs().contains(child)) return Error::cudaErrorInvalidValue;
    GraphExec exec;
    Error error = instantiate(r, *child, exec);
    work = [exec = std::move(exec)](Runtime& r) { return run(r, exec.steps); };
    return error;
  });
}

WL_API wl_cudaGraphAddDependencies_v12(GraphHandle graph, Node* const* from, Node* const* to, size_t count) {
  return call(Needs::Context, [&](Runtime&) {
    if (!graphs().contains(graph) || (count && (!from || !to))) return Error::cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
      if (!graph->owns(from[i]) || !graph->owns(to[i])) return Error::cudaErrorInvalidValue;
      to[i]->after.push_back(from[i]);
    }
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGraphAddDependencies_v13(GraphHandle graph, Node* const* from, Node* const* to, const void* edge_data,
                                       size_t count) {
  return wl_cudaGraphAddDependencies_v12(graph, from, to, count);
}

WL_API wl_cudaGraphGetNodes(GraphHandle graph, Node** out, size_t* count) {
  return call(Needs::Context, [&](Runtime&) {
    if (!graphs().contains(graph)) return Error::cudaErrorInvalidValue;
    std::vector<Node*> all;
    for (const auto& node : graph->nodes()) all.push_back(node.get());
    return list(all, out, count);
  });
}
WL_API wl_cudaGraphGetRootNodes(GraphHandle graph, Node** out, size_t* count) {
  return call(Needs::Context, [&](Runtime&) {
    if (!graphs().contains(graph)) return Error::cudaErrorInvalidValue;
    std::vector<Node*> roots;
    for (const auto& node : graph->nodes()) {
      if (node->after.empty()) roots.push_back(node.get());
    }
    return list(roots, out, count);
  });
}
WL_API wl_cudaGraphNodeGetType(const Node* node, int* out) {
  return call(Needs::Context, [&](Runtime&) {
    if (!node || !out) return Error::cudaErrorInvalidValue;
    *out = static_cast<int>(node->type);
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGraphClone(GraphHandle* out, GraphHandle graph) {
  return call(Needs::Context, [&](Runtime&) {
    if (!out || !graphs().contains(graph)) return Error::cudaErrorInvalidValue;
    auto clone = std::make_shared<Graph>();
    std::map<const Node*, Node*> twin;
    for (const auto& node : graph->nodes()) twin[node.get()] = clone->add(node->type, node->work, {});
    for (const auto& node : graph->nodes()) {
      for (const Node* before : node->after) twin[node.get()]->after.push_back(twin[before]);
    }
    clone->references = graph->references;
    *out = keep(std::move(clone));
    return Error::cudaSuccess;
  });
}

// The arguments after the graph differ between releases; none changes what is made.
WL_API wl_cudaGraphInstantiate(ExecHandle* out, GraphHandle graph) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!out || !graphs().contains(graph)) return Error::cudaErrorInvalidValue;
    auto exec = std::make_unique<GraphExec>();
    Error error = instantiate(r, *graph, *exec);
    if (error != Error::cudaSuccess) return error;
    *out = exec.get();
    execs().emplace(*out, std::move(exec));
    return Error::cudaSuccess;
  });
}
// Uploading, the one flag with a stream, is nothing here. cudaGraphInstantiateResult: 0 success, 2 an order that cannot
// be.
WL_API wl_cudaGraphInstantiateWithParams(ExecHandle* out, GraphHandle graph, InstantiateParams* params) {
  constexpr unsigned long long kKnown = 15;
  if (!params || params->flags & ~kKnown) {
    return call(Needs::Context, [](Runtime&) { return Error::cudaErrorInvalidValue; });
  }
  Error error = wl_cudaGraphInstantiate(out, graph);
  params->error_node = nullptr;
  params->result = error == Error::cudaSuccess ? 0 : 2;
  return error;
}
WL_API wl_cudaGraphExecDestroy(ExecHandle exec) {
  return call(Needs::Context,
              [&](Runtime&) { return execs().erase(exec) ? Error::cudaSuccess : Error::cudaErrorInvalidValue; });
}
WL_API wl_cudaGraphUpload(ExecHandle exec, StreamHandle) {
  return call(Needs::Context,
              [&](Runtime&) { return execs().contains(exec) ? Error::cudaSuccess : Error::cudaErrorInvalidValue; });
}
WL_API wl_cudaGraphExecKernelNodeSetParams(ExecHandle exec, const Node* node, const KernelParams* p) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!execs().contains(exec)) return Error::cudaErrorInvalidValue;
    for (GraphExec::Step& step : exec->steps) {
      if (step.node == node && node->type == NodeType::Kernel) return kernel_work(r, p, step.work);
    }
    return Error::cudaErrorInvalidValue;
  });
}
// A graph of the same shape takes the place of the one that `exec` was made from.
static Error update(ExecHandle exec, GraphHandle graph, int* result) {
  constexpr int kSuccess = 0, kTopologyChanged = 2;  // cudaGraphExecUpdateResult
  return call(Needs::Context, [&](Runtime& r) {
    if (!execs().contains(exec) || !graphs().contains(graph) || !result) return Error::cudaErrorInvalidValue;
    *result = kTopologyChanged;
    if (exec->steps.size() != graph->nodes().size()) return Error::cudaErrorGraphExecUpdateFailure;
    Error error = instantiate(r, *graph, *exec);
    if (error == Error::cudaSuccess) *result = kSuccess;
    return error;
  });
}
WL_API wl_cudaGraphExecUpdate_v11(ExecHandle exec, GraphHandle graph, Node** error_node, int* result) {
  return update(exec, graph, result);
}
WL_API wl_cudaGraphExecUpdate_v12(ExecHandle exec, GraphHandle graph, int* result_info) {
  return update(exec, graph, result_info);  // the result is the struct's first member
}

WL_API wl_cudaGraphLaunch(ExecHandle exec, StreamHandle stream) {
  std::vector<GraphExec::Step> steps;
  {
    Runtime& runtime = Runtime::get();
    std::lock_guard lock(runtime.mutex);
    if (!execs().contains(exec)) return returned(Error::cudaErrorInvalidValue);
    steps = exec->steps;
  }
  return submit(stream, NodeType::Graph, [steps = std::move(steps)](Runtime& r) { return run(r, steps); });
}

WL_API wl_cudaStreamBeginCapture(StreamHandle stream, int mode) {
  return call(Needs::Context, [&](Runtime&) {
    if (!is_valid(stream)) return Error::cudaErrorInvalidResourceHandle;
    if (mode < 0 || mode > 2) return Error::cudaErrorInvalidValue;
    if (reinterpret_cast<uintptr_t>(stream) <= 2) return Error::cudaErrorStreamCaptureUnsupported;
    if (stream->capture) return Error::cudaErrorIllegalState;
    stream->capture = std::make_shared<Graph>();
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaStreamEndCapture(StreamHandle stream, GraphHandle* out) {
  return call(Needs::Context, [&](Runtime&) {
    if (!is_valid(stream)) return Error::cudaErrorInvalidResourceHandle;
    std::shared_ptr<Graph> graph = capture_of(stream);
    if (!out) return Error::cudaErrorInvalidValue;
    if (!graph) return Error::cudaErrorIllegalState;
    end_capture(graph);
    *out = keep(std::move(graph));
    return Error::cudaSuccess;
  });
}

}  // namespace warplens::cuda
