// Pairs of registers that a loop carries: two phis of 32 bits that are only ever joined become one of 64.
//
// A pointer that is advanced in a loop lives in two registers. Its phis are separate, and their join in the loop hides
// that the address moves by a constant. Where both words of a join are phis of one block, the joined value is a phi of
// joined values, and the join on the way back is usually a sum that is known as a whole (Lifter::join).
#include <map>
#include <optional>
#include <utility>

#include "lift/lifter.h"

namespace warplens::lift {
namespace {

class Widener {
 public:
  explicit Widener(ir::Function& f) : f_(f) {}

  void run() {
    const auto count = static_cast<ValueId>(f_.insts.size());
    std::map<ValueId, ValueId> replaced;
    for (ValueId v = 0; v < count; ++v) {
      const auto words = joined_words(v);
      if (!words || !both_phis(words->first, words->second)) continue;
      replaced[v] = whole(words->first, words->second);
    }
    if (replaced.empty()) return;
    for (ir::Inst& inst : f_.insts)
      for (ValueId& arg : inst.args)
        if (const auto it = replaced.find(arg); it != replaced.end()) arg = it->second;
  }

 private:
  bool is_constant(ValueId v, uint64_t bits) const { return f_.insts[v].op == Op::Const && f_.insts[v].imm == bits; }

  // v = zext(low) | zext(high) << 32
  std::optional<std::pair<ValueId, ValueId>> joined_words(ValueId v) const {
    const ir::Inst& both = f_.insts[v];
    if (both.op != Op::Or || both.type != Type::I64 || both.args.size() != 2) return std::nullopt;
    for (const unsigned k : {0u, 1u}) {
      const ir::Inst &shifted = f_.insts[both.args[k]], &low = f_.insts[both.args[1 - k]];
      if (shifted.op != Op::Shl || low.op != Op::ZExt || !is_constant(shifted.args[1], 32)) continue;
      const ir::Inst& high = f_.insts[shifted.args[0]];
      if (high.op != Op::ZExt || f_.insts[high.args[0]].type != Type::I32 || f_.insts[low.args[0]].type != Type::I32)
        continue;
      return std::pair{low.args[0], high.args[0]};
    }
    return std::nullopt;
  }

  bool both_phis(ValueId low, ValueId high) const {
    const ir::Inst &l = f_.insts[low], &h = f_.insts[high];
    return l.op == Op::Phi && h.op == Op::Phi && l.block == h.block && l.args.size() == h.args.size();
  }

  // high = trunc(W >> 32), and low the other half of W: W.
  std::optional<ValueId> known(ValueId low, ValueId high) const {
    const ir::Inst &l = f_.insts[low], &h = f_.insts[high];
    if (h.op == Op::Trunc) {
      const ir::Inst& shifted = f_.insts[h.args[0]];
      if (shifted.op == Op::ShrU && is_constant(shifted.args[1], 32)) {
        const ValueId w = shifted.args[0];
        if (l.op == Op::Trunc && l.args[0] == w) return w;
        if (is_low_of(low, w)) return w;
      }
    }
    return std::nullopt;
  }

  // The low word of a sum is the sum of the low words.
  bool is_low_of(ValueId word, ValueId wide, int depth = 0) const {
    if (depth > 4) return false;
    const ir::Inst &a = f_.insts[word], &w = f_.insts[wide];
    if (a.op == Op::Trunc && a.args[0] == wide) return true;
    if ((w.op == Op::ZExt || w.op == Op::SExt) && w.args[0] == word) return true;
    if (a.op == Op::Const && w.op == Op::Const) return a.imm == (w.imm & 0xffffffff);
    if (a.op == Op::Param && w.op == Op::Param) return a.imm == w.imm;
    if (const auto words = joined_words(wide)) return words->first == word;
    if (w.op == Op::Phi) return false;
    if (a.op != w.op) return false;
    if (a.op == Op::Add)
      return (is_low_of(a.args[0], w.args[0], depth + 1) && is_low_of(a.args[1], w.args[1], depth + 1)) ||
             (is_low_of(a.args[0], w.args[1], depth + 1) && is_low_of(a.args[1], w.args[0], depth + 1));
    if (a.op == Op::Sub || a.op == Op::Mul)
      return is_low_of(a.args[0], w.args[0], depth + 1) && is_low_of(a.args[1], w.args[1], depth + 1);
    if (a.op == Op::Shl) return a.args[1] == w.args[1] && is_low_of(a.args[0], w.args[0], depth + 1);
    return false;
  }

