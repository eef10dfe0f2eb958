// Floats and doubles.
#include "lift/families.h"

namespace warplens::lift {

using ir::FloatCompare;

namespace {

ValueId saturated(Lifter& l, ValueId v) { return l.has("SAT") ? l.b().unary(Op::FSat, v) : v; }

ValueId number(Lifter& l, double value) {
  const auto bits = __builtin_bit_cast(uint32_t, static_cast<float>(value));
  return l.b().constant(Type::F32, bits);
}

}  // namespace

void lift_FloatAdd(Lifter& l) {
  l.set(l.operand(0), saturated(l, l.float_op(Op::FAdd, {l.f32(l.operand(1)), l.f32(l.operand(2))})));
}

void lift_FloatMultiply(Lifter& l) {
  l.set(l.operand(0), saturated(l, l.float_op(Op::FMul, {l.f32(l.operand(1)), l.f32(l.operand(2))})));
}

void lift_FloatFma(Lifter& l) {
  const auto x = l.f32(l.operand(1)), y = l.f32(l.operand(2)), z = l.f32(l.operand(3));
  l.set(l.operand(0), saturated(l, l.float_op(Op::FFma, {x, y, z})));
}

void lift_FloatMinMax(Lifter& l) {
  const ValueId x = l.f32(l.operand(1)), y = l.f32(l.operand(2));
  const bool nan = l.has("NAN");
  if (l.has("XORSIGN")) {
    if (!l.operand(1).absolute || !l.operand(2).absolute) l.refuse_form();
    Operand a = l.operand(1), b = l.operand(2);
    a.absolute = b.absolute = false;
    const ValueId va = l.f32(a), vb = l.f32(b);
    const auto one = [&](const char* name) {
      l.ptx(std::string(name) + (l.has("FTZ") ? ".ftz" : "") + (nan ? ".NaN" : "") + ".xorsign.abs.f32 %f0, %f1, %f2;",
            {{"%f1", va}, {"%f2", vb}});
      return l.ptx_result("%f0");
    };
    const ValueId least = one("min"), most = one("max");
    return l.set(l.operand(0), l.b().select(l.predicate(l.operand(3)), least, most));
  }
  const ValueId least = l.float_op(nan ? Op::FMinNan : Op::FMin, {x, y});
  const ValueId most = l.float_op(nan ? Op::FMaxNan : Op::FMax, {x, y});
  l.set(l.operand(0), l.b().select(l.predicate(l.operand(3)), least, most));
}

namespace {

// An operand that is only passed on: sign and magnitude are bits, also of a NaN.
ValueId float_bits(Lifter& l, const Operand& o) {
  ValueId bits = l.raw(o);
  if (o.absolute) bits = l.binary(Op::And, bits, l.k32(0x7fffffff));
  if (o.negated) bits = l.binary(Op::Xor, bits, l.k32(0x80000000));
  return bits;
}

}  // namespace

void lift_FloatChoose(Lifter& l) {
  ValueId x = float_bits(l, l.operand(1)), y = float_bits(l, l.operand(2));
  ValueId result = l.b().select(l.predicate(l.operand(3)), x, y);
  if (l.has("FTZ")) {
    const ValueId as_float = l.b().cast(result, Type::F32);
    const ValueId tiny =
        l.b().pure(Op::TestP, Type::Pred, {as_float}, static_cast<uint64_t>(ir::FloatClass::Subnormal));
    result = l.b().select(tiny, l.binary(Op::And, result, l.k32(0x80000000)), result);
  }
  l.set(l.operand(0), result);
}

namespace {

FloatCompare comparison(Lifter& l) {
  static constexpr std::pair<const char*, FloatCompare> kNames[] = {
      {"EQ", FloatCompare::Eq},   {"NE", FloatCompare::Ne},   {"LT", FloatCompare::Lt},   {"LE", FloatCompare::Le},
      {"GT", FloatCompare::Gt},   {"GE", FloatCompare::Ge},   {"EQU", FloatCompare::Equ}, {"NEU", FloatCompare::Neu},
      {"LTU", FloatCompare::Ltu}, {"LEU", FloatCompare::Leu}, {"GTU", FloatCompare::Gtu}, {"GEU", FloatCompare::Geu},
      {"NUM", FloatCompare::Num}, {"NAN", FloatCompare::Nan}};
  for (const auto& [name, how] : kNames)
    if (l.has(name)) return how;
  l.refuse_form();
}

ValueId compared(Lifter& l, ValueId x, ValueId y) {
  if (l.has("T") || l.has("F")) return l.b().constant(Type::Pred, l.has("T"));
  ir::Inst inst;
  inst.op = Op::FCmp;
  inst.type = Type::Pred;
  inst.ftz = l.has("FTZ");
  inst.imm = static_cast<uint64_t>(comparison(l));
  inst.args = {x, y};
  return l.b().pure(std::move(inst));
}

}  // namespace

void lift_CompareFloats(Lifter& l) {
  set_comparison(l, compared(l, l.f32(l.operand(2)), l.f32(l.operand(3))), l.operand(4));
}
// DSETP.MIN p, q, x, y: is x the smaller one, and are both no numbers? .MAX: the larger one.
static void smaller_double(Lifter& l) {
  const ValueId x = l.f64(l.operand(2)), y = l.f64(l.operand(3));
  const auto test = [&](FloatCompare how, ValueId a, ValueId b) {
    return l.b().pure(Op::FCmp, Type::Pred, {a, b}, static_cast<uint64_t>(how));
  };
  const bool least = l.has("MIN");
  const ValueId sign = l.compare(ir::IntCompare::LtS, l.b().cast(x, Type::I64), l.k64(0));
  const ValueId zero = l.binary(Op::And, test(FloatCompare::Eq, x, y), least ? sign : l.b().unary(Op::Not, sign));
  const ValueId y_is_none = test(FloatCompare::Nan, y, y), x_is_none = test(FloatCompare::Nan, x, x);
  ValueId first = l.binary(Op::Or, test(least ? FloatCompare::Lt : FloatCompare::Gt, x, y), zero);
  first = l.binary(Op::Or, first, y_is_none);
  l.set_predicate(l.operand(0), first);
  l.set_predicate(l.operand(1), l.binary(Op::And, x_is_none, y_is_none));
}

void lift_CompareDoubles(Lifter& l) {
  if (l.has("MIN") || l.has("MAX")) return smaller_double(l);
  set_comparison(l, compared(l, l.f64(l.operand(2)), l.f64(l.operand(3))), l.operand(4));
}

// FSET.BF d, x, y, p: 1.0 or 0; without .BF all ones or 0.
void lift_CompareFloatsToNumber(Lifter& l) {
  const ValueId result = compared(l, l.f32(l.operand(1)), l.f32(l.operand(2))), p = l.predicate(l.operand(3));
  const ValueId both = l.binary(combination(l), result, p);
  l.set(l.operand(0), l.b().select(both, l.k32(l.has("BF") ? 0x3f800000 : 0xffffffff), l.k32(0)));
}

// FCHK p, x, y: whether x / y needs the slow way, where a quotient by Newton steps could overflow, underflow or lose
// bits on the way: exponents at the ends, or too far from each other. Being too careful costs no accuracy.
void lift_CheckDivision(Lifter& l) {
  const auto exponent = [&](const Operand& o) {
    return l.binary(Op::And, l.binary(Op::ShrU, l.raw(o), l.k32(23)), l.k32(0xff));
  };
  const ValueId x = exponent(l.operand(1)), y = exponent(l.operand(2));
  const auto outside = [&](ValueId e, uint64_t least, uint64_t most) {
    return l.compare(ir::IntCompare::GtU, l.binary(Op::Sub, e, l.k32(least)), l.k32(most - least));
  };
  const ValueId apart = l.binary(Op::Add, l.binary(Op::Sub, x, y), l.k32(127));  // the quotient's exponent
  ValueId slow = outside(y, 1, 252);
  slow = l.binary(Op::Or, slow, outside(x, 24, 254));
  slow = l.binary(Op::Or, slow, outside(apart, 3, 252));
  l.set_predicate(l.operand(0), slow);
}

// MUFU works without subnormals, of float inputs; .RCP64H and .RSQ64H on the upper word of a double.
void lift_Transcendental(Lifter& l) {
  lower::Builder& b = l.b();
  const auto op = [&](Op o, std::vector<ValueId> args, bool ftz = true) {
    ir::Inst inst;
    inst.op = o;
    inst.type = b.type(args[0]);
    inst.ftz = ftz;
    inst.args = std::move(args);
    return b.pure(std::move(inst));
  };
  if (l.has("RCP64H") || l.has("RSQ64H")) {
    ValueId high = l.raw(l.operand(1));
    if (l.operand(1).absolute) high = l.binary(Op::And, high, l.k32(0x7fffffff));
    if (l.operand(1).negated) high = l.binary(Op::Xor, high, l.k32(0x80000000));
    const ValueId x = b.cast(l.join(l.k32(0), high), Type::F64);
    const ValueId one = b.constant(Type::F64, 0x3ff0000000000000);
    const ValueId result =
        l.has("RCP64H") ? op(Op::FDiv, {one, x}, false) : op(Op::FDiv, {one, op(Op::FSqrt, {x}, false)}, false);
    return l.set(l.operand(0), l.high(b.cast(result, Type::I64)));
  }
  const ValueId x = l.f32(l.operand(1));
  ValueId result;
  if (l.has("RCP")) {
    result = op(Op::FDiv, {number(l, 1), x});
  } else if (l.has("RSQ")) {
    result = op(Op::Rsqrt, {x});
  } else if (l.has("SQRT")) {
    result = op(Op::FSqrt, {x});
  } else if (l.has("EX2")) {
    result = op(Op::Ex2, {x});
  } else if (l.has("LG2")) {
    result = op(Op::Lg2, {x});
  } else if (l.has("TANH")) {
    result = op(Op::Tanh, {x}, false);
  } else if (l.has("SIN") || l.has("COS")) {
    // The argument is in turns: what is whole of it does not matter.
    const ValueId whole = op(Op::FRound, {x}, false);
    const ValueId angle = op(Op::FMul, {op(Op::FSub, {x, whole}, false), number(l, 6.283185307179586)}, false);
    result = op(l.has("SIN") ? Op::Sin : Op::Cos, {angle}, false);
  } else {
    l.refuse_form();
  }
  l.set(l.operand(0), saturated(l, result));
}

void lift_DoubleAdd(Lifter& l) {
  // -0 + -x and -0 + |x| are how ptxas changes a sign: neg.f64 and abs.f64, whose NaNs an H200 hands on as they do.
  const Operand &zero = l.operand(1), &x = l.operand(2);
  if (zero.kind == Operand::Kind::Register && zero.number == sass::kRZ && zero.negated && (x.negated || x.absolute)) {
    Operand plain = x;
    plain.negated = plain.absolute = false;
    ValueId value = l.f64(plain);
    if (x.absolute) value = l.b().unary(Op::FAbs, value);
    if (x.negated) value = l.b().unary(Op::FNeg, value);
    (void)l.rounding();
    return l.set_wide(l.operand(0), value);
  }
  l.set_wide(l.operand(0), l.float_op(Op::FAdd, {l.f64(l.operand(1)), l.f64(l.operand(2))}));
}
void lift_DoubleMultiply(Lifter& l) {
  l.set_wide(l.operand(0), l.float_op(Op::FMul, {l.f64(l.operand(1)), l.f64(l.operand(2))}));
}
void lift_DoubleFma(Lifter& l) {
  const auto x = l.f64(l.operand(1)), y = l.f64(l.operand(2)), z = l.f64(l.operand(3));
  l.set_wide(l.operand(0), l.float_op(Op::FFma, {x, y, z}));
}
void lift_DoubleMinMax(Lifter& l) {
  const ValueId x = l.f64(l.operand(1)), y = l.f64(l.operand(2));
  const ValueId least = l.float_op(Op::FMin, {x, y}), most = l.float_op(Op::FMax, {x, y});
  l.set_wide(l.operand(0), l.b().select(l.predicate(l.operand(3)), least, most));
}

}  // namespace warplens::lift
