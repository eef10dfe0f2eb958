// setp set selp slct.
#include <bit>
#include <optional>

#include "lower/families.h"

namespace warplens::lower {
namespace {

using ir::FloatCompare;
using ir::IntCompare;
using ir::Op;
using ir::Type;
using ir::ValueId;

struct CompareWord {
  std::string_view text;
  std::optional<IntCompare> sign, no_sign;  // for integers; nothing: floats only
  std::optional<FloatCompare> real;
};

constexpr CompareWord kCompareWords[] = {
    {"eq", IntCompare::Eq, IntCompare::Eq, FloatCompare::Eq},
    {"ne", IntCompare::Ne, IntCompare::Ne, FloatCompare::Ne},
    {"lt", IntCompare::LtS, IntCompare::LtU, FloatCompare::Lt},
    {"le", IntCompare::LeS, IntCompare::LeU, FloatCompare::Le},
    {"gt", IntCompare::GtS, IntCompare::GtU, FloatCompare::Gt},
    {"ge", IntCompare::GeS, IntCompare::GeU, FloatCompare::Ge},
    {"lo", IntCompare::LtU, IntCompare::LtU, {}},
    {"ls", IntCompare::LeU, IntCompare::LeU, {}},
    {"hi", IntCompare::GtU, IntCompare::GtU, {}},
    {"hs", IntCompare::GeU, IntCompare::GeU, {}},
    {"equ", {}, {}, FloatCompare::Equ},
    {"neu", {}, {}, FloatCompare::Neu},
    {"ltu", {}, {}, FloatCompare::Ltu},
    {"leu", {}, {}, FloatCompare::Leu},
    {"gtu", {}, {}, FloatCompare::Gtu},
    {"geu", {}, {}, FloatCompare::Geu},
    {"num", {}, {}, FloatCompare::Num},
    {"nan", {}, {}, FloatCompare::Nan},
};

const CompareWord& compare_word(Context& c, const Instr& i) {
  for (const std::string& modifier : i.text.modifiers)
    for (const CompareWord& word : kCompareWords)
      if (word.text == modifier) return word;
  c.malformed(i.full_opcode() + " without a comparison");
}

ValueId compare_floats(Context& c, const Instr& i, ValueId x, ValueId y) {
  const CompareWord& word = compare_word(c, i);
  if (!word.real) c.malformed(i.full_opcode() + " compares floats as integers");
  ir::Inst inst;
  inst.op = Op::FCmp;
  inst.type = Type::Pred;
  inst.imm = static_cast<uint64_t>(*word.real);
  inst.ftz = i.has("ftz") && c.b().type(x) == Type::F32;
  inst.args = {x, y};
  return c.b().pure(std::move(inst));
}

// One comparison; of a pair of halves, that of element `index`.
ValueId compare_element(Context& c, const Instr& i, ScalarType type, ValueId x, ValueId y, int index) {
  if (type.is_half()) {
    const auto widen = [&](ValueId v) {
      const ValueId wide = widen_half(c, type, type.packed ? element_of(c, v, index) : v);
      if (!i.has("ftz")) return wide;
      return type.kind == ScalarType::Kind::BFloat ? flush(c, wide) : flush_f16(c, wide);
    };
    return compare_floats(c, i, widen(x), widen(y));
  }
  if (type.kind == ScalarType::Kind::Float) return compare_floats(c, i, x, y);
  const CompareWord& word = compare_word(c, i);
  const auto how = type.is_signed() ? word.sign : word.no_sign;
  if (!how) c.malformed(i.full_opcode() + " compares integers as floats");
  return c.b().icmp(*how, x, y);
}

// Applies .and .or .xor with a further predicate, the operand after a and b, where there is one.
ValueId combine(Context& c, const Instr& i, ValueId compared) {
  const Op op = i.has("and") ? Op::And : i.has("or") ? Op::Or : Op::Xor;
  if (!i.has("and") && !i.has("or") && !i.has("xor")) return compared;
  return c.b().binary(op, compared, c.predicate(i.operand(3)));
}

bool is_comparable(ScalarType type) { return !type.is_pred() && ir_type(type) != Type::Void; }

}  // namespace

// Below 2^-14 an f16 is subnormal; as an F32 it is not.
ValueId flush_f16(Context& c, ValueId wide) {
  Builder& b = c.b();
  const ValueId magnitude = b.unary(Op::FAbs, wide);
  const ValueId limit = b.constant(Type::F32, std::bit_cast<uint32_t>(0x1p-14f));
  const ValueId small = b.pure(Op::FCmp, Type::Pred, {magnitude, limit}, static_cast<uint64_t>(FloatCompare::Lt));
  return b.select(small, b.binary(Op::FCopysign, wide, b.constant(Type::F32, 0)), wide);
}

// setp.cmp[.bool].type p[|q], a, b[, c]: p = (a cmp b) bool c, q = !(a cmp b) bool c. Of pairs of halves, p and q are
// the low and the high element's.
void lower_Setp(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  if (!is_comparable(type)) c.unsupported(i);
  const ValueId x = c.value(i.operand(1), type), y = c.value(i.operand(2), type);
  const ValueId first = compare_element(c, i, type, x, y, 0);
  const ptx::Operand& destination = i.operand(0);
  if (destination.kind != ptx::Operand::Kind::Pair) return c.write(destination, combine(c, i, first), kPred);
  if (destination.elements.size() != 2) c.malformed("a pair of " + std::to_string(destination.elements.size()));
  const ValueId second = type.packed ? compare_element(c, i, type, x, y, 1) : c.b().unary(Op::Not, first);
  const ValueId p = combine(c, i, first), q = combine(c, i, second);
  c.write(destination.elements[0], p, kPred);
  c.write(destination.elements[1], q, kPred);
}

// set.cmp[.bool].dtype.stype d, a, b[, c]: all ones, or 1.0 where dtype is a float; else zero.
void lower_Set(Context& c, const Instr& i) {
  const ScalarType to = i.type(0), type = i.types.size() > 1 ? i.type(1) : i.type(0);
  if (!is_comparable(type)) c.unsupported(i);
  Builder& b = c.b();
  const ValueId x = c.value(i.operand(1), type), y = c.value(i.operand(2), type);
  const auto element = [&](int index) {
    const ValueId yes = combine(c, i, compare_element(c, i, type, x, y, index));
    const ScalarType one_type = to.packed ? to.element() : to;
    uint64_t truth = ~uint64_t{0};
    if (to.kind == ScalarType::Kind::BFloat) truth = 0x3f80;
    if (to.kind == ScalarType::Kind::Float)
      truth = one_type.bits == 16 ? 0x3c00 : one_type.bits == 32 ? 0x3f800000 : 0x3ff0000000000000;
    const Type t = type.packed && !to.packed ? Type::I16 : ir_type(one_type);
    return b.select(yes, b.constant(t, truth), b.constant(t, 0));
  };
  if (!type.packed) return c.write(i.operand(0), element(0), to);
  const ValueId low = element(0);
  c.write(i.operand(0), pack_halves(c, low, element(1)), kB32);
}

void lower_Selp(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  const ValueId yes = c.value(i.operand(1), type), no = c.value(i.operand(2), type);
  c.write(i.operand(0), c.b().select(c.predicate(i.operand(3)), yes, no), type);
}

// slct.dtype.ctype d, a, b, c: a where c >= 0 (-0 too, NaN not), else b.
void lower_Slct(Context& c, const Instr& i) {
  const ScalarType type = i.type(0), by = i.type(1);
  const ValueId yes = c.value(i.operand(1), type), no = c.value(i.operand(2), type), x = c.value(i.operand(3), by);
  ValueId condition;
  if (by.is_wide_float()) {
    ir::Inst inst;
    inst.op = Op::FCmp;
    inst.type = Type::Pred;
    inst.imm = static_cast<uint64_t>(FloatCompare::Ge);
    inst.ftz = i.has("ftz");
    inst.args = {x, c.b().constant(ir_type(by), 0)};
    condition = c.b().pure(std::move(inst));
  } else {
    condition = c.b().icmp(IntCompare::GeS, x, c.b().constant(ir_type(by), 0));
  }
  c.write(i.operand(0), c.b().select(condition, yes, no), type);
}

}  // namespace warplens::lower
