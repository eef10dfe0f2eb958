// Calls out of the kernel: vprintf, malloc, free, __assertfail. Their addresses are in constant bank 4 or patched into
// the code; here each is a number that says which it is. Arguments are in R4 and up, 64-bit ones in even pairs, and so
// are results (observed in what ptxas makes of such calls).
#include <algorithm>

#include "lift/families.h"

namespace warplens::lift {
namespace {

constexpr uint64_t kOutside = 0xffff'0000'0000'0000;  // no address of anything

Operand argument_register(unsigned number) {
  Operand o;
  o.kind = Operand::Kind::Register;
  o.number = static_cast<uint8_t>(number);
  return o;
}

// The text that a pointer to a variable leads to, as far as its initial bytes say.
std::string text_at(Lifter& l, ValueId pointer) {
  ir::Inst inst = l.b().inst(pointer);
  uint64_t offset = 0;
  if (inst.op == Op::Add && l.b().is_constant(inst.args[1], &offset)) inst = l.b().inst(inst.args[0]);
  if (inst.op != Op::SymbolAddress || !l.input().module) return "?";
  std::string text;
  const auto& bytes = l.input().module->symbols[inst.imm].initial;
  for (; offset < bytes.size() && bytes[offset] != 0; ++offset) text += static_cast<char>(bytes[offset]);
  return text;
}

}  // namespace

ValueId Lifter::outside(const std::string& name) {
  auto it = std::find(outside_.begin(), outside_.end(), name);
  if (it == outside_.end()) it = outside_.insert(it, name);
  return k64(kOutside + static_cast<uint64_t>(it - outside_.begin()));
}

// True: it was one, and is done. What is called returns to the next instruction.
bool Lifter::call_outside(ValueId target) {
  uint64_t number = 0;
  if (!builder_.is_constant(target, &number) || number < kOutside || number - kOutside >= outside_.size()) return false;
  const std::string& name = outside_[number - kOutside];
  const auto wide_argument = [&](unsigned r) { return wide(argument_register(r)); };
  if (name == "__assertfail") {
    uint64_t line = 0;
    builder_.is_constant(raw(argument_register(8)), &line);
    trap(ir::TrapKind::Assert, text_at(*this, wide_argument(6)) + ":" + std::to_string(line) + ": " +
                                   text_at(*this, wide_argument(10)) + ": Assertion `" +
                                   text_at(*this, wide_argument(4)) + "` failed");
    return true;
  }
  ir::Inst inst;
  inst.op = Op::SystemCall;
  inst.guard = guard_;
  if (name == "vprintf") {
    inst.imm = static_cast<uint64_t>(ir::SystemCall::Printf);
    inst.type = Type::I32;
    inst.args = {wide_argument(4), wide_argument(6)};
  } else if (name == "malloc") {
    inst.imm = static_cast<uint64_t>(ir::SystemCall::Malloc);
    inst.type = Type::I64;
    inst.args = {wide_argument(4)};
  } else if (name == "free") {
    inst.imm = static_cast<uint64_t>(ir::SystemCall::Free);
    inst.args = {wide_argument(4)};
  } else {
    refuse("a call of " + name);
  }
  const Type type = inst.type;
  const ValueId result = builder_.emit(std::move(inst));
  if (type == Type::I32) set(argument_register(4), result);
  if (type == Type::I64) set_wide(argument_register(4), result);
  return true;
}

}  // namespace warplens::lift
