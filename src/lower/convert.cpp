// cvt: between any two of the scalar types.
//
// Where a value of many bits becomes one of few in two steps, the first step rounds to odd or is exact, so that there
// is only one rounding (half.cpp explains why).
#include <bit>

#include "lower/families.h"

namespace warplens::lower {
namespace {

using ir::FloatCompare;
using ir::IntCompare;
using ir::Op;
using ir::Rounding;
using ir::Type;
using ir::ValueId;

ValueId rounded(Builder& b, Op op, Type type, ValueId x, Rounding rounding, bool ftz = false) {
  ir::Inst inst;
  inst.op = op;
  inst.type = type;
  inst.rounding = rounding;
  inst.ftz = ftz;
  inst.args = {x};
  return b.pure(std::move(inst));
}

bool is_bf16(ScalarType t) { return t.kind == ScalarType::Kind::BFloat; }
bool is_f16(ScalarType t) { return t.kind == ScalarType::Kind::Float && t.bits == 16; }
bool is_real(ScalarType t) { return t.kind == ScalarType::Kind::Float || is_bf16(t); }

// ---- integer to integer

// The least and greatest value of `to`, in `from`'s width and signedness; .sat clamps to them.
ValueId clamp_integer(Builder& b, ValueId x, ScalarType from, ScalarType to) {
  const Type type = ir_type(from);
  const bool narrower = to.bits < from.bits;
  const uint64_t to_max = to.is_signed()  ? (uint64_t{1} << (to.bits - 1)) - 1
                          : to.bits == 64 ? ~uint64_t{0}
                                          : (uint64_t{1} << to.bits) - 1;
  if (from.is_signed()) {
    if (!to.is_signed()) x = b.binary(Op::MaxS, x, b.constant(type, 0));
    if (to.is_signed() && narrower) x = b.binary(Op::MaxS, x, b.constant(type, ~to_max));
    if (narrower) x = b.binary(Op::MinS, x, b.constant(type, to_max));
    return x;
  }
  if (narrower || (to.is_signed() && to.bits == from.bits)) x = b.binary(Op::MinU, x, b.constant(type, to_max));
  return x;
}

ValueId integer_to_integer(Context& c, const Instr& i, ValueId x, ScalarType from, ScalarType to) {
  if (i.has("sat")) x = clamp_integer(c.b(), x, from, to);
  return c.b().cast(x, ir_type(to), from.is_signed());
}

// ---- float to integer

ValueId is_nan(Builder& b, ValueId x) {
  return b.pure(Op::FCmp, Type::Pred, {x, x}, static_cast<uint64_t>(FloatCompare::Nan));
}

// With 64 bits on either side a NaN gives the highest bit alone; elsewhere it gives 0.
ValueId unless_nan(Builder& b, ValueId x, ValueId result, ScalarType to) {
  return b.select(is_nan(b, x), b.constant(ir_type(to), uint64_t{1} << (to.bits - 1)), result);
}

ValueId float_to_integer(Context& c, const Instr& i, ValueId x, ScalarType from, ScalarType to) {
  Builder& b = c.b();
  const Rounding rounding = i.rounding(Rounding::Zero);
  if (from.is_half())
    x = widen_half(c, from, x);
  else if (from.bits == 32 && i.has("ftz"))
    x = flush(c, x);
  const bool sign = to.is_signed();
  if (to.bits >= 32) {
    const ValueId result = rounded(b, sign ? Op::FToSI : Op::FToUI, ir_type(to), x, rounding);
    return from.bits == 64 || to.bits == 64 ? unless_nan(b, x, result, to) : result;
  }
  // Narrow results are clamped to their own range.
  const ValueId wide = rounded(b, Op::FToSI, Type::I32, x, rounding);
  const uint64_t most = sign ? (uint64_t{1} << (to.bits - 1)) - 1 : (uint64_t{1} << to.bits) - 1;
  const ValueId low = b.constant(Type::I32, sign ? ~most : 0);
  const ValueId clamped = b.binary(Op::MinS, b.binary(Op::MaxS, wide, low), b.constant(Type::I32, most));
  const ValueId result = b.cast(clamped, ir_type(to));
  return from.bits == 64 ? unless_nan(b, x, result, to) : result;
}

// ---- integer to float

// Cut off (toward zero), with the last bit set if anything was lost: rounded to odd.
ValueId integer_to_odd_f32(Builder& b, ValueId x, bool sign) {
  const Type type = b.type(x);
  const ValueId cut = rounded(b, sign ? Op::SIToF : Op::UIToF, Type::F32, x, Rounding::Zero);
  const ValueId back = rounded(b, sign ? Op::FToSI : Op::FToUI, type, cut, Rounding::Zero);
  const ValueId lost = b.icmp(IntCompare::Ne, back, x);
  return b.cast(b.binary(Op::Or, b.cast(cut, Type::I32), b.cast(lost, Type::I32)), Type::F32);
}

ValueId integer_to_float(Context& c, const Instr& i, ValueId x, ScalarType from, ScalarType to) {
  Builder& b = c.b();
  const bool sign = from.is_signed();
  const Rounding rounding = i.rounding();
  if (from.bits < 32) x = b.cast(x, Type::I32, sign);
  if (i.has("sat")) {  // of whole numbers, 0 and 1 are left
    const Type type = b.type(x);
    if (sign) x = b.binary(Op::MaxS, x, b.constant(type, 0));
    x = b.binary(Op::MinU, x, b.constant(type, 1));
  }
  if (is_bf16(to)) return narrow_half(c, to, integer_to_odd_f32(b, x, sign), rounding);
  const Op op = sign ? Op::SIToF : Op::UIToF;
  // 53 bits hold every integer below an f16's overflow exactly.
  if (is_f16(to)) return rounded(b, Op::F64ToF16, Type::I16, rounded(b, op, Type::F64, x, Rounding::Zero), rounding);
  return rounded(b, op, ir_type(to), x, rounding);
}

// ---- float to float

ValueId round_to_integral(Context& c, const Instr& i, ValueId x) {
  const bool integral = i.has("rni") || i.has("rzi") || i.has("rmi") || i.has("rpi");
  if (!integral) return x;
  return rounded(c.b(), Op::FRound, c.b().type(x), x, i.rounding(), i.has("ftz") && c.b().type(x) == Type::F32);
}

ValueId saturate(Context& c, const Instr& i, ValueId x, ScalarType to) {
  Builder& b = c.b();
  if (i.has("sat")) x = b.unary(Op::FSat, x);
  if (i.has("relu")) x = b.binary(Op::FMaxNan, x, b.constant(b.type(x), 0));
  if (!i.has("satfinite")) return x;
  if (!to.is_half() || b.type(x) != Type::F32) c.unsupported(i);
  const float most = is_f16(to) ? 65504.0f : 0x1.fep127f;
  x = b.binary(Op::FMinNan, x, b.constant(Type::F32, std::bit_cast<uint32_t>(most)));
  return b.binary(Op::FMaxNan, x, b.constant(Type::F32, std::bit_cast<uint32_t>(-most)));
}

ValueId widen(Context& c, ScalarType type, ValueId x) { return type.is_half() ? widen_half(c, type, x) : x; }

// From F32 or F64 to a half type.
ValueId to_half(Context& c, const Instr& i, ValueId x, ScalarType to) {
  Builder& b = c.b();
  const Rounding rounding = i.rounding();
  if (b.type(x) == Type::F32) return narrow_half(c, to, x, rounding);
  const ValueId half =
      is_f16(to) ? rounded(b, Op::F64ToF16, Type::I16, x, rounding) : narrow_half(c, to, narrow_to_odd(b, x), rounding);
  // A NaN of f64 keeps its sign and the top of its payload.
  const ValueId bits = b.cast(x, Type::I64);
  const auto piece = [&](uint64_t shift, uint64_t mask) {
    const ValueId moved = b.binary(Op::ShrU, bits, b.constant(Type::I32, shift));
    return b.binary(Op::And, b.cast(moved, Type::I16), b.constant(Type::I16, mask));
  };
  const ValueId payload = is_f16(to) ? piece(42, 0x1ff) : piece(45, 0x3f);
  const ValueId quiet = b.constant(Type::I16, is_f16(to) ? 0x7e00 : 0x7fc0);
  const ValueId nan = b.binary(Op::Or, b.binary(Op::Or, piece(48, 0x8000), payload), quiet);
  return b.select(b.pure(Op::TestP, Type::Pred, {x}, static_cast<uint64_t>(ir::FloatClass::NotANumber)), nan, half);
}

// F16 to F64, which `wide` is for numbers. A NaN keeps its sign and payload.
ValueId widen_nan(Builder& b, ValueId half, ValueId wide) {
  const ValueId bits = b.cast(half, Type::I64);
  const auto piece = [&](uint64_t mask, uint64_t shift) {
    return b.binary(Op::Shl, b.binary(Op::And, bits, b.constant(Type::I64, mask)), b.constant(Type::I32, shift));
  };
  ValueId nan = b.binary(Op::Or, piece(0x8000, 48), piece(0x1ff, 42));
  nan = b.cast(b.binary(Op::Or, nan, b.constant(Type::I64, 0x7ff8000000000000)), Type::F64);
  return b.select(b.pure(Op::TestP, Type::Pred, {wide}, static_cast<uint64_t>(ir::FloatClass::Number)), wide, nan);
}

ValueId float_to_float(Context& c, const Instr& i, ValueId x, ScalarType from, ScalarType to) {
  Builder& b = c.b();
  const bool ftz = i.has("ftz");
  if (from == to && from.is_half()) {
    const ValueId wide = saturate(c, i, round_to_integral(c, i, widen(c, from, x)), to);
    return wide == widen(c, from, x) ? x : narrow_half(c, to, wide);
  }
  const ValueId half = x;
  x = widen(c, from, x);
  if (from.bits == 32 && ftz && !is_f16(to)) x = flush(c, x);  // an H200 does not where the result is an f16
  if (is_bf16(from) && to.bits == 32 && ftz)                   // more than a move of bits only here
    x = b.select(is_nan(b, x), b.constant(Type::F32, 0x7fffffff), flush(c, x));
  x = saturate(c, i, round_to_integral(c, i, x), to);
  if (to.is_half()) return to_half(c, i, x, to);
  if (to.bits == 64 && b.type(x) == Type::F32) {
    x = b.pure(Op::FExt, Type::F64, {x});
    return is_f16(from) ? widen_nan(b, half, x) : x;
  }
  if (to.bits == 64) return x;
  return b.type(x) == Type::F32 ? x : rounded(b, Op::FTrunc, Type::F32, x, i.rounding(), ftz);
}

ValueId convert(Context& c, const Instr& i, ValueId x, ScalarType from, ScalarType to) {
  if (is_real(from)) return is_real(to) ? float_to_float(c, i, x, from, to) : float_to_integer(c, i, x, from, to);
  return is_real(to) ? integer_to_float(c, i, x, from, to) : integer_to_integer(c, i, x, from, to);
}

// ---- forms with two sources

// cvt.rn.f16x2.f32 d, a, b: a is the upper element.
void convert_pair(Context& c, const Instr& i, ScalarType to) {
  const ScalarType from = i.type(1);
  const ValueId high = convert(c, i, c.value(i.operand(1), from), from, to.element());
  const ValueId low = convert(c, i, c.value(i.operand(2), from), from, to.element());
  c.write(i.operand(0), pack_halves(c, low, high), to);
}

// cvt.pack.sat.type.s32[.b32] d, a, b[, c]: a and b clamped to 16, 8, 4 or 2 bits, a the upper one, above c's bits.
void convert_pack(Context& c, const Instr& i) {
  Builder& b = c.b();
  ScalarType to = i.type(0);
  for (const uint8_t bits : {4, 2})  // no types of registers
    for (const bool sign : {false, true})
      if (i.has((sign ? "s" : "u") + std::to_string(bits)))
        to = {sign ? ScalarType::Kind::Signed : ScalarType::Kind::Unsigned, bits, false};
  const ScalarType s32{ScalarType::Kind::Signed, 32, false};
  const auto element = [&](size_t k) {
    const ValueId clamped = clamp_integer(b, c.value(i.operand(k), s32), s32, to);
    return b.binary(Op::And, clamped, b.constant(Type::I32, (uint64_t{1} << to.bits) - 1));
  };
  ValueId result = b.binary(Op::Or, b.binary(Op::Shl, element(1), b.constant(Type::I32, to.bits)), element(2));
  if (i.operand_count() > 3) {
    const ValueId above = b.binary(Op::Shl, c.value(i.operand(3), kB32), b.constant(Type::I32, 2u * to.bits));
    result = b.binary(Op::Or, result, above);
  }
  c.write(i.operand(0), result, kB32);
}

// cvt.rna.tf32.f32: 10 bits of fraction are kept, ties away from zero; infinities stay, of NaNs as much. With
// .satfinite what came out beyond the numbers is one step less, whatever it was (an H200). .rn and .rz make every NaN
// one.
void convert_tf32(Context& c, const Instr& i) {
  Builder& b = c.b();
  const ValueId x = b.cast(c.value(i.operand(1), kF32), Type::I32);
  const ValueId exponent = b.binary(Op::And, x, b.constant(Type::I32, 0x7f800000));
  const ValueId special = b.icmp(IntCompare::Eq, exponent, b.constant(Type::I32, 0x7f800000));
  ValueId half = b.constant(Type::I32, 0x1000);
  if (i.has("rn")) {  // ties to even: the lowest kept bit decides
    const ValueId last = b.binary(Op::And, b.binary(Op::ShrU, x, b.constant(Type::I32, 13)), b.constant(Type::I32, 1));
    half = b.binary(Op::Add, b.constant(Type::I32, 0xfff), last);
  }
  if (i.has("rz")) half = b.constant(Type::I32, 0);
  const ValueId kept = b.binary(Op::And, b.binary(Op::Add, x, half), b.constant(Type::I32, 0xffffe000));
  const ValueId cut = b.binary(Op::And, x, b.constant(Type::I32, 0xffffe000));
  ValueId result = b.select(special, cut, kept);
  if (i.has("satfinite")) {
    if (!i.has("rna")) c.unsupported(i);
    const ValueId beyond = b.binary(Op::And, result, b.constant(Type::I32, 0x7f800000));
    result = b.select(b.icmp(IntCompare::Eq, beyond, b.constant(Type::I32, 0x7f800000)),
                      b.binary(Op::Sub, result, b.constant(Type::I32, 0x2000)), result);
  }
  if (i.has("relu"))
    result = b.select(b.icmp(IntCompare::LtS, result, b.constant(Type::I32, 0)), b.constant(Type::I32, 0), result);
  if (!i.has("rna")) {
    const ValueId magnitude = b.binary(Op::And, x, b.constant(Type::I32, 0x7fffffff));
    result = b.select(b.icmp(IntCompare::GtU, magnitude, b.constant(Type::I32, 0x7f800000)),
                      b.constant(Type::I32, 0x7fffe000), result);
  }
  c.write(i.operand(0), result, kB32);
}

bool has_small_float(const Instr& i) {
  for (const std::string& m : i.text.modifiers)
    if (m.starts_with("e4m3") || m.starts_with("e5m2") || m.starts_with("e2m") || m.starts_with("e3m2") ||
        m.starts_with("ue8m0"))
      return true;
  return false;
}

}  // namespace

void lower_Cvt(Context& c, const Instr& i) {
  if (has_small_float(i)) return convert_small_floats(c, i);
  if (i.has("rs")) c.unsupported(i);
  if (i.has("pack")) return convert_pack(c, i);
  if (i.has("tf32")) return convert_tf32(c, i);
  const ScalarType to = i.type(0), from = i.type(1);
  if (to.packed && to.is_half() && from == kF32) return convert_pair(c, i, to);
  if (to.packed || from.packed || to.is_pred() || from.is_pred()) c.unsupported(i);
  if (ir_type(to) == Type::Void || ir_type(from) == Type::Void) c.unsupported(i);
  const ValueId x = c.value(i.operand(1), from);
  c.write(i.operand(0), convert(c, i, x, from, to), to);
}

}  // namespace warplens::lower
