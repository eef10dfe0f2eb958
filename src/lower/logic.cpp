// Bits: and or xor not, shifts, and instructions that combine them.
#include "lower/families.h"

namespace warplens::lower {
namespace {

using ir::IntCompare;
using ir::Op;
using ir::Type;
using ir::ValueId;

void bitwise(Context& c, const Instr& i, Op op) {
  const ScalarType type = i.type();
  c.write(i.operand(0), c.b().binary(op, c.value(i.operand(1), type), c.value(i.operand(2), type)), type);
}

}  // namespace

ValueId lop3(Builder& b, ValueId x, ValueId y, ValueId z, uint64_t table) {
  ValueId result = b.constant(b.type(x), 0);
  for (unsigned row = 0; row < 8; ++row) {
    if (!(table >> row & 1)) continue;
    const auto literal = [&](ValueId v, unsigned bit) { return row & bit ? v : b.unary(Op::Not, v); };
    const ValueId term = b.binary(Op::And, b.binary(Op::And, literal(x, 4), literal(y, 2)), literal(z, 1));
    result = b.binary(Op::Or, result, term);
  }
  return result;
}

void lower_And(Context& c, const Instr& i) { bitwise(c, i, Op::And); }
void lower_Or(Context& c, const Instr& i) { bitwise(c, i, Op::Or); }
void lower_Xor(Context& c, const Instr& i) { bitwise(c, i, Op::Xor); }

void lower_Not(Context& c, const Instr& i) {
  c.write(i.operand(0), c.b().unary(Op::Not, c.value(i.operand(1), i.type())), i.type());
}

void lower_Cnot(Context& c, const Instr& i) {
  const ValueId x = c.value(i.operand(1), i.type());
  const ValueId zero = c.b().icmp(IntCompare::Eq, x, c.b().constant(c.b().type(x), 0));
  c.write(i.operand(0), c.b().cast(zero, c.b().type(x)), i.type());
}

// lop3.b32 d, a, b, c, table;  lop3.BoolOp.b32 d|p, a, b, c, table, q: p = (d != 0) BoolOp q.
void lower_Lop3(Context& c, const Instr& i) {
  Builder& b = c.b();
  const ValueId d = lop3(b, c.value(i.operand(1), kB32), c.value(i.operand(2), kB32), c.value(i.operand(3), kB32),
                         c.immediate(i.operand(4)));
  if (i.operand(0).kind != ptx::Operand::Kind::Pair) return c.write(i.operand(0), d, kB32);
  if (i.operand(0).elements.size() != 2) c.malformed("a pair of the wrong length");
  const ValueId nonzero = b.icmp(IntCompare::Ne, d, b.constant(Type::I32, 0));
  const ValueId q = c.predicate(i.operand(5));
  c.write(i.operand(0).elements[0], d, kB32);
  c.write(i.operand(0).elements[1], b.binary(i.has("and") ? Op::And : Op::Or, nonzero, q), kPred);
}

void lower_Shl(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  c.write(i.operand(0), c.b().binary(Op::Shl, c.value(i.operand(1), type), c.value(i.operand(2), kU32)), type);
}

void lower_Shr(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  const Op op = type.is_signed() ? Op::ShrS : Op::ShrU;
  c.write(i.operand(0), c.b().binary(op, c.value(i.operand(1), type), c.value(i.operand(2), kU32)), type);
}

// Funnel shift of the 64 bits b:a. .l gives the high word of the left shift, .r the low word of the right shift.
// .clamp: amounts over 32 are 32; .wrap: modulo 32.
void lower_Shf(Context& c, const Instr& i) {
  Builder& b = c.b();
  const ValueId low = c.value(i.operand(1), kB32), high = c.value(i.operand(2), kB32);
  ValueId amount = c.value(i.operand(3), kU32);
  amount = i.has("wrap") ? b.binary(Op::And, amount, b.constant(Type::I32, 31))
                         : b.binary(Op::MinU, amount, b.constant(Type::I32, 32));
  const ValueId k32 = b.constant(Type::I32, 32);
  const ValueId both = b.binary(Op::Or, b.binary(Op::Shl, b.cast(high, Type::I64), k32), b.cast(low, Type::I64));
  const ValueId shifted =
      i.has("l") ? b.binary(Op::ShrU, b.binary(Op::Shl, both, amount), k32) : b.binary(Op::ShrU, both, amount);
  c.write(i.operand(0), b.cast(shifted, Type::I32), kB32);
}

namespace {

// Byte `selector & 7` of b:a, as 8 low bits; with bit 3 set, its sign eight times.
ValueId permuted_byte(Builder& b, ValueId both, ValueId selector) {
  const auto k32 = [&](uint64_t v) { return b.constant(Type::I32, v); };
  const ValueId amount = b.binary(Op::Shl, b.binary(Op::And, selector, k32(7)), k32(3));
  const ValueId byte = b.binary(Op::And, b.cast(b.binary(Op::ShrU, both, amount), Type::I32), k32(0xff));
  const ValueId sign = b.binary(Op::And, b.binary(Op::Sub, k32(0), b.binary(Op::ShrU, byte, k32(7))), k32(0xff));
  const ValueId replicate = b.icmp(IntCompare::Ne, b.binary(Op::And, selector, k32(8)), k32(0));
  return b.select(replicate, sign, byte);
}

// The selector of byte k in the special modes, as a function of s = selector & 3 (PTX ISA, prmt).
ValueId mode_selector(Builder& b, const Instr& i, ValueId s, unsigned k) {
  const auto k32 = [&](uint64_t v) { return b.constant(Type::I32, v); };
  if (i.has("f4e")) return b.binary(Op::Add, s, k32(k));
  if (i.has("b4e")) return b.binary(Op::And, b.binary(Op::Sub, s, k32(k)), k32(7));
  if (i.has("rc8")) return s;
  if (i.has("ecl")) return b.binary(Op::MaxU, s, k32(k));
  if (i.has("ecr")) return b.binary(Op::MinU, s, k32(k));
  return b.binary(Op::Add, b.binary(Op::And, s, k32(2)), k32(k & 1));  // rc16: s even 1,0,1,0; odd words 3,2,3,2
}

bool has_mode(const Instr& i) {
  return i.has("f4e") || i.has("b4e") || i.has("rc8") || i.has("ecl") || i.has("ecr") || i.has("rc16");
}

}  // namespace

ValueId byte_selector(Builder& b, ValueId selectors, unsigned k) {
  return b.binary(Op::And, b.binary(Op::ShrU, selectors, b.constant(Type::I32, 4 * k)), b.constant(Type::I32, 15));
}

ValueId permute_bytes(Builder& b, ValueId low, ValueId high, const ValueId (&selectors)[4]) {
  const auto k32 = [&](uint64_t v) { return b.constant(Type::I32, v); };
  const ValueId both = b.binary(Op::Or, b.binary(Op::Shl, b.cast(high, Type::I64), k32(32)), b.cast(low, Type::I64));
  ValueId result = k32(0);
  for (unsigned k = 0; k < 4; ++k)
    result = b.binary(Op::Or, result, b.binary(Op::Shl, permuted_byte(b, both, selectors[k]), k32(8 * k)));
  return result;
}

void lower_Prmt(Context& c, const Instr& i) {
  Builder& b = c.b();
  const auto k32 = [&](uint64_t v) { return b.constant(Type::I32, v); };
  const ValueId low = c.value(i.operand(1), kB32), high = c.value(i.operand(2), kB32);
  const ValueId selector = c.value(i.operand(3), kB32);
  ValueId selectors[4];
  for (unsigned k = 0; k < 4; ++k) {
    if (has_mode(i)) {
      // rc16 picks the half by bit 0 of the selector; the others count bytes with its two low bits.
      ValueId s = b.binary(Op::And, selector, k32(3));
      if (i.has("rc16")) s = b.binary(Op::Shl, b.binary(Op::And, s, k32(1)), k32(1));
      selectors[k] = mode_selector(b, i, s, k);
    } else {
      selectors[k] = byte_selector(b, selector, k);
    }
  }
  c.write(i.operand(0), permute_bytes(b, low, high, selectors), kB32);
}

}  // namespace warplens::lower
