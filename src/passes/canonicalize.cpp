// Canonical control flow; passes.h says what and why.
#include <algorithm>
#include <map>
#include <queue>

#include "base/check.h"
#include "passes/cfg.h"
#include "passes/passes.h"

namespace warplens::passes {

using ir::Block;
using ir::BlockId;
using ir::Function;
using ir::Inst;
using ir::kNone;
using ir::Op;
using ir::ValueId;

namespace {

ValueId insert_phi(Function& f, BlockId b, ir::Type type, uint32_t location) {
  Inst phi;
  phi.op = Op::Phi;
  phi.type = type;
  phi.block = b;
  phi.location = location;
  phi.weight = 0;
  f.insts.push_back(phi);
  const ValueId id = static_cast<ValueId>(f.insts.size() - 1);
  f.blocks[b].insts.insert(f.blocks[b].insts.begin(), id);
  return id;
}

BlockId append_jump_block(Function& f, BlockId target) {
  f.blocks.emplace_back();
  const BlockId b = static_cast<BlockId>(f.blocks.size() - 1);
  f.blocks[b].succs = {target};
  Inst br;
  br.op = Op::Br;
  br.weight = 0;
  f.append(b, br);
  return b;
}

// if (p) goto X; else goto X;  ->  goto X, with selects for the phis that told the two edges apart.
void merge_equal_targets(Function& f) {
  for (BlockId b = 0; b < f.blocks.size(); ++b) {
    if (f.blocks[b].succs.size() != 2 || f.blocks[b].succs[0] != f.blocks[b].succs[1]) continue;
    const ValueId end = f.blocks[b].insts.back();
    const ValueId condition = f.insts[end].args[0];
    const BlockId target = f.blocks[b].succs[0];
    auto& preds = f.blocks[target].preds;
    const size_t first = static_cast<size_t>(std::find(preds.begin(), preds.end(), b) - preds.begin());
    const size_t second = static_cast<size_t>(std::find(preds.begin() + first + 1, preds.end(), b) - preds.begin());
    for (ValueId v : f.blocks[target].insts) {
      if (f.insts[v].op != Op::Phi) break;
      const ValueId yes = f.insts[v].args[first], no = f.insts[v].args[second];
      if (yes != no) {
        Inst select;
        select.op = Op::Select;
        select.type = f.insts[v].type;
        select.args = {condition, yes, no};
        select.weight = 0;
        select.block = b;
        f.insts.push_back(select);
        const ValueId id = static_cast<ValueId>(f.insts.size() - 1);
        f.blocks[b].insts.insert(f.blocks[b].insts.end() - 1, id);
        f.insts[v].args[first] = id;
      }
      f.insts[v].args.erase(f.insts[v].args.begin() + static_cast<std::ptrdiff_t>(second));
    }
    preds.erase(preds.begin() + static_cast<std::ptrdiff_t>(second));
    f.blocks[b].succs.pop_back();
    f.insts[end].op = Op::Br;
    f.insts[end].args.clear();
  }
}

// An edge whose source branches and whose target joins gets a block of its own: phi copies then have a place, and an
// exit edge of a loop has a block outside it.
void split_critical_edges(Function& f) {
  const size_t count = f.blocks.size();
  for (BlockId b = 0; b < count; ++b) {
    if (f.blocks[b].succs.size() < 2) continue;
    for (size_t k = 0; k < f.blocks[b].succs.size(); ++k) {
      const BlockId target = f.blocks[b].succs[k];
      if (f.blocks[target].preds.size() < 2) continue;
      const BlockId middle = append_jump_block(f, target);
      f.blocks[middle].preds = {b};
      f.blocks[b].succs[k] = middle;
      auto& preds = f.blocks[target].preds;
      *std::find(preds.begin(), preds.end(), b) = middle;
    }
  }
}

// Several back edges to one header meet in a new latch.
void unify_latches(Function& f) {
  const LoopNest nest = find_loops(f);
  for (const Loop& loop : nest.loops) {
    if (loop.latches.size() < 2) continue;
    const BlockId latch = append_jump_block(f, loop.header);
    std::vector<size_t> back;  // positions of back edges among the header's predecessors
    auto& preds = f.blocks[loop.header].preds;
    for (size_t k = 0; k < preds.size(); ++k)
      if (std::find(loop.latches.begin(), loop.latches.end(), preds[k]) != loop.latches.end()) back.push_back(k);
    for (size_t k : back) {
      const BlockId source = preds[k];
      f.blocks[latch].preds.push_back(source);
      std::replace(f.blocks[source].succs.begin(), f.blocks[source].succs.end(), loop.header, latch);
    }
    const std::vector<ValueId> header_insts = f.blocks[loop.header].insts;
    for (ValueId v : header_insts) {
      if (f.insts[v].op != Op::Phi) break;
      const ValueId merged = insert_phi(f, latch, f.insts[v].type, f.insts[v].location);
      for (size_t k : back) f.insts[merged].args.push_back(f.insts[v].args[k]);
      auto& args = f.insts[v].args;
      for (auto k = back.rbegin(); k != back.rend(); ++k) args.erase(args.begin() + static_cast<std::ptrdiff_t>(*k));
      args.push_back(merged);
    }
    for (auto k = back.rbegin(); k != back.rend(); ++k) preds.erase(preds.begin() + static_cast<std::ptrdiff_t>(*k));
    preds.push_back(latch);
  }
}

// Rewrites the uses outside a loop of a value defined inside it so that they read a phi at the exit they left by.
class LoopClosedForm {
 public:
  explicit LoopClosedForm(Function& f) : f_(f) {}

