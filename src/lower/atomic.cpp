// atom and red. Scope and order do not change what a warp computes here: Warplens runs one warp's access at a time, and
// an atomic access is never merged or moved.
#include <algorithm>
#include <optional>

#include "lower/families.h"

namespace warplens::lower {
namespace {

using ir::AtomicOp;
using ir::Op;
using ir::Space;
using ir::Type;
using ir::ValueId;

std::optional<AtomicOp> atomic_op(const Instr& i, ScalarType type) {
  const bool sign = type.is_signed();
  if (type.is_half()) {
    const bool brain = type.kind == ScalarType::Kind::BFloat;
    if (i.has("add")) return brain ? AtomicOp::BF16Add : AtomicOp::F16Add;
    if (i.has("min")) return brain ? AtomicOp::BF16Min : AtomicOp::F16Min;
    if (i.has("max")) return brain ? AtomicOp::BF16Max : AtomicOp::F16Max;
    return std::nullopt;
  }
  if (type.is_wide_float()) {
    if (i.has("add")) return AtomicOp::FAdd;
    if (i.has("min")) return AtomicOp::FMin;
    if (i.has("max")) return AtomicOp::FMax;
  }
  if (i.has("exch")) return AtomicOp::Exch;
  if (i.has("cas")) return AtomicOp::Cas;
  if (type.is_wide_float()) return std::nullopt;
  if (i.has("add")) return AtomicOp::Add;
  if (i.has("min")) return sign ? AtomicOp::MinS : AtomicOp::MinU;
  if (i.has("max")) return sign ? AtomicOp::MaxS : AtomicOp::MaxU;
  if (i.has("and")) return AtomicOp::And;
  if (i.has("or")) return AtomicOp::Or;
  if (i.has("xor")) return AtomicOp::Xor;
  if (i.has("inc")) return AtomicOp::Inc;
  if (i.has("dec")) return AtomicOp::Dec;
  return std::nullopt;
}

// `first`: the index of the address among the operands.
void atomic(Context& c, const Instr& i, size_t first, bool yields) {
  if (i.has("async")) c.unsupported(i);
  const int count = vector_length(i);
  const ScalarType type = i.type();
  const auto op = atomic_op(i, type);
  if (!op || ir_type(type) == Type::Void || type.is_pred()) c.unsupported(i);
  ir::Inst inst;
  inst.op = yields ? Op::Atomic : Op::Reduce;
  inst.type = ir_type(type);
  inst.space = memory_space(c, i).space;
  inst.imm2 = static_cast<uint32_t>(*op);
  inst.is_volatile = true;
  inst.guard = c.guard();
  int64_t offset = 0;
  inst.count = static_cast<uint8_t>(count);
  inst.args = {access_address(c, i.operand(first), &inst.space, &offset)};
  for (const ptx::Operand* part : components(c, i.operand(first + 1), count)) inst.args.push_back(c.value(*part, type));
  if (*op == AtomicOp::Cas) inst.args.push_back(c.value(i.operand(first + 2), type));
  inst.imm = static_cast<uint64_t>(offset);
  inst.site = c.new_site(yields ? ir::SiteKind::Atomic : ir::SiteKind::Reduction, i, inst.space, inst.type, count);
  const ValueId old = c.b().emit(std::move(inst));
  if (!yields) return;
  std::vector<ValueId> values;
  for (int k = 0; k < count && count > 1; ++k)
    values.push_back(c.b().pure(Op::Extract, ir_type(type), {old}, static_cast<uint64_t>(k)));
  if (count == 1) values.push_back(old);
  write_components(c, i.operand(0), type, values);
}

}  // namespace

// An atom whose result goes nowhere is still an atom: the program text says so, and so it is counted.
void lower_Atom(Context& c, const Instr& i) { atomic(c, i, 1, true); }
void lower_Red(Context& c, const Instr& i) { atomic(c, i, 0, false); }

}  // namespace warplens::lower
