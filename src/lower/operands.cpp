// Context: from operands to values and from values to registers.
#include <bit>
#include <charconv>

#include "lower/context.h"
#include "lower/families.h"

namespace warplens::lower {
namespace {

std::string text_of(const ptx::Operand& operand) {
  return operand.component.empty() ? operand.name : operand.name + "." + std::string(operand.component);
}

int component_index(std::string_view component) {
  if (component == "x" || component == "r") return 0;
  if (component == "y" || component == "g") return 1;
  if (component == "z" || component == "b") return 2;
  if (component == "w" || component == "a") return 3;
  return -1;
}

// "%r12" -> "%r", 12; nothing where there is no number at the end.
std::optional<std::pair<std::string_view, uint32_t>> split_number(std::string_view name) {
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  if (digits == name.size() || digits == 0) return std::nullopt;
  if (name[digits] == '0' && digits + 1 != name.size()) return std::nullopt;  // %r01 is no element of %r<8>
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data() + digits, name.data() + name.size(), number);
  if (error != std::errc()) return std::nullopt;
  return std::pair{name.substr(0, digits), number};
}

}  // namespace

void Context::refuse(std::string reason) const { throw Refusal{std::move(reason), false}; }
void Context::malformed(std::string reason) const { throw Refusal{std::move(reason), true}; }
void Context::unsupported(const Instr& instr) const { refuse(instr.full_opcode() + " is not supported yet"); }

const Name* Context::lookup(std::string_view name) const {
  for (const Scope* scope = scope_; scope; scope = scope->parent)
    if (const auto it = scope->names.find(name); it != scope->names.end()) return &it->second;
  if (const auto it = shared_.find(name); it != shared_.end()) return &it->second;
  if (const auto it = module_.symbols.find(name); it != module_.symbols.end()) return &it->second;
  if (const auto it = module_.function_names.find(name); it != module_.function_names.end()) return &it->second;
  return nullptr;
}

const Name* Context::find(const ptx::Operand& operand) const { return lookup(operand.name); }

std::optional<Context::Register> Context::find_register(const ptx::Operand& operand) const {
  if (operand.kind != ptx::Operand::Kind::Register && operand.kind != ptx::Operand::Kind::Symbol) return std::nullopt;
  const Name* name = lookup(operand.name);
  uint32_t index = 0;
  if (!name || (name->kind == Name::Kind::Register && name->count != 0)) {
    const auto split = split_number(operand.name);
    if (!split) return std::nullopt;
    name = lookup(split->first);
    if (!name || name->kind != Name::Kind::Register || split->second >= name->count) return std::nullopt;
    index = split->second * name->components;
  }
  if (name->kind != Name::Kind::Register) return std::nullopt;
  if (!operand.component.empty()) {
    const int component = component_index(operand.component);
    if (component < 0 || static_cast<uint32_t>(component) >= name->components) return std::nullopt;
    return Register{name->variable + index + static_cast<uint32_t>(component), name->type, 1};
  }
  return Register{name->variable + index, name->type, name->components};
}

ir::Type Context::declared_type(const ptx::Operand& operand) {
  const auto found = find_register(operand);
  return found ? found->type : ir::Type::Void;
}

namespace {

ir::ValueId float_literal(Context& c, const ptx::Operand& operand, ScalarType type) {
  const bool wide = type.total_bits() == 64;
  uint64_t bits = operand.value;
  if (operand.is_f64 && !wide) bits = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  if (!operand.is_f64 && wide)
    bits = std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits))));
  if (type.total_bits() < 32) c.refuse("a floating-point literal of 16 bits is not supported yet");
  return c.b().constant(ir_type(type), bits);
}

ir::ValueId integer_literal(Context& c, const ptx::Operand& operand, ScalarType type) {
  if (type.is_pred()) return c.b().constant(ir::Type::Pred, operand.value != 0);
  if (type.is_wide_float()) {  // add.f32 %f1, %f2, 2: an integer where a number is meant
    const double number = operand.negative ? static_cast<double>(static_cast<int64_t>(operand.value))
                                           : static_cast<double>(operand.value);
    return c.b().constant(ir_type(type), type.bits == 64 ? std::bit_cast<uint64_t>(number)
                                                         : std::bit_cast<uint32_t>(static_cast<float>(number)));
  }
  return c.b().constant(ir_type(type), operand.value);
}

}  // namespace

