// Running a kernel's grid on this machine's cores, and what comes back.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/dim3.h"
#include "event/event.h"
#include "exec/fault.h"

namespace warplens::exec {

struct LaunchConfig {
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;     // its blocks may meet at the grid's barrier
  uint32_t stack_bytes = 1024;  // of a thread, for calls that are no jumps known before: cudaLimitStackSize
};

// What compiled code counted on every block of the launch. Exact and independent of the number of threads used.
struct LaunchCounts {
  std::vector<event::BlockCount> blocks;  // index = ir::BlockId
  std::vector<event::Branch> branches;
  std::vector<event::Executed> accesses;  // by site, not sorted: one for each place in the code
  uint64_t warps = 0;                     // warps launched
  uint64_t instructions = 0;              // PTX instructions executed by warps
  uint64_t thread_instructions = 0;       // the same, lane by lane
  uint64_t thread_instructions_pred_on = 0;
};

struct LaunchResult {
  LaunchCounts counts;  // up to the fault, if there was one
  std::optional<Fault> fault;
  std::string printed;         // by the kernel's printf, block after block
  double seconds = 0;          // wall time of the grid
  double compile_seconds = 0;  // of code made for this launch; 0 when it was there already
  bool from_cache = false;
};

}  // namespace warplens::exec