  void run() {
    const LoopNest nest = find_loops(f_);
    for (auto loop = nest.loops.rbegin(); loop != nest.loops.rend(); ++loop)  // inner loops first
      close(nest, static_cast<uint32_t>(nest.loops.rend() - loop - 1));
  }

 private:
  struct Use {
    ValueId user;
    size_t arg;  // kGuard: the guard
    BlockId block;
  };
  static constexpr size_t kGuard = ~size_t{0};

  void close(const LoopNest& nest, uint32_t loop) {
    std::vector<uint8_t> inside(f_.blocks.size(), 0);
    for (BlockId b : nest.loops[loop].blocks) inside[b] = 1;
    std::map<ValueId, std::vector<Use>> escaping;
    invariant_.assign(f_.insts.size(), kUnknown);
    auto escapes = [&](ValueId v) { return inside[f_.insts[v].block] && !is_invariant(v, inside); };
    for (BlockId b = 0; b < f_.blocks.size(); ++b)
      for (ValueId v : f_.blocks[b].insts) {
        const Inst& inst = f_.insts[v];
        for (size_t k = 0; k < inst.args.size(); ++k) {
          const BlockId at = inst.op == Op::Phi ? f_.blocks[b].preds[k] : b;
          if (!inside[at] && escapes(inst.args[k])) escaping[inst.args[k]].push_back({v, k, at});
        }
        if (inst.guard != kNone && !inside[b] && escapes(inst.guard)) escaping[inst.guard].push_back({v, kGuard, b});
      }
    for (auto& [value, uses] : escaping) {
      at_entry_.clear();
      // Exit blocks have their one predecessor in the loop, since edges that join were split.
      for (BlockId b : nest.loops[loop].blocks)
        for (BlockId s : f_.blocks[b].succs)
          if (!inside[s]) exits_insert(s, value);
      for (const Use& use : uses) {
        const ValueId now = read_at_end(use.block, value);
        if (use.arg == kGuard)
          f_.insts[use.user].guard = now;
        else
          f_.insts[use.user].args[use.arg] = now;
      }
    }
  }

  // The same in every iteration: when a lane leaves does not matter.
  bool is_invariant(ValueId v, const std::vector<uint8_t>& inside) {
    if (!inside[f_.insts[v].block]) return true;
    if (invariant_[v] != kUnknown) return invariant_[v] == kYes;
    const Inst& inst = f_.insts[v];
    bool yes = inst.op != Op::Phi && ir::info(inst.op).effect == ir::Effect::Pure;
    invariant_[v] = kNo;
    for (size_t k = 0; yes && k < inst.args.size(); ++k) yes = is_invariant(inst.args[k], inside);
    invariant_[v] = yes ? kYes : kNo;
    return yes;
  }

  void exits_insert(BlockId exit, ValueId value) {
    if (at_entry_.count(exit)) return;
    const ValueId phi = insert_phi(f_, exit, f_.insts[value].type, f_.insts[value].location);
    f_.insts[phi].args.assign(f_.blocks[exit].preds.size(), value);
    at_entry_[exit] = phi;
  }

  // The value that stands for the escaping one at the end of a block outside the loop.
  ValueId read_at_end(BlockId b, ValueId value) {
    auto found = at_entry_.find(b);
    if (found != at_entry_.end()) return found->second;
    const std::vector<BlockId> preds = f_.blocks[b].preds;
    if (preds.empty()) return value;  // not reached from the loop: cannot happen for a use the definition dominates
    if (preds.size() == 1) return at_entry_[b] = read_at_end(preds[0], value);
    const ValueId phi = insert_phi(f_, b, f_.insts[value].type, f_.insts[value].location);
    at_entry_[b] = phi;
    for (BlockId p : preds) {
      const ValueId arg = read_at_end(p, value);
      f_.insts[phi].args.push_back(arg);
    }
    return phi;
  }

  enum : uint8_t { kUnknown, kYes, kNo };
  Function& f_;
  std::map<BlockId, ValueId> at_entry_;
  std::vector<uint8_t> invariant_;
};

// Orders one loop's body (or the whole function): a topological order in which each inner loop is one node, and among
// the nodes that are ready the one that comes first in reverse post-order goes first. Where a cycle is no loop, for it
// has several ways in, none may be ready: then the first of all that are left goes.
class Orderer {
 public:
  Orderer(const Function& f, const LoopNest& nest) : f_(f), nest_(nest), rank_(f.blocks.size(), kNone) {
    const auto order = reverse_post_order(f);
    for (uint32_t i = 0; i < order.size(); ++i) rank_[order[i]] = i;
  }

