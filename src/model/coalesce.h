// Coalescing: what one warp request to global memory asks of the L1 tags and of L2, as a pure function of lane
// addresses. The rule, its source and its limits: coalesce.cpp.
#pragma once
#include <cstdint>

namespace warplens::model {

// One warp request. All counts are of lanes whose bit is set in the mask; an empty mask gives all zero.
struct GlobalCost {
  uint32_t lanes = 0;          // active lanes
  uint32_t sectors = 0;        // distinct 32-byte sectors touched
  uint32_t sectors_ideal = 0;  // min(sectors, ceil(lanes * width / 32))
  uint32_t tag_requests = 0;   // distinct 128-byte lines touched
  uint32_t bytes_used = 0;     // distinct bytes touched: lanes that share an address share its bytes
  friend bool operator==(const GlobalCost&, const GlobalCost&) = default;
};

// `address`: 32 entries; each active one a multiple of `width` (hardware faults on others). `width`: bytes per lane,
// 1, 2, 4, 8, 16 or 32.
GlobalCost coalesce(const uint64_t* address, uint32_t mask, uint32_t width);

// The same for lane l at base + pattern[l], where base is congruent to `residue` modulo 128: nothing else of base
// matters.
GlobalCost coalesce(const int64_t* pattern, uint32_t mask, uint32_t residue, uint32_t width);

}  // namespace warplens::model
