// Integer arithmetic.
//
// Sums of 64 bits come as two instructions, the upper one with the carry of the lower one. They are put together
// again, so that an address is one value with one lane pattern: the lower instruction leaves its terms with its carry
// predicate (Lifter::Sum), and the upper one adds pairs.
#include "lift/families.h"

namespace warplens::lift {
namespace {

using ir::IntCompare;
using Kind = Operand::Kind;

bool is_predicate(const Operand& o) { return o.kind == Kind::Predicate || o.kind == Kind::UniformPredicate; }

// How many predicates follow operand `first`.
size_t predicates_from(Lifter& l, size_t first) {
  size_t n = 0;
  while (first + n < l.operands() && is_predicate(l.operand(first + n))) n++;
  return n;
}

// The carry out of a sum of words, and what an instruction for the upper words needs.
void set_carry(Lifter& l, const Operand& to, const Lifter::Sum& sum) {
  if (to.number == sass::kPT) return;
  lower::Builder& b = l.b();
  // Carry of x + y + z: bits 32 and up of the sum, as one carry (ptxas gives two terms at most with one predicate).
  ValueId total = l.k64(0);
  for (const auto& [term, minus] : sum.terms) {
    ValueId wide = b.pure(Op::ZExt, Type::I64, {term});
    if (minus) {
      // a - b is a + ~b + 1: no borrow gives a carry.
      wide = b.pure(Op::ZExt, Type::I64, {b.unary(Op::Not, term)});
      total = l.binary(Op::Add, total, l.k64(1));
    }
    total = l.binary(Op::Add, total, wide);
  }
  const ValueId over = l.compare(IntCompare::Ne, l.binary(Op::ShrU, total, l.k32(32)), l.k64(0));
  l.set_predicate(to, over);
  l.remember_carry(to, sum);
}

// A term of the upper sum and its lower word, as one value.
struct Term {
  ValueId upper;
  bool minus;
};

// Upper word of lower terms + (upper terms << 32): as one sum of 64 bits where the terms pair up, else by the carries.
ValueId upper_sum(Lifter& l, const Lifter::Sum& low, std::vector<Term> upper) {
  ValueId total = ir::kNone;
  for (const auto& [term, minus] : low.terms) {
    // The upper word that joins best: one that makes a value known before.
    size_t best = upper.size();
    for (size_t k = 0; k < upper.size(); ++k) {
      if (upper[k].minus != minus) continue;
      if (best == upper.size()) best = k;
      const Op op = l.b().inst(l.join(term, upper[k].upper)).op;
      if (op != Op::Or) {
        best = k;
        break;
      }
    }
    ValueId pair;
    if (best < upper.size()) {
      pair = l.join(term, upper[best].upper);
      upper.erase(upper.begin() + static_cast<ptrdiff_t>(best));
    } else {
      pair = l.b().pure(Op::ZExt, Type::I64, {term});
    }
    if (total == ir::kNone)
      total = minus ? l.binary(Op::Sub, l.k64(0), pair) : pair;
    else
      total = l.binary(minus ? Op::Sub : Op::Add, total, pair);
  }
  for (const Term& left : upper) {
    const ValueId high = l.binary(Op::Shl, l.b().pure(Op::ZExt, Type::I64, {left.upper}), l.k32(32));
    total = l.binary(left.minus ? Op::Sub : Op::Add, total, high);
  }
  return total;
}

ValueId product(Lifter& l, ValueId x, ValueId y, bool is_signed) {
  const Op extend = is_signed ? Op::SExt : Op::ZExt;
  return l.binary(Op::Mul, l.b().pure(extend, Type::I64, {x}), l.b().pure(extend, Type::I64, {y}));
}

bool is_one(Lifter& l, ValueId v) {
  uint64_t bits = 0;
  return l.b().is_constant(v, &bits) && bits == 1;
}

}  // namespace

// IADD3 d, [carry out, carry out,] x, y, z;  IADD3.X d, [..] x, y, z, carry in, carry in
void lift_Add3(Lifter& l) {
  const size_t outs = predicates_from(l, 1), first = 1 + outs;
  const Operand *x = &l.operand(first), *y = &l.operand(first + 1), *z = &l.operand(first + 2);
  if (l.has("64")) {
    l.set_wide(l.operand(0), l.binary(Op::Add, l.binary(Op::Add, l.wide(*x), l.wide(*y)), l.wide(*z)));
    return;
  }
  if (!l.has("X")) {
    Lifter::Sum sum;
    ValueId total = l.k32(0);
    for (const Operand* o : {x, y, z}) {
      if (o->inverted || o->absolute) l.refuse_form();
      Operand plain = *o;
      plain.negated = false;
      const ValueId term = l.word(plain);
      uint64_t bits = 1;
      if (l.b().is_constant(term, &bits) && bits == 0 && !o->negated) continue;
      sum.terms.emplace_back(term, o->negated);
      total = l.binary(o->negated ? Op::Sub : Op::Add, total, term);
    }
    if (sum.terms.size() > 1 && sum.terms[0].second && !sum.terms[1].second) {
      std::swap(sum.terms[0], sum.terms[1]);  // b - a rather than 0 - a + b
      total = l.k32(0);
      for (const auto& [term, minus] : sum.terms) total = l.binary(minus ? Op::Sub : Op::Add, total, term);
    }
    sum.low = total;
    for (size_t k = 0; k < outs; ++k) {
      if (l.operand(1 + k).number == sass::kPT) continue;
      if (k == 0 && outs > 1 && l.operand(2).number != sass::kPT && sum.terms.size() == 3) {
        // Two carries, of which each counts one: of the first two terms, and of their sum and the third.
        for (const auto& [term, minus] : sum.terms)
          if (minus) l.refuse_form();
        const ValueId first = l.binary(Op::Add, sum.terms[0].first, sum.terms[1].first);
        l.set_predicate(l.operand(1), l.compare(IntCompare::LtU, first, sum.terms[0].first));
        l.set_predicate(l.operand(2), l.compare(IntCompare::LtU, total, first));
        break;
      }
      if (k == 1) {
        l.set_predicate(l.operand(2), l.b().constant(Type::Pred, 0));
        break;
      }
      set_carry(l, l.operand(1 + k), sum);
    }
    l.set(l.operand(0), total);
    return;
  }
  if (first + 3 >= l.operands()) l.refuse_form();
  const Operand& in = l.operand(first + 3);
  // A second carry; "!PT" is none.
  const Operand* second = first + 4 < l.operands() ? &l.operand(first + 4) : nullptr;
  if (second && second->number == sass::kPT && second->negated) second = nullptr;
  const Lifter::Sum* low = second ? nullptr : l.carry(in);
  if (low && outs == 0) {
    std::vector<Term> upper;
    bool fits = true;
    size_t minuses = 0;
    for (const auto& [term, minus] : low->terms) minuses += minus;
    for (const Operand* o : {x, y, z}) {
      if (o->negated || o->absolute) fits = false;
      if (o->number == sass::kRZ && (o->kind == Kind::Register || o->kind == Kind::Uniform) && !o->inverted) continue;
      Operand plain = *o;
      plain.inverted = false;
      upper.push_back({l.word(plain), o->inverted});
      if (o->inverted) {
        if (minuses == 0)
          fits = false;
        else
          minuses--;
      }
    }
    if (fits && minuses == 0) {
      const ValueId whole = upper_sum(l, *low, std::move(upper));
      const ValueId high = l.high(whole);
      l.remember_pair(low->low, high, whole);
      l.set(l.operand(0), high);
      return;
    }
  }
  ValueId total = l.carry_of(in);
  if (second) total = l.binary(Op::Add, total, l.carry_of(*second));
  const ValueId carries = total;
  for (const Operand* o : {x, y, z}) total = l.binary(Op::Add, total, l.word(*o));
  if (outs > 0 && l.operand(1).number != sass::kPT) {
    // The carry of a carry: by 64 bits.
    ValueId wide = l.b().pure(Op::ZExt, Type::I64, {carries});
    for (const Operand* o : {x, y, z}) wide = l.binary(Op::Add, wide, l.b().pure(Op::ZExt, Type::I64, {l.word(*o)}));
    l.set_predicate(l.operand(1), l.compare(IntCompare::Ne, l.binary(Op::ShrU, wide, l.k32(32)), l.k64(0)));
  }
  l.set(l.operand(0), total);
}

void lift_Add(Lifter& l) {
  if (l.has("64")) return l.set_wide(l.operand(0), l.binary(Op::Add, l.wide(l.operand(1)), l.wide(l.operand(2))));
  l.set(l.operand(0), l.binary(Op::Add, l.word(l.operand(1)), l.word(l.operand(2))));
}

// IMAD: x * y + z, of 32 bits, .WIDE of 64, .HI the upper word of that.
void lift_MultiplyAdd(Lifter& l) {
  const size_t outs = predicates_from(l, 1), first = 1 + outs;
  const Operand &x = l.operand(first), &y = l.operand(first + 1), &z = l.operand(first + 2);
  const bool is_signed = !l.has("U32");
  if (l.has("WIDE") || l.has("HI")) {
    const ValueId p = product(l, l.word(x), l.word(y), is_signed);
    ValueId total = z.number == sass::kRZ && z.kind != Kind::Constant ? p : l.binary(Op::Add, p, l.wide(z));
    if (l.has("X")) {
      if (outs > 0 && l.operand(1).number != sass::kPT) l.refuse_form();
      total = l.binary(Op::Add, total, l.b().pure(Op::ZExt, Type::I64, {l.carry_of(l.operand(first + 3))}));
    }
    if (outs > 0 && l.operand(1).number != sass::kPT)
      l.set_predicate(l.operand(1), l.compare(IntCompare::LtU, total, p));
    if (l.has("WIDE")) return l.set_wide(l.operand(0), total);
    return l.set(l.operand(0), l.high(total));
  }
  ValueId p;
  uint64_t factor = 0;
  const ValueId vx = l.word(x), vy = l.word(y);
  if (l.b().is_constant(vy, &factor) && factor > 1 && (factor & (factor - 1)) == 0 && factor <= 0x80000000u)
    p = l.binary(Op::Shl, vx, l.k32(static_cast<uint64_t>(__builtin_ctzll(factor))));
  else
    p = is_one(l, vx) ? vy : l.binary(Op::Mul, vx, vy);
  if (!l.has("X")) return l.set(l.operand(0), l.binary(Op::Add, p, l.word(z)));
  const Operand& in = l.operand(first + 3);
  if (const Lifter::Sum* low = l.carry(in); low && !z.inverted && !z.negated) {
    bool adds = true;
    for (const auto& [term, minus] : low->terms) adds &= !minus;
    if (adds) {
      std::vector<Term> upper;
      uint64_t zero = 1;
      if (!(l.b().is_constant(p, &zero) && zero == 0)) upper.push_back({p, false});
      upper.push_back({l.word(z), false});
      const ValueId whole = upper_sum(l, *low, std::move(upper)), high = l.high(whole);
      l.remember_pair(low->low, high, whole);
      return l.set(l.operand(0), high);
    }
  }
  l.set(l.operand(0), l.binary(Op::Add, l.binary(Op::Add, p, l.word(z)), l.carry_of(in)));
}

// LEA d, [carry,] x, y, n: (x << n) + y.  LEA.HI d, x, y, w, n: upper word of (w:x << n), + y.  .SX32: w is x's sign.
void lift_ShiftAdd(Lifter& l) {
  const size_t outs = predicates_from(l, 1), first = 1 + outs;
  const Operand &x = l.operand(first), &y = l.operand(first + 1);
  if (!l.has("HI")) {
    const ValueId n = l.word(l.operand(first + 2));
    const ValueId shifted = l.binary(Op::Shl, l.word(x), n);
    const ValueId total = l.binary(Op::Add, shifted, l.word(y));
    if (outs > 0 && l.operand(1).number != sass::kPT) {
      Lifter::Sum sum;
      sum.low = total;
      if (y.negated || y.inverted) l.refuse_form();
      sum.terms = {{shifted, false}, {l.word(y), false}};
      sum.source = l.word(x);
      uint64_t by = 0;
      if (!l.b().is_constant(n, &by)) l.refuse_form();
      sum.shift = static_cast<unsigned>(by);
      set_carry(l, l.operand(1), sum);
    }
    return l.set(l.operand(0), total);
  }
  const bool sign = l.has("SX32");
  const Operand& n_operand = l.operand(first + (sign ? 2 : 3));
  const ValueId n = l.word(n_operand);
  ValueId v;
  if (sign) {
    v = l.b().pure(Op::SExt, Type::I64, {l.word(x)});
  } else {
    v = l.join(l.word(x), l.word(l.operand(first + 2)));
  }
  const ValueId shifted = l.binary(Op::Shl, v, n);
  if (l.has("X")) {
    const Operand& in = l.operand(first + (sign ? 3 : 4));
    const Lifter::Sum* low = l.carry(in);
    uint64_t by = 0;
    if (low && low->source != ir::kNone && low->terms.size() == 2 && l.b().is_constant(n, &by) && by == low->shift &&
        l.b().resolve(low->source) == l.b().resolve(l.word(x)) && !y.negated && !y.inverted) {
      const ValueId whole = l.binary(Op::Add, shifted, l.join(low->terms[1].first, l.word(y)));
      const ValueId high = l.high(whole);
      l.remember_pair(low->low, high, whole);
      return l.set(l.operand(0), high);
    }
    return l.set(l.operand(0), l.binary(Op::Add, l.binary(Op::Add, l.high(shifted), l.word(y)), l.carry_of(in)));
  }
  l.set(l.operand(0), l.binary(Op::Add, l.high(shifted), l.word(y)));
}

namespace {

IntCompare comparison(Lifter& l, bool is_signed, bool strict) {
  if (l.has("EQ")) return IntCompare::Eq;
  if (l.has("NE")) return IntCompare::Ne;
  if (l.has("LT") || (strict && l.has("LE"))) return is_signed ? IntCompare::LtS : IntCompare::LtU;
  if (l.has("GT") || (strict && l.has("GE"))) return is_signed ? IntCompare::GtS : IntCompare::GtU;
  if (l.has("LE")) return is_signed ? IntCompare::LeS : IntCompare::LeU;
  if (l.has("GE")) return is_signed ? IntCompare::GeS : IntCompare::GeU;
  l.refuse_form();
}

}  // namespace

Op combination(Lifter& l) { return l.has("OR") ? Op::Or : l.has("XOR") ? Op::Xor : Op::And; }

// Both results of a comparison: with the third predicate, and its opposite with it.
void set_comparison(Lifter& l, ValueId result, const Operand& with) {
  const ValueId other = l.predicate(with);
  const Op op = combination(l);
  const ValueId first = l.binary(op, result, other);
  const ValueId second =
      l.operand(1).number == sass::kPT ? ir::kNone : l.binary(op, l.b().unary(Op::Not, result), other);
  l.set_predicate(l.operand(0), first);
  if (second != ir::kNone) l.set_predicate(l.operand(1), second);
}

// ISETP p, q, x, y, r [, lower]: .EX compares upper words, `lower` says how the lower ones compared.
void lift_CompareIntegers(Lifter& l) {
  const bool is_signed = !l.has("U32") && !l.has("U64");
  const ValueId x = l.has("64") || l.has("U64") ? l.wide(l.operand(2)) : l.word(l.operand(2));
  const ValueId y = l.has("64") || l.has("U64") ? l.wide(l.operand(3)) : l.word(l.operand(3));
  ValueId result;
  if (!l.has("EX")) {
    if (l.has("T") || l.has("F"))
      result = l.b().constant(Type::Pred, l.has("T"));
    else
      result = l.compare(comparison(l, is_signed, false), x, y);
  } else {
    const ValueId lower = l.predicate(l.operand(5)), equal = l.compare(IntCompare::Eq, x, y);
    if (l.has("NE"))
      result = l.binary(Op::Or, l.b().unary(Op::Not, equal), lower);
    else if (l.has("EQ"))
      result = l.binary(Op::And, equal, lower);
    else
      result = l.binary(Op::Or, l.compare(comparison(l, is_signed, true), x, y), l.binary(Op::And, equal, lower));
  }
  set_comparison(l, result, l.operand(4));
}

// The predicate says whether it is the smaller one.
void lift_MinMax(Lifter& l) {
  for (const auto& [pair, word] : {std::pair{"S16x2", ".s16x2"}, std::pair{"U16x2", ".u16x2"}}) {
    if (!l.has(pair)) continue;
    const ValueId x = l.word(l.operand(1)), y = l.word(l.operand(2));
    const auto one = [&](const char* name) {
      l.ptx(std::string(name) + word + " %r0, %r1, %r2;", {{"%r1", x}, {"%r2", y}});
      return l.ptx_result("%r0");
    };
    const ValueId least = one("min"), most = one("max");
    return l.set(l.operand(0), l.b().select(l.predicate(l.operand(3)), least, most));
  }
  const bool is_signed = !l.has("U32");
  const size_t last = l.operands() - 1;
  if (!is_predicate(l.operand(last)) || last != 3) l.refuse_form();
  const ValueId x = l.word(l.operand(1)), y = l.word(l.operand(2));
  const ValueId least = l.binary(is_signed ? Op::MinS : Op::MinU, x, y);
  const ValueId most = l.binary(is_signed ? Op::MaxS : Op::MaxU, x, y);
  ValueId result = l.b().select(l.predicate(l.operand(3)), least, most);
  if (l.has("RELU")) result = l.binary(Op::MaxS, result, l.k32(0));
  l.set(l.operand(0), result);
}

// VIADDMNMX d, x, y, z, p: x + y, then the smaller or larger of that and z.
void lift_AddMinMax(Lifter& l) {
  if (l.operands() != 5) l.refuse_form();
  const bool is_signed = !l.has("U32");
  const ValueId sum = l.binary(Op::Add, l.word(l.operand(1)), l.word(l.operand(2))), z = l.word(l.operand(3));
  const ValueId least = l.binary(is_signed ? Op::MinS : Op::MinU, sum, z);
  const ValueId most = l.binary(is_signed ? Op::MaxS : Op::MaxU, sum, z);
  ValueId result = l.b().select(l.predicate(l.operand(4)), least, most);
  if (l.has("RELU")) result = l.binary(Op::MaxS, result, l.k32(0));
  l.set(l.operand(0), result);
}

void lift_Absolute(Lifter& l) {
  const ValueId x = l.word(l.operand(1));
  l.set(l.operand(0), l.binary(Op::MaxS, x, l.binary(Op::Sub, l.k32(0), x)));
}

// VABSDIFF d, x, y, z: |x - y| + z
void lift_AbsoluteDifference(Lifter& l) {
  const ValueId x = l.word(l.operand(1)), y = l.word(l.operand(2));
  const ValueId more = l.compare(l.has("U32") ? IntCompare::GtU : IntCompare::GtS, x, y);
  const ValueId distance = l.b().select(more, l.binary(Op::Sub, x, y), l.binary(Op::Sub, y, x));
  l.set(l.operand(0), l.binary(Op::Add, distance, l.word(l.operand(3))));
}

void lift_CountOnes(Lifter& l) { l.set(l.operand(0), l.b().pure(Op::Popc, Type::I32, {l.word(l.operand(1))})); }

// The position of the highest one (of a negative number: zero), or from above with .SH; none: all ones.
void lift_FindLeadingOne(Lifter& l) {
  const size_t outs = predicates_from(l, 1);
  ValueId x = l.word(l.operand(1 + outs));
  if (!l.has("U32")) {
    const ValueId negative = l.compare(IntCompare::LtS, x, l.k32(0));
    x = l.b().select(negative, l.b().unary(Op::Not, x), x);
  }
  const ValueId from_above = l.b().pure(Op::Clz, Type::I32, {x});
  const ValueId none = l.compare(IntCompare::Eq, x, l.k32(0));
  const ValueId position = l.has("SH") ? from_above : l.binary(Op::Sub, l.k32(31), from_above);
  if (outs) l.set_predicate(l.operand(1), l.b().unary(Op::Not, none));
  l.set(l.operand(0), l.b().select(none, l.k32(0xffffffff), position));
}

void lift_Reverse(Lifter& l) { l.set(l.operand(0), l.b().pure(Op::Brev, Type::I32, {l.word(l.operand(1))})); }

// IDP.4A.S8.U8, IDP.2A.LO.S16.S8: products of bytes (2A: halves of x with two bytes of y) added to z.
void lift_DotProduct(Lifter& l) {
  std::vector<bool> is_signed;
  for (const std::string& m : l.instruction().modifiers)
    if ((m == "S8" || m == "S16") && l.has(m))
      is_signed.push_back(true);
    else if ((m == "U8" || m == "U16") && l.has(m))
      is_signed.push_back(false);
  if (is_signed.size() != 2) l.refuse_form();
  const ValueId x = l.word(l.operand(1)), y = l.word(l.operand(2));
  ValueId total = l.word(l.operand(3));
  const auto slice = [&](ValueId v, unsigned at, unsigned bits, bool sign) {
    const ValueId up = l.binary(Op::Shl, v, l.k32(32 - at - bits));
    return l.binary(sign ? Op::ShrS : Op::ShrU, up, l.k32(32 - bits));
  };
  const bool four = l.has("4A");
  l.allow({"2A", "LO"});
  for (unsigned k = 0; k < (four ? 4u : 2u); ++k) {
    const unsigned y_at = four ? 8 * k : 8 * k + (l.has("HI") ? 16 : 0);
    total = l.binary(Op::Add, total,
                     l.binary(Op::Mul, slice(x, four ? 8 * k : 16 * k, four ? 8 : 16, is_signed[0]),
                              slice(y, y_at, 8, is_signed[1])));
  }
  l.set(l.operand(0), total);
}

}  // namespace warplens::lift