  std::vector<BlockId> run() {
    std::vector<BlockId> all;
    for (BlockId b = 0; b < f_.blocks.size(); ++b)
      if (rank_[b] != kNone) all.push_back(b);
    order_region(kNone, all);
    return result_;
  }

 private:
  // The node of `region` that holds block b: b itself, or the header of the inner loop around it.
  BlockId node_of(uint32_t region, BlockId b) const {
    uint32_t l = nest_.innermost[b];
    BlockId node = b;
    while (l != region && l != kNone) {
      node = nest_.loops[l].header;
      l = nest_.loops[l].parent;
    }
    return l == region ? node : kNone;
  }

  void order_region(uint32_t region, const std::vector<BlockId>& blocks) {
    const BlockId header = region == kNone ? 0 : nest_.loops[region].header;
    std::map<BlockId, uint32_t> waiting;
    std::map<BlockId, std::vector<BlockId>> out;
    for (BlockId b : blocks) waiting[node_of(region, b)];
    for (BlockId b : blocks) {
      const BlockId from = node_of(region, b);
      for (BlockId s : f_.blocks[b].succs) {
        const BlockId to = node_of(region, s);
        if (to == kNone || !waiting.count(to) || to == from || to == header) continue;
        out[from].push_back(to);
        ++waiting[to];
      }
    }
    auto later = [&](BlockId a, BlockId b) { return rank_[a] > rank_[b]; };
    std::priority_queue<BlockId, std::vector<BlockId>, decltype(later)> ready(later);
    for (const auto& [node, count] : waiting)
      if (count == 0) ready.push(node);
    std::vector<BlockId> by_rank;
    for (const auto& [node, count] : waiting) by_rank.push_back(node);
    std::sort(by_rank.begin(), by_rank.end(), [&](BlockId a, BlockId b) { return rank_[a] < rank_[b]; });
    const auto take = [&](BlockId node) {
      waiting.erase(node);
      emit(region, node);
      for (BlockId to : out[node])
        if (const auto it = waiting.find(to); it != waiting.end() && --it->second == 0) ready.push(to);
    };
    for (const BlockId first : by_rank) {
      while (!ready.empty()) {
        const BlockId node = ready.top();
        ready.pop();
        take(node);
      }
      if (waiting.contains(first)) take(first);
    }
  }

  void emit(uint32_t region, BlockId node) {
    uint32_t l = nest_.innermost[node];
    if (l == region) {
      result_.push_back(node);
      return;
    }
    while (nest_.loops[l].parent != region) l = nest_.loops[l].parent;
    order_region(l, nest_.loops[l].blocks);
  }

  const Function& f_;
  const LoopNest& nest_;
  std::vector<uint32_t> rank_;
  std::vector<BlockId> result_;
};

// Keeps the blocks in `order`, in that order; edges from blocks that are left out disappear.
void renumber(Function& f, const std::vector<BlockId>& order) {
  std::vector<BlockId> number(f.blocks.size(), kNone);
  for (BlockId i = 0; i < order.size(); ++i) number[order[i]] = i;
  std::vector<Block> blocks;
  for (BlockId old : order) {
    Block block = std::move(f.blocks[old]);
    std::vector<BlockId> preds;
    for (size_t k = 0, kept = 0; k < block.preds.size(); ++k) {
      if (number[block.preds[k]] == kNone) {
        for (ValueId v : block.insts) {
          if (f.insts[v].op != Op::Phi) break;
          f.insts[v].args.erase(f.insts[v].args.begin() + static_cast<std::ptrdiff_t>(kept));
        }
        continue;
      }
      preds.push_back(number[block.preds[k]]);
      ++kept;
    }
    block.preds = std::move(preds);
    for (BlockId& s : block.succs) s = number[s];
    if (block.call != kNone) block.call = number[block.call];
    for (ValueId v : block.insts) f.insts[v].block = static_cast<BlockId>(blocks.size());
    blocks.push_back(std::move(block));
  }
  f.blocks = std::move(blocks);
}

}  // namespace

void canonicalize(Function& f) {
  renumber(f, reverse_post_order(f));
  merge_equal_targets(f);
  split_critical_edges(f);
  unify_latches(f);
  split_critical_edges(f);  // a latch that now joins several branching blocks
  LoopClosedForm(f).run();
  const LoopNest nest = find_loops(f);
  const std::vector<BlockId> order = Orderer(f, nest).run();
  WL_CHECK(order.size() == f.blocks.size(), "every block of " + f.name + " is ordered once");
  renumber(f, order);
}

}  // namespace warplens::passes
