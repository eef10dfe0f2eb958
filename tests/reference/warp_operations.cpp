#include <bit>

#include "reference/values.h"

namespace warplens::reference {
namespace {

using ir::Op;
using ir::ShuffleMode;

// The lane that lane `lane` reads, and whether it lies in range (PTX ISA, shfl.sync).
struct Source {
  uint32_t lane;
  bool in_range;
};
Source source_of(ShuffleMode mode, uint32_t lane, uint32_t b, uint32_t c) {
  const uint32_t segment = c >> 8 & 31, clamp = c & 31, amount = b & 31;
  const uint32_t last = (lane & segment) | (clamp & ~segment), first = lane & segment;
  int j = 0;
  bool in_range = false;
  switch (mode) {
    case ShuffleMode::Up:
      j = static_cast<int>(lane) - static_cast<int>(amount);
      in_range = j >= static_cast<int>(last);
      break;
    case ShuffleMode::Down:
      j = static_cast<int>(lane + amount);
      in_range = j <= static_cast<int>(last);
      break;
    case ShuffleMode::Bfly:
      j = static_cast<int>(lane ^ amount);
      in_range = j <= static_cast<int>(last);
      break;
    case ShuffleMode::Idx:
      j = static_cast<int>(first | (amount & ~segment));
      in_range = j <= static_cast<int>(last);
      break;
  }
  return {in_range ? static_cast<uint32_t>(j) & 31 : lane, in_range};
}

template <typename Visit>
void for_each_lane(uint32_t lanes, Visit visit) {
  for (uint32_t lane = 0; lane < 32; ++lane)
    if (lanes >> lane & 1) visit(lane);
}

void shuffle(const ir::Inst& inst, WarpOperands& w) {
  for_each_lane(w.lanes, [&](uint32_t lane) {
    const Source from = source_of(static_cast<ShuffleMode>(inst.imm), lane, static_cast<uint32_t>(w.args[lane][1]),
                                  static_cast<uint32_t>(w.args[lane][2]));
    const bool there = w.lanes >> from.lane & 1;  // what an absent lane gives is undefined: here, the own value
    w.results[lane][0] = w.args[there ? from.lane : lane][0];
    w.results[lane][1] = from.in_range;
  });
}

void vote(const ir::Inst& inst, WarpOperands& w) {
  uint32_t yes = 0;
  for_each_lane(w.lanes, [&](uint32_t lane) { yes |= static_cast<uint32_t>(w.args[lane][0] & 1) << lane; });
  uint64_t result = yes;
  switch (static_cast<ir::VoteMode>(inst.imm)) {
    case ir::VoteMode::All:
      result = yes == w.lanes;
      break;
    case ir::VoteMode::Any:
      result = yes != 0;
      break;
    case ir::VoteMode::Uni:
      result = yes == 0 || yes == w.lanes;
      break;
    case ir::VoteMode::Ballot:
      break;
  }
  for_each_lane(w.lanes, [&](uint32_t lane) { w.results[lane][0] = result; });
}

void match(const ir::Inst& inst, WarpOperands& w) {
  for_each_lane(w.lanes, [&](uint32_t lane) {
    uint32_t same = 0;
    for_each_lane(w.lanes, [&](uint32_t other) { same |= uint32_t{w.args[other][0] == w.args[lane][0]} << other; });
    const bool all = same == w.lanes;
    w.results[lane][0] = inst.imm == 0 || all ? same : 0;
    w.results[lane][1] = all;
  });
}

void reduce(const ir::Inst& inst, WarpOperands& w) {
  ir::Inst step;
  step.type = ir::Type::I32;
  step.imm2 = static_cast<uint32_t>(inst.imm);
  const auto first = static_cast<uint32_t>(std::countr_zero(w.lanes));
  uint64_t total = w.args[first][0];
  for_each_lane(w.lanes & ~(1u << first),
                [&](uint32_t lane) { total = atomic_result(step, false, total, w.args[lane][0], 0) & 0xffffffffu; });
  for_each_lane(w.lanes, [&](uint32_t lane) { w.results[lane][0] = total; });
}

}  // namespace

void compute_warp(const ir::Inst& inst, ir::Type, WarpOperands& w) {
  switch (inst.op) {
    case Op::Shuffle:
      return shuffle(inst, w);
    case Op::Vote:
      return vote(inst, w);
    case Op::Match:
      return match(inst, w);
    case Op::Redux:
      return reduce(inst, w);
    case Op::Matrix:
      return compute_matrix(inst, w);
    case Op::ActiveMask:
      return for_each_lane(w.lanes, [&](uint32_t lane) { w.results[lane][0] = w.lanes; });
    default:
      return;  // WarpSync
  }
}

}  // namespace warplens::reference
