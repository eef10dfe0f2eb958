// Facts about a function's control-flow graph: dominators, natural loops, post-order. Recomputed when asked, never
// cached.
#pragma once
#include <vector>

#include "ir/ir.h"

namespace warplens::passes {

// Reverse post-order of the blocks reachable from the entry.
std::vector<ir::BlockId> reverse_post_order(const ir::Function& f);

// Immediate dominator of every reachable block (kNone for the entry and for unreachable blocks).
std::vector<ir::BlockId> immediate_dominators(const ir::Function& f);
bool dominates(const std::vector<ir::BlockId>& idom, ir::BlockId a, ir::BlockId b);

struct Loop {
  ir::BlockId header = ir::kNone;
  uint32_t parent = ir::kNone;       // index into LoopNest::loops
  std::vector<ir::BlockId> blocks;   // header included, inner loops included
  std::vector<ir::BlockId> latches;  // sources of the back edges
};
struct LoopNest {
  std::vector<Loop> loops;          // outer loops come before the loops they contain
  std::vector<uint32_t> innermost;  // per block; kNone: in no loop
  bool reducible = true;            // false: some cycle is entered in more than one place
  bool contains(uint32_t loop, ir::BlockId block) const;
};
LoopNest find_loops(const ir::Function& f);

// Values live into each block (phi arguments are live out of the predecessor, not into the phi's block).
// `also`, where given, lists per value what else is used wherever that value is.
std::vector<std::vector<ir::ValueId>> live_in(const ir::Function& f,
                                              const std::vector<std::vector<ir::ValueId>>* also = nullptr);

}  // namespace warplens::passes
