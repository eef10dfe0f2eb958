// Between the lanes of a warp. Machine code names no lanes: those that execute the instruction take part.
#include "lift/families.h"

namespace warplens::lift {

using Kind = Operand::Kind;

namespace {

ValueId active_mask(Lifter& l) {
  ir::Inst inst;
  inst.op = Op::ActiveMask;
  inst.type = Type::I32;
  inst.guard = l.guard();
  inst.weight = 0;
  return l.b().emit(std::move(inst));
}

ValueId warp_op(Lifter& l, Op op, Type type, uint64_t imm, std::vector<ValueId> args) {
  args.push_back(active_mask(l));
  ir::Inst inst;
  inst.op = op;
  inst.type = type;
  inst.imm = imm;
  inst.guard = l.guard();
  inst.args = std::move(args);
  return l.b().emit(std::move(inst));
}

}  // namespace

// SHFL.mode p, d, x, by, clamp
void lift_Shuffle(Lifter& l) {
  const ir::ShuffleMode mode = l.has("UP")     ? ir::ShuffleMode::Up
                               : l.has("DOWN") ? ir::ShuffleMode::Down
                               : l.has("BFLY") ? ir::ShuffleMode::Bfly
                                               : ir::ShuffleMode::Idx;
  const ValueId result = warp_op(l, Op::Shuffle, Type::I32, static_cast<uint64_t>(mode),
                                 {l.word(l.operand(2)), l.word(l.operand(3)), l.word(l.operand(4))});
  const ValueId value = l.b().pure(Op::Extract, Type::I32, {result}, 0);
  if (l.operand(0).number != sass::kPT) {
    const ValueId in_range = l.b().pure(Op::Extract, Type::Pred, {result}, 1);
    l.set(l.operand(1), value);
    return l.set_predicate(l.operand(0), in_range);
  }
  l.set(l.operand(1), value);
}

// VOTE.mode d, p, q: the ballot and the verdict.
void lift_Vote(Lifter& l) {
  l.allow({"EQ", "ALL"});
  size_t k = 0;
  const Operand* ballot = nullptr;
  const Operand* verdict = nullptr;
  if (l.operand(k).kind == Kind::Register || l.operand(k).kind == Kind::Uniform) ballot = &l.operand(k++);
  if (k + 1 < l.operands()) verdict = &l.operand(k++);
  const ValueId asked = l.predicate(l.operand(k));
  const auto vote = [&](ir::VoteMode mode, Type type) {
    return warp_op(l, Op::Vote, type, static_cast<uint64_t>(mode), {asked});
  };
  ValueId word = ir::kNone, answer = ir::kNone;
  if (ballot && ballot->number != sass::kRZ) word = vote(ir::VoteMode::Ballot, Type::I32);
  if (verdict && verdict->number != sass::kPT)
    answer = vote(l.has("ALL") ? ir::VoteMode::All : l.has("ANY") ? ir::VoteMode::Any : ir::VoteMode::Uni, Type::Pred);
  if (word != ir::kNone) l.set(*ballot, word);
  if (answer != ir::kNone) l.set_predicate(*verdict, answer);
}

// MATCH.ANY d, x;  MATCH.ALL p, d, x
void lift_Match(Lifter& l) {
  const bool all = l.has("ALL");
  const size_t d = l.operand(0).kind == Kind::Predicate ? 1 : 0;
  const ValueId x = l.has("U64") ? l.wide(l.operand(d + 1)) : l.word(l.operand(d + 1));
  const ValueId result = warp_op(l, Op::Match, Type::I32, all ? 1 : 0, {x});
  const ValueId same = d ? l.b().pure(Op::Extract, Type::Pred, {result}, 1) : ir::kNone;
  l.set(l.operand(d), l.b().pure(Op::Extract, Type::I32, {result}, 0));
  if (d) l.set_predicate(l.operand(0), same);
}

// REDUX.op[.S32] d, x
void lift_ReduceWarp(Lifter& l) {
  const bool sign = l.has("S32");
  const ir::AtomicOp op = l.has("MIN")   ? (sign ? ir::AtomicOp::MinS : ir::AtomicOp::MinU)
                          : l.has("MAX") ? (sign ? ir::AtomicOp::MaxS : ir::AtomicOp::MaxU)
                          : l.has("SUM") ? ir::AtomicOp::Add
                          : l.has("OR")  ? ir::AtomicOp::Or
                          : l.has("XOR") ? ir::AtomicOp::Xor
                                         : ir::AtomicOp::And;
  l.set(l.operand(0), warp_op(l, Op::Redux, Type::I32, static_cast<uint64_t>(op), {l.word(l.operand(1))}));
}

// WARPSYNC mask, or .ALL.
void lift_WarpSync(Lifter& l) {
  l.allow({"COLLECTIVE"});  // which also names the end of what the lanes do together
  ir::Inst inst;
  inst.op = Op::WarpSync;
  inst.guard = l.guard();
  inst.args = {l.has("ALL") || l.operands() == 0 ? l.k32(0xffffffff) : l.word(l.operand(0))};
  l.b().emit(std::move(inst));
}

}  // namespace warplens::lift
