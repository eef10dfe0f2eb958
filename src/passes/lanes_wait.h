// May lanes of a warp wait for lanes of the same warp? Then each may be anywhere in the kernel
// (LaneAnalysis::independent).
#pragma once
#include <vector>

#include "passes/lanes.h"
#include "passes/waits.h"

namespace warplens::passes {

// True if some lanes can leave a loop of find_waits() while others stay; or if some go another way than to the loop,
// and write something there before lanes meet again at a barrier. `values`: what is known of them so far, per ValueId.
// `split`: per block, lanes can part at its branch.
bool lanes_may_wait(const ir::Function& f, const LoopNest& nest, const std::vector<Wait>& waits,
                    const std::vector<Lanes>& values, const std::vector<uint8_t>& split);

}  // namespace warplens::passes
