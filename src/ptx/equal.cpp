#include "ptx/equal.h"

#include <algorithm>

namespace warplens::ptx {
namespace {

template <typename T>
bool same_list(const std::vector<T>& a, const std::vector<T>& b, bool (*same)(const T&, const T&)) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

bool same_loc(const Loc& a, const Loc& b) {
  return a.file == b.file && a.line == b.line && a.column == b.column && a.function == b.function &&
         a.function_offset == b.function_offset && a.at_file == b.at_file && a.at_line == b.at_line &&
         a.at_column == b.at_column;
}

bool same_instruction(const Instruction& a, const Instruction& b) {
  return a.guard == b.guard && a.guard_negated == b.guard_negated && a.opcode == b.opcode &&
         a.modifiers == b.modifiers && same_list(a.operands, b.operands, equal) && a.loc == b.loc;
}

bool same_variable(const Variable& a, const Variable& b) {
  return a.space == b.space && a.type == b.type && a.vector == b.vector && a.name == b.name &&
         a.count_suffix == b.count_suffix && a.align == b.align && a.dims == b.dims && a.is_array == b.is_array &&
         a.pointer == b.pointer && a.pointer_space == b.pointer_space && a.pointer_align == b.pointer_align &&
         a.linkage == b.linkage && a.attributes == b.attributes && same_list(a.initializer, b.initializer, equal) &&
         a.braced == b.braced;
}

bool same_directive(const Directive& a, const Directive& b) {
  return a.name == b.name && a.label == b.label && a.arguments == b.arguments &&
         same_list(a.operands, b.operands, equal) && same_list(a.results, b.results, same_variable) &&
         same_list(a.params, b.params, same_variable) && a.body == b.body;
}

bool same_block(const Block& a, const Block& b);

bool same_statement(const Statement& a, const Statement& b) {
  if (a.index() != b.index()) return false;
  if (const auto* x = std::get_if<Instruction>(&a)) return same_instruction(*x, std::get<Instruction>(b));
  if (const auto* x = std::get_if<Label>(&a)) return x->name == std::get<Label>(b).name;
  if (const auto* x = std::get_if<Variable>(&a)) return same_variable(*x, std::get<Variable>(b));
  if (const auto* x = std::get_if<Directive>(&a)) return same_directive(*x, std::get<Directive>(b));
  return same_block(*std::get<std::shared_ptr<Block>>(a), *std::get<std::shared_ptr<Block>>(b));
}

bool same_block(const Block& a, const Block& b) { return same_list(a.statements, b.statements, same_statement); }

bool same_function(const Function& a, const Function& b) {
  return a.is_kernel == b.is_kernel && a.name == b.name && a.linkage == b.linkage &&
         a.declaration_only == b.declaration_only && same_list(a.results, b.results, same_variable) &&
         same_list(a.params, b.params, same_variable) && a.attributes == b.attributes &&
         same_list(a.directives, b.directives, same_directive) && same_block(a.body, b.body) &&
         same_list(a.locs, b.locs, same_loc);
}

bool same_file(const File& a, const File& b) {
  return a.index == b.index && a.path == b.path && a.has_stamp == b.has_stamp && a.timestamp == b.timestamp &&
         a.size == b.size;
}

bool same_section(const Section& a, const Section& b) { return a.name == b.name && a.text == b.text; }

}  // namespace

bool equal(const Operand& a, const Operand& b) {
  return a.kind == b.kind && a.name == b.name && a.negated == b.negated && a.negative == b.negative &&
         a.is_f64 == b.is_f64 && a.value == b.value && a.offset == b.offset &&
         a.component == std::string_view(b.component) && same_list(a.elements, b.elements, equal);
}

bool equal(const Module& a, const Module& b) {
  return a.version_major == b.version_major && a.version_minor == b.version_minor && a.target == b.target &&
         a.target_options == b.target_options && a.address_size == b.address_size &&
         same_list(a.files, b.files, same_file) && same_list(a.variables, b.variables, same_variable) &&
         same_list(a.functions, b.functions, same_function) && same_list(a.directives, b.directives, same_directive) &&
         same_list(a.sections, b.sections, same_section) && a.order == b.order;
}

}  // namespace warplens::ptx
