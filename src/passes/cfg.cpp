#include "passes/cfg.h"

#include <algorithm>

namespace warplens::passes {

using ir::BlockId;
using ir::Function;
using ir::kNone;
using ir::ValueId;

std::vector<BlockId> reverse_post_order(const Function& f) {
  std::vector<BlockId> order;
  std::vector<uint8_t> seen(f.blocks.size(), 0);
  struct Frame {
    BlockId block;
    size_t next;
  };
  std::vector<Frame> stack;
  if (f.blocks.empty()) return order;
  stack.push_back({0, 0});
  seen[0] = 1;
  while (!stack.empty()) {
    Frame& top = stack.back();
    const auto& succs = f.blocks[top.block].succs;
    if (top.next < succs.size()) {
      const BlockId s = succs[top.next++];
      if (!seen[s]) {
        seen[s] = 1;
        stack.push_back({s, 0});
      }
    } else {
      order.push_back(top.block);
      stack.pop_back();
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".
std::vector<BlockId> immediate_dominators(const Function& f) {
  const std::vector<BlockId> order = reverse_post_order(f);
  std::vector<uint32_t> number(f.blocks.size(), kNone);
  for (uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
  std::vector<BlockId> idom(f.blocks.size(), kNone);
  if (order.empty()) return idom;
  idom[0] = 0;
  auto intersect = [&](BlockId a, BlockId b) {
    while (a != b) {
      while (number[a] > number[b]) a = idom[a];
      while (number[b] > number[a]) b = idom[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (BlockId b : order) {
      if (b == 0) continue;
      BlockId best = kNone;
      for (BlockId p : f.blocks[b].preds) {
        if (number[p] == kNone || idom[p] == kNone) continue;
        best = best == kNone ? p : intersect(best, p);
      }
      if (idom[b] != best) {
        idom[b] = best;
        changed = true;
      }
    }
  }
  idom[0] = kNone;
  return idom;
}

bool dominates(const std::vector<BlockId>& idom, BlockId a, BlockId b) {
  while (b != kNone && b != a) b = idom[b];
  return b == a;
}

bool LoopNest::contains(uint32_t loop, BlockId block) const {
  for (uint32_t l = innermost[block]; l != kNone; l = loops[l].parent)
    if (l == loop) return true;
  return false;
}

LoopNest find_loops(const Function& f) {
  LoopNest nest;
  nest.innermost.assign(f.blocks.size(), kNone);
  const std::vector<BlockId> order = reverse_post_order(f);
  const std::vector<BlockId> idom = immediate_dominators(f);
  std::vector<uint32_t> number(f.blocks.size(), kNone);
  for (uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;

  for (BlockId header : order) {  // outer headers come first in reverse post-order
    Loop loop;
    loop.header = header;
    for (BlockId p : f.blocks[header].preds) {
      if (number[p] == kNone || number[p] < number[header]) continue;
      if (!dominates(idom, header, p)) {
        nest.reducible = false;
        continue;
      }
      if (std::find(loop.latches.begin(), loop.latches.end(), p) == loop.latches.end()) loop.latches.push_back(p);
    }
    if (loop.latches.empty()) continue;
    std::vector<uint8_t> in(f.blocks.size(), 0);
    in[header] = 1;
    loop.blocks.push_back(header);
    std::vector<BlockId> work;
    for (BlockId latch : loop.latches)
      if (!in[latch]) in[latch] = 1, loop.blocks.push_back(latch), work.push_back(latch);
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      for (BlockId p : f.blocks[b].preds)
        if (number[p] != kNone && !in[p]) in[p] = 1, loop.blocks.push_back(p), work.push_back(p);
    }
    loop.parent = nest.innermost[header];
    const uint32_t index = static_cast<uint32_t>(nest.loops.size());
    for (BlockId b : loop.blocks) nest.innermost[b] = index;
    nest.loops.push_back(std::move(loop));
  }
  return nest;
}

std::vector<std::vector<ValueId>> live_in(const Function& f, const std::vector<std::vector<ValueId>>* also) {
  const size_t words = (f.insts.size() + 63) / 64;
  std::vector<std::vector<uint64_t>> in(f.blocks.size(), std::vector<uint64_t>(words, 0));
  const std::vector<BlockId> order = reverse_post_order(f);
  std::vector<uint64_t> live(words);
  auto set_one = [&](ValueId v) { live[v / 64] |= uint64_t{1} << (v % 64); };
  auto set = [&](ValueId v) {
    set_one(v);
    if (also)
      for (ValueId w : (*also)[v]) set_one(w);
  };
  auto clear = [&](ValueId v) { live[v / 64] &= ~(uint64_t{1} << (v % 64)); };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      const ir::Block& block = f.blocks[*it];
      std::fill(live.begin(), live.end(), 0);
      for (BlockId s : block.succs) {
        for (size_t w = 0; w < words; ++w) live[w] |= in[s][w];
        const auto& preds = f.blocks[s].preds;
        for (ValueId v : f.blocks[s].insts) {
          if (f.insts[v].op != ir::Op::Phi) break;
          for (size_t k = 0; k < preds.size(); ++k)
            if (preds[k] == *it) set(f.insts[v].args[k]);
        }
      }
      for (auto v = block.insts.rbegin(); v != block.insts.rend(); ++v) {
        const ir::Inst& inst = f.insts[*v];
        clear(*v);
        if (inst.op == ir::Op::Phi) continue;
        for (ValueId a : inst.args) set(a);
        if (inst.guard != kNone) set(inst.guard);
      }
      if (live != in[*it]) {
        in[*it] = live;
        changed = true;
      }
    }
  }
  std::vector<std::vector<ValueId>> result(f.blocks.size());
  for (BlockId b = 0; b < f.blocks.size(); ++b)
    for (size_t w = 0; w < words; ++w)
      for (uint64_t bits = in[b][w]; bits != 0; bits &= bits - 1)
        result[b].push_back(static_cast<ValueId>(w * 64 + static_cast<size_t>(__builtin_ctzll(bits))));
  return result;
}

}  // namespace warplens::passes
