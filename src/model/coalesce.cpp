// Global memory is moved in sectors: aligned pieces of 32 bytes, four to a 128-byte line. A warp's load, store, atomic
// or reduction is one request; L1 looks up a tag for every line it touches, and every sector it touches is asked of L2.
// The order of the lanes does not matter, nor how often a sector is named: only which sectors are.
//
// Rule.   sectors       distinct address / 32 over active lanes
//         tag_requests  distinct address / 128
//         ideal         ceil(active lanes * width / 32), what the same bytes would need if no two lanes shared any and
//         they
//                       lay side by side; never more than the actual count, so a broadcast has no excess
//         bytes_used    distinct bytes: lanes at one address share its bytes. Accesses are aligned to their width
//         (hardware
//                       faults on others) and of one width, so two lanes' bytes are the same or disjoint, and no access
//                       straddles a sector.
//
// Example. 32 lanes load 4 bytes each.
//         unit stride, base a multiple of 32    4 sectors, 1 line, ideal 4; 128 of 128 fetched bytes used
//         unit stride, base + 4                 5 sectors, 2 lines, ideal 4; 128 of 160
//         lane stride 4096 (a matrix column)    32 sectors, 32 lines, ideal 4; 128 of 1024
//         all lanes at one address              1 sector, 1 line, ideal 1; 4 of 32
//
//         Loads, stores, atomics and reductions of one width count alike, those of vectors (RED of 2 and 4 floats, of 8
//         halves) too, and so does the global side of an asynchronous copy (LDGSTS), where only lanes that copy
//         something count. A generic access counts as global by its lanes that are in global memory, as shared by those
//         that are in shared memory (banks.cpp) and as local by those in local memory (local.cpp), each with an ideal
//         of its own. A lane whose guard is false and a lane that is not there at all count alike.
//
// Source.  Nsight Compute's per-instruction counters memory_l2_theoretical_sectors_global, ..._ideal and
//         memory_l1_tag_requests_global, read on an H200 (CUDA 13.0); they are computed from addresses too, so they
//         agree exactly: 14,336 requests in tests/models/h200/requests.csv. Definitions: NVIDIA, Nsight Compute
//         Profiling Guide, "Metrics Decoder".
// Not here. Copies of LDGSTS.BYPASS under a predicate, whose sectors in Nsight
//         Compute 2025.3 fit no addresses of the instruction.
// Whether a sector is found in L1 or L2; what hardware counters add when requests are replayed.
#include "model/coalesce.h"

#include <algorithm>
#include <array>
#include <map>

#include "model/lanes.h"

namespace warplens::model {
namespace {

uint32_t distinct(std::array<uint64_t, 32> values, int count) {
  std::sort(values.begin(), values.begin() + count);
  return uint32_t(std::unique(values.begin(), values.begin() + count) - values.begin());
}

// For addresses too far apart for Lanes.
GlobalCost coalesce_far(const uint64_t* address, uint32_t mask, uint32_t width) {
  std::array<uint64_t, 32> bytes{}, sectors{}, lines{};
  int n = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1, ++n) {
    const uint64_t a = address[std::countr_zero(rest)];
    bytes[n] = a;
    sectors[n] = a / 32;
    lines[n] = a / 128;
  }
  GlobalCost cost;
  cost.sectors = distinct(sectors, n);
  cost.tag_requests = distinct(lines, n);
  cost.bytes_used = distinct(bytes, n) * width;
  return cost;
}

}  // namespace

GlobalCost coalesce_apart(const uint64_t* address, uint32_t mask, uint32_t width) {
  GlobalCost cost;
  if (mask == 0) return cost;
  Lanes lanes;
  if (gather(address, mask, lanes)) {
    if (mask == ~0u && lanes.offset[1] - lanes.offset[0] >= 128 && all_lines_differ(lanes)) {
      cost.lanes = cost.sectors = cost.tag_requests = 32;
      cost.bytes_used = 32 * width;
      cost.sectors_ideal = std::min(cost.sectors, width);
      return cost;
    }
    const LaneCounts counts = count(lanes);
    cost.sectors = counts.sectors;
    cost.tag_requests = counts.lines;
    cost.bytes_used = counts.addresses * width;
  } else {
    cost = coalesce_far(address, mask, width);
  }
  cost.lanes = uint32_t(std::popcount(mask));
  cost.sectors_ideal = std::min(cost.sectors, ceil_div(cost.lanes * width, 32));
  return cost;
}

GlobalCost coalesce(const int64_t* pattern, uint32_t mask, uint32_t residue, uint32_t width) {
  // Any base congruent to residue will do; one in the middle of the address space keeps every lane from wrapping.
  const uint64_t base = (uint64_t{1} << 62) + residue;
  uint64_t address[32];
  for (int l = 0; l < 32; ++l) address[l] = base + uint64_t(pattern[l]);
  return coalesce(address, mask, width);
}

namespace {

LaneSets sets_of(const int64_t* pattern, uint32_t residue, uint64_t size) {
  const uint64_t base = (uint64_t{1} << 62) + residue;
  std::map<uint64_t, uint32_t> lanes;
  for (int l = 0; l < 32; ++l) lanes[(base + uint64_t(pattern[l])) / size] |= 1u << l;
  LaneSets sets;
  if (lanes.size() == 32) return sets;
  uint32_t n = 0;
  for (const auto& [block, mask] : lanes) sets.lanes[n++] = mask;
  sets.blocks = ceil_div(n, 8);
  return sets;
}

}  // namespace

PatternCost::PatternCost(const int64_t* pattern, uint32_t residue, uint32_t width)
    : sets_{sets_of(pattern, residue, 32), sets_of(pattern, residue, 128), sets_of(pattern, residue, width)},
      width_(width) {}

}  // namespace warplens::model
