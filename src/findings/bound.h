// What a kernel's time is bound by, from its counts and a GPU's throughput. Estimated: latency, caches and clocks are
// not in it, so it bounds what a change may bring rather than saying what it brings.
#pragma once
#include <string>

#include "findings/access.h"
#include "model/gpu_spec.h"

namespace warplens::findings {

// Cycles that each unit would take alone, if all SMs shared the work evenly.
struct Bound {
  double issue = 0;  // 4 warp instructions a cycle and SM
  double l1 = 0;     // one line of 128 bytes, or one pass over shared memory's banks, a cycle and SM
  double l2 = 0;     // 64 bytes a cycle and SM
  double dram = 0;   // if L1 and L2 kept nothing: the most that it can be
  double start = 0;  // of the launches themselves, which comes on top
};
Bound bound_of(const Group& group, const model::GpuSpec& gpu);

// Less of it: sectors and tag requests of global memory, wavefronts of shared memory.
struct Saved {
  uint64_t sectors = 0, tag_requests = 0, wavefronts = 0;
};
// "1.0 to 3.1 times as fast [estimated]", or why nothing is expected.
std::string expected_gain(const Group& group, const model::GpuSpec& gpu, const Saved& saved);

}  // namespace warplens::findings
