// The plan of a kernel's machine code, made before any of it: how each memory access is done and counted, which
// counters there are, what is kept across barriers. A pure function of the kernel and its specialization, so that code
// taken from the cache on disk needs only the plan made again.
#pragma once
#include <cstdint>
#include <vector>

#include "ir/ir.h"
#include "passes/lanes.h"
#include "passes/waits.h"

namespace warplens::codegen {

struct AccessPlan {
  enum class Way : uint8_t {
    None,     // not a memory access
    Scalar,   // one address a group: a scalar load, as good as broadcast
    Pattern,  // base + constant pattern: vector or fixed-offset accesses
    General,  // lane by lane, in the functions of exec/warp_env.h
  };
  enum class Count : uint8_t {
    Block,    // every full-warp execution looks the same: the block's counter tells
    Residue,  // one counter a residue of the base modulo 128 (as far as it is not known)
    Event,    // address by address
  };
  Way way = Way::None;
  Count count = Count::Event;
  // The address is that of `root` plus `offset`: the instruction's own, and constants added to it in the same basic
  // block.
  ir::ValueId root = ir::kNone;
  int64_t offset = 0;
  // Full-warp requests of this site touch root's base + pattern[lane], the offset included; base is congruent to
  // residue + (counter's index << shift) modulo 128. With several groups the pattern holds them far apart (see
  // plan.cpp).
  passes::LanePattern pattern{};
  uint32_t residue = 0;
  uint32_t shift = 0;
  uint32_t counter = 0;     // Residue: index of the first counter; sites of one block and address share it
  uint32_t entries = 1;     // how many residues, a power of two
  uint32_t exceptions = 0;  // first of `entries` counters: full-warp executions that were reported as events instead
  uint64_t disjoint = 0;    // groups > 1: the short way needs |base[i] - base[j]| >= this
  bool in_line = true;  // lane by lane, in the kernel's code; false: in a function of exec, which keeps the code small
  bool proved = false;  // no address can leave the block's shared window or be misaligned: nothing to test
  // Accesses of one basic block whose addresses differ by a constant are tested together, by the first of them.
  ir::ValueId leader = ir::kNone;
  int64_t low = 0, high = 0;  // of the leader: bytes touched relative to each group's base, all followers included
};

struct Plan {
  passes::LaneAnalysis lanes;
  std::vector<AccessPlan> access;                   // per ValueId
  std::vector<std::vector<ir::ValueId>> followers;  // per ValueId of a leader: who shares its test, itself included
  uint32_t counters = 0;                            // in all
  uint32_t full = 0, partial = 0,
           partial_lanes = 0;                 // first of one counter a block: full-warp entries; others; their lanes
  std::vector<uint32_t> divergent;            // per block: counter of split warps; kNone if it cannot split
  uint32_t guarded_off = 0;                   // counter: lanes times instructions switched off by a guard
  uint32_t on_edges = 0, on_edges_lanes = 0;  // counters: instructions of CountOn; the same times lanes
  std::vector<uint64_t> block_weight;         // PTX instructions in each block
  std::vector<uint8_t> needs_full, needs_partial;  // per block: which versions of it there are
  bool barriers = false;                           // a warp may stop before its end: at barriers, or in `waits`
  bool plain_barriers = true;  // every barrier is the whole block's number 0: a round ends when all warps wait
  std::vector<uint32_t>
      counted_as;  // per block: the block whose counters are its own, as every warp runs both or neither
  std::vector<uint8_t> block_invariant;  // per value: the same for every warp of a block, and computed once
  bool loops = false;
  bool may_stop = false;               // a warp may stop outside barriers too: in `waits`, or where its lanes meet
  std::vector<passes::Wait> waits;     // loops that wait for other threads: there a warp lets others run
  std::vector<uint32_t> wait_at;       // per block: the wait whose loop it closes, an index into `waits`; kNone: none
  std::vector<ir::ValueId> wait_live;  // what a warp with lanes in several places keeps while others run
  std::vector<uint8_t> escapes;        // per value: used in another block than its own (or a phi)
  std::vector<std::vector<ir::ValueId>> live_in;  // per block, phis of the block included
  // Per block: values that no lane holds yet whenever lanes of a split warp come to this block or pass it by.
  std::vector<std::vector<ir::ValueId>> begins;
  // What a warp keeps while it waits at a barrier: offset of each value in its save area, kNone if never kept.
  std::vector<uint32_t> save_offset;
  uint32_t save_bytes = 0;
  uint32_t save_waiting = 0;        // offset of one lane mask a block: lanes that wait at its barrier
  uint32_t save_pending = 0;        // likewise, if there are waits: lanes that are to run it next
  std::vector<ir::ValueId> guards;  // widenings that some pattern rests on; a byte each at the start of the save area
  uint32_t warps = 0;               // per block of threads
  bool partial_warp = false;        // the last warp has fewer than 32 threads
};

// False for the edge of a conditional branch whose condition is a constant in every lane.
bool can_take(const ir::Function& f, const Plan& plan, ir::BlockId from, ir::BlockId to);

Plan make_plan(const ir::Function& f, const passes::Specialization& spec);

}  // namespace warplens::codegen
