// Local memory: what one warp request asks of L1 and L2, as a pure function of the lanes' offsets in their frames.
// The rule, its source and its limits: local.cpp.
#pragma once
#include <cstdint>

#include "model/coalesce.h"

namespace warplens::model {

// `offset`: 32 byte offsets, each in its own lane's frame; each active one a multiple of `width`. `width`: bytes per
// lane, 1, 2, 4, 8, 16 or 32.
GlobalCost local_memory(const uint64_t* offset, uint32_t mask, uint32_t width);

// The offsets as addresses of a layout in which the elements of 32 lanes lie side by side: what lane_pattern.h should
// see, so that the good case, one offset for all lanes, is "unit stride".
void interleave(const uint64_t* offset, uint32_t width, uint64_t* address);

}  // namespace warplens::model
