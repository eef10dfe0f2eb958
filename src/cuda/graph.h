// Graphs: work kept to be done later, as often as the program likes.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "cuda/abi.h"
#include "cuda/user_object.h"

namespace warplens::cuda {

class Runtime;
using Work = std::function<Error(Runtime&)>;

enum class NodeType : int { Kernel = 0, Memcpy, Memset, Host, Graph, Empty, WaitEvent, EventRecord };

struct Node {
  NodeType type = NodeType::Empty;
  Work work;
  std::vector<Node*> after;  // what must be done before
};

class Graph {
 public:
  Node* add(NodeType type, Work work, std::vector<Node*> after);
  // What was added last. Captured work is put in a row: a legal order, whatever the streams.
  std::vector<Node*> last() const;
  bool owns(const Node* node) const;
  const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  // Every node after those that it depends on, else in the order of adding. Empty if the dependencies form a circle.
  std::vector<const Node*> order() const;

  UserReferences references;

 private:
  std::vector<std::unique_ptr<Node>> nodes_;
};

// cudaGraphExec_t. Nodes are named by those of the graph that it was made from.
struct GraphExec {
  struct Step {
    const Node* node;
    Work work;
  };
  std::vector<Step> steps;
  size_t graph_nodes = 0;
  UserReferences references;
};

struct InstantiateParams {  // cudaGraphInstantiateParams
  unsigned long long flags;
  StreamHandle upload_stream;
  Node* error_node;
  int result;
};

bool is_graph(const Graph* graph);  // that the program has

struct KernelParams {  // cudaKernelNodeParams
  void* function;
  dim3 grid, block;
  unsigned shared;
  void** arguments;
  void** extra;
};
struct MemsetParams {  // cudaMemsetParams
  void* target;
  size_t pitch;
  unsigned value, element_bytes;
  size_t width, height;
};
struct HostParams {  // cudaHostNodeParams
  void (*function)(void*);
  void* data;
};

}  // namespace warplens::cuda
