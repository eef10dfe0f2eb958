// Functions that stand once in a kernel, whose calls are jumps (ir::Block::call).
//
// Control flow then holds ways that no thread takes: into such a function from one call and back to another. Example:
//
//     while (i < n) f();   // lanes leave in different iterations
//     vote;
//     f();
//
// Through f the second call seems to lead back into the loop. The loop then holds the vote as well, and the order of
// the blocks (passes.h) lets the lanes that left vote before the others have come.
#pragma once
#include <vector>

#include "ir/ir.h"
#include "passes/cfg.h"

namespace warplens::passes {

// True if lanes of a warp may leave a loop at different times, and come to an operation that names lanes while others
// are still in the loop, for the loop seems to go on there. `split`, where given: per block, lanes can part at its
// branch. Only of reducible control flow.
bool calls_part_lanes(const ir::Function& f, const LoopNest& nest, const std::vector<uint8_t>* split = nullptr);

}  // namespace warplens::passes
