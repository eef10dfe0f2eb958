#include "lower/symbols.h"

#include <algorithm>
#include <bit>

#include "lower/layout.h"

namespace warplens::lower {
namespace {

constexpr uint64_t kMaxInitialBytes = uint64_t{1} << 30;

bool is_managed(const ptx::Variable& variable) {
  return std::find(variable.attributes.begin(), variable.attributes.end(), "managed") != variable.attributes.end();
}

// Writes an initializer into the symbol's bytes.
class Initializer {
 public:
  Initializer(ModuleContext& module, const ptx::Variable& variable, ir::Symbol& symbol)
      : module_(module), variable_(variable), symbol_(symbol) {
    const auto type = parse_type(variable.type);
    if (type) type_ = *type;
    width_ = std::max<uint64_t>(type_.bytes(), 1);
  }

  // Nested braces start at multiples of what one of them holds: int a[2][3] = {{1}, {2}}.
  void write(const std::vector<ptx::Operand>& operands, uint64_t offset, size_t level) {
    uint64_t step = width_ * vector();
    for (size_t d = level + 1; d < variable_.dims.size(); ++d) step *= std::max<uint64_t>(variable_.dims[d], 1);
    for (const ptx::Operand& operand : operands) {
      const bool nested = operand.kind == ptx::Operand::Kind::Vector;
      if (nested)
        write(operand.elements, offset, level + 1);
      else
        write_one(operand, offset);
      offset += nested ? step : width_;
    }
  }

 private:
  uint64_t vector() const { return static_cast<uint64_t>(std::max(variable_.vector, 1)); }

  void write_one(const ptx::Operand& operand, uint64_t offset) {
    using Kind = ptx::Operand::Kind;
    if (offset + width_ > symbol_.bytes || offset + width_ > kMaxInitialBytes) {
      complain("has more initial values than room");
      return;
    }
    if (operand.kind == Kind::Symbol || operand.kind == Kind::Register) {
      relocations_.push_back({offset, &operand});
      put(offset, 0);
    } else if (operand.kind == Kind::Float) {
      put(offset, float_bits(operand));
    } else {
      put(offset, type_.is_wide_float() ? number_bits(operand) : operand.value);
    }
  }

  uint64_t float_bits(const ptx::Operand& operand) const {
    if (width_ == 4 && operand.is_f64)
      return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(operand.value)));
    if (width_ == 8 && !operand.is_f64)
      return std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(operand.value))));
    return operand.value;
  }

  uint64_t number_bits(const ptx::Operand& operand) const {
    const double number = operand.negative ? static_cast<double>(static_cast<int64_t>(operand.value))
                                           : static_cast<double>(operand.value);
    return width_ == 8 ? std::bit_cast<uint64_t>(number) : std::bit_cast<uint32_t>(static_cast<float>(number));
  }

  void put(uint64_t offset, uint64_t bits) {
    if (symbol_.initial.size() < offset + width_) symbol_.initial.resize(offset + width_);
    for (uint64_t i = 0; i < width_; ++i)
      symbol_.initial[offset + i] = static_cast<uint8_t>(i < 8 ? bits >> (8 * i) : 0);
  }

  void complain(const std::string& what) {
    if (complained_) return;
    complained_ = true;
    module_.diagnostics.push_back({Severity::Error, module_.file_name, variable_.pos, variable_.name + " " + what, ""});
  }

 public:
  // Once all names are known.
  void relocate() {
    for (const auto& [offset, operand] : relocations_) {
      const auto it = module_.symbols.find(operand->name);
      const auto function = module_.functions.find(operand->name);
      if (function != module_.functions.end() && width_ == 8 && !function->second->declaration_only &&
          !function->second->is_kernel)
        put(offset, module_.address_of(*function->second) + static_cast<uint64_t>(operand->offset));
      else if (it != module_.symbols.end() && it->second.kind == Name::Kind::Symbol && width_ == 8)
        symbol_.relocations.push_back({offset, it->second.index, operand->offset, operand->component == "generic"});
      else
        complain("is initialised with the address of " + operand->name + ", which is not supported yet");
    }
  }

 private:
  struct Pending {
    uint64_t offset;
    const ptx::Operand* operand;
  };
  ModuleContext& module_;
  const ptx::Variable& variable_;
  ir::Symbol& symbol_;
  ScalarType type_ = kU64;
  uint64_t width_ = 1;
  std::vector<Pending> relocations_;
  bool complained_ = false;
};

bool is_memory(const ptx::Variable& variable) { return variable.space == "global" || variable.space == "const"; }

void declare_one(ModuleContext& module, const ptx::Variable& variable) {
  Name name;
  if (!parse_type(variable.type)) {
    name.why = "variable " + variable.name + " of type ." + variable.type;
    module.symbols.emplace(variable.name, std::move(name));
    return;
  }
  if (const auto it = module.symbols.find(variable.name); it != module.symbols.end()) {
    ir::Symbol& known = module.ir.symbols[it->second.index];
    if (!known.external || variable.linkage == "extern") return;  // the first definition holds
    known.external = false;
    known.bytes = variable_bytes(variable);
    return;
  }
  ir::Symbol symbol;
  symbol.name = variable.name;
  symbol.space = variable.space == "const" ? ir::Space::Const : ir::Space::Global;
  symbol.managed = is_managed(variable);
  symbol.external = variable.linkage == "extern";
  symbol.bytes = variable_bytes(variable);
  symbol.align = variable_align(variable);
  name.kind = Name::Kind::Symbol;
  name.element_bytes = element_bytes(variable);
  name.space = symbol.space;
  name.index = static_cast<uint32_t>(module.ir.symbols.size());
  module.symbols.emplace(variable.name, std::move(name));
  module.ir.symbols.push_back(std::move(symbol));
}

}  // namespace

void declare_symbols(ModuleContext& module) {
  std::vector<const ptx::Variable*> variables;
  for (const ptx::Variable& variable : module.ptx.variables)
    if (is_memory(variable)) variables.push_back(&variable);
  for (const ptx::Function& function : module.ptx.functions)
    for (const ptx::Variable* variable : module.facts_of(function).variables)
      if (is_memory(*variable)) variables.push_back(variable);
  for (const ptx::Variable* variable : variables) declare_one(module, *variable);

  std::vector<Initializer> initializers;
  for (const ptx::Variable* variable : variables) {
    const auto it = module.symbols.find(variable->name);
    if (variable->initializer.empty() || it->second.kind != Name::Kind::Symbol) continue;
    initializers.emplace_back(module, *variable, module.ir.symbols[it->second.index]);
    initializers.back().write(variable->initializer, 0, 0);
  }
  for (Initializer& initializer : initializers) initializer.relocate();
}

}  // namespace warplens::lower
