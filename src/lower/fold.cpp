#include "lower/fold.h"

#include <algorithm>

namespace warplens::lower {
namespace {

using ir::IntCompare;
using ir::Op;
using ir::Type;
using ir::ValueId;

uint64_t low_bits(uint64_t value, int bits) { return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1); }

int64_t as_signed(uint64_t value, int bits) {
  const int shift = 64 - bits;
  return static_cast<int64_t>(value << shift) >> shift;
}

// a op b on `bits`-wide integers; nothing for what is left to the generated code.
std::optional<uint64_t> compute(Op op, uint64_t a, uint64_t b, int bits) {
  const int64_t sa = as_signed(a, bits), sb = as_signed(b, bits);
  switch (op) {
    case Op::Add:
      return a + b;
    case Op::Sub:
      return a - b;
    case Op::Mul:
      return a * b;
    case Op::And:
      return a & b;
    case Op::Or:
      return a | b;
    case Op::Xor:
      return a ^ b;
    case Op::Shl:
      return b >= static_cast<uint64_t>(bits) ? 0 : a << b;
    case Op::ShrU:
      return b >= static_cast<uint64_t>(bits) ? 0 : a >> b;
    case Op::ShrS:
      return static_cast<uint64_t>(sa >> std::min<uint64_t>(b, static_cast<uint64_t>(bits) - 1));
    case Op::MinS:
      return static_cast<uint64_t>(std::min(sa, sb));
    case Op::MaxS:
      return static_cast<uint64_t>(std::max(sa, sb));
    case Op::MinU:
      return std::min(a, b);
    case Op::MaxU:
      return std::max(a, b);
    default:
      return std::nullopt;
  }
}

bool compare(IntCompare how, uint64_t a, uint64_t b, int bits) {
  const int64_t sa = as_signed(a, bits), sb = as_signed(b, bits);
  switch (how) {
    case IntCompare::Eq:
      return a == b;
    case IntCompare::Ne:
      return a != b;
    case IntCompare::LtS:
      return sa < sb;
    case IntCompare::LeS:
      return sa <= sb;
    case IntCompare::GtS:
      return sa > sb;
    case IntCompare::GeS:
      return sa >= sb;
    case IntCompare::LtU:
      return a < b;
    case IntCompare::LeU:
      return a <= b;
    case IntCompare::GtU:
      return a > b;
    case IntCompare::GeU:
      return a >= b;
  }
  return false;
}

std::optional<ValueId> fold_binary(Builder& b, const ir::Inst& inst) {
  const int bits = ir::bits(inst.type);
  ValueId x = inst.args[0], y = inst.args[1];
  uint64_t cx = 0, cy = 0;
  bool kx = b.is_constant(x, &cx), ky = b.is_constant(y, &cy);
  if (kx && ky) {
    const auto result = compute(inst.op, cx, cy, bits);
    if (result) return b.constant(inst.type, *result);
    return std::nullopt;
  }
  if (kx && commutes(inst.op)) {
    std::swap(x, y);
    std::swap(cx, cy);
    std::swap(kx, ky);
  }
  if (!ky) return std::nullopt;
  const uint64_t ones = low_bits(~uint64_t{0}, bits);
  switch (inst.op) {
    case Op::Add: {
      if (cy == 0) return x;
      // (base + c1) + c2: keep one addition, so that an address is a base and one offset.
      const ir::Inst inner = b.inst(x);
      uint64_t c1 = 0;
      if (inner.op == Op::Add && b.is_constant(inner.args[1], &c1))
        return b.binary(Op::Add, inner.args[0], b.constant(inst.type, c1 + cy));
      return std::nullopt;
    }
    case Op::Sub:
    case Op::Shl:
    case Op::ShrU:
    case Op::ShrS:
      return cy == 0 ? std::optional(x) : std::nullopt;
    case Op::Or:
    case Op::Xor:
      if (inst.op == Op::Or && cy == ones) return y;
      return cy == 0 ? std::optional(x) : std::nullopt;
    case Op::And:
      if (cy == 0) return y;
      return cy == ones ? std::optional(x) : std::nullopt;
    case Op::Mul:
      if (cy == 0) return y;
      return cy == 1 ? std::optional(x) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<ValueId> fold_cast(Builder& b, const ir::Inst& inst) {
  const ir::Inst source = b.inst(inst.args[0]);
  uint64_t bits = 0;
  if (b.is_constant(inst.args[0], &bits)) {
    if (inst.op == Op::SExt) bits = static_cast<uint64_t>(as_signed(bits, ir::bits(source.type)));
    return b.constant(inst.type, bits);
  }
  if (source.op == Op::Undef) return b.undef(inst.type);
  const bool widens = source.op == Op::ZExt || source.op == Op::SExt;
  switch (inst.op) {
    case Op::Bitcast:
      if (source.op == Op::Bitcast) return b.cast(source.args[0], inst.type);
      return std::nullopt;
    case Op::Trunc: {
      if (source.op == Op::Trunc) return b.pure(Op::Trunc, inst.type, {source.args[0]});
      if (!widens) return std::nullopt;
      const Type inner = b.type(source.args[0]);
      if (inner == Type::Pred) return b.pure(Op::ZExt, inst.type, {source.args[0]});
      if (ir::bits(inner) >= ir::bits(inst.type)) return b.cast(source.args[0], inst.type);
      return b.pure(source.op, inst.type, {source.args[0]});
    }
    case Op::ZExt:
      if (source.op == Op::ZExt) return b.pure(Op::ZExt, inst.type, {source.args[0]});
      return std::nullopt;
    case Op::SExt:
      if (widens) return b.pure(source.op, inst.type, {source.args[0]});
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<ValueId> fold_not(Builder& b, const ir::Inst& inst) {
  uint64_t bits = 0;
  if (b.is_constant(inst.args[0], &bits)) return b.constant(inst.type, ~bits);
  const ir::Inst& source = b.inst(inst.args[0]);
  if (source.op == Op::Not) return source.args[0];
  return std::nullopt;
}

// Local memory is used through a generic address and back: cvta.local, add, cvta.to.local. A space is contiguous in
// the generic address space, so that the way there and back changes nothing.
std::optional<ValueId> fold_from_generic(Builder& b, const ir::Inst& inst) {
  const ir::Inst source = b.inst(inst.args[0]);
  if (source.op == Op::ToGeneric && source.space == inst.space) return source.args[0];
  if (source.op != Op::Add) return std::nullopt;
  const ir::Inst base = b.inst(source.args[0]);
  if (base.op != Op::ToGeneric || base.space != inst.space) return std::nullopt;
  return b.binary(Op::Add, base.args[0], source.args[1]);
}

std::optional<ValueId> fold_icmp(Builder& b, const ir::Inst& inst) {
  uint64_t x = 0, y = 0;
  if (!b.is_constant(inst.args[0], &x) || !b.is_constant(inst.args[1], &y)) return std::nullopt;
  const int bits = ir::bits(b.type(inst.args[0]));
  return b.constant(Type::Pred, compare(static_cast<IntCompare>(inst.imm), x, y, bits));
}

std::optional<ValueId> fold_select(Builder& b, const ir::Inst& inst) {
  uint64_t condition = 0;
  if (b.is_constant(inst.args[0], &condition)) return inst.args[condition ? 1 : 2];
  if (inst.args[1] == inst.args[2]) return inst.args[1];
  return std::nullopt;
}

}  // namespace

bool commutes(Op op) { return op == Op::Add || op == Op::Mul || op == Op::And || op == Op::Or || op == Op::Xor; }

std::optional<ValueId> fold(Builder& builder, const ir::Inst& inst) {
  switch (inst.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Shl:
    case Op::ShrU:
    case Op::ShrS:
    case Op::MinS:
    case Op::MaxS:
    case Op::MinU:
    case Op::MaxU:
      return fold_binary(builder, inst);
    case Op::Trunc:
    case Op::ZExt:
    case Op::SExt:
    case Op::Bitcast:
      return fold_cast(builder, inst);
    case Op::Not:
      return fold_not(builder, inst);
    case Op::FromGeneric:
      return fold_from_generic(builder, inst);
    case Op::ICmp:
      return fold_icmp(builder, inst);
    case Op::Select:
      return fold_select(builder, inst);
    default:
      return std::nullopt;
  }
}

}  // namespace warplens::lower
