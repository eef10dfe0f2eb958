// The shape of a graph: its nodes, and what depends on what. Dependencies of CUDA 12.3 and later carry data about their
// kind, which is all zero here: a whole node waits for a whole node.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

#include "cuda/graph.h"
#include "cuda/launch.h"
#include "cuda/served.h"

namespace warplens::cuda {
namespace {

template <typename Body>
Error of(const Graph* graph, Body&& body) {
  return call(Needs::Context, [&](Runtime& r) { return is_graph(graph) ? body(r) : Error::cudaErrorInvalidValue; });
}
template <typename Body>
Error of(const Node* node, Body&& body) {
  return call(Needs::Context, [&](Runtime& r) { return is_node(node) ? body(r) : Error::cudaErrorInvalidValue; });
}

// Without an array only the number is wanted; what is longer than the list is filled with nothing.
Error list(const std::vector<Node*>& nodes, Node** out, EdgeData* edges, size_t* count) {
  if (!count || (edges && !out)) return Error::cudaErrorInvalidValue;
  if (!out) {
    *count = nodes.size();
    return Error::cudaSuccess;
  }
  for (size_t i = 0; i < *count; i++) {
    out[i] = i < nodes.size() ? nodes[i] : nullptr;
    if (edges) edges[i] = {};
  }
  *count = std::min(*count, nodes.size());
  return Error::cudaSuccess;
}

std::vector<Node*> dependents(const Node* node) {
  std::vector<Node*> out;
  for (const auto& other : node->graph->nodes()) {
    if (std::count(other->after.begin(), other->after.end(), node)) out.push_back(other.get());
  }
  return out;
}

Error get_edges(Graph* graph, Node** from, Node** to, EdgeData* edges, size_t* count) {
  return of(graph, [&](Runtime&) {
    if (!count || !from != !to || (edges && !from)) return Error::cudaErrorInvalidValue;
    std::vector<Node*> starts, ends;
    for (const auto& node : graph->nodes()) {
      for (Node* before : node->after) starts.push_back(before), ends.push_back(node.get());
    }
    size_t room = *count;
    Error error = list(starts, from, edges, count);
    return error == Error::cudaSuccess && to ? list(ends, to, nullptr, &room) : error;
  });
}

Error change(Graph* graph, Node* const* from, Node* const* to, size_t count, bool adds) {
  return of(graph, [&](Runtime&) {
    if (count && (!from || !to)) return Error::cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
      if (!graph->owns(from[i]) || !graph->owns(to[i]) || from[i] == to[i]) return Error::cudaErrorInvalidValue;
      bool there = std::count(to[i]->after.begin(), to[i]->after.end(), from[i]);
      if (there == adds) return Error::cudaErrorInvalidValue;
    }
    for (size_t i = 0; i < count; i++) {
      if (adds) to[i]->after.push_back(from[i]);
      if (!adds) std::erase(to[i]->after, from[i]);
    }
    return Error::cudaSuccess;
  });
}

const char* type_name(NodeType type) {
  static constexpr const char* kNames[] = {"KERNEL",     "MEMCPY",   "MEMSET",     "HOST",
                                           "GRAPH",      "EMPTY",    "EVENT_WAIT", "EVENT_RECORD",
                                           "SEM_SIGNAL", "SEM_WAIT", "MEM_ALLOC",  "MEM_FREE"};
  auto index = static_cast<size_t>(type);
  return index < std::size(kNames) ? kNames[index] : "NODE";
}

std::string label_of(Runtime& runtime, const Node& node) {
  std::string text = type_name(node.type);
  if (const auto* call = std::get_if<KernelCall>(&node.details)) {
    if (const Function* function = find_function(runtime, call->function)) text += "\\n" + function->name;
  }
  return text;
}

// One cluster a graph, its children's inside the file too.
void write_dot(Runtime& runtime, const Graph& graph, FILE* file, int& graphs) {
  const int number = ++graphs;
  std::map<const Node*, size_t> index;
  std::vector<const Graph*> children;
  fprintf(file, "subgraph cluster_%d {\nlabel=\"graph_%d\" graph[style=\"dashed\"];\n", number, number);
  for (const auto& node : graph.nodes()) {
    size_t i = index.size();
    index[node.get()] = i;
    fprintf(file, "\"graph_%d_node_%zu\"[shape=\"%s\" label=\"%zu\\n%s\"];\n", number, i,
            node->type == NodeType::Kernel ? "octagon" : "rectangle", i, label_of(runtime, *node).c_str());
    if (const auto* child = std::get_if<std::shared_ptr<Graph>>(&node->details)) children.push_back(child->get());
  }
  for (const auto& node : graph.nodes()) {
    for (const Node* before : node->after) {
      fprintf(file, "\"graph_%d_node_%zu\" -> \"graph_%d_node_%zu\";\n", number, index[before], number,
              index[node.get()]);
    }
  }
  fprintf(file, "}\n");
  for (const Graph* child : children) write_dot(runtime, *child, file, graphs);
}

}  // namespace

