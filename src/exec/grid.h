// Runs a kernel's grid over the machine's cores.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "exec/launch.h"
#include "exec/worker.h"

namespace warplens::exec {

// Compiled code: blocks [first, last) of the grid, x fastest. 0: done; 1: ended early, the worker holds the fault.
using KernelCode = int32_t (*)(WarpEnv* env, uint64_t first, uint64_t last);

struct GridRequest {
  KernelCode code = nullptr;
  const KernelTables* tables = nullptr;
  const DeviceMemory* memory = nullptr;
  LaunchConfig config;
  std::span<const uint8_t> params;
  std::span<const uint64_t> symbols;
  uint64_t shared_bytes = 0;      // static and dynamic
  uint32_t counters = 0;
  uint32_t save_bytes = 0;        // per warp
  uint32_t blocks_of_code = 0;    // basic blocks: pending masks
  unsigned threads = 1;
};

struct GridResult {
  std::vector<uint64_t> counters;  // summed over workers
  std::optional<Fault> fault;      // of the lowest block that faulted
};

// Threads that wait for launches; made once, since a program may launch thousands of small grids.
class ThreadPool {
 public:
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  unsigned size() const { return size_; }
  void run(unsigned workers, const std::function<void(unsigned worker)>& work);  // worker 0 is the caller

 private:
  struct Impl;
  unsigned size_;
  std::unique_ptr<Impl> impl_;
};

GridResult run_grid(ThreadPool& pool, const GridRequest& request, const std::function<event::Sink*(unsigned worker)>& make_sink,
                    const std::atomic<bool>& stop);

}  // namespace warplens::exec
