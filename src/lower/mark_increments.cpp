// Which atomics only count up: adding the constant 1 to a 32-bit integer while nobody looks at the old value. In shared
// memory an NVIDIA GPU has an instruction of its own for that (ATOMS.POPC.INC), which adds up the lanes that meet at
// one word first, so it takes other wavefronts than an atomic in general (model/banks.cpp).
#include <vector>

#include "lower/context.h"

namespace warplens::lower {
namespace {

using ir::Op;
using ir::ValueId;

// Values that something which happens depends on. An old value that is only merged into phis and selects that lead
// nowhere, as a guarded atomic's is, is not among them.
std::vector<bool> used_values(const ir::Function& function) {
  std::vector<bool> used(function.insts.size());
  std::vector<ValueId> work;
  const auto use = [&](ValueId v) {
    if (v == ir::kNone || used[v]) return;
    used[v] = true;
    work.push_back(v);
  };
  const auto use_arguments = [&](const ir::Inst& inst) {
    for (const ValueId a : inst.args) use(a);
    use(inst.guard);
  };
  for (const ir::Block& block : function.blocks)
    for (const ValueId v : block.insts)
      if (ir::info(function.insts[v].op).effect != ir::Effect::Pure) use_arguments(function.insts[v]);
  while (!work.empty()) {
    const ValueId v = work.back();
    work.pop_back();
    use_arguments(function.insts[v]);
  }
  return used;
}

bool adds_one(const ir::Function& function, const ir::Inst& inst) {
  if (inst.op != Op::Atomic && inst.op != Op::Reduce) return false;
  if (inst.type != ir::Type::I32 || inst.imm2 != static_cast<uint32_t>(ir::AtomicOp::Add)) return false;
  const ir::Inst& operand = function.insts[inst.args[1]];
  return operand.op == Op::Const && operand.imm == 1;
}

}  // namespace

void Context::mark_increments() {
  std::vector<ValueId> candidates;
  for (const ir::Block& block : function().blocks)
    for (const ValueId v : block.insts)
      if (adds_one(function(), function().insts[v])) candidates.push_back(v);
  if (candidates.empty()) return;
  const std::vector<bool> used = used_values(function());
  for (const ValueId v : candidates) function().sites[function().insts[v].site].unit_increment = !used[v];
}

}  // namespace warplens::lower
