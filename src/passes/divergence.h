// Control divergence: which blocks lanes reach together, given which branches can split a warp.
#pragma once
#include <vector>

#include "ir/ir.h"
#include "passes/cfg.h"

namespace warplens::passes {

struct Divergence {
  std::vector<uint8_t> join;    // per block: phis there merge lanes that came by different ways, or at different times
  std::vector<uint8_t> region;  // per block: can run while other lanes of the warp wait elsewhere
};

// `split[b]`: block b's conditional branch can split a warp. `f` is canonical.
Divergence propagate_divergence(const ir::Function& f, const LoopNest& nest, const std::vector<uint8_t>& split);

}  // namespace warplens::passes
