// Graphs as a whole: making, cloning, instantiating, updating, launching.
#include "cuda/graph.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "cuda/served.h"
#include "cuda/stream.h"

namespace warplens::cuda {
namespace {

std::unordered_set<const Node*>& known_nodes() {
  static auto* all = new std::unordered_set<const Node*>;
  return *all;
}
std::map<const Graph*, std::shared_ptr<Graph>>& graphs() {
  static auto* all = new std::map<const Graph*, std::shared_ptr<Graph>>;
  return *all;
}
std::map<const GraphExec*, std::unique_ptr<GraphExec>>& execs() {
  static auto* all = new std::map<const GraphExec*, std::unique_ptr<GraphExec>>;
  return *all;
}

void let_go(Node& node) {
  known_nodes().erase(&node);
  if (auto* child = std::get_if<std::shared_ptr<Graph>>(&node.details)) forget(child->get());
}

template <typename Body>
Error of(const Graph* graph, Body&& body) {
  return call(Needs::Context, [&](Runtime& r) { return is_graph(graph) ? body(r) : Error::cudaErrorInvalidValue; });
}
template <typename Body>
Error of(const GraphExec* exec, Body&& body) {
  return call(Needs::Context, [&](Runtime& r) { return is_exec(exec) ? body(r) : Error::cudaErrorInvalidValue; });
}

}  // namespace

Graph::~Graph() {
  for (const auto& node : nodes_) let_go(*node);
}

Node* Graph::add(NodeType type, Work work, std::vector<Node*> after, Details details) {
  nodes_.push_back(std::make_unique<Node>(Node{type, std::move(work), std::move(after), std::move(details), this, {}}));
  Node* node = nodes_.back().get();
  known_nodes().insert(node);
  return node;
}

void Graph::remove(Node* node) {
  for (const auto& other : nodes_) std::erase(other->after, node);
  let_go(*node);
  std::erase_if(nodes_, [&](const auto& own) { return own.get() == node; });
}

bool Graph::owns(const Node* node) const { return is_node(node) && node->graph == this; }

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

std::shared_ptr<Graph> Graph::clone() const {
  auto copy = std::make_shared<Graph>();
  for (const auto& node : nodes_) {
    Details details = node->details;
    if (auto* child = std::get_if<std::shared_ptr<Graph>>(&details)) {
      *child = (*child)->clone();
      keep(*child);
    }
    Node* twin = copy->add(node->type, node->work, {}, std::move(details));
    twin->attributes = node->attributes;
    copy->twins_[node.get()] = twin;
  }
  for (const auto& node : nodes_) {
    for (const Node* before : node->after) copy->twins_[node.get()]->after.push_back(copy->twins_[before]);
  }
  copy->references = references;
  return copy;
}

bool Graph::has_memory() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
    return node->type == NodeType::MemAlloc || node->type == NodeType::MemFree;
  });
}

Node* Graph::twin_of(const Node* original) const {
  auto found = twins_.find(original);
  return found != twins_.end() && owns(found->second) ? found->second : nullptr;
}

GraphExec::Step* GraphExec::find(const Node* node, NodeType type) {
  for (Step& step : steps) {
    if (step.node == node) return step.type == type ? &step : nullptr;
  }
  return nullptr;
}

bool is_graph(const Graph* graph) { return graphs().contains(graph); }
bool is_node(const Node* node) { return known_nodes().contains(node); }
bool is_exec(const GraphExec* exec) { return execs().contains(exec); }

Graph* keep(std::shared_ptr<Graph> graph) {
  Graph* handle = graph.get();
  graphs().emplace(handle, std::move(graph));
  return handle;
}
std::shared_ptr<Graph> shared_graph(const Graph* graph) {
  auto found = graphs().find(graph);
  return found == graphs().end() ? nullptr : found->second;
}
void forget(const Graph* graph) {
  std::shared_ptr<Graph> last = shared_graph(graph);  // goes when the table is in order again
  graphs().erase(graph);
}

Error instantiate(const Graph& graph, GraphExec& exec) {
  std::vector<const Node*> order = graph.order();
  if (order.size() != graph.nodes().size()) return Error::cudaErrorInvalidValue;
  exec.steps.clear();
  std::map<const Node*, size_t> index;
  for (const Node* node : order) {
    GraphExec::Step step{node, node->type, node->work, {}};
    for (const Node* before : node->after) step.after.push_back(index[before]);
    std::sort(step.after.begin(), step.after.end());
    if (auto* allocation = std::get_if<GraphAllocation>(&node->details)) step.memory = allocation->memory;
    if (auto* child = std::get_if<std::shared_ptr<Graph>>(&node->details)) {
      GraphExec inner;
      Error error = instantiate(**child, inner);
      if (error != Error::cudaSuccess) return error;
      step.work = [steps = std::move(inner.steps)](Runtime& r) { return run(r, steps); };
    }
    index[node] = exec.steps.size();
    exec.steps.push_back(std::move(step));
  }
  return Error::cudaSuccess;
}

Error run(Runtime& runtime, const std::vector<GraphExec::Step>& steps) {
  for (const GraphExec::Step& step : steps) {
    if (!step.enabled) continue;
    runtime.host_queue.wait();
    Error error = step.work ? step.work(runtime) : Error::cudaSuccess;
    if (error != Error::cudaSuccess) return error;
    if (runtime.any_pending()) break;  // a kernel failed: the rest is never done
  }
  return Error::cudaSuccess;
}

