#include <algorithm>

#include "lower/context.h"

namespace warplens::lower {

Instr::Instr(const ptx::Instruction& instruction) : text(instruction) {
  for (const std::string& modifier : text.modifiers)
    if (const auto type = parse_type(modifier)) types.push_back(*type);
}

bool Instr::has(std::string_view modifier) const {
  return std::find(text.modifiers.begin(), text.modifiers.end(), modifier) != text.modifiers.end();
}

std::string Instr::full_opcode() const {
  std::string result = text.opcode;
  for (const std::string& modifier : text.modifiers) result += modifier.starts_with(":") ? modifier : "." + modifier;
  return result;
}

const ptx::Operand& Instr::operand(size_t index) const {
  if (index >= text.operands.size())
    throw Refusal{full_opcode() + " has " + std::to_string(text.operands.size()) + " operands, needs more", true};
  return text.operands[index];
}

ScalarType Instr::type(size_t index) const {
  if (index >= types.size()) throw Refusal{full_opcode() + " lacks a type", true};
  return types[index];
}

ir::Rounding Instr::rounding(ir::Rounding otherwise) const {
  struct Entry {
    std::string_view text;
    ir::Rounding rounding;
  };
  static constexpr Entry kEntries[] = {
      {"rn", ir::Rounding::Nearest}, {"rni", ir::Rounding::Nearest}, {"rz", ir::Rounding::Zero},
      {"rzi", ir::Rounding::Zero},   {"rm", ir::Rounding::Down},     {"rmi", ir::Rounding::Down},
      {"rp", ir::Rounding::Up},      {"rpi", ir::Rounding::Up},      {"rna", ir::Rounding::NearestAway},
  };
  for (const Entry& entry : kEntries)
    if (has(entry.text)) return entry.rounding;
  return otherwise;
}

}  // namespace warplens::lower
