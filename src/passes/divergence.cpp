// From a branch that splits a warp, each side carries its own label forward in block order (canonical order is
// topological but for back edges). Where two labels meet, lanes meet: a divergent join, which starts a label of its
// own. Once every path carries the same label, all lanes that still run are together again. Example:
//
//     b: if (p) -> t, else -> f     labels t:1 f:2; j has predecessors t and f: join, label 3, and nothing else is open
//     t: -> j;  f: -> j             => region {t, f}, join {j}; what follows j is convergent
//
// A side that ends in Exit just drops out: the other lanes are then alone and convergent. A label that leaves the loop
// around b while lanes stay inside makes the loop's exits divergent in time: the loop then splits its parent like a
// branch.
#include "passes/divergence.h"

#include <algorithm>
#include <map>
#include <set>

namespace warplens::passes {

using ir::BlockId;
using ir::kNone;

namespace {

class Propagator {
 public:
  Propagator(const ir::Function& f, const LoopNest& nest) : f_(f), nest_(nest) {
    result_.join.assign(f.blocks.size(), 0);
    result_.region.assign(f.blocks.size(), 0);
    split_loops_.assign(nest.loops.size(), 0);
  }

  void from_branch(BlockId b) { run(nest_.innermost[b], b, f_.blocks[b].succs); }
  Divergence take() { return std::move(result_); }

 private:
  // Labels spread from `starts` inside `loop` (kNone: the whole function).
  void run(uint32_t loop, BlockId source, const std::vector<BlockId>& starts) {
    std::map<BlockId, uint32_t> open;  // blocks still to visit, in order, with the label that reaches them
    uint32_t next_label = 1;
    bool left = false, stayed = false;
    auto reach = [&](BlockId from, BlockId to, uint32_t label) {
      if (loop != kNone && !nest_.contains(loop, to)) {
        left = true;
        return;
      }
      if (to <= source) {  // the back edge
        stayed = true;
        return;
      }
      if (to <= from) return;  // the back edge of a loop inside: its lanes go round together
      auto [it, fresh] = open.emplace(to, label);
      if (!fresh && it->second != label) {
        result_.join[to] = 1;
        it->second = next_label++;
      }
    };
    for (BlockId s : starts) reach(source, s, next_label++);
    while (!open.empty()) {
      const auto [block, label] = *open.begin();
      open.erase(open.begin());
      if (open.empty() && !left && !stayed) return;  // everyone who still runs is here
      result_.region[block] = 1;
      for (BlockId s : f_.blocks[block].succs) reach(block, s, label);
    }
    if (left && loop != kNone) split_loop(loop);
  }

  // Lanes leave `loop` in different iterations, or by different exits.
  void split_loop(uint32_t loop) {
    if (split_loops_[loop]) return;
    split_loops_[loop] = 1;
    std::vector<BlockId> exits;
    BlockId last = 0;
    for (BlockId b : nest_.loops[loop].blocks) {
      result_.region[b] = 1;
      last = std::max(last, b);
      for (BlockId s : f_.blocks[b].succs)
        if (!nest_.contains(loop, s) && std::find(exits.begin(), exits.end(), s) == exits.end()) exits.push_back(s);
    }
    for (BlockId e : exits) result_.join[e] = 1;
    if (exits.size() > 1)
      run(nest_.loops[loop].parent, last, exits);
    else if (!exits.empty() && nest_.loops[loop].parent != kNone && !nest_.contains(nest_.loops[loop].parent, exits[0]))
      split_loop(nest_.loops[loop].parent);
  }

  const ir::Function& f_;
  const LoopNest& nest_;
  Divergence result_;
  std::vector<uint8_t> split_loops_;
};

}  // namespace

Divergence propagate_divergence(const ir::Function& f, const LoopNest& nest, const std::vector<uint8_t>& split) {
  Propagator propagator(f, nest);
  for (BlockId b = 0; b < f.blocks.size(); ++b)
    if (split[b]) propagator.from_branch(b);
  Divergence result = propagator.take();
  if (!nest.reducible) {
    std::fill(result.join.begin(), result.join.end(), 1);
    std::fill(result.region.begin(), result.region.end(), 1);
  }
  return result;
}

}  // namespace warplens::passes
