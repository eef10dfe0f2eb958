// f16 and bf16, alone or in pairs. They are widened to F32, computed, and rounded back.
//
// Is that one rounding? For + - * it is: an f32 has more than twice the bits of an f16 (24 >= 2*11 + 2) and of a bf16,
// and then rounding twice gives what rounding once gives (Figueroa 1995). Not for fma:
//   f16:  in f64. The product has 22 bits and is exact; the sum is inexact only if it spans more than 53 bits, and then
//         either the product exceeds f16's range by far, or the result is not near the middle of two f16 numbers.
//   bf16: its exponents spread so far that a sum can lie just beside such a middle. So the sum is first rounded *to
//   odd*
//         (Boldo and Melquiond 2008): the error of the addition is computed exactly, and where it is not zero the last
//         bit is made 1 in its direction. Rounding that to fewer bits is then one rounding.
#include "lower/families.h"

namespace warplens::lower {
namespace {

using ir::FloatCompare;
using ir::IntCompare;
using ir::Op;
using ir::Type;
using ir::ValueId;

ValueId k16(Context& c, uint64_t v) { return c.b().constant(Type::I16, v); }

// Subnormal -> zero of the same sign, on the bits.
ValueId flush_half(Context& c, ScalarType type, ValueId half) {
  Builder& b = c.b();
  const uint64_t exponent = type.kind == ScalarType::Kind::BFloat ? 0x7f80 : 0x7c00;
  const ValueId small = b.icmp(IntCompare::Eq, b.binary(Op::And, half, k16(c, exponent)), k16(c, 0));
  return b.select(small, b.binary(Op::And, half, k16(c, 0x8000)), half);
}

// `nearest` is x + y (or any result) rounded to nearest, `error` what was lost: the same rounded to odd.
ValueId make_odd(Builder& b, ValueId nearest, ValueId error) {
  const Type type = b.type(nearest), integer = int_type(ir::bits(type));
  const auto constant = [&](uint64_t v) { return b.constant(integer, v); };
  const ValueId bits = b.cast(nearest, integer);
  const ValueId even = b.icmp(IntCompare::Eq, b.binary(Op::And, bits, constant(1)), constant(0));
  const ValueId lost =
      b.pure(Op::FCmp, Type::Pred, {error, b.constant(type, 0)}, static_cast<uint64_t>(FloatCompare::Ne));
  const ValueId signs = b.binary(Op::Xor, bits, b.cast(error, integer));
  const ValueId away = b.icmp(IntCompare::GeS, signs, constant(0));  // the error points away from zero
  const ValueId step = b.select(away, constant(1), constant(~uint64_t{0}));
  const ValueId moved = b.binary(Op::Add, bits, step);
  return b.cast(b.select(b.binary(Op::And, even, lost), moved, bits), type);
}

// a * b + c of bf16 values, in F32 rounded to odd. All arguments F32.
ValueId fma_to_odd(Builder& b, ValueId x, ValueId y, ValueId z) {
  const auto wide = [&](ValueId v) { return b.pure(Op::FExt, Type::F64, {v}); };
  const ValueId p = b.binary(Op::FMul, wide(x), wide(y));  // exact: 16 bits
  const ValueId q = wide(z);
  // Knuth's two-sum: sum + error is exactly p + q.
  const ValueId sum = b.binary(Op::FAdd, p, q);
  const ValueId q_part = b.binary(Op::FSub, sum, p);
  const ValueId p_part = b.binary(Op::FSub, sum, q_part);
  const ValueId error = b.binary(Op::FAdd, b.binary(Op::FSub, p, p_part), b.binary(Op::FSub, q, q_part));
  return narrow_to_odd(b, make_odd(b, sum, error));
}

ValueId fma_half(Context& c, const Instr& i, ScalarType type, ValueId x, ValueId y, ValueId z) {
  Builder& b = c.b();
  const ValueId fx = widen_half(c, type, x), fy = widen_half(c, type, y), fz = widen_half(c, type, z);
  const bool relu = i.has("relu"), sat = i.has("sat");
  const auto limit = [&](ValueId half) {  // exact on the rounded result
    if (!relu && !sat) return half;
    const ValueId wide = widen_half(c, type, half);
    const ValueId limited = sat ? b.unary(Op::FSat, wide) : b.binary(Op::FMaxNan, wide, b.constant(Type::F32, 0));
    return narrow_half(c, type, limited);
  };
  if (type.kind == ScalarType::Kind::BFloat) return limit(narrow_half(c, type, fma_to_odd(b, fx, fy, fz)));
  const auto wide = [&](ValueId v) { return b.pure(Op::FExt, Type::F64, {v}); };
  const ValueId sum = b.pure(Op::FFma, Type::F64, {wide(fx), wide(fy), wide(fz)});
  return limit(b.pure(Op::F64ToF16, Type::I16, {sum}));
}

ValueId binary_half(Context& c, const Instr& i, ScalarType type, Op op, ValueId x, ValueId y) {
  Builder& b = c.b();
  ValueId wide = b.binary(op, widen_half(c, type, x), widen_half(c, type, y));
  if (i.has("sat")) wide = b.unary(Op::FSat, wide);
  return narrow_half(c, type, wide, i.rounding());
}

ValueId min_or_max_half(Context& c, const Instr& i, ScalarType type, bool maximum, ValueId x, ValueId y) {
  Builder& b = c.b();
  const Op op = i.has("NaN") ? (maximum ? Op::FMaxNan : Op::FMinNan) : (maximum ? Op::FMax : Op::FMin);
  if (!i.has("xorsign")) return binary_half(c, i, type, op, x, y);
  const ValueId sign = b.binary(Op::And, b.binary(Op::Xor, x, y), k16(c, 0x8000));
  const auto magnitude = [&](ValueId v) { return b.binary(Op::And, v, k16(c, 0x7fff)); };
  const ValueId result = binary_half(c, i, type, op, magnitude(x), magnitude(y));
  const ValueId infinity = k16(c, type.kind == ScalarType::Kind::BFloat ? 0x7f80 : 0x7c00);
  const ValueId nan = b.icmp(IntCompare::GtU, magnitude(result), infinity);  // has no sign
  return b.select(nan, result, b.binary(Op::Or, magnitude(result), sign));
}

ValueId element_arithmetic(Context& c, const Instr& i, ScalarType type, std::vector<ValueId> x) {
  const std::string& opcode = i.text.opcode;
  if (i.has("ftz"))
    for (ValueId& v : x) v = flush_half(c, type, v);
  if (opcode == "neg" || opcode == "abs") {
    const ValueId magnitude = c.b().binary(Op::And, x[0], k16(c, 0x7fff));
    const ValueId infinity = k16(c, type.kind == ScalarType::Kind::BFloat ? 0x7f80 : 0x7c00);
    const ValueId result = opcode == "abs" ? magnitude : c.b().binary(Op::Xor, x[0], k16(c, 0x8000));
    return c.b().select(c.b().icmp(IntCompare::GtU, magnitude, infinity), k16(c, 0x7fff), result);
  }
  if (x.size() < 2) c.malformed(i.full_opcode() + " with a wrong number of operands");
  if (opcode == "fma") {
    if (x.size() != 3) c.malformed(i.full_opcode() + " with a wrong number of operands");
    return fma_half(c, i, type, x[0], x[1], x[2]);
  }
  if (opcode == "add") return binary_half(c, i, type, Op::FAdd, x[0], x[1]);
  if (opcode == "sub") return binary_half(c, i, type, Op::FSub, x[0], x[1]);
  if (opcode == "mul") return binary_half(c, i, type, Op::FMul, x[0], x[1]);
  if (opcode == "min" || opcode == "max") return min_or_max_half(c, i, type, opcode == "max", x[0], x[1]);
  c.unsupported(i);
}

}  // namespace

// F64 -> F32 rounded to odd.
ValueId narrow_to_odd(Builder& b, ValueId wide) {
  const ValueId nearest = b.pure(Op::FTrunc, Type::F32, {wide});
  const ValueId lost = b.binary(Op::FSub, wide, b.pure(Op::FExt, Type::F64, {nearest}));
  // Only its sign and whether it is zero matter, which F32 could lose: take them from the F64.
  const ValueId bits = b.cast(lost, Type::I64);
  const ValueId sign = b.cast(b.binary(Op::ShrU, bits, b.constant(Type::I32, 32)), Type::I32);
  const ValueId some =
      b.pure(Op::FCmp, Type::Pred, {lost, b.constant(Type::F64, 0)}, static_cast<uint64_t>(FloatCompare::Ne));
  const ValueId unit = b.constant(Type::F32, 0x3f800000);
  const ValueId error =
      b.select(some, b.binary(Op::FCopysign, b.cast(sign, Type::F32), unit), b.constant(Type::F32, 0));
  return make_odd(b, nearest, error);
}

ValueId widen_half(Context& c, ScalarType type, ValueId half) {
  return c.b().pure(type.kind == ScalarType::Kind::BFloat ? Op::BF16ToF32 : Op::F16ToF32, Type::F32, {half});
}

ValueId narrow_half(Context& c, ScalarType type, ValueId wide, ir::Rounding rounding) {
  ir::Inst inst;
  inst.op = type.kind == ScalarType::Kind::BFloat ? Op::F32ToBF16 : Op::F32ToF16;
  inst.type = Type::I16;
  inst.rounding = rounding;
  inst.args = {wide};
  return c.b().pure(std::move(inst));
}

ValueId element_of(Context& c, ValueId packed, int index) {
  const ValueId shifted = index == 0 ? packed : c.b().binary(Op::ShrU, packed, c.b().constant(Type::I32, 16));
  return c.b().cast(shifted, Type::I16);
}

ValueId pack_halves(Context& c, ValueId low, ValueId high) {
  Builder& b = c.b();
  const ValueId top = b.binary(Op::Shl, b.cast(high, Type::I32), b.constant(Type::I32, 16));
  return b.binary(Op::Or, b.cast(low, Type::I32), top);
}

void lower_half_arithmetic(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  std::vector<ValueId> args;
  for (size_t k = 1; k < i.operand_count(); ++k) args.push_back(c.value(i.operand(k), type));
  if (args.empty()) c.malformed(i.full_opcode() + " without operands");
  const auto one = [&](int index) {
    std::vector<ValueId> parts;
    for (const ValueId v : args) parts.push_back(type.packed ? element_of(c, v, index) : v);
    const ValueId result = element_arithmetic(c, i, type, std::move(parts));
    return i.has("ftz") ? flush_half(c, type, result) : result;
  };
  if (!type.packed) return c.write(i.operand(0), one(0), type);
  const ValueId low = one(0);
  c.write(i.operand(0), pack_halves(c, low, one(1)), type);
}

}  // namespace warplens::lower
