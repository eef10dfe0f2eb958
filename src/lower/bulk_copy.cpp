// cp.async.bulk: one thread has a piece of memory copied, in the background on a GPU, at once here. A unit of its own
// does it there, whose requests are not those of the program's loads and stores: they are not counted.
#include <string>
#include <vector>

#include "lower/families.h"

namespace warplens::lower {
namespace {

using ir::Op;
using ir::Space;
using ir::Type;
using ir::ValueId;

ValueId generic_address(Context& c, const ptx::Operand& operand, Space space) {
  Builder& b = c.b();
  int64_t offset = 0;
  const ValueId base = b.cast(access_address(c, operand, &space, &offset), Type::I64);
  const ValueId address = b.binary(Op::Add, base, b.constant(Type::I64, static_cast<uint64_t>(offset)));
  if (space == Space::Generic || space == Space::Global) return address;
  ir::Inst inst;
  inst.op = Op::ToGeneric;
  inst.type = Type::I64;
  inst.space = space;
  inst.args = {address};
  return b.pure(std::move(inst));
}

// From and to where: what the opcode names first is the destination.
std::vector<Space> spaces_of(const Instr& i) {
  std::vector<Space> spaces;
  for (const std::string& m : i.text.modifiers) {
    if (m == "shared::cluster" || m == "shared::cta") spaces.push_back(Space::Shared);
    if (m == "global") spaces.push_back(Space::Global);
  }
  return spaces;
}

void no_effect(Context& c, Op op) {
  ir::Inst inst;
  inst.op = op;
  c.b().emit(std::move(inst));
}

}  // namespace

// [to], [from], bytes {, [barrier]} {, a hint for the cache}
void bulk_copy(Context& c, const Instr& i) {
  if (i.has("commit_group") || i.has("wait_group")) return no_effect(c, Op::Fence);
  if (i.has("prefetch") && !i.has("tensor")) return no_effect(c, Op::Prefetch);
  const std::vector<Space> spaces = spaces_of(i);
  const bool counts = i.has("mbarrier::complete_tx::bytes");
  const bool plain = counts || i.has("bulk_group");
  if (i.has("tensor") || i.has("reduce") || i.has("multicast::cluster") || i.has("cp_mask") || !plain ||
      spaces.size() != 2)
    c.unsupported(i);
  const ValueId bytes = c.value(i.operand(2), kU32);
  ir::Inst inst;
  inst.op = Op::SystemCall;
  inst.imm = static_cast<uint64_t>(ir::SystemCall::Copy);
  inst.guard = c.guard();
  inst.args = {generic_address(c, i.operand(0), spaces[0]), generic_address(c, i.operand(1), spaces[1]),
               c.b().cast(bytes, Type::I64)};
  c.b().emit(std::move(inst));
  if (counts) complete_bytes(c, i, i.operand(3), bytes);
}

}  // namespace warplens::lower
