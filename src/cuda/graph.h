// Graphs: work kept to be done later, as often as the program likes. A node keeps what it was made from beside its
// work, so that it can be asked for, changed and cloned.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <variant>
#include <vector>

#include "cuda/abi.h"
#include "cuda/user_object.h"

namespace warplens::cuda {

class Runtime;
class Graph;
struct Node;
struct GraphMemory;
using Work = std::function<Error(Runtime&)>;

enum class NodeType : int {  // cudaGraphNodeType
  Kernel = 0,
  Memcpy,
  Memset,
  Host,
  Graph,
  Empty,
  WaitEvent,
  EventRecord,
  SemaphoreSignal,
  SemaphoreWait,
  MemAlloc,
  MemFree,
  Conditional = 13
};

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
struct MemAllocParams {  // cudaMemAllocNodeParams
  int allocation_type, handle_types, location_type, location_id;
  char more[72];
  const void* accesses;
  size_t access_count, bytes;
  void* address;  // out
};
struct NodeParams {  // cudaGraphNodeParams
  int type;
  int reserved[3];
  union {
    long long words[29];
    KernelParams kernel;
    struct {
      int flags, reserved[3];
      Memcpy3DParams params;
    } copy;
    MemsetParams fill;
    HostParams host;
    Graph* child;
    EventHandle event;
    MemAllocParams alloc;
    void* freed;
  };
  long long last;
};

// A launch with its arguments.
struct KernelCall {
  void* function = nullptr;
  dim3 grid{}, block{};
  unsigned shared = 0;
  bool cooperative = false;
  std::vector<uint8_t> buffer;    // of the parameters,
  std::vector<uint32_t> offsets;  // which start here
  std::vector<void*> arguments;   // and are here when asked for
};
struct GraphAllocation {
  MemAllocParams params{};
  std::shared_ptr<GraphMemory> memory;
};
struct FreedMemory {
  void* address = nullptr;
};
// What a node was made from. Nothing: an empty one, or a captured call that has no such form.
using Details = std::variant<std::monostate, KernelCall, Memcpy3DParams, MemsetParams, HostParams,
                             std::shared_ptr<Graph>, EventHandle, GraphAllocation, FreedMemory>;

using AttributeValue = std::array<char, 64>;  // cudaLaunchAttributeValue

struct Node {
  NodeType type = NodeType::Empty;
  Work work;
  std::vector<Node*> after;  // what must be done before
  Details details;
  Graph* graph = nullptr;
  std::map<int, AttributeValue> attributes;  // of a kernel's launch; hints
};

class Graph {
 public:
  Graph() = default;
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Node* add(NodeType type, Work work, std::vector<Node*> after, Details details = {});
  void remove(Node* node);
  bool owns(const Node* node) const;
  const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  // Every node after those that it depends on, else in the order of adding. Empty if the dependencies form a circle.
  std::vector<const Node*> order() const;
  std::shared_ptr<Graph> clone() const;
  bool has_memory() const;                    // nodes that allocate or free
  Node* twin_of(const Node* original) const;  // in a clone; null: none

  UserReferences references;

 private:
  std::vector<std::unique_ptr<Node>> nodes_;
  std::map<const Node*, Node*> twins_;
};

// cudaGraphExec_t. Nodes are named by those of the graph that it was made from, which may be gone.
struct GraphExec {
  struct Step {
    const Node* node;
    NodeType type;
    Work work;
    std::vector<size_t> after;  // indices of steps
    bool enabled = true;
    std::shared_ptr<GraphMemory> memory = {};  // of one that allocates
  };
  std::vector<Step> steps;
  unsigned long long flags = 0;
  UserReferences references;
  Step* find(const Node* node, NodeType type);
};

// ---- under Runtime::mutex

bool is_graph(const Graph* graph);
bool is_node(const Node* node);
bool is_exec(const GraphExec* exec);
Graph* keep(std::shared_ptr<Graph> graph);                // makes it a handle
std::shared_ptr<Graph> shared_graph(const Graph* graph);  // null: there is none
void forget(const Graph* graph);
Error instantiate(const Graph& graph, GraphExec& exec);
Error run(Runtime& runtime, const std::vector<GraphExec::Step>& steps);

// The work that the details describe, checked as the call that adds such a node does.
Error work_of(Runtime& runtime, NodeType type, Details& details, Work& out);
Memcpy3DParams row_copy(void* target, const void* source, size_t bytes, int kind);

// graph_memory.cpp: addresses that have memory between an allocating node and a freeing one
std::shared_ptr<GraphMemory> reserve_graph_memory(size_t bytes, int device);  // null: there is no room
void* address_of(const GraphMemory& memory);
bool is_allocated(const GraphMemory& memory);
Error allocate_graph_memory(Runtime& runtime, const std::shared_ptr<GraphMemory>& memory);
bool is_graph_memory(uint64_t address);                      // allocated now
bool free_graph_memory(Runtime& runtime, uint64_t address);  // false: not allocated

}  // namespace warplens::cuda
