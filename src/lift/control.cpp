// Branches, calls and barriers; what says how lanes are scheduled does nothing here.
#include "lift/families.h"

namespace warplens::lift {

using Kind = Operand::Kind;

void lift_Nothing(Lifter&) {}
void lift_Branch(Lifter& l) { l.branch(); }
void lift_IndirectBranch(Lifter& l) { l.indirect_branch(); }
void lift_Exit(Lifter& l) { l.end_lane(); }
void lift_Call(Lifter& l) { l.call(); }
void lift_Return(Lifter& l) { l.return_from_call(); }
void lift_Trap(Lifter& l) { l.trap(ir::TrapKind::Trap, "trap"); }

// BAR.SYNC id [, threads];  BAR.ARV id, threads;  BAR.RED.POPC id [, threads], p
void lift_Barrier(Lifter& l) {
  if (l.guard() != ir::kNone) l.refuse_form();
  std::vector<ValueId> args;
  ValueId condition = ir::kNone;
  for (size_t k = 0; k < l.operands(); ++k) {
    const Operand& o = l.operand(k);
    if (o.kind == Kind::Predicate || o.kind == Kind::UniformPredicate)
      condition = l.predicate(o);
    else
      args.push_back(l.word(o));
  }
  if (args.empty() || args.size() > 2) l.refuse_form();
  if (l.has("SYNC")) return l.barrier(ir::BarrierMode::Sync, std::move(args));
  if (l.has("ARV")) return l.barrier(ir::BarrierMode::Arrive, std::move(args));
  if (!l.has("RED") || condition == ir::kNone) l.refuse_form();
  const ir::BarrierMode mode = l.has("POPC")  ? ir::BarrierMode::RedPopc
                               : l.has("AND") ? ir::BarrierMode::RedAnd
                                              : ir::BarrierMode::RedOr;
  args.push_back(condition);
  l.barrier(mode, std::move(args));
  ir::Inst result;
  result.op = Op::BarrierResult;
  result.type = mode == ir::BarrierMode::RedPopc ? Type::I32 : Type::Pred;
  l.barrier_result = l.b().emit(std::move(result));
}

// B2R.RESULT d [, p]: what the reducing barrier before it found.
void lift_BarrierResult(Lifter& l) {
  if (!l.has("RESULT") || l.barrier_result == ir::kNone) l.refuse_form();
  const bool counts = l.b().type(l.barrier_result) == Type::I32;
  const ValueId word = counts ? l.barrier_result : l.b().pure(Op::ZExt, Type::I32, {l.barrier_result});
  l.set(l.operand(0), word);
  if (l.operands() > 1)
    l.set_predicate(l.operand(1), counts ? l.compare(ir::IntCompare::Ne, word, l.k32(0)) : l.barrier_result);
}

}  // namespace warplens::lift