ir::ValueId Context::value(const ptx::Operand& operand, ScalarType type) {
  using Kind = ptx::Operand::Kind;
  const ir::Type wanted = ir_type(type);
  if (wanted == ir::Type::Void) refuse("a value of 128 bits is not supported yet");
  if (operand.negated && !type.is_pred()) malformed("'!' before what is no predicate");
  if (operand.kind == Kind::Immediate) return integer_literal(*this, operand, type);
  if (operand.kind == Kind::Float) return float_literal(*this, operand, type);
  if (operand.kind == Kind::Element) {  // the address of an element
    const Name* name = operand.elements.empty() ? nullptr : find(operand.elements[0]);
    if (!name || !name->element_bytes) malformed("an element of what is no array");
    const auto index = static_cast<uint64_t>(operand.offset);
    return builder_.cast(address_of(*name, static_cast<int64_t>(index * name->element_bytes)), wanted);
  }
  if (operand.kind != Kind::Register && operand.kind != Kind::Symbol) malformed("an operand that is no value");
  if (const auto found = find_register(operand)) {
    if (found->type == ir::Type::Void) refuse("register " + text_of(operand) + " of 128 bits is not supported yet");
    if (found->components != 1) malformed("vector register " + operand.name + " where one value is needed");
    if ((found->type == ir::Type::Pred) != type.is_pred())
      malformed(text_of(operand) + (type.is_pred() ? " is not a predicate" : " is a predicate"));
    const ir::ValueId value = builder_.cast(builder_.read(found->variable), wanted, type.is_signed());
    return operand.negated ? builder_.unary(ir::Op::Not, value) : value;
  }
  if (const ir::ValueId special = special_register(*this, text_of(operand)); special != ir::kNone)
    return builder_.cast(special, wanted);
  if (const Name* name = find(operand)) return builder_.cast(address_of(*name, operand.offset), wanted);
  malformed((operand.kind == Kind::Register ? "undeclared register " : "undeclared name ") + text_of(operand));
}

ir::ValueId Context::predicate(const ptx::Operand& operand) { return value(operand, kPred); }

uint64_t Context::immediate(const ptx::Operand& operand) {
  uint64_t bits = 0;
  if (operand.kind == ptx::Operand::Kind::Immediate) return operand.value;
  if (find_register(operand) && builder_.is_constant(value(operand, kU32), &bits)) return bits;
  refuse("an operand that must be a constant is not one");
}

ir::ValueId Context::old_value(const ptx::Operand& destination, ir::Type type) {
  const auto found = find_register(destination);
  return found ? builder_.cast(builder_.read(found->variable), type) : builder_.undef(type);
}

void Context::write(const ptx::Operand& destination, ir::ValueId value, ScalarType type) {
  if (destination.kind == ptx::Operand::Kind::Sink) return;
  const auto found = find_register(destination);
  if (!found) malformed("undeclared register " + text_of(destination));
  if (found->type == ir::Type::Void || found->components != 1)
    refuse("register " + text_of(destination) + " of more than 64 bits is not supported yet");
  if ((found->type == ir::Type::Pred) != (builder_.type(value) == ir::Type::Pred))
    malformed(text_of(destination) + (found->type == ir::Type::Pred ? " is a predicate" : " is not a predicate"));
  ir::ValueId result = builder_.cast(value, found->type, type.is_signed());
  if (guard_ != ir::kNone) result = builder_.select(guard_, result, builder_.read(found->variable));
  builder_.write(found->variable, result);
}

// An address is I64, whatever the space: an offset in the block's shared window or the thread's frame, else absolute.
ir::ValueId Context::address_of(const Name& name, int64_t offset) {
  const auto plus = [&](ir::ValueId base) {
    return builder_.binary(ir::Op::Add, base, builder_.constant(ir::Type::I64, static_cast<uint64_t>(offset)));
  };
  switch (name.kind) {
    case Name::Kind::Local:
      return local_address(name.offset + offset);
    case Name::Kind::Shared:
      return builder_.constant(ir::Type::I64, static_cast<uint64_t>(name.offset + offset));
    case Name::Kind::Symbol:
      return plus(builder_.symbol(name.index));
    case Name::Kind::KernelParam:
      return plus(builder_.binary(ir::Op::Add, builder_.special(ir::SpecialRegister::ParamBase),
                                  builder_.constant(ir::Type::I64, name.offset)));
    case Name::Kind::Param:
      if (!name.object->in_memory) refuse("the address of this parameter is not supported yet");
      return local_address(name.object->frame_offset + offset);
    case Name::Kind::Function:
      if (name.function->is_kernel) refuse("the address of a kernel is not supported yet");
      if (name.function->declaration_only)
        refuse("the address of " + name.function->name + ", which has no body here, is not supported yet");
      return builder_.constant(ir::Type::I64, module_.address_of(*name.function));
    case Name::Kind::Unusable:
      refuse(name.why + " is not supported yet");
    default:
      malformed("a name that has no address");
  }
}

Context::Address Context::address(const ptx::Operand& operand) {
  using Kind = ptx::Operand::Kind;
  if (operand.kind != Kind::Address || operand.elements.empty()) malformed("an operand that is no address");
  const ptx::Operand& base = operand.elements[0];
  Address result;
  result.offset = operand.offset + base.offset;
  if (base.kind == Kind::Immediate) {
    result.base = builder_.constant(ir::Type::I64, base.value);
  } else if (const auto found = find_register(base)) {
    if (found->type == ir::Type::Void) refuse("register " + text_of(base) + " of 128 bits is not supported yet");
    result.base = builder_.read(found->variable);
    if (builder_.type(result.base) == ir::Type::Pred || found->components != 1) malformed(base.name + " is no address");
    const bool narrow = ir::bits(builder_.type(result.base)) <= 32;
    result.base = builder_.cast(result.base, narrow ? ir::Type::I32 : ir::Type::I64);
  } else if (const Name* name = find(base)) {
    result.name = name;
  } else {
    malformed("undeclared name " + text_of(base));
  }
  return result;
}

}  // namespace warplens::lower