WL_API wl_cudaGraphCreate(Graph** out, unsigned flags) {
  return call(Needs::Context, [&](Runtime&) {
    if (!out || flags) return Error::cudaErrorInvalidValue;
    *out = keep(std::make_shared<Graph>());
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGraphDestroy(Graph* graph) {
  return of(graph, [&](Runtime&) {
    forget(graph);
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGraphClone(Graph** out, Graph* graph) {
  return of(graph, [&](Runtime&) {
    if (!out) return Error::cudaErrorInvalidValue;
    if (graph->has_memory()) return Error::cudaErrorNotSupported;  // as on a GPU
    *out = keep(graph->clone());
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGraphNodeFindInClone(Node** out, Node* original, Graph* clone) {
  return of(clone, [&](Runtime&) {
    Node* twin = clone->twin_of(original);
    if (!out || !twin) return Error::cudaErrorInvalidValue;
    *out = twin;
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaGraphInstantiateWithFlags(GraphExec** out, Graph* graph, unsigned long long flags) {
  constexpr unsigned long long kDeviceLaunch = 4, kKnown = 15;  // cudaGraphInstantiateFlag...
  return of(graph, [&](Runtime& r) {
    if (!out || (flags & ~kKnown)) return Error::cudaErrorInvalidValue;
    if (flags & kDeviceLaunch) {
      r.refuse("a graph that is launched by a kernel");
      return Error::cudaErrorNotSupported;
    }
    auto exec = std::make_unique<GraphExec>();
    exec->flags = flags;
    Error error = instantiate(*graph, *exec);
    if (error != Error::cudaSuccess) return error;
    exec->references = graph->references;
    *out = exec.get();
    execs().emplace(*out, std::move(exec));
    return Error::cudaSuccess;
  });
}
// The arguments after the graph name the node that is wrong; nothing is.
WL_API wl_cudaGraphInstantiate(GraphExec** out, Graph* graph) {
  return wl_cudaGraphInstantiateWithFlags(out, graph, 0);
}
WL_API wl_cudaGraphInstantiateWithParams(GraphExec** out, Graph* graph, InstantiateParams* params) {
  if (!params) return returned(Error::cudaErrorInvalidValue);
  params->error_node = nullptr;
  Error error = wl_cudaGraphInstantiateWithFlags(out, graph, params->flags);
  params->result = error == Error::cudaSuccess ? 0 : 2;  // cudaGraphInstantiateSuccess, ...InvalidStructure
  return error;
}
WL_API wl_cudaGraphExecDestroy(GraphExec* exec) {
  return of(exec, [&](Runtime&) {
    execs().erase(exec);
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGraphExecGetFlags(GraphExec* exec, unsigned long long* out) {
  return of(exec, [&](Runtime&) {
    if (!out) return Error::cudaErrorInvalidValue;
    *out = exec->flags;
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGraphUpload(GraphExec* exec, StreamHandle) {
  return of(exec, [](Runtime&) { return Error::cudaSuccess; });
}

// A graph of the same shape takes the place of the one that `exec` was made from.
static Error update(GraphExec* exec, Graph* graph, Node** error_node, int* result) {
  enum Result : int { kSuccess = 0, kError = 1, kTopologyChanged = 2, kTypeChanged = 3 };  // cudaGraphExecUpdateResult
  return of(exec, [&](Runtime&) {
    if (!is_graph(graph) || !result) return Error::cudaErrorInvalidValue;
    *result = kTopologyChanged;
    if (error_node) *error_node = nullptr;
    GraphExec other;
    if (instantiate(*graph, other) != Error::cudaSuccess || other.steps.size() != exec->steps.size()) {
      return Error::cudaErrorGraphExecUpdateFailure;
    }
    for (size_t i = 0; i < other.steps.size(); i++) {
      const auto &now = other.steps[i], &before = exec->steps[i];
      if (now.type == before.type && now.after == before.after) continue;
      *result = now.type != before.type ? kTypeChanged : kTopologyChanged;
      if (error_node) *error_node = const_cast<Node*>(now.node);
      return Error::cudaErrorGraphExecUpdateFailure;
    }
    for (size_t i = 0; i < other.steps.size(); i++) exec->steps[i].work = std::move(other.steps[i].work);
    *result = kSuccess;
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGraphExecUpdate_v11(GraphExec* exec, Graph* graph, Node** error_node, int* result) {
  return update(exec, graph, error_node, result);
}
WL_API wl_cudaGraphExecUpdate_v12(GraphExec* exec, Graph* graph, UpdateResult* out) {
  if (out) out->error_from = nullptr;
  return update(exec, graph, out ? &out->error_node : nullptr, out ? &out->result : nullptr);
}

// What an earlier launch allocated must have been freed since.
static Error check_memory(Runtime& runtime, const GraphExec& exec) {
  constexpr unsigned long long kAutoFree = 1;
  for (const GraphExec::Step& step : exec.steps) {
    if (!step.memory || !is_allocated(*step.memory)) continue;
    if (!(exec.flags & kAutoFree)) return Error::cudaErrorInvalidValue;
    free_graph_memory(runtime, reinterpret_cast<uint64_t>(address_of(*step.memory)));
  }
  return Error::cudaSuccess;
}

WL_API wl_cudaGraphLaunch(GraphExec* exec, StreamHandle stream) {
  std::vector<GraphExec::Step> steps;
  Error error = call(Needs::Queue, [&](Runtime& r) {
    if (!is_exec(exec)) return Error::cudaErrorInvalidValue;
    steps = exec->steps;
    return check_memory(r, *exec);
  });
  if (error != Error::cudaSuccess) return error;
  return submit(stream, NodeType::Graph, [steps = std::move(steps)](Runtime& r) { return run(r, steps); });
}

}  // namespace warplens::cuda
