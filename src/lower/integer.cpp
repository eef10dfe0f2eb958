// Integer arithmetic: add sub mul mad div rem abs neg min max, carry chains, and what counts or moves bits.
#include "lower/families.h"

namespace warplens::lower {
namespace {

using ir::IntCompare;
using ir::Op;
using ir::Type;
using ir::ValueId;

ScalarType twice(ScalarType type) { return {type.kind, static_cast<uint8_t>(type.bits * 2), false}; }

Op by_sign(ScalarType type, Op with_sign, Op without) { return type.is_signed() ? with_sign : without; }

// Clamps an I64 to the range of s32, and makes it 32 bits wide.
ValueId clamp_s32(Builder& b, ValueId wide) {
  const ValueId low = b.constant(Type::I64, static_cast<uint64_t>(INT64_C(-2147483648)));
  const ValueId high = b.constant(Type::I64, INT64_C(2147483647));
  return b.cast(b.binary(Op::MinS, b.binary(Op::MaxS, wide, low), high), Type::I32);
}

ValueId high_half(Context& c, ScalarType type, ValueId x, ValueId y) {
  Builder& b = c.b();
  if (type.bits >= 32) return b.binary(by_sign(type, Op::MulHiS, Op::MulHiU), x, y);
  const ValueId product =
      b.binary(Op::Mul, b.cast(x, Type::I32, type.is_signed()), b.cast(y, Type::I32, type.is_signed()));
  return b.cast(b.binary(Op::ShrU, product, b.constant(Type::I32, 16)), Type::I16);
}

ValueId wide_product(Context& c, ScalarType type, ValueId x, ValueId y) {
  const Type wide = ir_type(twice(type));
  if (wide == Type::Void) c.refuse("a product of 128 bits is not supported yet");
  return c.b().binary(Op::Mul, c.b().cast(x, wide, type.is_signed()), c.b().cast(y, wide, type.is_signed()));
}

// The product in its form .lo, .hi or .wide, and the type it has.
ValueId product(Context& c, const Instr& i, ScalarType* type) {
  const ValueId x = c.value(i.operand(1), *type), y = c.value(i.operand(2), *type);
  if (i.has("wide")) {
    const ValueId result = wide_product(c, *type, x, y);
    *type = twice(*type);
    return result;
  }
  return i.has("hi") ? high_half(c, *type, x, y) : c.b().binary(Op::Mul, x, y);
}

// Adds or subtracts element by element where the type is packed.
ValueId packed(Context& c, ScalarType type, ValueId x, ValueId y, Op op) {
  if (!type.packed) return c.b().binary(op, x, y);
  const ValueId low = c.b().binary(op, element_of(c, x, 0), element_of(c, y, 0));
  const ValueId high = c.b().binary(op, element_of(c, x, 1), element_of(c, y, 1));
  return pack_halves(c, low, high);
}

void add_or_sub(Context& c, const Instr& i, Op op) {
  const ScalarType type = i.type();
  const ValueId x = c.value(i.operand(1), type), y = c.value(i.operand(2), type);
  if (i.has("sat")) {
    if (type.bits != 32 || !type.is_signed()) c.unsupported(i);
    const ValueId wide = c.b().binary(op, c.b().cast(x, Type::I64, true), c.b().cast(y, Type::I64, true));
    return c.write(i.operand(0), clamp_s32(c.b(), wide), type);
  }
  const ValueId result = packed(c, type, x, y, op);
  if (i.has("cc")) {
    // The carry out of x + y, or the borrow out of x - y.
    const ValueId out = op == Op::Add ? c.b().icmp(IntCompare::LtU, result, x) : c.b().icmp(IntCompare::LtU, x, y);
    c.write_carry(out);
  }
  c.write(i.operand(0), result, type);
}

// addc, subc: with the carry (borrow) of the instruction before.
void with_carry(Context& c, const Instr& i, Op op, ValueId x, ValueId y, ScalarType type, size_t destination) {
  Builder& b = c.b();
  const ValueId in = b.pure(Op::ZExt, ir_type(type), {c.read_carry()});
  const ValueId part = b.binary(op, x, y);
  const ValueId result = b.binary(op, part, in);
  if (i.has("cc")) {
    const ValueId first = op == Op::Add ? b.icmp(IntCompare::LtU, part, x) : b.icmp(IntCompare::LtU, x, y);
    const ValueId second = op == Op::Add ? b.icmp(IntCompare::LtU, result, part) : b.icmp(IntCompare::LtU, part, in);
    c.write_carry(b.binary(Op::Or, first, second));
  }
  c.write(i.operand(destination), result, type);
}

void lower_mad(Context& c, const Instr& i) {
  ScalarType type = i.type();
  Builder& b = c.b();
  const ValueId p = product(c, i, &type);
  const ValueId addend = c.value(i.operand(3), type);
  if (i.has("sat")) {
    if (type.bits != 32 || !type.is_signed() || !i.has("hi")) c.unsupported(i);
    const ValueId wide = b.binary(Op::Add, b.cast(p, Type::I64, true), b.cast(addend, Type::I64, true));
    return c.write(i.operand(0), clamp_s32(b, wide), type);
  }
  const ValueId sum = b.binary(Op::Add, p, addend);
  if (i.has("cc")) c.write_carry(b.icmp(IntCompare::LtU, sum, p));
  c.write(i.operand(0), sum, type);
}

void min_or_max(Context& c, const Instr& i, bool maximum) {
  const ScalarType type = i.type();
  const Op op = maximum ? by_sign(type, Op::MaxS, Op::MaxU) : by_sign(type, Op::MinS, Op::MinU);
  const ValueId x = c.value(i.operand(1), type), y = c.value(i.operand(2), type);
  ValueId result = packed(c, type, x, y, op);
  if (i.has("relu")) result = packed(c, type, result, c.b().constant(c.b().type(result), 0), Op::MaxS);
  c.write(i.operand(0), result, type);
}

void unary_integer(Context& c, const Instr& i, bool absolute) {
  const ScalarType type = i.type();
  const ValueId x = c.value(i.operand(1), type);
  const ValueId negative = c.b().binary(Op::Sub, c.b().constant(ir_type(type), 0), x);
  c.write(i.operand(0), absolute ? c.b().binary(Op::MaxS, x, negative) : negative, type);
}

}  // namespace

void lower_integer_arithmetic(Context& c, const Instr& i) {
  const std::string& opcode = i.text.opcode;
  const ScalarType type = i.type();
  if (opcode == "add") return add_or_sub(c, i, Op::Add);
  if (opcode == "sub") return add_or_sub(c, i, Op::Sub);
  if (opcode == "mad") return lower_mad(c, i);
  if (opcode == "min" || opcode == "max") return min_or_max(c, i, opcode == "max");
  if (opcode == "abs" || opcode == "neg") return unary_integer(c, i, opcode == "abs");
  if (opcode == "mul") {
    ScalarType result = type;
    const ValueId value = product(c, i, &result);
    return c.write(i.operand(0), value, result);
  }
  if (opcode == "div" || opcode == "rem") {
    const Op op = opcode == "div" ? by_sign(type, Op::DivS, Op::DivU) : by_sign(type, Op::RemS, Op::RemU);
    return c.write(i.operand(0), c.b().binary(op, c.value(i.operand(1), type), c.value(i.operand(2), type)), type);
  }
  c.unsupported(i);
}

void lower_Addc(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  with_carry(c, i, Op::Add, c.value(i.operand(1), type), c.value(i.operand(2), type), type, 0);
}
void lower_Subc(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  with_carry(c, i, Op::Sub, c.value(i.operand(1), type), c.value(i.operand(2), type), type, 0);
}
void lower_Madc(Context& c, const Instr& i) {
  ScalarType type = i.type();
  const ValueId p = product(c, i, &type);
  with_carry(c, i, Op::Add, p, c.value(i.operand(3), type), type, 0);
}

namespace {

// The product of the low 24 bits of each: its low 32 bits, or bits 16 to 47.
ValueId product24(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  Builder& b = c.b();
  const auto low24 = [&](size_t k) {
    const ValueId eight = b.constant(Type::I32, 8);
    const ValueId top = b.binary(Op::Shl, c.value(i.operand(k), type), eight);
    return b.cast(b.binary(by_sign(type, Op::ShrS, Op::ShrU), top, eight), Type::I64, type.is_signed());
  };
  const ValueId wide = b.binary(Op::Mul, low24(1), low24(2));
  return b.cast(i.has("hi") ? b.binary(Op::ShrU, wide, b.constant(Type::I32, 16)) : wide, Type::I32);
}

}  // namespace

void lower_Mul24(Context& c, const Instr& i) { c.write(i.operand(0), product24(c, i), i.type()); }
void lower_Mad24(Context& c, const Instr& i) {
  Builder& b = c.b();
  const ValueId p = product24(c, i), addend = c.value(i.operand(3), i.type());
  if (!i.has("sat")) return c.write(i.operand(0), b.binary(Op::Add, p, addend), i.type());
  const ValueId wide = b.binary(Op::Add, b.cast(p, Type::I64, true), b.cast(addend, Type::I64, true));  // .hi.s32
  c.write(i.operand(0), clamp_s32(b, wide), i.type());
}

void lower_Sad(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  Builder& b = c.b();
  const ValueId x = c.value(i.operand(1), type), y = c.value(i.operand(2), type);
  const ValueId less = b.icmp(type.is_signed() ? IntCompare::LtS : IntCompare::LtU, x, y);
  const ValueId distance = b.select(less, b.binary(Op::Sub, y, x), b.binary(Op::Sub, x, y));
  c.write(i.operand(0), b.binary(Op::Add, distance, c.value(i.operand(3), type)), type);
}

void lower_Popc(Context& c, const Instr& i) {
  c.write(i.operand(0), c.b().pure(Op::Popc, Type::I32, {c.value(i.operand(1), i.type())}), kU32);
}
void lower_Clz(Context& c, const Instr& i) {
  c.write(i.operand(0), c.b().pure(Op::Clz, Type::I32, {c.value(i.operand(1), i.type())}), kU32);
}
void lower_Brev(Context& c, const Instr& i) {
  c.write(i.operand(0), c.b().unary(Op::Brev, c.value(i.operand(1), i.type())), i.type());
}

// Position of the highest bit that differs from the sign (signed) or is set (unsigned); all ones if there is none.
void lower_Bfind(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  Builder& b = c.b();
  ValueId x = c.value(i.operand(1), type);
  const ValueId top = b.constant(Type::I32, type.bits - 1u);
  if (type.is_signed()) x = b.binary(Op::Xor, x, b.binary(Op::ShrS, x, top));
  const ValueId zeros = b.pure(Op::Clz, Type::I32, {x});
  const ValueId found = i.has("shiftamt") ? zeros : b.binary(Op::Sub, top, zeros);
  const ValueId none = b.icmp(IntCompare::Eq, x, b.constant(ir_type(type), 0));
  c.write(i.operand(0), b.select(none, b.constant(Type::I32, ~0u), found), kU32);
}

// Position and length of a field. Of 32 bits, their low 8 bits count; of 64 all do, though PTX's document says
// otherwise (tests/gpu/h200.txt).
ValueId field_number(Context& c, const Instr& i, size_t operand) {
  Builder& b = c.b();
  const ValueId value = c.value(i.operand(operand), kU32);
  if (i.type().bits == 64) return b.binary(Op::MinU, value, b.constant(Type::I32, 64));
  return b.binary(Op::And, value, b.constant(Type::I32, 0xff));
}

// `length` bits of a from bit `position`; beyond the register: zeros, or copies of the field's top bit.
void lower_Bfe(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  Builder& b = c.b();
  const Type t = ir_type(type);
  const auto k32 = [&](uint64_t v) { return b.constant(Type::I32, v); };
  const ValueId x = c.value(i.operand(1), type);
  const ValueId position = field_number(c, i, 2), length = field_number(c, i, 3);
  const ValueId width = k32(type.bits);
  if (!type.is_signed()) {
    const ValueId mask = b.unary(Op::Not, b.binary(Op::Shl, b.constant(t, ~uint64_t{0}), length));
    return c.write(i.operand(0), b.binary(Op::And, b.binary(Op::ShrU, x, position), mask), type);
  }
  // Move the field's top bit to the register's top, then back with its sign. The field ends at the register's end.
  const ValueId end = b.binary(Op::MinU, b.binary(Op::Add, position, length), width);
  const ValueId up = b.binary(Op::Sub, width, end);
  const ValueId shifted = b.binary(Op::Shl, x, up);
  const ValueId field = b.binary(Op::ShrS, shifted, b.binary(Op::Add, up, position));
  const ValueId empty = b.icmp(IntCompare::Eq, length, k32(0));
  c.write(i.operand(0), b.select(empty, b.constant(t, 0), field), type);
}

// `length` low bits of a put into b at `position`; what would stand past the register's end is lost.
void lower_Bfi(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  Builder& b = c.b();
  const ValueId field = c.value(i.operand(1), type), base = c.value(i.operand(2), type);
  const ValueId position = field_number(c, i, 3), length = field_number(c, i, 4);
  const ValueId ones = b.constant(ir_type(type), ~uint64_t{0});
  const ValueId mask = b.binary(Op::Shl, b.unary(Op::Not, b.binary(Op::Shl, ones, length)), position);
  const ValueId in = b.binary(Op::And, b.binary(Op::Shl, field, position), mask);
  c.write(i.operand(0), b.binary(Op::Or, in, b.binary(Op::And, base, b.unary(Op::Not, mask))), type);
}

// `width` ones from bit `position`. clamp: both count as they are; wrap: modulo 32.
namespace {

// The position of the set bit above `rank` others, by halving: each step asks how many lie in the lower half.
ValueId nth_set_bit(Builder& b, ValueId bits, ValueId rank) {
  ValueId at = b.constant(Type::I32, 0);
  for (uint64_t width = 16; width; width /= 2) {
    const ValueId half = b.binary(Op::And, b.binary(Op::ShrU, bits, at), b.constant(Type::I32, (1u << width) - 1));
    const ValueId count = b.pure(Op::Popc, Type::I32, {half});
    const ValueId above = b.icmp(IntCompare::GeU, rank, count);
    rank = b.select(above, b.binary(Op::Sub, rank, count), rank);
    at = b.select(above, b.binary(Op::Add, at, b.constant(Type::I32, width)), at);
  }
  return at;
}

}  // namespace

// The offset-th set bit of the mask from `base` on, which counts; downwards if the offset is negative; for 0, `base`
// itself if it is set. All ones if there is none.
void lower_Fns(Context& c, const Instr& i) {
  Builder& b = c.b();
  const ValueId mask = c.value(i.operand(1), kB32), base = c.value(i.operand(2), kU32);
  const ValueId offset = c.value(i.operand(3), kB32);
  const ValueId zero = b.constant(Type::I32, 0), one = b.constant(Type::I32, 1), none = b.constant(Type::I32, ~0u);
  const ValueId down = b.icmp(IntCompare::LtS, offset, zero), here = b.icmp(IntCompare::Eq, offset, zero);
  const ValueId from = b.binary(Op::Shl, none, base);  // the bits from base on
  const ValueId to = b.unary(Op::Not, b.binary(Op::Shl, from, one));
  const ValueId up = b.select(here, b.binary(Op::Shl, one, base), from);
  const ValueId bits = b.select(down, b.unary(Op::Brev, b.binary(Op::And, mask, to)), b.binary(Op::And, mask, up));
  const ValueId distance = b.select(down, b.binary(Op::Sub, zero, offset), offset);
  const ValueId rank = b.select(here, zero, b.binary(Op::Sub, distance, one));
  const ValueId at = nth_set_bit(b, bits, rank);
  const ValueId position = b.select(down, b.binary(Op::Sub, b.constant(Type::I32, 31), at), at);
  const ValueId found = b.binary(Op::And, b.icmp(IntCompare::LtU, rank, b.pure(Op::Popc, Type::I32, {bits})),
                                 b.icmp(IntCompare::LtU, base, b.constant(Type::I32, 32)));
  const ValueId least = b.icmp(IntCompare::Eq, offset, b.constant(Type::I32, 0x80000000));  // an H200 gives 0
  c.write(i.operand(0), b.select(least, zero, b.select(found, position, none)), kB32);
}

void lower_Bmsk(Context& c, const Instr& i) {
  Builder& b = c.b();
  ValueId position = c.value(i.operand(1), kU32), width = c.value(i.operand(2), kU32);
  if (i.has("wrap")) {
    position = b.binary(Op::And, position, b.constant(Type::I32, 31));
    width = b.binary(Op::And, width, b.constant(Type::I32, 31));
  }
  const ValueId ones = b.constant(Type::I32, ~0u);
  const ValueId field = b.unary(Op::Not, b.binary(Op::Shl, ones, width));
  c.write(i.operand(0), b.binary(Op::Shl, field, position), kB32);
}

// The low `n` bits, extended. clamp: n over 32 is 32; wrap: modulo 32. n = 0 gives 0.
void lower_Szext(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  if (type.bits != 32) c.unsupported(i);
  Builder& b = c.b();
  const ValueId x = c.value(i.operand(1), type);
  ValueId n = c.value(i.operand(2), kU32);
  const ValueId k32 = b.constant(Type::I32, 32);
  n = i.has("wrap") ? b.binary(Op::And, n, b.constant(Type::I32, 31)) : b.binary(Op::MinU, n, k32);
  const ValueId up = b.binary(Op::Sub, k32, n);
  const ValueId field = b.binary(by_sign(type, Op::ShrS, Op::ShrU), b.binary(Op::Shl, x, up), up);
  const ValueId empty = b.icmp(IntCompare::Eq, n, b.constant(Type::I32, 0));
  c.write(i.operand(0), b.select(empty, b.constant(Type::I32, 0), field), type);
}

ValueId slice(Builder& b, ValueId a, unsigned first, unsigned bits, bool sign) {
  const ValueId top = b.binary(Op::Shl, a, b.constant(Type::I32, 32 - first - bits));
  return b.binary(sign ? Op::ShrS : Op::ShrU, top, b.constant(Type::I32, 32 - bits));
}

void lower_Dp4a(Context& c, const Instr& i) {
  Builder& b = c.b();
  const ValueId x = c.value(i.operand(1), kB32), y = c.value(i.operand(2), kB32);
  ValueId sum = c.value(i.operand(3), kB32);
  for (unsigned k = 0; k < 4; ++k)
    sum = b.binary(
        Op::Add, sum,
        b.binary(Op::Mul, slice(b, x, 8 * k, 8, i.type(0).is_signed()), slice(b, y, 8 * k, 8, i.type(1).is_signed())));
  c.write(i.operand(0), sum, kB32);
}

void lower_Dp2a(Context& c, const Instr& i) {
  Builder& b = c.b();
  const ValueId x = c.value(i.operand(1), kB32), y = c.value(i.operand(2), kB32);
  ValueId sum = c.value(i.operand(3), kB32);
  const unsigned half = i.has("hi") ? 16 : 0;
  for (unsigned k = 0; k < 2; ++k)
    sum = b.binary(Op::Add, sum,
                   b.binary(Op::Mul, slice(b, x, 16 * k, 16, i.type(0).is_signed()),
                            slice(b, y, half + 8 * k, 8, i.type(1).is_signed())));
  c.write(i.operand(0), sum, kB32);
}

}  // namespace warplens::lower
