// Loops in which a thread waits for what another one writes: spin locks, flags, barriers across the grid.
//
// A loop waits if whether it goes on depends on a poll: a volatile, relaxed or acquire load (any load, if the loop has
// a fence), or an atomic that changes nothing when repeated (compare-and-swap, exchange, minimum and maximum; others
// with an operand of 0), whose address and operands are the same in every iteration. So these are no waits: a search
// through a hash table (the address changes), a compare-and-swap that is retried with a new value (the operand does),
// and taking the next ticket of a queue (an add of 1).
#pragma once
#include <vector>

#include "ir/ir.h"
#include "passes/cfg.h"

namespace warplens::passes {

struct Wait {
  uint32_t loop = 0;             // index into LoopNest::loops
  ir::ValueId poll = ir::kNone;  // the first in the loop that decides about going on
  bool only_waits = false;       // the loop does nothing else: it writes nothing, but for polls
};

// `f` is canonical.
std::vector<Wait> find_waits(const ir::Function& f, const LoopNest& nest);

}  // namespace warplens::passes
