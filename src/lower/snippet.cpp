#include "lower/snippet.h"

#include <map>

#include "lower/families.h"
#include "ptx/parse.h"

namespace warplens::lower {
namespace {

constexpr uint32_t kRegisters = 32;  // of each kind
constexpr std::pair<const char*, ir::Type> kKinds[] = {{"%r", ir::Type::I32}, {"%h", ir::Type::I16},
                                                       {"%d", ir::Type::I64}, {"%f", ir::Type::F32},
                                                       {"%e", ir::Type::F64}, {"%p", ir::Type::Pred}};

}  // namespace

struct Snippets::Impl {
  ptx::Module module;
  ir::Module lowered;
  Diagnostics diagnostics;
  ptx::Function function;
  std::unique_ptr<ModuleContext> shared;
  std::unique_ptr<Context> context;
  Scope scope;
  Frame frame;
  std::map<std::string, ptx::ParseResult, std::less<>> parsed;

  explicit Impl(ir::Kernel& kernel) {
    function.name = kernel.function.name;
    shared = std::make_unique<ModuleContext>(module, lowered, diagnostics, "");
    context = std::make_unique<Context>(*shared, kernel, function);
    for (const auto& [prefix, type] : kKinds) {
      Name name;
      name.kind = Name::Kind::Register;
      name.type = type;
      name.count = kRegisters;
      name.components = 1;
      name.variable = context->b().new_variables(type, kRegisters);
      scope.names.emplace(prefix, std::move(name));
    }
    frame.function = &function;
  }

  VarId variable(std::string_view name) {
    const Name& kind = scope.names.at(name.substr(0, 2));
    return kind.variable + static_cast<VarId>(std::stoul(std::string(name.substr(2))));
  }

  const ptx::Instruction& instruction(const std::string& text) {
    auto it = parsed.find(text);
    if (it == parsed.end())
      it = parsed
               .emplace(text,
                        ptx::parse(".version 8.4\n.target sm_90\n.address_size 64\n.func x() { " + text + " }", ""))
               .first;
    const ptx::ParseResult& result = it->second;
    if (!result.diagnostics.empty() || result.module.functions.size() != 1 ||
        result.module.functions[0].body.statements.size() != 1)
      throw Error{"not one instruction: " + text};
    return std::get<ptx::Instruction>(result.module.functions[0].body.statements[0]);
  }
};

Snippets::Snippets(ir::Kernel& kernel) : impl_(std::make_unique<Impl>(kernel)) {}
Snippets::~Snippets() = default;
Builder& Snippets::builder() { return impl_->context->b(); }

void Snippets::run(const std::string& text, const std::vector<Argument>& arguments, ir::ValueId guard) {
  for (const Argument& argument : arguments) builder().write(impl_->variable(argument.name), argument.value);
  try {
    impl_->context->lower_alone(impl_->instruction(text), impl_->frame, impl_->scope, guard);
  } catch (const Refusal& refusal) {
    throw Error{refusal.reason};
  }
}

ir::ValueId Snippets::result(std::string_view name) { return builder().read(impl_->variable(name)); }

}  // namespace warplens::lower
