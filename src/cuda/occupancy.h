// How many blocks of a kernel an SM holds at once.
//
// Rule: the least of what each resource allows: resident blocks; warps (a block takes whole warps); shared memory (what
// the block asks for plus what the system reserves a block, rounded up to the allocation granularity, out of the
// carveout that is in force). Worked example, H200, 128 threads and 20000 bytes: blocks 32; warps 64 / 4 = 16; shared
// memory 233472 / (20096 + 1024) = 11.05, so 11, which is what an H200 answered. Carveout: by default the largest. A
// kernel that prefers L1 gets the smallest that holds one block: the H200 answered 8 blocks of an empty kernel for it,
// 8 KiB / 1 KiB reserved. Not modelled: registers, which PTX does not tell. Warplens assumes that they do not limit
// (kAssumedRegisters).
#pragma once
#include <cstdint>

#include "model/gpu_spec.h"

namespace warplens::cuda {

inline constexpr int kAssumedRegisters =
    32;  // a thread: the most that never limits occupancy on any GPU with 64 K an SM

struct BlockNeeds {
  uint32_t threads = 0;
  uint64_t shared_bytes = 0;  // static and dynamic
  int carveout_percent = -1;  // of shared memory, as the program prefers; -1: no preference
  bool prefers_l1 = false;
};

// 0: not even one block fits.
uint32_t blocks_per_sm(const model::GpuSpec& gpu, const BlockNeeds& needs);

}  // namespace warplens::cuda
