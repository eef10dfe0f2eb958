// Functions without a body in the PTX: what the device run-time library would bring.
#include "ir/math.h"
#include "lower/context.h"
#include "lower/libdevice.h"

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

ScalarType type_of_letter(char letter) {
  switch (letter) {
    case 'i':
      return kB32;
    case 'f':
      return kF32;
    case 'd':
      return {ScalarType::Kind::Float, 64, false};
    default:
      return kU64;
  }
}

std::optional<ir::SystemCall> system_call_named(const std::string& name) {
  if (name == "vprintf") return ir::SystemCall::Printf;
  if (name == "malloc") return ir::SystemCall::Malloc;
  if (name == "free") return ir::SystemCall::Free;
  return std::nullopt;
}

}  // namespace

ir::ValueId Context::argument(const ptx::Operand* arguments, size_t index, ScalarType type) {
  if (!arguments || index >= arguments->elements.size()) malformed("a call with too few arguments");
  const ptx::Operand& operand = arguments->elements[index];
  const Name* name = find(operand);
  if (name && name->kind == Name::Kind::Param) return load_param(*name->object, 0, ir_type(type));
  return value(operand, type);
}

// __assertfail(message, file, line, function, size of a character)
std::string Context::assert_message(const ptx::Operand* arguments) {
  uint64_t line = 0;
  builder_.is_constant(argument(arguments, 2, kU32), &line);
  const auto text = [&](size_t index) { return text_at(module_, builder_, argument(arguments, index, kU64)); };
  return text(1) + ":" + std::to_string(line) + ": " + text(3) + ": Assertion `" + text(0) + "` failed";
}

bool Context::call_known(const std::string& name, const ptx::Operand* results, const ptx::Operand* arguments) {
  if (name == "__assertfail") {
    trap(ir::TrapKind::Assert, assert_message(arguments));
    return true;
  }
  if (const auto system = system_call_named(name)) {
    ir::Inst inst;
    inst.op = ir::Op::SystemCall;
    inst.imm = static_cast<uint64_t>(*system);
    inst.type = *system == ir::SystemCall::Printf   ? ir::Type::I32
                : *system == ir::SystemCall::Malloc ? ir::Type::I64
                                                    : ir::Type::Void;
    for (size_t i = 0; i < (*system == ir::SystemCall::Printf ? 2u : 1u); ++i)
      inst.args.push_back(argument(arguments, i, kU64));
    const ir::ValueId result = builder_.emit(std::move(inst));
    if (*system != ir::SystemCall::Free)
      give_result(name, results, result, *system == ir::SystemCall::Printf ? kB32 : kU64);
    return true;
  }
  const char* signature = libdevice_signature(name);
  if (!signature) return false;
  std::vector<ir::ValueId> args;
  for (size_t i = 0; signature[i + 1] != 0; ++i)
    args.push_back(argument(arguments, i, type_of_letter(signature[i + 1])));
  const auto access = [&](ir::Op op, ir::SiteKind kind, ir::Type type, std::vector<ir::ValueId> operands) {
    ir::Inst inst;
    inst.op = op;
    inst.type = type;
    inst.space = ir::Space::Generic;
    inst.args = std::move(operands);
    inst.site = new_site(kind, inst.space, type);
    return builder_.emit(std::move(inst));
  };
  const MemoryAccess memory{
      [&](ir::ValueId pointer, ir::ValueId stored) {
        access(ir::Op::Store, ir::SiteKind::Store, builder_.type(stored), {pointer, stored});
      },
      [&](ir::ValueId pointer, ir::Type type) { return access(ir::Op::Load, ir::SiteKind::Load, type, {pointer}); }};
  const ir::ValueId result = call_libdevice(builder_, name, args, memory);
  if (result != ir::kNone) give_result(name, results, result, type_of_letter(signature[0]));
  return true;
}

void Context::give_result(const std::string& name, const ptx::Operand* results, ir::ValueId result, ScalarType type) {
  if (!results || results->elements.empty()) malformed("a call of " + name + " without a result");
  const ptx::Operand& to = results->elements[0];
  const Name* object = find(to);
  if (object && object->kind == Name::Kind::Param)
    store_param(*object->object, 0, result);
  else
    write(to, result, type);
}

}  // namespace warplens::lower
