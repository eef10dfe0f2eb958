// Local memory is each thread's own, but lies in the same DRAM as global memory. The hardware interleaves it so that
// the usual case is coalesced: the 4-byte word at one offset of all 32 lanes fills one 128-byte line.
//
// Rule.   Word w of lane l lies at 128 * w + 4 * l. An access of 8 or 16 bytes is 2 or 4 words and so as many lines.
// Sectors
//         are counted on those addresses as in coalesce.cpp: 8 neighbouring lanes share one if they use one offset.
//         ideal = min(actual, ceil(active lanes * width / 32)). Bytes: what lanes have at one offset counts once, as
//         the lanes' own memories were one. The L1 takes a request for each word: 4 for an access of 16 bytes.
//
// Example. int a[64], all lanes at a[3]: 4 sectors, ideal 4. Every lane at another element: 32 sectors, ideal 4.
//         A 16-byte access at one offset: 16 sectors, ideal 16.
//
// Source.  memory_l2_theoretical_sectors_local, Nsight Compute's per-instruction counter, on an H200 (CUDA 13.0): loads
// and
//         stores of 1 to 16 bytes with regular and random offsets and masks, and generic accesses whose lanes are in
//         local memory, in tests/models/h200/requests.csv; this file reproduces every one. The counter has no ideal of
//         its own, and memory_l1_tag_requests_global does not count local memory: both are by the rules of
//         coalesce.cpp. NVIDIA, CUDA C++ Programming Guide, "Local Memory".
//         smsp__sass_average_data_bytes_per_sector_mem_local_op_* and l1tex__t_requests_pipe_lsu_mem_local_op_*:
//         colorwheel (STL.64) and entropy (LDL.U8, STL.128) of HeCBench, tests/public.
// Not here. Which variables live in local memory is the assembler's choice; caching hides most of it.
#include "model/local.h"

#include <algorithm>
#include <bit>

#include "model/lanes.h"

namespace warplens::model {

GlobalCost local_memory(const uint64_t* offset, uint32_t mask, uint32_t width) {
  GlobalCost cost;
  const uint32_t words = std::max(1u, width / 4);
  uint32_t lines = 0, sectors = 0, offsets = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int l = std::countr_zero(rest);
    bool line_seen = false, sector_seen = false, offset_seen = false;
    for (uint32_t before = mask & ((1u << l) - 1); before != 0; before &= before - 1) {
      const int k = std::countr_zero(before);
      offset_seen |= offset[k] == offset[l];
      if (offset[k] / 4 != offset[l] / 4) continue;
      line_seen = true;
      sector_seen |= k / 8 == l / 8;
    }
    lines += !line_seen;
    offsets += !offset_seen;
    sectors += !sector_seen;
  }
  cost.lanes = uint32_t(std::popcount(mask));
  cost.sectors = sectors * words;
  cost.tag_requests = lines * words;
  cost.sectors_ideal = std::min(cost.sectors, ceil_div(cost.lanes * width, 32));
  cost.bytes_used = offsets * width;
  return cost;
}

void interleave(const uint64_t* offset, uint32_t width, uint64_t* address) {
  for (uint64_t l = 0; l < 32; ++l) address[l] = offset[l] / width * (32 * width) + l * width;
}

}  // namespace warplens::model
