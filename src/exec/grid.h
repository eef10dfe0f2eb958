// Runs a kernel's grid over the machine's cores.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "exec/launch.h"
#include "exec/thread_pool.h"
#include "exec/worker.h"

namespace warplens::exec {

// Compiled code: blocks [first, last) of the grid, x fastest. 0: done; 1: ended early, the worker holds the fault; 3:
// the block env.block_number stopped half-way, for others to run; what is in env.shared, warps, saved and local goes on
// with it, by a call for that block alone with env.resume set.
using KernelCode = int32_t (*)(WarpEnv* env, uint64_t first, uint64_t last);

struct GridRequest {
  KernelCode code = nullptr;
  size_t frame_bytes = 0;  // of stack that a call of it takes
  DeviceMemory* memory = nullptr;
  LaunchConfig config;
  std::span<const uint8_t> params;
  std::span<const uint64_t> symbols;
  uint64_t shared_bytes = 0;  // static and dynamic
  uint64_t workspace = 0;     // of a cooperative launch
  unsigned threads = 1;
};

struct GridResult {
  std::vector<uint64_t> counters;  // summed over workers
  std::optional<Fault> fault;      // of the lowest block that faulted
  std::string printed;             // by the kernel's printf, block after block
};

// The workers of one kernel's code: their memory is made once, since a program may launch it thousands of times.
class Grid {
 public:
  // `tables` must outlive the grid. `code_blocks`: basic blocks of the code. `save_bytes`: per warp.
  struct Shape {
    Dim3 block;
    uint32_t counters = 0, save_bytes = 0, code_blocks = 0;
    bool waits = false;  // the code may stop a block half-way (3)
    bool stack = false;  // the code uses WarpEnv::stack
  };
  Grid(const KernelTables& tables, const Shape& shape);
  ~Grid();
  GridResult run(ThreadPool& pool, const GridRequest& request,
                 const std::function<event::Sink*(unsigned worker)>& make_sink, const std::atomic<bool>& stop);

 private:
  class GridWorker;
  const KernelTables& tables_;
  Shape shape_;
  std::vector<std::unique_ptr<GridWorker>> workers_;
};

}  // namespace warplens::exec