WL_API wl_cudaGraphGetNodes(Graph* graph, Node** out, size_t* count) {
  return of(graph, [&](Runtime&) {
    std::vector<Node*> all;
    for (const auto& node : graph->nodes()) all.push_back(node.get());
    return list(all, out, nullptr, count);
  });
}
WL_API wl_cudaGraphGetRootNodes(Graph* graph, Node** out, size_t* count) {
  return of(graph, [&](Runtime&) {
    std::vector<Node*> roots;
    for (const auto& node : graph->nodes()) {
      if (node->after.empty()) roots.push_back(node.get());
    }
    return list(roots, out, nullptr, count);
  });
}
WL_API wl_cudaGraphNodeGetType(const Node* node, int* out) {
  return of(node, [&](Runtime&) {
    if (!out) return Error::cudaErrorInvalidValue;
    *out = static_cast<int>(node->type);
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaGraphGetEdges(Graph* graph, Node** from, Node** to, size_t* count) {
  return get_edges(graph, from, to, nullptr, count);
}
WL_API wl_cudaGraphGetEdges_v13(Graph* graph, Node** from, Node** to, EdgeData* edges, size_t* count) {
  return get_edges(graph, from, to, edges, count);
}
WL_API wl_cudaGraphNodeGetDependencies_v13(Node* node, Node** out, EdgeData* edges, size_t* count) {
  return of(node, [&](Runtime&) { return list(node->after, out, edges, count); });
}
WL_API wl_cudaGraphNodeGetDependencies(Node* node, Node** out, size_t* count) {
  return wl_cudaGraphNodeGetDependencies_v13(node, out, nullptr, count);
}
WL_API wl_cudaGraphNodeGetDependentNodes_v13(Node* node, Node** out, EdgeData* edges, size_t* count) {
  return of(node, [&](Runtime&) { return list(dependents(node), out, edges, count); });
}
WL_API wl_cudaGraphNodeGetDependentNodes(Node* node, Node** out, size_t* count) {
  return wl_cudaGraphNodeGetDependentNodes_v13(node, out, nullptr, count);
}
WL_API wl_cudaGraphAddDependencies_v12(Graph* graph, Node* const* from, Node* const* to, size_t count) {
  return change(graph, from, to, count, true);
}
WL_API wl_cudaGraphAddDependencies_v13(Graph* graph, Node* const* from, Node* const* to, const void* edge_data,
                                       size_t count) {
  return change(graph, from, to, count, true);
}
WL_API wl_cudaGraphRemoveDependencies(Graph* graph, Node* const* from, Node* const* to, size_t count) {
  return change(graph, from, to, count, false);
}
WL_API wl_cudaGraphRemoveDependencies_v13(Graph* graph, Node* const* from, Node* const* to, const void* edge_data,
                                          size_t count) {
  return change(graph, from, to, count, false);
}

// The flags ask for more words in the nodes; there are always the same.
WL_API wl_cudaGraphDebugDotPrint(Graph* graph, const char* path, unsigned flags) {
  return of(graph, [&](Runtime& r) {
    FILE* file = path ? fopen(path, "w") : nullptr;
    if (!file) return path ? Error::cudaErrorOperatingSystem : Error::cudaErrorInvalidValue;
    int graphs = 0;
    fprintf(file, "digraph dot {\n");
    write_dot(r, *graph, file, graphs);
    fprintf(file, "}\n");
    fclose(file);
    return Error::cudaSuccess;
  });
}

}  // namespace warplens::cuda
