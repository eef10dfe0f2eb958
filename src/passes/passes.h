// Transformations of a kernel before machine code: free functions, run in the order of prepare().
#pragma once
#include "ir/ir.h"

namespace warplens::passes {

// Removes pure instructions that nobody uses. Their weight moves to the end of the block: the program still executed
// them.
void remove_dead_code(ir::Function& f);

// Control flow in the shape the engine needs:
//  - no unreachable blocks, no conditional branch with equal targets, no edge from a branch into a join (edges are
//  split);
//  - every loop has one latch, so that lanes of one iteration meet before the next one starts;
//  - a value that leaves a loop does so through a phi at the exit (lanes may leave in different iterations);
//  - blocks are numbered so that a loop's blocks are contiguous, exits after them: running the lowest-numbered block
//    with waiting lanes first then is reconvergence at the immediate post-dominator.
// In irreducible control flow (LoopNest::reducible tells) that holds for what is a loop.
void canonicalize(ir::Function& f);

// Of canonical control flow; leaves it canonical.
void split_meetings(ir::Function& f);

inline void prepare(ir::Function& f) {
  canonicalize(f);
  split_meetings(f);
  remove_dead_code(f);
}

}  // namespace warplens::passes
