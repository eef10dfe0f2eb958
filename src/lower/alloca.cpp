// alloca, stacksave, stackrestore: memory on the thread's stack, until the function returns or the stack is restored.
#include <algorithm>
#include <bit>

#include "lower/families.h"

namespace warplens::lower {
namespace {

ir::Type address_type(Context& c, const ptx::Operand& operand) {
  const ir::Type type = c.declared_type(operand);
  if (type != ir::Type::I32 && type != ir::Type::I64) c.malformed("an address of the stack in " + operand.name);
  return type;
}

}  // namespace

// ptr, bytes [, alignment], which is 8 at least; clang writes 0.
void lower_Alloca(Context& c, const Instr& i) {
  const uint64_t align = std::max<uint64_t>(8, i.operand_count() > 2 ? c.immediate(i.operand(2)) : 0);
  if (!std::has_single_bit(align) || align > 4096) c.malformed("an alignment that is no power of two, or too large");
  const ir::Type type = address_type(c, i.operand(0));
  const ir::ValueId bytes = c.value(i.operand(1), type == ir::Type::I64 ? kU64 : kU32);
  c.allocate_on_stack(i.operand(0), c.b().cast(bytes, ir::Type::I64), align);
}

void lower_Stacksave(Context& c, const Instr& i) {
  const ir::ValueId now = c.b().read(c.allocated());
  c.write(i.operand(0), c.b().cast(now, address_type(c, i.operand(0))), kU64);
}

void lower_Stackrestore(Context& c, const Instr& i) {
  const ir::ValueId then = c.b().cast(c.value(i.operand(0), kU64), ir::Type::I64);
  const ir::ValueId now = c.b().read(c.allocated());
  c.b().write(c.allocated(), c.guard() == ir::kNone ? then : c.b().select(c.guard(), then, now));
}

}  // namespace warplens::lower
