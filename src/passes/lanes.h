// Lane analysis: what each value looks like across the 32 lanes of a warp, for one block shape.
//
// A value is Affine when lane l holds  base[g(l)] + pattern[l]:  `groups` (1, 2 or 4) scalars, one a group of 32/groups
// adjacent lanes, plus a constant pattern that is the same for every warp of the block and 0 at the first lane of each
// group. Uniform values are groups 1, pattern 0. With block (16,16), `row = blockIdx.y*16 + threadIdx.y` is one base
// and {0 x16, 1 x16}; row*N is two bases and no pattern; A + 4*(row*N + threadIdx.x) is two bases and {0,4,...,60}
// twice. Anything else is Varying. Patterns are exact modulo 2^bits of the value's type.
//
// Widening 32 to 64 bits keeps a pattern only if base + pattern does not wrap. Where that is not proved, the widened
// value names the widening in `guards`: its pattern holds while that widening's run-time test does (codegen makes the
// test); where the test fails, lane l differs from base + pattern by  sum over guards of multiplier * (exact -
// assumed).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/dim3.h"
#include "ir/ir.h"

namespace warplens::passes {

// What is fixed when code is made for a kernel. Code made for a specialization runs only launches that match it.
struct Specialization {
  Dim3 block;
  std::optional<Dim3> grid;          // known grid: bounds blockIdx
  std::vector<uint8_t> param_known;  // per byte of the parameter buffer: bit set = that bit's value is fixed ...
  std::vector<uint8_t> param_value;  // ... to this. Shorter than the buffer: the rest is not known
  uint32_t max_groups = 4;           // 32 / the width of a machine vector in lanes
  bool traced = false;               // every request of device and local memory is told, lane by lane
};

using LanePattern = std::array<int64_t, kWarpSize>;

struct Lanes {
  enum class Kind : uint8_t { Bottom, Affine, Varying };
  struct Guard {
    ir::ValueId widening;
    int64_t multiplier;
    friend bool operator==(const Guard&, const Guard&) = default;
  };
  Kind kind = Kind::Bottom;
  uint8_t groups = 1;
  LanePattern pattern{};
  std::vector<Guard> guards;
  // Every base is congruent to `residue` modulo 2^known_bits.
  uint8_t known_bits = 0;
  uint64_t residue = 0;
  // No lane's value, read as unsigned, exceeds this.
  uint64_t unsigned_max = ~uint64_t{0};

  bool affine() const { return kind == Kind::Affine; }
  bool flat() const;  // Affine, pattern all zero: one scalar a group
  bool uniform() const { return affine() && groups == 1 && flat(); }
  friend bool operator==(const Lanes&, const Lanes&) = default;
};

struct LaneAnalysis {
  std::vector<Lanes> values;                 // per ValueId
  std::vector<uint8_t> divergent_block_end;  // per block: its conditional branch can split a warp
  std::vector<uint8_t> divergent_join;  // per block: lanes can arrive here at different times, its phis differ by lane
  bool divergent_barrier = false;       // some barrier can be reached while other lanes of the warp are elsewhere
  bool independent = false;  // lanes may wait for each other in a loop (passes/waits.h), go round in a cycle that has
                             // no header, or part at calls (passes/calls.h): each may be anywhere
};

// `f` is canonical (passes::prepare).
LaneAnalysis analyze_lanes(const ir::Function& f, const Specialization& spec);

// The same value with more groups: pattern re-based so that it is 0 at the first lane of each. `offset[g]` is what
// codegen adds to base[g * lanes.groups / groups].
Lanes regroup(const Lanes& lanes, uint32_t groups, std::array<int64_t, 4>* offset = nullptr);

// blockIdx-independent part of threadIdx for a warp: lane l of warp w is thread w*32 + l of the block.
Dim3 thread_index(const Dim3& block, uint32_t linear);

}  // namespace warplens::passes
