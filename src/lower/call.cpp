// Calls: a device function's text is lowered again at each place that calls it.
#include <algorithm>

#include "lower/context.h"
#include "lower/families.h"
#include "lower/layout.h"

namespace warplens::lower {
namespace {

constexpr size_t kMaxInlineDepth = 64;

const ptx::Operand* element(const ptx::Operand* list, size_t index) {
  return list && index < list->elements.size() ? &list->elements[index] : nullptr;
}

}  // namespace

void Context::call(const Instr& instr) {
  const CallOperands parts = call_operands(instr.text);
  if (!parts.target) malformed("a call without a target");
  const std::string& name = parts.target->name;
  if (find_register(*parts.target)) refuse("an indirect call is not supported yet");
  const auto it = module_.functions.find(name);
  if (it == module_.functions.end() || it->second->declaration_only) {
    if (call_known(name, parts.results, parts.arguments)) return;
    refuse("a call of " + name + ", which has no body here, is not supported yet");
  }
  const ptx::Function& callee = *it->second;
  if (callee.is_kernel) refuse("a call of the kernel " + name + " is not supported yet");
  if (std::find(active_.begin(), active_.end(), &callee) != active_.end())
    refuse("the recursive call of " + name + " is not supported yet");
  if (active_.size() > kMaxInlineDepth) refuse("calls that nest so deeply are not supported yet");
  inline_call(callee, parts.results, parts.arguments);
}

void Context::inline_call(const ptx::Function& callee, const ptx::Operand* results, const ptx::Operand* arguments) {
  Frame frame;
  frame.function = &callee;
  frame.facts = &module_.facts_of(callee);
  frame.call_stack = function().locations[builder_.location()].frames;
  frame.return_block = builder_.new_block();
  const SourcePos pos = pos_;
  const uint64_t local_top = local_top_;
  Scope scope;
  const auto bind = [&](const std::vector<ptx::Variable>& formals, const ptx::Operand* actuals, bool is_result) {
    for (size_t k = 0; k < formals.size(); ++k) {
      const ptx::Operand* actual = element(actuals, k);
      if (!actual) malformed("a call of " + callee.name + " with too few operands");
      bind_formal(formals[k], *actual, scope, frame, is_result);
    }
  };
  bind(callee.results, results, true);
  bind(callee.params, arguments, false);
  builder_.end_instruction();

  active_.push_back(&callee);
  lower_body(frame, callee.body, scope);
  active_.pop_back();
  if (!builder_.ended()) builder_.branch(frame.return_block);
  builder_.enter(frame.return_block);
  builder_.seal(frame.return_block);

  guard_ = ir::kNone;
  pos_ = pos;
  for (size_t k = 0; k < callee.results.size(); ++k) fetch_result(callee.results[k], *element(results, k), scope);
  local_top_ = local_top;
}

// .param formals are the caller's .param variable itself; registers and constants are copied in.
void Context::bind_formal(const ptx::Variable& formal, const ptx::Operand& actual, Scope& scope, const Frame& frame,
                          bool is_result) {
  Name name;
  const Name* given = actual.kind == ptx::Operand::Kind::Symbol ? find(actual) : nullptr;
  if (formal.space == "param" && given && given->kind == Name::Kind::Param) {
    name = *given;
  } else {
    const auto type = parse_type(formal.type);
    if (!type || variable_bytes(formal) > 8) malformed("an argument of the wrong kind for " + formal.name);
    if (formal.space == "param") {
      name.kind = Name::Kind::Param;
      name.object = make_object(formal, frame);
      if (!is_result) store_param(*name.object, 0, value(actual, *type));
    } else {
      name.kind = Name::Kind::Register;
      name.type = register_type(*type);
      name.variable = builder_.new_variables(name.type);
      if (!is_result) builder_.write(name.variable, builder_.cast(value(actual, *type), name.type, type->is_signed()));
    }
  }
  scope.names.emplace(formal.name, std::move(name));
}

void Context::fetch_result(const ptx::Variable& formal, const ptx::Operand& actual, const Scope& scope) {
  const auto it = scope.names.find(formal.name);
  const auto type = parse_type(formal.type);
  if (it == scope.names.end() || !type || !find_register(actual)) return;  // a .param variable: already there
  const Name& name = it->second;
  const ir::ValueId value =
      name.kind == Name::Kind::Register ? builder_.read(name.variable) : load_param(*name.object, 0, ir_type(*type));
  write(actual, builder_.cast(value, ir_type(*type)), *type);
}

}  // namespace warplens::lower
