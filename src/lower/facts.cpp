// What must be known of a function before its first instruction is lowered.
#include <algorithm>
#include <functional>

#include "lower/context.h"
#include "lower/layout.h"

namespace warplens::lower {
namespace {

using ptx::Operand;

void for_each_instruction(const ptx::Block& block, const std::function<void(const ptx::Statement&)>& visit) {
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* inner = std::get_if<std::shared_ptr<ptx::Block>>(&statement))
      for_each_instruction(**inner, visit);
    else
      visit(statement);
  }
}

void for_each_symbol(const Operand& operand, const std::function<void(const Operand&)>& visit) {
  if (operand.kind == Operand::Kind::Symbol) visit(operand);
  for (const Operand& element : operand.elements) for_each_symbol(element, visit);
}

bool accesses_param(const Instr& instr) {
  if (instr.text.opcode != "ld" && instr.text.opcode != "st") return false;
  return std::any_of(instr.text.modifiers.begin(), instr.text.modifiers.end(),
                     [](const std::string& m) { return m == "param" || m.starts_with("param::"); });
}

uint32_t vector_length(const Instr& instr) {
  return instr.has("v2") ? 2 : instr.has("v4") ? 4 : instr.has("v8") ? 8 : 1;
}

void note_param_access(FunctionFacts& facts, const Instr& instr) {
  for (const Operand& operand : instr.text.operands) {
    if (operand.kind != Operand::Kind::Address || operand.elements.empty()) continue;
    const Operand& base = operand.elements[0];
    if (base.kind != Operand::Kind::Symbol || instr.types.empty()) continue;
    const auto bytes = static_cast<uint32_t>(instr.types.back().bytes());
    const int64_t offset = operand.offset + base.offset;
    if (offset < 0 || offset > INT32_MAX || bytes == 0) continue;
    for (uint32_t i = 0; i < vector_length(instr); ++i)
      facts.param_accesses[base.name].ranges.push_back({static_cast<uint32_t>(offset) + i * bytes, bytes});
  }
}

void note_call(FunctionFacts& facts, const ptx::Instruction& call) {
  const CallOperands parts = call_operands(call);
  if (!parts.target) return;
  const auto note = [&](const Operand* list, bool result) {
    if (!list) return;
    for (size_t i = 0; i < list->elements.size(); ++i)
      facts.passed[list->elements[i].name].push_back({parts.target->name, i, result});
  };
  note(parts.results, true);
  note(parts.arguments, false);
  (parts.how ? facts.called_by : facts.called).push_back(parts.how ? parts.how->name : parts.target->name);
}

void note_other(FunctionFacts& facts, const Instr& instr) {
  for (const Operand& operand : instr.text.operands)
    for_each_symbol(operand, [&](const Operand& symbol) { facts.param_accesses[symbol.name].address_taken = true; });
}

void note_instruction(FunctionFacts& facts, const ptx::Instruction& text) {
  const Instr instr(text);
  if (text.opcode == "call") return note_call(facts, text);
  if (text.opcode == "bra" || text.opcode == "brx") return;
  facts.allocates |= text.opcode == "alloca" || text.opcode == "stacksave" || text.opcode == "stackrestore";
  for (const Operand& operand : text.operands) {
    for_each_symbol(operand, [&](const Operand& symbol) { facts.mentioned.push_back(symbol.name); });
    facts.reserved_shared |= operand.name.starts_with("%reserved_smem");
  }
  if (accesses_param(instr))
    note_param_access(facts, instr);
  else
    note_other(facts, instr);
}

void note_branch_table(FunctionFacts& facts, const ptx::Directive& directive) {
  if (directive.name != "branchtargets") return;
  auto& labels = facts.branch_tables[directive.label];
  for (const Operand& operand : directive.operands) labels.push_back(operand.name);
  if (labels.empty()) labels = directive.arguments;
}

}  // namespace

// call (results), target, (arguments), prototype; both lists may be missing.
CallOperands call_operands(const ptx::Instruction& call) {
  CallOperands result;
  for (const Operand& operand : call.operands) {
    if (operand.kind == Operand::Kind::List)
      (result.target ? result.arguments : result.results) = &operand;
    else if (!result.target)
      result.target = &operand;
    else
      result.how = &operand;
  }
  return result;
}

const FunctionFacts& ModuleContext::facts_of(const ptx::Function& function) {
  auto& slot = facts[&function];
  if (slot) return *slot;
  slot = std::make_unique<FunctionFacts>(ptx, function, strings);
  for_each_instruction(function.body, [&](const ptx::Statement& statement) {
    if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) note_instruction(*slot, *instruction);
    if (const auto* directive = std::get_if<ptx::Directive>(&statement)) {
      note_branch_table(*slot, *directive);
      slot->prototypes.emplace(directive->label, directive);
    }
    if (const auto* variable = std::get_if<ptx::Variable>(&statement))
      if (variable->space == "shared" || variable->space == "global" || variable->space == "const")
        slot->variables.push_back(variable);
  });
  return *slot;
}

}  // namespace warplens::lower
