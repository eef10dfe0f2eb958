// f32 and f64: arithmetic, and the functions that a GPU computes approximately.
//
// The .approx and .full forms are computed with at least the accuracy that PTX promises (an IEEE division for
// div.approx, say): a program's results may differ from a GPU's in the last bits, as they do between GPU generations.
#include <bit>

#include "lower/families.h"

namespace warplens::lower {
namespace {

using ir::Op;
using ir::Type;
using ir::ValueId;

ValueId one(Context& c, ScalarType type) {
  return c.b().constant(ir_type(type),
                        type.bits == 64 ? std::bit_cast<uint64_t>(1.0) : uint64_t{std::bit_cast<uint32_t>(1.0f)});
}

ValueId sign_of_product(Builder& b, ValueId x, ValueId y) {
  const Type integer = int_type(ir::bits(b.type(x)));
  return b.cast(b.binary(Op::Xor, b.cast(x, integer), b.cast(y, integer)), b.type(x));
}

// min and max, of two or three; .NaN lets a NaN win; .xorsign.abs: of the magnitudes, with the sign of the product.
ValueId min_or_max(Context& c, const Instr& i, ValueId x, ValueId y, bool maximum) {
  const Op op = i.has("NaN") ? (maximum ? Op::FMaxNan : Op::FMinNan) : (maximum ? Op::FMax : Op::FMin);
  if (!i.has("xorsign")) return float_op(c, i, op, {x, y});
  const ValueId sign = sign_of_product(c.b(), x, y);
  const ValueId magnitude = float_op(c, i, op, {c.b().unary(Op::FAbs, x), c.b().unary(Op::FAbs, y)});
  const ValueId number = c.b().pure(Op::TestP, Type::Pred, {magnitude}, static_cast<uint64_t>(ir::FloatClass::Number));
  return c.b().select(number, c.b().binary(Op::FCopysign, sign, magnitude), magnitude);  // a NaN has no sign
}

ValueId scalar_arithmetic(Context& c, const Instr& i, const std::vector<ValueId>& x) {
  const std::string& opcode = i.text.opcode;
  const auto need = [&](size_t count) {
    if (x.size() != count) c.malformed(i.full_opcode() + " with a wrong number of operands");
  };
  if (opcode == "abs" || opcode == "neg") {
    need(1);
    return float_op(c, i, opcode == "abs" ? Op::FAbs : Op::FNeg, x);
  }
  if (opcode == "fma" || opcode == "mad") {
    need(3);
    return float_op(c, i, Op::FFma, x);
  }
  if ((opcode == "min" || opcode == "max") && x.size() == 3)
    return min_or_max(c, i, min_or_max(c, i, x[0], x[1], opcode == "max"), x[2], opcode == "max");
  need(2);
  if (opcode == "min" || opcode == "max") return min_or_max(c, i, x[0], x[1], opcode == "max");
  if (opcode == "add") return float_op(c, i, Op::FAdd, x);
  if (opcode == "sub") return float_op(c, i, Op::FSub, x);
  if (opcode == "mul") return float_op(c, i, Op::FMul, x);
  if (opcode == "div") return float_op(c, i, Op::FDiv, x);
  c.unsupported(i);
}

ValueId saturate(Context& c, const Instr& i, ValueId value) {
  return i.has("sat") ? c.b().unary(Op::FSat, value) : value;
}

// f32x2: both words of a 64-bit register.
void packed_arithmetic(Context& c, const Instr& i) {
  Builder& b = c.b();
  ValueId words[2];
  for (unsigned half = 0; half < 2; ++half) {
    std::vector<ValueId> args;
    for (size_t k = 1; k < i.operand_count(); ++k) {
      const ValueId both = c.value(i.operand(k), kU64);
      args.push_back(b.cast(b.cast(b.binary(Op::ShrU, both, b.constant(Type::I32, 32 * half)), Type::I32), Type::F32));
    }
    words[half] = b.cast(b.cast(scalar_arithmetic(c, i, args), Type::I32), Type::I64);
  }
  const ValueId high = b.binary(Op::Shl, words[1], b.constant(Type::I32, 32));
  c.write(i.operand(0), b.binary(Op::Or, words[0], high), kU64);
}

// A function of one argument, on f32, f64 or (widened) half types. bf16 has f32's exponents, so .ftz is f32's.
void function_of_one(Context& c, const Instr& i, Op op) {
  const ScalarType type = i.type();
  if (!type.is_half()) {
    if (!type.is_wide_float() || type.packed) c.unsupported(i);
    return c.write(i.operand(0), float_op(c, i, op, {c.value(i.operand(1), type)}), type);
  }
  const ValueId x = c.value(i.operand(1), type);
  const auto apply = [&](ValueId half) {
    return narrow_half(c, type, float_op(c, i, op, {widen_half(c, type, half)}));
  };
  c.write(i.operand(0), type.packed ? pack_halves(c, apply(element_of(c, x, 0)), apply(element_of(c, x, 1))) : apply(x),
          type);
}

// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 look at the high word only and leave the low word of the result zero.
ValueId high_word(Builder& b, ValueId value) {
  const ValueId bits = b.binary(Op::And, b.cast(value, Type::I64), b.constant(Type::I64, 0xffffffff00000000u));
  const ValueId exponent = b.binary(Op::And, bits, b.constant(Type::I64, 0x7ff0000000000000u));
  const ValueId small = b.icmp(ir::IntCompare::Eq, exponent, b.constant(Type::I64, 0));
  const ValueId zero = b.binary(Op::And, bits, b.constant(Type::I64, uint64_t{1} << 63));
  return b.cast(b.select(small, zero, bits), Type::F64);
}

bool is_high_word_form(const Instr& i) { return i.type().bits == 64 && i.has("approx") && i.has("ftz"); }

}  // namespace

ValueId float_op(Context& c, const Instr& i, Op op, std::vector<ValueId> args) {
  ir::Inst inst;
  inst.op = op;
  inst.type = c.b().type(args[0]);
  inst.rounding = i.rounding();
  inst.ftz = i.has("ftz") && inst.type == Type::F32;
  inst.args = std::move(args);
  return c.b().pure(std::move(inst));
}

ValueId flush(Context& c, ValueId value) {
  ir::Inst inst;
  inst.op = Op::FMul;
  inst.type = Type::F32;
  inst.ftz = true;
  inst.args = {value, one(c, kF32)};
  return c.b().pure(std::move(inst));
}

void lower_float_arithmetic(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  if (type.packed) return packed_arithmetic(c, i);
  std::vector<ValueId> args;
  for (size_t k = 1; k < i.operand_count(); ++k) args.push_back(c.value(i.operand(k), type));
  if (args.empty()) c.malformed(i.full_opcode() + " without operands");
  c.write(i.operand(0), saturate(c, i, scalar_arithmetic(c, i, args)), type);
}

void lower_Rcp(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  ValueId x = c.value(i.operand(1), type);
  if (is_high_word_form(i)) {
    const ValueId quotient = c.b().binary(Op::FDiv, one(c, type), high_word(c.b(), x));
    return c.write(i.operand(0), high_word(c.b(), quotient), type);
  }
  c.write(i.operand(0), float_op(c, i, Op::FDiv, {one(c, type), x}), type);
}

void lower_Rsqrt(Context& c, const Instr& i) {
  if (!is_high_word_form(i)) return function_of_one(c, i, Op::Rsqrt);
  const ValueId x = high_word(c.b(), c.value(i.operand(1), i.type()));
  c.write(i.operand(0), high_word(c.b(), c.b().unary(Op::Rsqrt, x)), i.type());
}

void lower_Sqrt(Context& c, const Instr& i) { function_of_one(c, i, Op::FSqrt); }
void lower_Sin(Context& c, const Instr& i) { function_of_one(c, i, Op::Sin); }
void lower_Cos(Context& c, const Instr& i) { function_of_one(c, i, Op::Cos); }
void lower_Lg2(Context& c, const Instr& i) { function_of_one(c, i, Op::Lg2); }
void lower_Ex2(Context& c, const Instr& i) { function_of_one(c, i, Op::Ex2); }
void lower_Tanh(Context& c, const Instr& i) { function_of_one(c, i, Op::Tanh); }

void lower_Copysign(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  c.write(i.operand(0), c.b().binary(Op::FCopysign, c.value(i.operand(1), type), c.value(i.operand(2), type)), type);
}

void lower_Testp(Context& c, const Instr& i) {
  struct Entry {
    std::string_view text;
    ir::FloatClass value;
  };
  static constexpr Entry kEntries[] = {
      {"finite", ir::FloatClass::Finite}, {"infinite", ir::FloatClass::Infinite},
      {"number", ir::FloatClass::Number}, {"notanumber", ir::FloatClass::NotANumber},
      {"normal", ir::FloatClass::Normal}, {"subnormal", ir::FloatClass::Subnormal},
  };
  for (const Entry& entry : kEntries)
    if (i.has(entry.text)) {
      const ValueId x = c.value(i.operand(1), i.type());
      return c.write(i.operand(0), c.b().pure(Op::TestP, Type::Pred, {x}, static_cast<uint64_t>(entry.value)), kPred);
    }
  c.unsupported(i);
}

}  // namespace warplens::lower
