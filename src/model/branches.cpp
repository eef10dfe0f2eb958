// Machine instructions are counted each time a warp issues one, for however many of its lanes. Lanes that part at a
// branch go their ways one group after the other, so what follows is issued once a group, until the groups meet again.
//
// Rule.   inst_executed              1 for each group of lanes that issues the instruction, whatever its guard says: an
//                                    instruction whose guard is false in all lanes counts too.
//         thread_inst_executed       lanes of the group. Instructions of the uniform datapath (ULDC, UIADD3, R2UR, ...)
//                                    count all lanes of the group, like every other.
//         thread_inst_executed_true  lanes whose guard is true.
//         BSSY, WARPSYNC, BREAK, BAR, NOP, YIELD and EXIT are instructions like others. BSYNC counts once for each
//         group that arrives at it, with that group's lanes; that the lanes go on together afterwards counts nothing.
//         branch targets             BRA, BRX, CALL and RET, conditional or not, taken or not: where the lanes go on at
//                                    one place, 1 uniform; at n places, n - 1 divergent and none uniform. Going on with
//                                    the next instruction is a place like others. Not counted: EXIT, BSYNC, BREAK.
//         smsp__inst_executed_op_branch   BRA, BRX, CALL, RET, EXIT, BSYNC, BREAK and WARPSYNC; not BSSY, BMOV and BAR.
//
// Example. if (x & 1) a(); else b(); in a warp with both kinds of lanes: BSSY 1; @P0 BRA 1, of it divergent 1; what is
// in
//         a() and b() 1 each; the BRA at the end of the first side 1, uniform; BSYNC 2, with 32 lanes in all; what
//         comes after it 1. A jump through a table (BRX) to 5 places: 4 divergent.
//
// Source.  Nsight Compute 2025.3 on an H200 (CUDA 13.0): every instruction of 22 kernels with divergence,
//         tests/sass/divergence/divergence.csv and launches.csv. tests/models/branches_test.cpp holds the sums over
//         launches to the rule; BSYNC's count was compared with the groups
//         that arrive in three kernels by hand: equal in two, 21 of 24 in one loop of loop_by_data.
// Not here. The hardware's own counters smsp__inst_executed and smsp__inst_executed_op_branch have a branch through a
//         register (BRX, CALL) once for each place that its lanes go to; the counters of single instructions have it
//         once. Which group goes first, and whether groups that happen to stand at one place go on as one before their
//         barrier, seems to depend on timing, and is not modelled: in 7 of the 22 kernels (loops with several exits,
//         recursion, jump_table by one) two collections of one launch differ in inst_executed, by 8 % in the recursion
//         and by 0.5 % at most elsewhere, and never in thread_inst_executed. JMP, BRXU and other branches that no
//         compiler made for the probes.
#include "model/branches.h"

#include <algorithm>
#include <bit>

namespace warplens::model {

bool has_branch_targets(std::string_view opcode) {
  return opcode == "BRA" || opcode == "BRX" || opcode == "CALL" || opcode == "RET";
}

bool is_control_flow(std::string_view opcode) {
  return has_branch_targets(opcode) || opcode == "EXIT" || opcode == "BSYNC" || opcode == "BREAK" ||
         opcode == "WARPSYNC";
}

BranchCost branch(const uint64_t* next, uint32_t mask) {
  uint64_t places[32];
  uint32_t n = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const uint64_t place = next[std::countr_zero(rest)];
    if (std::find(places, places + n, place) == places + n) places[n++] = place;
  }
  BranchCost cost;
  if (n == 1) cost.uniform = 1;
  if (n > 1) cost.divergent = n - 1;
  return cost;
}

}  // namespace warplens::model
