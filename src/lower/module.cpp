// A whole module: its variables, then its kernels.
#include "lower/call_graph.h"
#include "lower/context.h"
#include "lower/families.h"
#include "lower/lower.h"
#include "lower/symbols.h"

namespace warplens::lower {

ModuleContext::ModuleContext(const ptx::Module& ptx, ir::Module& ir, Diagnostics& diagnostics,
                             std::string_view file_name)
    : ptx(ptx), ir(ir), diagnostics(diagnostics), file_name(file_name), strings(ptx::debug_strings(ptx)) {
  for (const ptx::Function& function : ptx.functions) {
    const ptx::Function*& slot = functions[function.name];
    if (!slot || slot->declaration_only) slot = &function;  // a body wins over its declaration
  }
  alias_functions(*this);
  for (const auto& [name, function] : functions) {
    Name& known = function_names[name];
    known.kind = Name::Kind::Function;
    known.function = function;
  }
  find_addressed(*this);
  for (const ptx::Variable& variable : ptx.variables) {
    if (variable.space != "shared") continue;
    shared.emplace(variable.name, &variable);
    shared_order.push_back(&variable);
  }
  declare_symbols(*this);
}

ir::Frame ModuleContext::frame_of(const ptx::LineFrame& line) {
  const auto [it, added] = file_index.emplace(line.file, static_cast<uint32_t>(ir.files.size()));
  if (added) ir.files.push_back(line.file);
  return {it->second, {line.line, line.column}, line.function};
}

LowerResult lower(const ptx::Module& module, std::string_view file_name) {
  LowerResult result;
  result.module.target = module.target;
  ModuleContext context(module, result.module, result.diagnostics, file_name);
  for (const ptx::Function& function : module.functions) {
    if (!function.is_kernel || function.declaration_only) continue;
    ir::Kernel kernel;
    Context(context, kernel, function).lower_kernel();
    result.module.kernels.push_back(std::move(kernel));
  }
  return result;
}

}  // namespace warplens::lower
