#include "lower/call_graph.h"

#include <unordered_set>

#include "lower/layout.h"

namespace warplens::lower {
namespace {

void collect_symbols(const std::vector<ptx::Operand>& operands, std::unordered_set<std::string_view>& out) {
  for (const ptx::Operand& operand : operands) {
    if (!operand.name.empty()) out.insert(operand.name);
    collect_symbols(operand.elements, out);
  }
}

}  // namespace

void alias_functions(ModuleContext& module) {
  for (const ptx::Directive& directive : module.ptx.directives) {
    if (directive.name != "alias" || directive.arguments.size() != 2) continue;
    const auto aliased = module.functions.find(directive.arguments[1]);
    if (aliased != module.functions.end()) module.functions[directive.arguments[0]] = aliased->second;
  }
}

void find_addressed(ModuleContext& module) {
  std::unordered_set<std::string_view> named;
  for (const ptx::Variable& variable : module.ptx.variables) collect_symbols(variable.initializer, named);
  for (const ptx::Function& function : module.ptx.functions) {
    const FunctionFacts& facts = module.facts_of(function);
    named.insert(facts.mentioned.begin(), facts.mentioned.end());
    for (const ptx::Variable* variable : facts.variables) collect_symbols(variable->initializer, named);
    module.allocates |= facts.allocates;
  }
  std::unordered_set<const ptx::Function*> addressed;
  for (const auto& [name, function] : module.functions)
    if (named.contains(name) && !function->is_kernel && !function->declaration_only) addressed.insert(function);
  for (const ptx::Function& function : module.ptx.functions)
    if (addressed.contains(&function)) module.addressed.push_back(&function);
}

std::string shape_of(const std::vector<ptx::Variable>& results, const std::vector<ptx::Variable>& params) {
  std::string shape;
  for (const ptx::Variable& result : results) shape += std::to_string(variable_bytes(result)) + " ";
  shape += "<";
  for (const ptx::Variable& param : params) shape += " " + std::to_string(variable_bytes(param));
  return shape;
}

// Functions of one name and place in two modules of a program are two.
uint64_t ModuleContext::address_of(const ptx::Function& function) const {
  uint64_t hash = 14695981039346656037u;
  const auto add = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211u;
    hash = (hash ^ 256) * 1099511628211u;
  };
  add(file_name);
  add(function.name);
  for (const size_t size : {ptx.functions.size(), ptx.variables.size(), function.body.statements.size()})
    add(std::to_string(size));
  // Not where anything may lie in memory: reading it is a fault.
  return uint64_t{1} << 62 | (hash >> 16 & ~uint64_t{15});
}

std::vector<const ptx::Function*> ModuleContext::targets_of(const ptx::Directive& how) {
  std::vector<const ptx::Function*> targets;
  if (how.name == "calltargets") {
    for (const ptx::Operand& operand : how.operands)
      if (const auto it = functions.find(operand.name); it != functions.end() && !it->second->declaration_only)
        targets.push_back(it->second);
    return targets;
  }
  const std::string shape = shape_of(how.results, how.params);
  for (const ptx::Function* function : addressed)
    if (shape_of(function->results, function->params) == shape) targets.push_back(function);
  return targets;
}

const std::vector<const ptx::Function*>& ModuleContext::callees_of(const ptx::Function& function) {
  const auto [it, fresh] = callees_.try_emplace(&function);
  if (!fresh) return it->second;
  std::vector<const ptx::Function*>& callees = it->second;
  std::unordered_set<const ptx::Function*> seen;
  const auto add = [&](const ptx::Function* callee) {
    if (seen.insert(callee).second) callees.push_back(callee);
  };
  const FunctionFacts& facts = facts_of(function);
  for (const std::string& name : facts.called)
    if (const auto found = functions.find(name); found != functions.end()) add(found->second);
  for (const std::string& label : facts.called_by)
    if (const auto found = facts.prototypes.find(label); found != facts.prototypes.end())
      for (const ptx::Function* target : targets_of(*found->second)) add(target);
  return callees;
}

bool ModuleContext::may_recur(const ptx::Function& function) {
  const auto [it, fresh] = recurs_.try_emplace(&function, false);
  if (!fresh) return it->second;
  std::unordered_set<const ptx::Function*> seen;
  std::vector<const ptx::Function*> work{&function};
  while (!work.empty()) {
    const ptx::Function* at = work.back();
    work.pop_back();
    for (const ptx::Function* callee : callees_of(*at)) {
      if (callee == &function) return recurs_[&function] = true;
      if (seen.insert(callee).second) work.push_back(callee);
    }
  }
  return false;
}

}  // namespace warplens::lower
