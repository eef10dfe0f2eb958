#include "lower/unresolved.h"

#include <algorithm>
#include <set>

#include "lower/context.h"
#include "lower/libdevice.h"

namespace warplens::lower {
namespace {

// What every module may call though no module defines it (PTX Interoperability, system calls), among them those that
// the device runtime, libcudadevrt, is made of. One that is not known is refused where it is executed.
bool is_system_call(const std::string& name) {
  if (name.starts_with("__cuda_syscall_") || name.starts_with("cnp")) return true;
  static constexpr const char* kNames[] = {"vprintf", "malloc", "free", "__assertfail"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) || libdevice_signature(name);
}

void collect(const ptx::Block& block, const std::set<std::string>& declared, std::set<std::string>& out) {
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* inner = std::get_if<std::shared_ptr<ptx::Block>>(&statement)) collect(**inner, declared, out);
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (!instruction || instruction->opcode != "call") continue;
    const CallOperands parts = call_operands(*instruction);
    if (parts.target && declared.contains(parts.target->name)) out.insert(parts.target->name);
  }
}

}  // namespace

std::vector<std::string> unresolved_functions(const ptx::Module& module) {
  std::set<std::string> declared, out;
  for (const ptx::Function& function : module.functions) {
    if (function.declaration_only && !is_system_call(function.name)) declared.insert(function.name);
  }
  for (const ptx::Function& function : module.functions) {
    if (!function.declaration_only) declared.erase(function.name);
  }
  if (declared.empty()) return {};
  for (const ptx::Function& function : module.functions) collect(function.body, declared, out);
  return {out.begin(), out.end()};
}

}  // namespace warplens::lower
