#include "passes/calls.h"

#include <algorithm>

namespace warplens::passes {

using ir::BlockId;
using ir::kNone;
using ir::ValueId;

namespace {

using Blocks = std::vector<uint8_t>;  // per block: is it one of them?

// The ways that threads take inside a loop: from a call into the function, and past the call, but not from the
// function's end to who called it.
class Ways {
 public:
  Ways(const ir::Function& f, const Loop& loop) : f_(f), in_(f.blocks.size(), 0), after_(f.blocks.size()) {
    for (BlockId b : loop.blocks) in_[b] = 1;
    for (BlockId b = 0; b < f.blocks.size(); ++b)
      if (f.blocks[b].call != kNone) after_[f.blocks[b].call].push_back(b);
  }

  bool calls(BlockId b) const { return !after_[b].empty(); }
  bool inside(BlockId b) const { return in_[b]; }

  std::vector<BlockId> from(BlockId b) const {
    std::vector<BlockId> to;
    for (BlockId s : f_.blocks[b].succs)
      if (in_[s] && f_.blocks[s].call == kNone) to.push_back(s);
    for (BlockId a : after_[b])
      if (in_[a]) to.push_back(a);
    return to;
  }

  Blocks reached(std::vector<BlockId> work) const {
    Blocks seen(f_.blocks.size(), 0);
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      if (seen[b]) continue;
      seen[b] = 1;
      for (BlockId s : from(b)) work.push_back(s);
    }
    return seen;
  }

  // The blocks from which the header is reached again.
  Blocks going_round(const Loop& loop) const {
    Blocks rounds(f_.blocks.size(), 0);
    for (bool grew = true; grew;) {
      grew = false;
      for (BlockId b : loop.blocks) {
        if (rounds[b]) continue;
        for (BlockId s : from(b))
          if (s == loop.header || rounds[s]) rounds[b] = 1, grew = true;
      }
    }
    return rounds;
  }

 private:
  const ir::Function& f_;
  Blocks in_;
  std::vector<std::vector<BlockId>> after_;
};

bool parts_lanes(const ir::Function& f, const Loop& loop, const std::vector<uint8_t>* split) {
  const Ways ways(f, loop);
  const Blocks rounds = ways.going_round(loop);
  if (!rounds[loop.header]) return false;  // of ways that no thread takes
  std::vector<BlockId> called, left;
  for (BlockId b : loop.blocks) {
    if (!rounds[b]) continue;
    const auto& succs = f.blocks[b].succs;
    for (BlockId s : succs) {
      if (!ways.inside(s) || rounds[s] || f.blocks[s].call != kNone) continue;
      if (ways.calls(b))
        called.push_back(s);
      else if (succs.size() > 1 && (!split || (*split)[b]))
        left.push_back(s);
    }
  }
  // A function that is called from inside is where lanes in the loop are.
  const Blocks in_calls = ways.reached(std::move(called)), outside = ways.reached(std::move(left));
  return std::any_of(loop.blocks.begin(), loop.blocks.end(), [&](BlockId b) {
    const auto names = [&](ValueId v) { return ir::names_lanes(f.insts[v].op); };
    const auto& insts = f.blocks[b].insts;
    return outside[b] && !rounds[b] && !in_calls[b] && std::any_of(insts.begin(), insts.end(), names);
  });
}

}  // namespace

bool calls_part_lanes(const ir::Function& f, const LoopNest& nest, const std::vector<uint8_t>* split) {
  const auto returns = [](const ir::Block& b) { return b.call != kNone; };
  if (std::none_of(f.blocks.begin(), f.blocks.end(), returns)) return false;
  return std::any_of(nest.loops.begin(), nest.loops.end(),
                     [&](const Loop& loop) { return parts_lanes(f, loop, split); });
}

}  // namespace warplens::passes
