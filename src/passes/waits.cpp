#include "passes/waits.h"

#include <algorithm>

namespace warplens::passes {

using ir::AtomicOp;
using ir::BlockId;
using ir::Inst;
using ir::kNone;
using ir::Op;
using ir::ValueId;

namespace {

class Finder {
 public:
  Finder(const ir::Function& f, const LoopNest& nest, uint32_t loop) : f_(f), nest_(nest), loop_(loop) {
    for (BlockId b : nest.loops[loop].blocks)
      for (ValueId v : f.blocks[b].insts) {
        fence_ |= f.insts[v].op == Op::Fence;
        barrier_ |= f.insts[v].op == Op::Barrier;
      }
  }

  bool find(Wait& wait) {
    depends_.assign(f_.insts.size(), 0);
    invariant_.assign(f_.insts.size(), 0);
    wait = {loop_, kNone, true};
    for (BlockId b : nest_.loops[loop_].blocks) {
      const Inst& end = f_.insts[f_.blocks[b].insts.back()];
      if (end.op != Op::CondBr) continue;
      const bool exits = std::any_of(f_.blocks[b].succs.begin(), f_.blocks[b].succs.end(),
                                     [&](BlockId s) { return !nest_.contains(loop_, s); });
      if (exits) visit(end.args[0]);
    }
    for (BlockId b : nest_.loops[loop_].blocks)
      for (ValueId v : f_.blocks[b].insts) {
        const Op op = f_.insts[v].op;
        if (is_poll(v) && depends_[v]) {
          if (wait.poll == kNone) wait.poll = v;
        } else if (op == Op::Store || op == Op::Atomic || op == Op::Reduce || op == Op::Surface ||
                   op == Op::SystemCall) {
          wait.only_waits = false;
        }
      }
    return wait.poll != kNone;
  }

 private:
  bool inside(ValueId v) const { return f_.insts[v].block != kNone && nest_.contains(loop_, f_.insts[v].block); }

  bool is_zero(ValueId v) const { return f_.insts[v].op == Op::Const && f_.insts[v].imm == 0; }

  bool is_invariant(ValueId v) {
    if (!inside(v)) return true;
    uint8_t& known = invariant_[v];  // 1: no, 2: yes
    if (known) return known == 2;
    known = 1;
    const Inst& inst = f_.insts[v];
    if (inst.op == Op::Phi || ir::info(inst.op).effect != ir::Effect::Pure) return false;
    if (!std::all_of(inst.args.begin(), inst.args.end(), [&](ValueId a) { return is_invariant(a); })) return false;
    invariant_[v] = 2;
    return true;
  }

  bool is_poll(ValueId v) {
    const Inst& inst = f_.insts[v];
    if (inst.space == ir::Space::Local || inst.space == ir::Space::Const) return false;
    if (inst.op == Op::Load) return (inst.is_volatile || (fence_ && !barrier_)) && is_invariant(inst.args[0]);
    if (inst.op != Op::Atomic) return false;
    switch (static_cast<AtomicOp>(inst.imm2)) {
      case AtomicOp::Cas:
      case AtomicOp::Exch:
      case AtomicOp::MinS:
      case AtomicOp::MinU:
      case AtomicOp::MaxS:
      case AtomicOp::MaxU:
        break;
      case AtomicOp::Add:
      case AtomicOp::Or:
      case AtomicOp::Xor:
        if (is_zero(inst.args[1])) break;
        return false;
      default:
        return false;
    }
    return std::all_of(inst.args.begin(), inst.args.end(), [&](ValueId a) { return is_invariant(a); });
  }

  // Everything in the loop that the condition is made of. A phi that joins ways through one iteration depends on the
  // branches that chose the way: `done = true` under an if.
  void visit(ValueId v) {
    std::vector<ValueId> work{v};
    while (!work.empty()) {
      const ValueId at = work.back();
      work.pop_back();
      if (depends_[at] || !inside(at)) continue;
      depends_[at] = 1;
      const Inst& inst = f_.insts[at];
      work.insert(work.end(), inst.args.begin(), inst.args.end());
      if (inst.guard != kNone) work.push_back(inst.guard);
      if (inst.op == Op::Phi && joins(at)) {
        for (BlockId b : nest_.loops[loop_].blocks) {
          const Inst& end = f_.insts[f_.blocks[b].insts.back()];
          if (end.op == Op::CondBr) work.push_back(end.args[0]);
        }
      }
    }
  }

  bool joins(ValueId phi) const {
    const Inst& inst = f_.insts[phi];
    const auto& preds = f_.blocks[inst.block].preds;
    ValueId first = kNone;
    for (size_t k = 0; k < preds.size(); ++k) {
      if (!nest_.contains(loop_, preds[k])) continue;
      if (first != kNone && inst.args[k] != first) return true;
      first = inst.args[k];
    }
    return false;
  }

  const ir::Function& f_;
  const LoopNest& nest_;
  const uint32_t loop_;
  bool fence_ = false, barrier_ = false;
  std::vector<uint8_t> depends_, invariant_;
};

}  // namespace

std::vector<Wait> find_waits(const ir::Function& f, const LoopNest& nest) {
  std::vector<Wait> waits;
  for (uint32_t loop = 0; loop < nest.loops.size(); ++loop) {
    // Nothing to poll, nothing to look at.
    const auto& blocks = nest.loops[loop].blocks;
    const bool asks = std::any_of(blocks.begin(), blocks.end(), [&](BlockId b) {
      return std::any_of(f.blocks[b].insts.begin(), f.blocks[b].insts.end(), [&](ValueId v) {
        const Inst& inst = f.insts[v];
        return inst.op == Op::Atomic || inst.op == Op::Fence || (inst.op == Op::Load && inst.is_volatile);
      });
    });
    Wait wait;
    if (asks && Finder(f, nest, loop).find(wait)) waits.push_back(wait);
  }
  return waits;
}

}  // namespace warplens::passes
