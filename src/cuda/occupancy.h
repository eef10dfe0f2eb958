// What a block of a kernel takes of an SM: model/occupancy.h says how many fit.
#pragma once
#include "cuda/launch.h"
#include "ir/ir.h"
#include "model/occupancy.h"

namespace warplens::cuda {

// A thread's, of a kernel that runs as PTX, which does not tell: the most that never limit occupancy on any GPU.
inline constexpr uint32_t kAssumedRegisters = 32;

// With what the program set for the kernel: how an SM's memory is split.
inline model::BlockNeeds needs_of(const model::GpuSpec& gpu, const Function& function, const ir::Function& kernel,
                                  uint64_t threads, uint64_t dynamic_shared) {
  model::BlockNeeds needs;
  needs.threads = static_cast<uint32_t>(threads);
  needs.registers = kernel.registers ? kernel.registers : kAssumedRegisters;
  needs.shared_bytes = kernel.own_shared_bytes() + dynamic_shared;
  // A kernel that prefers L1 is given as little shared memory as holds one block.
  needs.shared_split = model::shared_split(gpu, function.prefers_l1 ? 0 : function.carveout, needs.shared_bytes);
  return needs;
}

}  // namespace warplens::cuda
