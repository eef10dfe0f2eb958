// Halves, in pairs: what PTX's f16x2 and bf16x2 instructions do, with the choice of halves that machine code adds.
#include <algorithm>

#include "lift/families.h"

namespace warplens::lift {

using Kind = Operand::Kind;

namespace {

// A pair of halves, as the suffix of the operand chooses them; of an operand without one, as they are.
ValueId pair(Lifter& l, const Operand& o) {
  ValueId v = l.raw(o);
  if (o.has("F32")) l.refuse_form();
  const auto both = [&](ValueId half) { return l.binary(Op::Or, half, l.binary(Op::Shl, half, l.k32(16))); };
  if (o.has("H0_H0")) v = both(l.binary(Op::And, v, l.k32(0xffff)));
  if (o.has("H1_H1")) v = both(l.binary(Op::ShrU, v, l.k32(16)));
  if (o.has("H1_H0_XCHG") || o.has("H1_H0")) l.refuse_form();
  if (o.absolute) v = l.binary(Op::And, v, l.k32(0x7fff7fff));
  if (o.negated) v = l.binary(Op::Xor, v, l.k32(0x80008000));
  return v;
}

std::string modifiers(Lifter& l) {
  std::string out = ".rn";
  const bool brain = l.has("BF16_V2");
  if (l.has("FTZ") && !brain) out += ".ftz";
  if (l.has("SAT")) out += ".sat";
  if (l.has("RELU")) out += ".relu";
  return out;
}

const char* type(Lifter& l) { return l.has("BF16_V2") ? ".bf16x2" : ".f16x2"; }

bool is_zero(Lifter& l, const Operand& o) {
  uint64_t bits = 1;
  return o.kind != Kind::Predicate && l.b().is_constant(l.raw(o), &bits) && (bits & 0x7fff7fff) == 0;
}

// HADD2.F32 d, -RZ, x.H0_H0: one half as a float.
void to_float(Lifter& l) {
  const Operand& o = l.operand(2);
  if (!is_zero(l, l.operand(1))) l.refuse_form();
  ValueId v = l.raw(o);
  if (o.has("H1_H1")) v = l.binary(Op::ShrU, v, l.k32(16));
  ValueId wide = l.b().pure(Op::F16ToF32, Type::F32, {l.b().cast(v, Type::I16)});
  if (o.absolute) wide = l.b().unary(Op::FAbs, wide);
  if (o.negated) wide = l.b().unary(Op::FNeg, wide);
  l.set(l.operand(0), wide);
}

}  // namespace

void lift_HalfAdd(Lifter& l) {
  if (l.has("F32")) return to_float(l);
  l.ptx("add" + modifiers(l) + type(l) + " %r0, %r1, %r2;",
        {{"%r1", pair(l, l.operand(1))}, {"%r2", pair(l, l.operand(2))}});
  l.set(l.operand(0), l.ptx_result("%r0"));
}

void lift_HalfMultiply(Lifter& l) {
  l.ptx("mul" + modifiers(l) + type(l) + " %r0, %r1, %r2;",
        {{"%r1", pair(l, l.operand(1))}, {"%r2", pair(l, l.operand(2))}});
  l.set(l.operand(0), l.ptx_result("%r0"));
}

// With a product of zeros it is how ptxas moves a constant through another pipe.
void lift_HalfFma(Lifter& l) {
  if (is_zero(l, l.operand(1)) && is_zero(l, l.operand(2)) && l.operand(3).kind == Kind::Immediate)
    return l.set(l.operand(0), l.raw(l.operand(3)));
  l.ptx("fma" + modifiers(l) + (l.has("OOB") ? ".oob" : "") + type(l) + " %r0, %r1, %r2, %r3;",
        {{"%r1", pair(l, l.operand(1))}, {"%r2", pair(l, l.operand(2))}, {"%r3", pair(l, l.operand(3))}});
  l.set(l.operand(0), l.ptx_result("%r0"));
}

namespace {

// setp of the pairs in operands k and k + 1: the lower halves decide %p0, the upper ones %p1.
void compare_pairs(Lifter& l, size_t k) {
  static constexpr const char* kNames[] = {"EQU", "NEU", "LTU", "LEU", "GTU", "GEU", "EQ",
                                           "NE",  "LT",  "LE",  "GT",  "GE",  "NUM", "NAN"};
  const auto found = std::find_if(std::begin(kNames), std::end(kNames), [&](const char* name) { return l.has(name); });
  if (found == std::end(kNames)) l.refuse_form();
  std::string how = *found;
  for (char& letter : how) letter = static_cast<char>(letter | 32);
  const bool brain = l.has("BF16_V2");
  const std::string ftz = l.has("FTZ") && !brain ? ".ftz" : "";
  l.ptx("setp." + how + ftz + type(l) + " %p0|%p1, %r1, %r2;",
        {{"%r1", pair(l, l.operand(k))}, {"%r2", pair(l, l.operand(k + 1))}});
}

}  // namespace

// HSETP2.cmp.bool p, q, x, y, r: the lower halves decide p, the upper ones q; with .H_AND both must hold.
void lift_CompareHalves(Lifter& l) {
  compare_pairs(l, 2);
  const ValueId with = l.predicate(l.operand(4));
  const Op op = combination(l);
  ValueId low = l.ptx_result("%p0"), high = l.ptx_result("%p1");
  if (l.has("H_AND")) {
    low = l.binary(Op::And, low, high);
    high = l.b().unary(Op::Not, low);
  }
  l.set_predicate(l.operand(0), l.binary(op, low, with));
  l.set_predicate(l.operand(1), l.binary(op, high, with));
}

// HSET2.BF.cmp.bool d, x, y, p: 1.0 or 0 in each half; without .BF all ones or 0.
void lift_CompareHalvesToNumbers(Lifter& l) {
  compare_pairs(l, 1);
  const ValueId with = l.predicate(l.operand(3));
  const Op op = combination(l);
  const uint64_t one = !l.has("BF") ? 0xffff : l.has("BF16_V2") ? 0x3f80 : 0x3c00;
  const auto half = [&](const char* name, unsigned shift) {
    return l.b().select(l.binary(op, l.ptx_result(name), with), l.k32(one << shift), l.k32(0));
  };
  l.set(l.operand(0), l.binary(Op::Or, half("%p0", 0), half("%p1", 16)));
}

void lift_HalfMinMax(Lifter& l) {
  const std::string nan = l.has("NAN") ? ".NaN" : "", ftz = l.has("FTZ") ? ".ftz" : "";
  Operand a = l.operand(1), b = l.operand(2);
  const bool signs = l.has("XORSIGN");
  if (signs && (!a.absolute || !b.absolute)) l.refuse_form();
  if (signs) a.absolute = b.absolute = false;
  const ValueId x = pair(l, a), y = pair(l, b);
  const auto one = [&](const char* name) {
    l.ptx(name + ftz + nan + (signs ? ".xorsign.abs" : "") + type(l) + " %r0, %r1, %r2;", {{"%r1", x}, {"%r2", y}});
    return l.ptx_result("%r0");
  };
  const ValueId least = one("min"), most = one("max");
  l.set(l.operand(0), l.b().select(l.predicate(l.operand(3)), least, most));
}

}  // namespace warplens::lift
