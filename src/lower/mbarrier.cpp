// mbarrier: a barrier that is an object of 64 bits in shared memory. A GPU keeps its state in a form of its own; here
// it is
//
//     bits  0 .. 19   arrivals that the phase still waits for
//     bits 20 .. 39   arrivals that the next phase will wait for
//     bits 40 .. 61   bytes that the phase still waits for, signed
//     bit  63         the phase's parity
//
// An arrival is one atomic operation (AtomicOp::Arrive), which gives the state before it: what tells a phase is its
// parity, for a thread waits for this phase or the one before. Waiting is a load that a loop repeats (passes/waits.h).
#include "lower/families.h"

namespace warplens::lower {
namespace {

using ir::Op;
using ir::Space;
using ir::Type;
using ir::ValueId;

constexpr uint64_t kMostArrivals = (1 << 20) - 1;

ir::Inst access(Context& c, const Instr& i, Op op, ir::SiteKind kind, const ptx::Operand& where) {
  ir::Inst inst;
  inst.op = op;
  inst.type = Type::I64;
  inst.space = memory_space(c, i).space;
  inst.is_volatile = true;
  inst.guard = c.guard();
  int64_t offset = 0;
  inst.args = {access_address(c, where, &inst.space, &offset)};
  inst.imm = static_cast<uint64_t>(offset);
  inst.site = c.new_site(kind, i, inst.space, Type::I64, 1);
  return inst;
}

ValueId number(Context& c, uint64_t bits) { return c.b().constant(Type::I64, bits); }

ValueId shifted(Context& c, ValueId value, unsigned by) {
  return c.b().binary(Op::Shl, value, c.b().constant(Type::I32, by));
}

ValueId count_of(Context& c, const Instr& i, size_t operand) {
  if (i.operand_count() <= operand) return number(c, 1);
  const ValueId wide = c.b().cast(c.value(i.operand(operand), kU32), Type::I64);
  return c.b().binary(Op::And, wide, number(c, kMostArrivals));
}

// `count` arrivals now; `later`: fewer in each phase from the next on; `bytes`: more to come, by two's complement.
ValueId arrive(Context& c, const Instr& i, const ptx::Operand& where, ValueId count, ValueId later, ValueId bytes) {
  Builder& b = c.b();
  ValueId change = count;
  if (later != ir::kNone) change = b.binary(Op::Or, change, shifted(c, later, 20));
  if (bytes != ir::kNone) change = b.binary(Op::Or, change, shifted(c, bytes, 40));
  ir::Inst inst = access(c, i, Op::Atomic, ir::SiteKind::Atomic, where);
  inst.imm2 = static_cast<uint32_t>(ir::AtomicOp::Arrive);
  inst.args.push_back(change);
  return b.emit(std::move(inst));
}

void store(Context& c, const Instr& i, ValueId state) {
  ir::Inst inst = access(c, i, Op::Store, ir::SiteKind::Store, i.operand(0));
  inst.args.push_back(state);
  c.b().emit(std::move(inst));
}

// state, [barrier] {, count or bytes}
void arrive_and_tell(Context& c, const Instr& i) {
  const bool drops = i.has("arrive_drop");
  const bool bytes = i.has("expect_tx");
  const ValueId count = bytes ? number(c, 1) : count_of(c, i, 2);
  const ValueId old =
      arrive(c, i, i.operand(1), count, drops ? count : ir::kNone, bytes ? count_of(c, i, 2) : ir::kNone);
  c.write(i.operand(0), old, kU64);
}

// done, [barrier], state or parity {, a hint how long to sleep}
void test(Context& c, const Instr& i) {
  Builder& b = c.b();
  const ValueId now = b.emit(access(c, i, Op::Load, ir::SiteKind::Load, i.operand(1)));
  ValueId phase = ir::kNone;  // in bit 63
  if (i.has("parity"))
    phase = shifted(c, b.cast(c.value(i.operand(2), kU32), Type::I64), 63);
  else
    phase = c.value(i.operand(2), kU64);
  const ValueId differs = b.binary(Op::Xor, now, phase);
  c.write(i.operand(0), b.icmp(ir::IntCompare::LtS, differs, number(c, 0)), kPred);
}

}  // namespace

void complete_bytes(Context& c, const Instr& i, const ptx::Operand& barrier, ValueId bytes) {
  const ValueId gone = c.b().binary(Op::Sub, number(c, 0), c.b().cast(bytes, Type::I64));
  arrive(c, i, barrier, number(c, 0), ir::kNone, gone);
}

void lower_Mbarrier(Context& c, const Instr& i) {
  if (i.has("init")) {
    const ValueId count = count_of(c, i, 1);
    return store(c, i, c.b().binary(Op::Or, count, shifted(c, count, 20)));
  }
  if (i.has("inval")) return store(c, i, number(c, 0));
  if (i.has("arrive") || i.has("arrive_drop")) return arrive_and_tell(c, i);
  if (i.has("test_wait") || i.has("try_wait")) return test(c, i);
  if (i.has("complete_tx")) return complete_bytes(c, i, i.operand(0), c.value(i.operand(1), kU32));
  if (i.has("expect_tx")) {
    arrive(c, i, i.operand(0), number(c, 0), ir::kNone, count_of(c, i, 1));
    return;
  }
  if (!i.has("pending_count")) c.unsupported(i);
  const ValueId state = c.value(i.operand(1), kU64);
  c.write(i.operand(0), c.b().cast(c.b().binary(Op::And, state, number(c, kMostArrivals)), Type::I32), kU32);
}

// cp.async.mbarrier.arrive: an arrival once the thread's copies are done, which they are. Unless .noinc says that the
// barrier's count has room for it, the phase waits for one arrival more first: nothing is left of both.
void arrive_after_copies(Context& c, const Instr& i) {
  if (i.has("noinc")) arrive(c, i, i.operand(0), number(c, 1), ir::kNone, ir::kNone);
}

}  // namespace warplens::lower
