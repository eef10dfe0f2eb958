// Moves, logic, shifts, bytes, predicates in registers, special registers.
#include "lift/families.h"
#include "lower/families.h"

namespace warplens::lift {

using Kind = Operand::Kind;

void lift_Move(Lifter& l) { l.set(l.operand(0), l.word(l.operand(1))); }

// R2UR [p,] d, x: all lanes have the same x, or the compiler takes any lane's.
void lift_MoveToUniform(Lifter& l) {
  const size_t d = l.operand(0).kind == Kind::Predicate || l.operand(0).kind == Kind::UniformPredicate ? 1 : 0;
  if (d && l.operand(0).number != sass::kPT) l.set_predicate(l.operand(0), l.b().constant(Type::Pred, 1));
  l.set(l.operand(d), l.word(l.operand(d + 1)));
}

void lift_Choose(Lifter& l) {
  const ValueId condition = l.predicate(l.operand(3));
  if (l.has("64")) return l.set_wide(l.operand(0), l.b().select(condition, l.wide(l.operand(1)), l.wide(l.operand(2))));
  l.set(l.operand(0), l.b().select(condition, l.word(l.operand(1)), l.word(l.operand(2))));
}

// LOP3.LUT [p,] d, x, y, z, table, q: p = (d != 0) | q, with .PAND (d != 0) & q.
void lift_Logic(Lifter& l) {
  const Operand& first = l.operand(0);
  const bool tests = first.kind == Kind::Predicate || first.kind == Kind::UniformPredicate;
  const size_t d = tests ? 1 : 0;
  const Operand& table = l.operand(d + 4);
  if (table.kind != Kind::Immediate) l.refuse_form();
  const ValueId result = l.logic(l.word(l.operand(d + 1)), l.word(l.operand(d + 2)), l.word(l.operand(d + 3)),
                                 static_cast<unsigned>(table.value) & 0xff);
  if (tests) {
    const ValueId nonzero = l.compare(ir::IntCompare::Ne, result, l.k32(0));
    const ValueId q = l.predicate(l.operand(d + 5));
    const ValueId p = l.binary(l.has("PAND") ? Op::And : Op::Or, nonzero, q);
    l.set(l.operand(d), result);
    return l.set_predicate(first, p);
  }
  l.set(l.operand(d), result);
}

// PLOP3.LUT p, q, x, y, z, table of p, table of q
void lift_PredicateLogic(Lifter& l) {
  const ValueId x = l.predicate(l.operand(2)), y = l.predicate(l.operand(3)), z = l.predicate(l.operand(4));
  const auto table = [&](size_t k) { return static_cast<unsigned>(l.operand(k).value) & 0xff; };
  const ValueId p = l.logic(x, y, z, table(5));
  const ValueId q = l.operands() > 6 ? l.logic(x, y, z, table(6)) : ir::kNone;
  l.set_predicate(l.operand(0), p);
  if (q != ir::kNone) l.set_predicate(l.operand(1), q);
}

// SHF: the 64 bits z:x, shifted by y; .HI takes the upper word of the result, else the lower one.
void lift_Shift(Lifter& l) {
  const ValueId x = l.word(l.operand(1)), z = l.word(l.operand(3));
  ValueId n = l.word(l.operand(2));
  const bool words = l.has("U32") || l.has("S32"), is_signed = l.has("S32") || l.has("S64");
  if (l.has("W"))
    n = l.binary(Op::And, n, l.k32(words ? 31 : 63));
  else
    n = l.binary(Op::MinU, n, l.k32(words ? 32 : 64));
  const bool left = l.has("L"), high = l.has("HI");
  uint64_t bits = 1;
  const bool no_x = l.b().is_constant(x, &bits) && bits == 0;
  const bool no_z = l.b().is_constant(z, &bits) && bits == 0;
  ValueId result;
  if (left && !high) {
    result = words || no_z ? l.binary(Op::Shl, x, n) : l.low(l.binary(Op::Shl, l.join(x, z), n));
  } else if (!left && high && (no_x || words)) {
    result = l.binary(is_signed ? Op::ShrS : Op::ShrU, z, n);
  } else {
    const ValueId both = l.join(x, z);
    const ValueId shifted = l.binary(left ? Op::Shl : is_signed ? Op::ShrS : Op::ShrU, both, n);
    result = high ? l.high(shifted) : l.low(shifted);
  }
  l.set(l.operand(0), result);
}

// PRMT d, x, selectors, z: bytes of z:x.
void lift_Permute(Lifter& l) {
  const ValueId selectors = l.word(l.operand(2));
  for (const char* mode : {"F4E", "B4E", "RC8", "ECL", "ECR", "RC16"})
    if (l.has(mode)) l.refuse_form();
  ValueId parts[4];
  for (unsigned k = 0; k < 4; ++k) parts[k] = lower::byte_selector(l.b(), selectors, k);
  l.set(l.operand(0), lower::permute_bytes(l.b(), l.word(l.operand(1)), l.word(l.operand(3)), parts));
}

// SGXT d, x, n: the n lowest bits of x, extended by their sign, with .U32 by zeros.
void lift_Extend(Lifter& l) {
  ValueId n = l.word(l.operand(2));
  n = l.has("W") ? l.binary(Op::And, n, l.k32(31)) : l.binary(Op::MinU, n, l.k32(32));
  const ValueId by = l.binary(Op::Sub, l.k32(32), n);
  const ValueId up = l.binary(Op::Shl, l.word(l.operand(1)), by);
  l.set(l.operand(0), l.binary(l.has("U32") ? Op::ShrU : Op::ShrS, up, by));
}

// BMSK d, position, width: so many ones from there on. .W: both modulo 32.
void lift_BitMask(Lifter& l) {
  ValueId at = l.word(l.operand(1)), width = l.word(l.operand(2));
  if (l.has("W")) {
    at = l.binary(Op::And, at, l.k32(31));
    width = l.binary(Op::And, width, l.k32(31));
  }
  const ValueId ones = l.binary(Op::Sub, l.binary(Op::Shl, l.k32(1), width), l.k32(1));
  l.set(l.operand(0), l.binary(Op::Shl, ones, at));
}

namespace {

unsigned byte_of(const Operand& o) { return o.has("B1") ? 1 : o.has("B2") ? 2 : o.has("B3") ? 3 : 0; }

Operand nth_predicate(const Lifter& l, unsigned k) {
  Operand p;
  p.kind = l.instruction().opcode.starts_with("U") ? Kind::UniformPredicate : Kind::Predicate;
  p.number = static_cast<uint8_t>(k);
  return p;
}

}  // namespace

// P2R d, PR, x, mask: the predicates where the mask has ones, else x; of the byte that d names.
void lift_PredicatesToRegister(Lifter& l) {
  const Operand& mask_operand = l.operand(3);
  if (mask_operand.kind != Kind::Immediate) l.refuse_form();
  const auto mask = static_cast<unsigned>(mask_operand.value) & 0x7f;
  const unsigned by = 8 * byte_of(l.operand(0));
  ValueId all = l.k32(0);
  for (unsigned k = 0; k < 7; ++k) {
    if (!(mask >> k & 1)) continue;
    const ValueId bit = l.b().pure(Op::ZExt, Type::I32, {l.predicate(nth_predicate(l, k))});
    all = l.binary(Op::Or, all, l.binary(Op::Shl, bit, l.k32(k + by)));
  }
  const ValueId kept = l.binary(Op::And, l.word(l.operand(2)), l.k32(~(uint64_t{mask} << by) & 0xffffffff));
  l.set(l.operand(0), l.binary(Op::Or, kept, all));
}

// R2P PR, x, mask
void lift_RegisterToPredicates(Lifter& l) {
  const Operand& mask_operand = l.operand(2);
  if (mask_operand.kind != Kind::Immediate) l.refuse_form();
  const auto mask = static_cast<unsigned>(mask_operand.value) & 0x7f;
  const unsigned by = 8 * byte_of(l.operand(1));
  const ValueId x = l.word(l.operand(1));
  for (unsigned k = 0; k < 7; ++k) {
    if (!(mask >> k & 1)) continue;
    const ValueId bit = l.binary(Op::And, l.binary(Op::ShrU, x, l.k32(k + by)), l.k32(1));
    l.set_predicate(nth_predicate(l, k), l.compare(ir::IntCompare::Ne, bit, l.k32(0)));
  }
}

void lift_ReadSpecial(Lifter& l) { l.set(l.operand(0), l.special(l.operand(1).name)); }

// CS2R d, SR: of 64 bits; .32: of 32.
void lift_ReadSpecialWide(Lifter& l) {
  const std::string& name = l.operand(1).name;
  if (l.has("32")) return l.set(l.operand(0), l.special(name));
  if (name == "SRZ") return l.set_wide(l.operand(0), l.k64(0));
  if (name.starts_with("SR_CLOCK") || name.starts_with("SR_GLOBALTIMER"))
    return l.set_wide(l.operand(0), l.clock(name, Type::I64));
  l.refuse_form();
}

}  // namespace warplens::lift
