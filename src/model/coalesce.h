// Coalescing: what one warp request to global memory asks of the L1 tags and of L2, as a pure function of lane
// addresses. The rule, its source and its limits: coalesce.cpp.
#pragma once
#include <cstdint>

#include "model/lanes.h"

namespace warplens::model {

// One warp request. All counts are of lanes whose bit is set in the mask; an empty mask gives all zero.
struct GlobalCost {
  uint32_t lanes = 0;          // active lanes
  uint32_t sectors = 0;        // distinct 32-byte sectors touched
  uint32_t sectors_ideal = 0;  // min(sectors, ceil(lanes * width / 32))
  uint32_t tag_requests = 0;   // distinct 128-byte lines touched
  // Distinct bytes touched: lanes that share an address (in local memory, an offset) share its bytes.
  uint32_t bytes_used = 0;
  friend bool operator==(const GlobalCost&, const GlobalCost&) = default;
};

// What the counts of a request of `width` bytes a lane mean.
inline GlobalCost cost_of(PackedCounts n, uint32_t width) {
  const uint32_t least = ceil_div(n.lanes() * width, 32);
  return {n.lanes(), n.sectors(), n.sectors() < least ? n.sectors() : least, n.lines(), n.addresses() * width};
}

// `address`: 32 entries; each active one a multiple of `width` (hardware faults on others). `width`: bytes per lane,
// 1, 2, 4, 8, 16 or 32.
GlobalCost coalesce_apart(const uint64_t* address, uint32_t mask, uint32_t width);  // however far
inline GlobalCost coalesce(const uint64_t* address, uint32_t mask, uint32_t width) {
  const PackedCounts close = count_close(address, mask, width);
  return close.bits != 0 ? cost_of(close, width) : coalesce_apart(address, mask, width);
}

// The same for lane l at base + pattern[l], where base is congruent to `residue` modulo 128: nothing else of base
// matters.
GlobalCost coalesce(const int64_t* pattern, uint32_t mask, uint32_t residue, uint32_t width);

// The same for one pattern under masks that come and go, as in divergent code: which lanes share a sector, a line or an
// address follows from the pattern, so a mask only asks which of those sets have a lane.
class PatternCost {
 public:
  PatternCost(const int64_t* pattern, uint32_t residue, uint32_t width);
  GlobalCost of(uint32_t mask) const { return cost_of(count_sets(sets_, mask), width_); }

 private:
  PatternSets sets_;
  uint32_t width_;
};

}  // namespace warplens::model
