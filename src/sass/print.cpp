#include <fmt/format.h>

#include <algorithm>

#include "sass/instruction.h"

namespace warplens::sass {

bool Operand::has(std::string_view suffix) const {
  return std::find(suffixes.begin(), suffixes.end(), suffix) != suffixes.end();
}
bool Instruction::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}
std::string print(const Instruction& i) {
  std::string out = i.opcode;
  for (const std::string& m : i.modifiers) out += "." + m;
  return fmt::format("{} at {:#x}", out, i.offset);
}

}  // namespace warplens::sass
