// Functions without a body in the PTX: what the device run-time library would bring.
#include "lower/context.h"

namespace warplens::lower {
namespace {

// The text that a pointer to a module variable points to, as far as its initial bytes say.
std::string text_at(ModuleContext& module, Builder& b, ir::ValueId pointer) {
  ir::Inst inst = b.inst(pointer);
  uint64_t offset = 0;
  if (inst.op == ir::Op::Add && b.is_constant(inst.args[1], &offset)) inst = b.inst(inst.args[0]);
  if (inst.op != ir::Op::SymbolAddress) return "?";
  std::string text;
  const auto& bytes = module.ir.symbols[inst.imm].initial;
  for (; offset < bytes.size() && bytes[offset] != 0; ++offset) text += static_cast<char>(bytes[offset]);
  return text;
}

}  // namespace

// __assertfail(message, file, line, function, size of a character)
std::string Context::assert_message(const ptx::Operand* arguments) {
  const auto argument = [&](size_t index, ScalarType type) {
    const ptx::Operand& operand = arguments->elements[index];
    const Name* name = find(operand);
    if (name && name->kind == Name::Kind::Param) return load_param(*name->object, 0, ir_type(type));
    return value(operand, type);
  };
  if (!arguments || arguments->elements.size() < 4) return where() + ": assertion failed";
  uint64_t line = 0;
  builder_.is_constant(argument(2, kU32), &line);
  const auto text = [&](size_t index) { return text_at(module_, builder_, argument(index, kU64)); };
  return text(1) + ":" + std::to_string(line) + ": " + text(3) + ": Assertion `" + text(0) + "` failed";
}

bool Context::call_known(const std::string& name, const ptx::Operand* results, const ptx::Operand* arguments) {
  if (name == "__assertfail" || name == "__assert_fail") {
    trap(ir::TrapKind::Assert, assert_message(arguments));
    return true;
  }
  return false;
}

}  // namespace warplens::lower
