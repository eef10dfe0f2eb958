// The constant cache gives one address a pass to all lanes that want it. An indexed load (LDC) whose lanes want others
// is run again for each.
//
// Rule.   requests = distinct addresses of the active lanes: of bytes, not of words or lines, whatever the width. Two
//                    lanes that load neighbouring bytes of one word take two requests.
//         A load of the uniform datapath (ULDC) is no request.
//
// Example. coefficient[k], k the same in all lanes: 1 request. table[threadIdx.x]: 32 requests, which is why a table
// that
//         lanes index apart belongs in shared memory. table[threadIdx.x / 4]: 8.
//
// Source.  idc__requests, sm__idc_divergent_instructions and sm__idc_divergent_instruction_replays of single loads of
// 1, 4
//         and 8 bytes on an H200 (CUDA 13.0, Nsight Compute 2025.3): 118 requests, tests/models/h200/units.csv, all of
//         which this file reproduces. smsp__inst_executed_op_ldc counts 1 for each LDC. The profiler has no counters of
//         addresses for single instructions that load constants: instructions executed and lanes only.
// Not here. Hits and misses of the constant caches. A load of 16 bytes and one of 8 with alignment 4 are several LDC.
#include "model/constants.h"

#include <algorithm>
#include <bit>

namespace warplens::model {

ConstantCost constant_load(const uint64_t* address, uint32_t mask) {
  uint64_t seen[32];
  ConstantCost cost;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const uint64_t a = address[std::countr_zero(rest)];
    if (std::find(seen, seen + cost.requests, a) == seen + cost.requests) seen[cost.requests++] = a;
  }
  cost.lanes = uint32_t(std::popcount(mask));
  return cost;
}

}  // namespace warplens::model
