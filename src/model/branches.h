// Branches: what a warp's execution of one machine instruction adds to the counters of branches and of instructions, as
// pure functions. The rules, their source and their limits: branches.cpp.
#pragma once
#include <cstdint>
#include <string_view>

namespace warplens::model {

// Instructions that smsp__sass_branch_targets counts: BRA, BRX, CALL and RET, with any modifiers. `opcode` is what
// stands before the first point.
bool has_branch_targets(std::string_view opcode);

// Instructions that smsp__inst_executed_op_branch counts: those, and EXIT, BSYNC, BREAK and WARPSYNC.
bool is_control_flow(std::string_view opcode);

struct BranchCost {
  uint32_t uniform = 0;    // smsp__sass_branch_targets_threads_uniform
  uint32_t divergent = 0;  // smsp__sass_branch_targets_threads_divergent
  uint32_t targets() const { return uniform + divergent; }  // smsp__sass_branch_targets
  friend bool operator==(const BranchCost&, const BranchCost&) = default;
};

// `next`: 32 places where the lanes go on, the next instruction for a lane whose guard is false; those in `mask`, the
// lanes that execute the branch, matter. An empty mask gives zeros.
BranchCost branch(const uint64_t* next, uint32_t mask);

}  // namespace warplens::model
