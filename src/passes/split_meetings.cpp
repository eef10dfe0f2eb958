// In a kernel whose lanes may wait for each other (waits.h) or part at calls (calls.h), an operation that names lanes
// of its warp begins a block: there the lanes that come first wait for the others (codegen/emit_waits.cpp).
#include <algorithm>

#include "passes/calls.h"
#include "passes/passes.h"
#include "passes/waits.h"

namespace warplens::passes {

using ir::BlockId;
using ir::Inst;
using ir::Op;
using ir::ValueId;

namespace {

// A component is taken in the block that made the whole.
void move_extracts_up(ir::Function& f, BlockId b) {
  auto& insts = f.blocks[b].insts;
  for (size_t k = 0; k < insts.size(); ++k) {
    if (f.insts[insts[k]].op != Op::Extract) continue;
    const auto whole = std::find(insts.begin(), insts.end(), f.insts[insts[k]].args[0]);
    auto to = whole + 1;
    while (to < insts.begin() + static_cast<std::ptrdiff_t>(k) && f.insts[*to].op == Op::Extract) ++to;
    std::rotate(to, insts.begin() + static_cast<std::ptrdiff_t>(k), insts.begin() + static_cast<std::ptrdiff_t>(k) + 1);
  }
}

void split(ir::Function& f, BlockId b, size_t at) {
  const auto rest = static_cast<BlockId>(f.blocks.size());
  f.blocks.emplace_back();
  ir::Block &before = f.blocks[b], &after = f.blocks[rest];
  after.insts.assign(before.insts.begin() + static_cast<std::ptrdiff_t>(at), before.insts.end());
  before.insts.resize(at);
  for (ValueId v : after.insts) f.insts[v].block = rest;
  after.succs = before.succs;
  for (BlockId s : after.succs) std::replace(f.blocks[s].preds.begin(), f.blocks[s].preds.end(), b, rest);
  before.succs = {rest};
  after.preds = {b};
  for (ir::Block& block : f.blocks)
    if (block.call == b) block.call = rest;
  Inst jump;
  jump.op = Op::Br;
  jump.weight = 0;
  jump.location = f.insts[after.insts.front()].location;
  f.append(b, jump);
}

// As far as can be said without a block's shape.
bool lanes_may_part(const ir::Function& f) {
  const LoopNest nest = find_loops(f);
  return !nest.reducible || calls_part_lanes(f, nest) || !find_waits(f, nest).empty();
}

}  // namespace

void split_meetings(ir::Function& f) {
  const auto names = [&](const Inst& inst) { return inst.block != ir::kNone && ir::names_lanes(inst.op); };
  if (std::none_of(f.insts.begin(), f.insts.end(), names) || !lanes_may_part(f)) return;
  bool any = false;
  for (BlockId b = 0; b < f.blocks.size(); ++b) {
    size_t first = 0;
    while (f.insts[f.blocks[b].insts[first]].op == Op::Phi) ++first;
    const auto& insts = f.blocks[b].insts;
    if (std::none_of(insts.begin(), insts.end(), [&](ValueId v) { return ir::names_lanes(f.insts[v].op); })) continue;
    move_extracts_up(f, b);
    // The rest becomes a block of its own, and gets its turn.
    for (size_t k = first + 1; k < f.blocks[b].insts.size(); ++k)
      if (ir::names_lanes(f.insts[f.blocks[b].insts[k]].op)) {
        split(f, b, k);
        any = true;
        break;
      }
  }
  if (any) canonicalize(f);
}

}  // namespace warplens::passes
