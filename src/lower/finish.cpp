// The last part of Builder: from blocks in any order to a tidy function.
#include <algorithm>

#include "lower/builder.h"

namespace warplens::lower {

void Builder::finish() {
  seal_everything();
  const std::vector<ir::BlockId> order = reverse_post_order();
  std::vector<uint32_t> position(function_.blocks.size(), ir::kNone);
  for (uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  drop_unreachable_edges(position);
  remove_trivial_phis();
  compact(order, position);
}

void Builder::seal_everything() {
  for (ir::BlockId b = 0; b < function_.blocks.size(); ++b) {
    seal(b);
    block_ = b;
    if (!ended()) {  // running past the end of a kernel's text is a return
      location_ = ir::kNone;
      pending_weight_ = 0;
      ir::Inst inst;
      inst.op = ir::Op::Exit;
      emit(std::move(inst));
    }
  }
  do fill_postponed();
  while (store_kept());
  for (const auto& [after, call] : calls_) decide(call.frame, (call.bytes + 7) / 8 * 8);
}

void Builder::fill_postponed() {
  while (!postponed_.empty()) {
    const Incomplete last = postponed_.back();
    postponed_.pop_back();
    fill_phi(last.phi, function_.insts[last.phi].block, last.variable, 0);
  }
}

// Successors are visited from the one that stands last in the text, so that the order stays close to the text's: then
// a loop's body comes before what follows the loop.
std::vector<ir::BlockId> Builder::reverse_post_order() const {
  struct Visit {
    ir::BlockId block;
    std::vector<ir::BlockId> left;
  };
  const auto successors = [&](ir::BlockId b) {
    std::vector<ir::BlockId> result = function_.blocks[b].succs;
    std::sort(result.begin(), result.end());
    return result;
  };
  std::vector<bool> seen(function_.blocks.size());
  std::vector<ir::BlockId> order;
  std::vector<Visit> stack{{0, successors(0)}};
  seen[0] = true;
  while (!stack.empty()) {
    Visit& top = stack.back();
    if (top.left.empty()) {
      order.push_back(top.block);
      stack.pop_back();
      continue;
    }
    const ir::BlockId next = top.left.back();
    top.left.pop_back();
    if (seen[next]) continue;
    seen[next] = true;
    stack.push_back({next, successors(next)});
  }
  std::reverse(order.begin(), order.end());
  return order;
}

void Builder::drop_unreachable_edges(const std::vector<uint32_t>& position) {
  for (ir::BlockId b = 0; b < function_.blocks.size(); ++b) {
    ir::Block& block = function_.blocks[b];
    if (position[b] == ir::kNone) continue;
    std::vector<size_t> kept;
    for (size_t i = 0; i < block.preds.size(); ++i)
      if (position[block.preds[i]] != ir::kNone) kept.push_back(i);
    if (kept.size() == block.preds.size()) continue;
    const auto keep = [&](std::vector<uint32_t>& list) {
      for (size_t i = 0; i < kept.size(); ++i) list[i] = list[kept[i]];
      list.resize(kept.size());
    };
    for (const ir::ValueId phi : phis_[b])
      if (forward_[phi] == ir::kNone && !function_.insts[phi].args.empty()) keep(function_.insts[phi].args);
    keep(block.preds);
  }
}

void Builder::remove_trivial_phis() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& phis : phis_)
      for (const ir::ValueId phi : phis) {
        if (forward_[phi] != ir::kNone) continue;
        remove_if_trivial(phi);
        changed |= forward_[phi] != ir::kNone;
      }
  }
}

// Keeps what stands in reachable blocks, in their order, under new numbers.
void Builder::compact(const std::vector<ir::BlockId>& order, const std::vector<uint32_t>& position) {
  std::vector<ir::ValueId> number(function_.insts.size(), ir::kNone);
  std::vector<ir::ValueId> kept;
  std::vector<ir::Block> blocks(order.size());
  const auto keep = [&](uint32_t block, ir::ValueId id) {
    if (forward_[id] != ir::kNone) return;
    number[id] = static_cast<ir::ValueId>(kept.size());
    blocks[block].insts.push_back(number[id]);
    kept.push_back(id);
  };
  for (uint32_t i = 0; i < order.size(); ++i) {
    const ir::Block& old = function_.blocks[order[i]];
    if (i == 0)
      for (const ir::ValueId id : prologue_) keep(i, id);
    for (const ir::ValueId id : phis_[order[i]]) keep(i, id);
    for (const ir::ValueId id : old.insts) keep(i, id);
    for (const ir::BlockId b : old.preds) blocks[i].preds.push_back(position[b]);
    for (const ir::BlockId b : old.succs) blocks[i].succs.push_back(position[b]);
    if (const auto call = calls_.find(order[i]); call != calls_.end()) blocks[i].call = position[call->second.before];
  }
  std::vector<ir::Inst> insts;
  insts.reserve(kept.size());
  for (const ir::ValueId id : kept) {
    ir::Inst inst = std::move(function_.insts[id]);
    inst.block = position[inst.block];
    for (ir::ValueId& arg : inst.args) arg = number[resolve(arg)];
    if (inst.guard != ir::kNone) inst.guard = number[resolve(inst.guard)];
    insts.push_back(std::move(inst));
  }
  function_.insts = std::move(insts);
  function_.blocks = std::move(blocks);
}

}  // namespace warplens::lower
