// Calls: a device function's text is lowered again at each place that calls it.
#include <algorithm>

#include "lower/context.h"
#include "lower/families.h"
#include "lower/layout.h"

namespace warplens::lower {
namespace {

constexpr size_t kMaxInlineDepth = 64;
constexpr size_t kMaxAlternatives = 4;  // of a call through a pointer: functions that are inlined

const ptx::Operand* element(const ptx::Operand* list, size_t index) {
  return list && index < list->elements.size() ? &list->elements[index] : nullptr;
}

}  // namespace

void Context::call(const Instr& instr) {
  const CallOperands parts = call_operands(instr.text);
  if (!parts.target) malformed("a call without a target");
  const std::string& name = parts.target->name;
  if (find_register(*parts.target)) return indirect_call(parts, value(*parts.target, kU64));
  const auto it = module_.functions.find(name);
  if (it == module_.functions.end() || it->second->declaration_only) {
    if (call_known(name, parts.results, parts.arguments)) return;
    refuse("a call of " + name + ", which has no body here, is not supported yet");
  }
  const ptx::Function& callee = *it->second;
  if (callee.is_kernel) refuse("a call of the kernel " + name + " is not supported yet");
  if (module_.may_recur(callee) || active_.size() > kMaxInlineDepth)
    call_placed({&callee}, ir::kNone, parts);
  else
    inline_call(callee, parts.results, parts.arguments);
}

// A few functions that do not recur are inlined one beside the other: what the caller holds stays in its registers.
void Context::indirect_call(const CallOperands& parts, ir::ValueId address) {
  const auto found = parts.how ? frame_->facts->prototypes.find(parts.how->name) : frame_->facts->prototypes.end();
  if (found == frame_->facts->prototypes.end()) malformed("a call through a register without a prototype");
  const std::vector<const ptx::Function*> targets = module_.targets_of(*found->second);
  const bool stand_once = targets.size() > kMaxAlternatives || active_.size() > kMaxInlineDepth / 8 ||
                          std::any_of(targets.begin(), targets.end(), [&](auto* f) { return module_.may_recur(*f); });
  if (stand_once) return call_placed(targets, address, parts);
  builder_.end_instruction();
  const ir::BlockId after = builder_.new_block();
  jump_to(targets, address, [&](const ptx::Function& target) {
    inline_call(target, parts.results, parts.arguments, true);
    builder_.branch(after);
  });
  builder_.enter(after);
  builder_.seal(after);
}

void Context::jump_to(const std::vector<const ptx::Function*>& targets, ir::ValueId address,
                      const std::function<void(const ptx::Function&)>& go) {
  const auto equals = [&](uint64_t bits) {
    return builder_.icmp(ir::IntCompare::Eq, address, builder_.constant(ir::Type::I64, bits));
  };
  const auto part = [&](uint64_t bits) {
    const ir::BlockId here = builder_.new_block(), next = builder_.new_block();
    builder_.branch_if(equals(bits), here, next, ir::kNone);
    builder_.seal(here);
    builder_.seal(next);
    builder_.enter(here);
    return next;
  };
  for (const ptx::Function* target : targets) {
    const ir::BlockId next = part(module_.address_of(*target));
    go(*target);
    builder_.enter(next);
  }
  const ir::BlockId wild = part(0);
  trap(ir::TrapKind::NoFunction, "a call through a null pointer");
  builder_.enter(wild);
  trap(ir::TrapKind::NoFunction, "a call through a pointer to no function with such parameters");
}

void Context::inline_call(const ptx::Function& callee, const ptx::Operand* results, const ptx::Operand* arguments,
                          bool copies) {
  Frame frame;
  frame.function = &callee;
  frame.facts = &module_.facts_of(callee);
  frame.call_stack = function().locations[builder_.location()].frames;
  frame.return_block = builder_.new_block();
  const SourcePos pos = pos_;
  const uint64_t local_top = activation_->top;
  VarId allocated = ir::kNone;  // what the callee takes with alloca goes with it
  if (frame.facts->allocates) {
    allocated = builder_.new_variables(ir::Type::I64);
    builder_.write(allocated, builder_.read(activation_->allocated));
  }
  Scope scope;
  const auto bind = [&](const std::vector<ptx::Variable>& formals, const ptx::Operand* actuals, bool is_result) {
    for (size_t k = 0; k < formals.size(); ++k) {
      const ptx::Operand* actual = element(actuals, k);
      if (!actual) malformed("a call of " + callee.name + " with too few operands");
      bind_formal(formals[k], *actual, scope, frame, is_result, copies);
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
  for (size_t k = 0; k < callee.results.size(); ++k)
    fetch_result(callee.results[k], *element(results, k), scope, copies);
  if (allocated != ir::kNone) builder_.write(activation_->allocated, builder_.read(allocated));
  activation_->top = local_top;
}

// .param formals are the caller's .param variable itself; registers and constants are copied in.
void Context::bind_formal(const ptx::Variable& formal, const ptx::Operand& actual, Scope& scope, const Frame& frame,
                          bool is_result, bool copies) {
  Name name;
  const Name* given = actual.kind == ptx::Operand::Kind::Symbol ? find(actual) : nullptr;
  if (formal.space == "param" && given && given->kind == Name::Kind::Param) {
    name = *given;
    if (copies) {
      name.object = make_object(formal, frame);
      if (!is_result) fill(*name.object, pieces_of(*given->object));
    }
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

void Context::fetch_result(const ptx::Variable& formal, const ptx::Operand& actual, const Scope& scope, bool copies) {
  const auto it = scope.names.find(formal.name);
  const auto type = parse_type(formal.type);
  if (it == scope.names.end() || !type) return;
  if (!find_register(actual)) {  // a .param variable: already there, if it is the callee's own
    if (const Name* taker = find(actual); copies && taker && taker->kind == Name::Kind::Param)
      fill(*taker->object, pieces_of(*it->second.object));
    return;
  }
  const Name& name = it->second;
  const ir::ValueId value =
      name.kind == Name::Kind::Register ? builder_.read(name.variable) : load_param(*name.object, 0, ir_type(*type));
  write(actual, builder_.cast(value, ir_type(*type)), *type);
}

}  // namespace warplens::lower
