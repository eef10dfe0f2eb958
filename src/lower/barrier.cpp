// bar, barrier, membar, fence.
#include "lower/families.h"

namespace warplens::lower {
namespace {

using ir::BarrierMode;
using ir::Op;
using ir::Type;
using ir::ValueId;

// Ends the block with a barrier; what follows stands in a block of its own.
void barrier(Context& c, const Instr& i, BarrierMode mode, std::vector<ValueId> args) {
  ir::Inst inst;
  inst.op = Op::Barrier;
  inst.imm = static_cast<uint64_t>(mode);
  inst.args = std::move(args);
  inst.site = c.new_site(ir::SiteKind::Barrier, i, ir::Space::Shared, Type::Void, 1);
  const ir::BlockId next = c.b().new_block();
  c.b().end(std::move(inst), next);
  c.b().enter(next);
  c.b().seal(next);
}

// bar.red.popc.u32 d, a{, b}, {!}c;  bar.red.and.pred p, a{, b}, {!}c
void reducing_barrier(Context& c, const Instr& i) {
  const BarrierMode mode = i.has("popc")  ? BarrierMode::RedPopc
                           : i.has("and") ? BarrierMode::RedAnd
                                          : BarrierMode::RedOr;
  const size_t last = i.operand_count() - 1;
  if (i.operand_count() < 3) c.malformed(i.full_opcode() + " needs three operands");
  std::vector<ValueId> args{c.value(i.operand(1), kU32)};
  if (i.operand_count() > 3) args.push_back(c.value(i.operand(2), kU32));
  args.push_back(c.predicate(i.operand(last)));
  barrier(c, i, mode, std::move(args));
  ir::Inst inst;
  inst.op = Op::BarrierResult;
  inst.type = mode == BarrierMode::RedPopc ? Type::I32 : Type::Pred;
  const ValueId result = c.b().emit(std::move(inst));
  c.write(i.operand(0), result, mode == BarrierMode::RedPopc ? kU32 : kPred);
}

void warp_barrier(Context& c, const Instr& i) {
  ir::Inst inst;
  inst.op = Op::WarpSync;
  inst.args = {c.value(i.operand(0), kB32)};
  c.b().emit(std::move(inst));
}

void any_barrier(Context& c, const Instr& i) {
  if (i.has("cluster")) c.unsupported(i);
  if (i.has("warp")) return warp_barrier(c, i);
  if (i.has("red")) return reducing_barrier(c, i);
  std::vector<ValueId> args;
  for (size_t k = 0; k < i.operand_count(); ++k) args.push_back(c.value(i.operand(k), kU32));
  if (args.empty()) args.push_back(c.b().constant(Type::I32, 0));
  if (args.size() > 2) c.malformed(i.full_opcode() + " with too many operands");
  barrier(c, i, i.has("arrive") ? BarrierMode::Arrive : BarrierMode::Sync, std::move(args));
}

void fence(Context& c) {
  ir::Inst inst;
  inst.op = Op::Fence;
  c.b().emit(std::move(inst));
}

}  // namespace

void lower_Bar(Context& c, const Instr& i) { any_barrier(c, i); }
void lower_Barrier(Context& c, const Instr& i) { any_barrier(c, i); }
void lower_Membar(Context& c, const Instr& i) { fence(c); }
void lower_Fence(Context& c, const Instr& i) { fence(c); }

}  // namespace warplens::lower
