// Context: a whole kernel. Its parameters, its shared and local memory, its sites.
#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "lower/context.h"
#include "lower/families.h"
#include "lower/layout.h"

namespace warplens::lower {

Context::Context(ModuleContext& module, ir::Kernel& kernel, const ptx::Function& function)
    : module_(module), kernel_(kernel), ptx_function_(function), builder_(kernel.function) {
  kernel_.function.name = function.name;
}

namespace {

void read_thread_limits(const ptx::Function& text, ir::Function& function) {
  for (const ptx::Directive& directive : text.directives) {
    if (directive.name != "maxntid" && directive.name != "reqntid") continue;
    function.requires_ntid = directive.name == "reqntid";
    for (size_t i = 0; i < 3; ++i) {
      uint32_t value = 1;
      if (i < directive.arguments.size()) {
        const std::string& argument = directive.arguments[i];
        std::from_chars(argument.data(), argument.data() + argument.size(), value);
      }
      function.max_ntid[i] = value;
    }
  }
}

}  // namespace

void Context::lower_kernel() {
  pos_ = ptx_function_.pos;
  read_thread_limits(ptx_function_, function());
  lay_out_shared();
  Frame frame;
  frame.function = &ptx_function_;
  frame.facts = &module_.facts_of(ptx_function_);
  active_.push_back(&ptx_function_);
  Scope scope;
  declare_kernel_params(scope);
  if (module_.allocates) kernel_activation_.allocated = builder_.new_variables(ir::Type::I64);
  if (module_.allocates) builder_.write(kernel_activation_.allocated, end_of_frame());
  lower_body(frame, ptx_function_.body, scope);
  for (size_t k = 0; k < placed_.size(); ++k) lower_placed(k);
  join_returns();
  finish_frames();
  builder_.finish();
  name_sites();
  mark_increments();
}

void Context::declare_kernel_params(Scope& scope) {
  uint64_t offset = 0;
  for (const ptx::Variable& variable : ptx_function_.params) {
    const uint64_t bytes = variable_bytes(variable);
    const uint32_t align = variable_align(variable);
    offset = round_up(offset, align);
    Name name;
    name.kind = Name::Kind::KernelParam;
    name.offset = static_cast<uint32_t>(offset);
    scope.names.emplace(variable.name, std::move(name));
    kernel_.params.push_back(
        {variable.name, static_cast<uint32_t>(offset), static_cast<uint32_t>(bytes), align, variable.pointer});
    offset += bytes;
    if (offset > (1u << 20)) {
      report(Severity::Error, "the parameters of " + ptx_function_.name + " are too large", variable.pos);
      offset = 0;
    }
  }
  function().param_bytes = static_cast<uint32_t>(offset);
}

namespace {

// The functions a kernel may run: itself and what it calls, directly or not.
std::vector<const ptx::Function*> reachable_functions(ModuleContext& module, const ptx::Function& kernel) {
  std::vector<const ptx::Function*> result{&kernel};
  std::unordered_set<const ptx::Function*> seen{&kernel};
  for (size_t i = 0; i < result.size(); ++i)
    for (const ptx::Function* callee : module.callees_of(*result[i]))
      if (seen.insert(callee).second) result.push_back(callee);
  return result;
}

}  // namespace

// The variables that the kernel mentions, in the order of their declaration; dynamic shared memory follows.
void Context::lay_out_shared() {
  std::unordered_set<std::string_view> mentioned;
  std::vector<const ptx::Variable*> variables = module_.shared_order;
  uint64_t top = 0;
  for (const ptx::Function* function : reachable_functions(module_, ptx_function_)) {
    const FunctionFacts& facts = module_.facts_of(*function);
    // It lies before the variables, as on an H200.
    if (facts.reserved_shared) top = kernel_.function.reserved_shared_bytes = kReservedShared;
    mentioned.insert(facts.mentioned.begin(), facts.mentioned.end());
    for (const ptx::Variable* variable : facts.variables)
      if (variable->space == "shared") variables.push_back(variable);
  }
  const auto is_dynamic = [](const ptx::Variable* v) { return variable_bytes(*v) == 0; };
  const auto add = [&](const ptx::Variable* variable, uint64_t offset) {
    Name name;
    name.kind = Name::Kind::Shared;
    name.element_bytes = element_bytes(*variable);
    name.offset = static_cast<uint32_t>(offset);
    shared_.emplace(variable->name, std::move(name));
    shared_places_.push_back({variable->name, offset, variable_bytes(*variable)});
  };
  for (const ptx::Variable* variable : variables) {
    if (is_dynamic(variable) || !mentioned.contains(variable->name) || shared_.contains(variable->name)) continue;
    const uint64_t offset = round_up(top, variable_align(*variable));
    if (offset + variable_bytes(*variable) > (1u << 30)) {
      report(Severity::Error, "shared variable " + variable->name + " is too large", variable->pos);
      continue;
    }
    add(variable, offset);
    top = offset + variable_bytes(*variable);
  }
  function().shared_bytes = static_cast<uint32_t>(top);
  for (const ptx::Variable* variable : variables)
    if (is_dynamic(variable) && mentioned.contains(variable->name))
      function().dynamic_shared_align = std::max(function().dynamic_shared_align, variable_align(*variable));
  for (const ptx::Variable* variable : variables)
    if (is_dynamic(variable) && mentioned.contains(variable->name))
      add(variable, round_up(top, function().dynamic_shared_align));
}

// Frames of inlined functions stack up and go as calls do, so that two calls in a row share their place.
uint32_t Context::allocate_local(uint64_t bytes, uint32_t align) {
  constexpr uint64_t kLimit = 512 << 10;  // what CUDA allows a thread
  Activation& a = *activation_;
  const uint64_t offset = round_up(a.top, align);
  if (offset + bytes > kLimit) {
    report(Severity::Error, where() + ": a thread needs more than 512 KiB of local memory", pos_);
    return 0;
  }
  a.top = offset + bytes;
  a.bytes = std::max(a.bytes, a.top);
  if (a.base == ir::kNone) function().local_bytes = static_cast<uint32_t>(a.bytes);
  return static_cast<uint32_t>(offset);
}

ir::ValueId Context::local_address(int64_t offset) {
  const ir::ValueId in_frame = builder_.constant(ir::Type::I64, static_cast<uint64_t>(offset));
  if (activation_->base == ir::kNone) return in_frame;
  return builder_.binary(ir::Op::Add, builder_.read(activation_->base), in_frame);
}

VarId Context::carry() {
  if (carry_ == ir::kNone) carry_ = builder_.new_variables(ir::Type::Pred);
  return carry_;
}

void Context::write_carry(ir::ValueId value) {
  builder_.write(carry(), guard_ == ir::kNone ? value : builder_.select(guard_, value, read_carry()));
}

ir::SiteId Context::new_site(ir::SiteKind kind, const Instr& instr, ir::Space space, ir::Type type, int components) {
  ir::Site site;
  site.kind = kind;
  site.space = space;
  site.bytes_per_lane = static_cast<uint8_t>(ir::bytes(type) * components);
  site.components = static_cast<uint8_t>(components);
  site.opcode = instr.full_opcode();
  site.location = builder_.location();
  if (space != ir::Space::Global)
    for (const ptx::Operand& operand : instr.text.operands)
      if (operand.kind == ptx::Operand::Kind::Address) site.operand = place_of(operand);
  function().sites.push_back(std::move(site));
  return static_cast<ir::SiteId>(function().sites.size() - 1);
}

ir::SiteId Context::new_site(ir::SiteKind kind, ir::Space space, ir::Type type) {
  return new_site(kind, *instr_, space, type, 1);
}

ir::SiteId Context::branch_site(const Instr& instr) {
  return new_site(ir::SiteKind::Branch, instr, ir::Space::Global, ir::Type::Void, 1);
}

}  // namespace warplens::lower