  ValueId whole(ValueId low, ValueId high) {
    if (const auto it = done_.find({low, high}); it != done_.end()) return it->second;
    if (const auto w = known(low, high)) return *w;
    if (both_phis(low, high)) {
      ir::Inst phi;
      phi.op = Op::Phi;
      phi.type = Type::I64;
      phi.block = f_.insts[low].block;
      phi.weight = 0;
      const ValueId id = add(std::move(phi));
      done_[{low, high}] = id;
      auto& insts = f_.blocks[f_.insts[low].block].insts;
      insts.insert(insts.begin(), id);
      std::vector<ValueId> args;
      const std::vector<ir::BlockId> preds = f_.blocks[f_.insts[low].block].preds;
      for (size_t k = 0; k < preds.size(); ++k) {
        const ValueId l = f_.insts[low].args[k], h = f_.insts[high].args[k];
        args.push_back(at_end(preds[k], l, h));
      }
      f_.insts[id].args = std::move(args);
      return id;
    }
    return ir::kNone;
  }

  // The joined value at the end of a block.
  ValueId at_end(ir::BlockId block, ValueId low, ValueId high) {
    const ValueId w = whole(low, high);
    if (w != ir::kNone) return w;
    if (f_.insts[low].op == Op::Const && f_.insts[high].op == Op::Const) {
      ir::Inst constant;
      constant.op = Op::Const;
      constant.type = Type::I64;
      constant.imm = f_.insts[low].imm | f_.insts[high].imm << 32;
      constant.weight = 0;
      return insert(block, std::move(constant));
    }
    if (const auto window = upper_of_window(f_, high)) {
      ir::Inst wide;
      wide.op = Op::ZExt;
      wide.type = Type::I64;
      wide.args = {low};
      wide.weight = 0;
      ir::Inst inst;
      inst.op = Op::ToGeneric;
      inst.type = Type::I64;
      inst.space = *window;
      inst.weight = 0;
      inst.args = {insert(block, std::move(wide))};
      return insert(block, std::move(inst));
    }
    const auto op = [&](Op o, std::vector<ValueId> args) {
      ir::Inst inst;
      inst.op = o;
      inst.type = Type::I64;
      inst.args = std::move(args);
      inst.weight = 0;
      return insert(block, std::move(inst));
    };
    ir::Inst by;
    by.op = Op::Const;
    by.type = Type::I32;
    by.imm = 32;
    by.weight = 0;
    const ValueId k32 = insert(block, std::move(by));
    const ValueId upper = op(Op::Shl, {op(Op::ZExt, {high}), k32});
    return op(Op::Or, {upper, op(Op::ZExt, {low})});
  }

  ValueId add(ir::Inst inst) {
    f_.insts.push_back(std::move(inst));
    return static_cast<ValueId>(f_.insts.size() - 1);
  }
  ValueId insert(ir::BlockId block, ir::Inst inst) {
    inst.block = block;
    const ValueId id = add(std::move(inst));
    auto& insts = f_.blocks[block].insts;
    insts.insert(insts.end() - 1, id);
    return id;
  }

  ir::Function& f_;
  std::map<std::pair<ValueId, ValueId>, ValueId> done_;
};

}  // namespace

void widen_pairs(ir::Function& f) { Widener(f).run(); }

}  // namespace warplens::lift
