#include "passes/lanes_wait.h"

#include <set>

namespace warplens::passes {

using ir::BlockId;
using ir::Inst;
using ir::kNone;
using ir::Op;
using ir::ValueId;

namespace {

// `if (threadIdx.x == 0)` around it: no two lanes of a warp come to the block.
bool is_for_one_lane(const ir::Function& f, const std::vector<Lanes>& values, BlockId block) {
  const std::vector<BlockId> idom = immediate_dominators(f);
  for (BlockId b = idom[block]; b != kNone; block = b, b = idom[b]) {
    const Inst& end = f.insts[f.blocks[b].insts.back()];
    if (end.op != Op::CondBr || f.blocks[block].preds.size() != 1) continue;
    const Inst& compare = f.insts[end.args[0]];
    if (compare.op != Op::ICmp) continue;
    const auto how = static_cast<ir::IntCompare>(compare.imm);
    const bool when_true = f.blocks[b].succs[0] == block;
    if (how != (when_true ? ir::IntCompare::Eq : ir::IntCompare::Ne)) continue;
    const Lanes &x = values[compare.args[0]], &y = values[compare.args[1]];
    if (!x.affine() || x.groups != 1 || !x.guards.empty() || !y.uniform()) continue;
    if (std::set<int64_t>(x.pattern.begin(), x.pattern.end()).size() == kWarpSize) return true;
  }
  return false;
}

// What lanes come to from the start of a block on, before an operation in which they meet others.
struct Ahead {
  bool waits = false, writes = false;
};
Ahead look_ahead(const ir::Function& f, BlockId from, BlockId loop_header) {
  Ahead ahead;
  std::vector<uint8_t> seen(f.blocks.size(), 0);
  std::vector<BlockId> work{from};
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    if (seen[b]) continue;
    seen[b] = 1;
    ahead.waits |= b == loop_header;
    bool meets = false;
    for (ValueId v : f.blocks[b].insts) {
      const Op op = f.insts[v].op;
      meets |= op == Op::Barrier || ir::names_lanes(op);
      if (meets) break;
      ahead.writes |= (op == Op::Store || op == Op::Atomic || op == Op::Reduce || op == Op::Surface) &&
                      f.insts[v].space != ir::Space::Local;
    }
    for (BlockId s : f.blocks[b].succs)
      if (!meets && s > b) work.push_back(s);
  }
  return ahead;
}

}  // namespace

bool lanes_may_wait(const ir::Function& f, const LoopNest& nest, const std::vector<Wait>& waits,
                    const std::vector<Lanes>& values, const std::vector<uint8_t>& split) {
  for (const Wait& wait : waits) {
    const BlockId header = nest.loops[wait.loop].header;
    for (BlockId b = 0; b < f.blocks.size(); ++b) {
      if (!split[b]) continue;
      const auto& succs = f.blocks[b].succs;
      if (nest.contains(wait.loop, b)) {
        const bool leaves = !nest.contains(wait.loop, succs[0]) || !nest.contains(wait.loop, succs[1]);
        if (leaves && !is_for_one_lane(f, values, header)) return true;
        continue;
      }
      const Ahead yes = look_ahead(f, succs[0], header), no = look_ahead(f, succs[1], header);
      if ((yes.waits && !no.waits && no.writes) || (no.waits && !yes.waits && yes.writes)) return true;
    }
  }
  return false;
}

}  // namespace warplens::passes
