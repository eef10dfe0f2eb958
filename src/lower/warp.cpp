// shfl vote match redux activemask elect: between the lanes of a warp.
//
// The forms without .sync, of GPUs before Volta, act on the lanes that are active: their member mask is activemask.
#include "lower/families.h"

namespace warplens::lower {
namespace {

using ir::Op;
using ir::Type;
using ir::ValueId;

ValueId active_mask(Context& c) {
  ir::Inst inst;
  inst.op = Op::ActiveMask;
  inst.type = Type::I32;
  inst.guard = c.guard();
  return c.b().emit(std::move(inst));
}

ValueId member_mask(Context& c, const Instr& i, size_t operand) {
  return i.has("sync") ? c.value(i.operand(operand), kB32) : active_mask(c);
}

ValueId warp_op(Context& c, Op op, Type type, uint64_t imm, std::vector<ValueId> args) {
  ir::Inst inst;
  inst.op = op;
  inst.type = type;
  inst.imm = imm;
  inst.guard = c.guard();
  inst.args = std::move(args);
  return c.b().emit(std::move(inst));
}

ValueId extract(Context& c, ValueId of, Type type, uint64_t component) {
  return c.b().pure(Op::Extract, type, {of}, component);
}

// "d" or "d|p".
void write_pair(Context& c, const ptx::Operand& destination, ValueId of) {
  const bool pair = destination.kind == ptx::Operand::Kind::Pair;
  if (pair && destination.elements.size() != 2) c.malformed("a pair of the wrong length");
  const ValueId value = extract(c, of, Type::I32, 0);
  if (!pair) return c.write(destination, value, kB32);
  const ValueId predicate = extract(c, of, Type::Pred, 1);
  c.write(destination.elements[0], value, kB32);
  c.write(destination.elements[1], predicate, kPred);
}

ir::ShuffleMode shuffle_mode(Context& c, const Instr& i) {
  if (i.has("up")) return ir::ShuffleMode::Up;
  if (i.has("down")) return ir::ShuffleMode::Down;
  if (i.has("bfly")) return ir::ShuffleMode::Bfly;
  if (i.has("idx")) return ir::ShuffleMode::Idx;
  c.malformed(i.full_opcode() + " without a mode");
}

}  // namespace

void lower_Shfl(Context& c, const Instr& i) {
  const auto mode = static_cast<uint64_t>(shuffle_mode(c, i));
  const ValueId x = c.value(i.operand(1), kB32), b = c.value(i.operand(2), kU32), clamp = c.value(i.operand(3), kU32);
  const ValueId mask = member_mask(c, i, 4);
  write_pair(c, i.operand(0), warp_op(c, Op::Shuffle, Type::I32, mode, {x, b, clamp, mask}));
}

void lower_Vote(Context& c, const Instr& i) {
  const ValueId predicate = c.predicate(i.operand(1)), mask = member_mask(c, i, 2);
  const auto vote = [&](ir::VoteMode mode, Type type, ScalarType result) {
    c.write(i.operand(0), warp_op(c, Op::Vote, type, static_cast<uint64_t>(mode), {predicate, mask}), result);
  };
  if (i.has("ballot")) return vote(ir::VoteMode::Ballot, Type::I32, kB32);
  if (i.has("all")) return vote(ir::VoteMode::All, Type::Pred, kPred);
  if (i.has("any")) return vote(ir::VoteMode::Any, Type::Pred, kPred);
  if (i.has("uni")) return vote(ir::VoteMode::Uni, Type::Pred, kPred);
  c.malformed(i.full_opcode() + " without a mode");
}

void lower_Match(Context& c, const Instr& i) {
  const ScalarType bits{ScalarType::Kind::Bits, i.type().bits, false};
  const ValueId value = c.value(i.operand(1), bits), mask = member_mask(c, i, 2);
  write_pair(c, i.operand(0), warp_op(c, Op::Match, Type::I32, i.has("all") ? 1 : 0, {value, mask}));
}

void lower_Redux(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  if (!type.is_integer() || type.bits != 32) c.unsupported(i);
  const bool sign = type.is_signed();
  const ir::AtomicOp op = i.has("add")   ? ir::AtomicOp::Add
                          : i.has("min") ? (sign ? ir::AtomicOp::MinS : ir::AtomicOp::MinU)
                          : i.has("max") ? (sign ? ir::AtomicOp::MaxS : ir::AtomicOp::MaxU)
                          : i.has("and") ? ir::AtomicOp::And
                          : i.has("or")  ? ir::AtomicOp::Or
                                         : ir::AtomicOp::Xor;
  const ValueId x = c.value(i.operand(1), type), mask = member_mask(c, i, 2);
  c.write(i.operand(0), warp_op(c, Op::Redux, Type::I32, static_cast<uint64_t>(op), {x, mask}), type);
}

void lower_Activemask(Context& c, const Instr& i) { c.write(i.operand(0), active_mask(c), kB32); }

// The lowest lane of the member mask is elected.
void lower_Elect(Context& c, const Instr& i) {
  Builder& b = c.b();
  const ValueId mask = c.value(i.operand(1), kB32);
  warp_op(c, Op::WarpSync, Type::Void, 0, {mask});
  const ValueId lowest = b.pure(Op::Clz, Type::I32, {b.unary(Op::Brev, mask)});
  const ValueId leader = b.icmp(ir::IntCompare::Eq, lowest, b.special(ir::SpecialRegister::LaneId));
  const ptx::Operand& destination = i.operand(0);
  if (destination.kind != ptx::Operand::Kind::Pair || destination.elements.size() != 2) c.malformed("elect needs d|p");
  c.write(destination.elements[0], lowest, kB32);
  c.write(destination.elements[1], leader, kPred);
}

}  // namespace warplens::lower
