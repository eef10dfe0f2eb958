#include <fmt/format.h>

#include <algorithm>

#include "sass/instruction.h"

namespace warplens::sass {
namespace {

using Kind = Operand::Kind;

std::string numbered(std::string_view prefix, unsigned number, unsigned zero, std::string_view name_of_zero) {
  return number == zero ? std::string(name_of_zero) : fmt::format("{}{}", prefix, number);
}
std::string vector_register(unsigned number) { return numbered("R", number, kRZ, "RZ"); }
std::string uniform_register(unsigned number) { return numbered("UR", number, kRZ, "URZ"); }

std::string signed_hex(int64_t value) {
  return value < 0 ? fmt::format("-{:#x}", 0 - static_cast<uint64_t>(value)) : fmt::format("{:#x}", value);
}

// "R2.64+UR4+0x10"; "RZ" where there is nothing.
std::string address(const Operand& o, bool with_suffixes) {
  std::string out;
  if (o.base != kRZ) {
    out = vector_register(o.base);
    if (o.wide_base) out += ".64";
    if (o.scale != 1) out += fmt::format(".X{}", o.scale);
    if (with_suffixes)
      for (const std::string& suffix : o.suffixes) out += "." + suffix;
  }
  if (o.kind != Kind::BoundConstant && o.uniform != kRZ)
    out += fmt::format("{}{}{}", out.empty() ? "" : "+", uniform_register(o.uniform), o.wide_uniform ? ".64" : "");
  if (o.value != 0 || (out.empty() && o.kind != Kind::Memory)) out += (out.empty() ? "" : "+") + signed_hex(o.value);
  return out.empty() ? "RZ" : out;
}

std::string core(const Operand& o) {
  switch (o.kind) {
    case Kind::Register:
      return vector_register(o.number);
    case Kind::Uniform:
      return uniform_register(o.number);
    case Kind::Predicate:
      return numbered("P", o.number, kPT, "PT");
    case Kind::UniformPredicate:
      return numbered("UP", o.number, kPT, "UPT");
    case Kind::Immediate:
    case Kind::Target:
      return signed_hex(o.value);
    case Kind::Constant:
      return fmt::format("c[{:#x}][{}]", o.number, address(o, false));
    case Kind::BoundConstant:
      return fmt::format("cx[{}][{}]", uniform_register(o.uniform), address(o, false));
    case Kind::Memory:
      return fmt::format("{}[{}]", o.descriptor == kRZ ? "" : fmt::format("desc[{}]", uniform_register(o.descriptor)),
                         address(o, true));
    case Kind::Barrier:
      return fmt::format("{}{}", o.name.empty() ? "B" : o.name, o.number);
    case Kind::Special:
    case Kind::Name:
      return o.name;
  }
  return o.name;
}

std::string operand(const Operand& o) {
  std::string out = core(o);
  if (o.absolute) out = "|" + out + "|";
  if (o.inverted) out = "~" + out;
  if (o.negated) out = (o.kind == Kind::Predicate || o.kind == Kind::UniformPredicate ? "!" : "-") + out;
  if (o.kind != Kind::Memory)
    for (const std::string& suffix : o.suffixes) out += "." + suffix;
  return out;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

bool Operand::has(std::string_view suffix) const { return contains(suffixes, suffix); }
bool Instruction::has(std::string_view modifier) const { return contains(modifiers, modifier); }

std::string print(const Instruction& i) {
  std::string out;
  if (i.guard != kPT || i.guard_negated)
    out = fmt::format("@{}{} ", i.guard_negated ? "!" : "",
                      numbered(i.guard_uniform ? "UP" : "P", i.guard, kPT, i.guard_uniform ? "UPT" : "PT"));
  out += i.opcode;
  for (const std::string& modifier : i.modifiers) out += "." + modifier;
  const bool pairs =
      i.opcode == "RET" || i.opcode == "CALL" || i.opcode.starts_with("BRX") || i.opcode.starts_with("JMX");
  for (size_t k = 0; k < i.operands.size(); k++) {
    const bool after_register = pairs && k > 0 && i.operands[k - 1].kind != Kind::Predicate;  // "RET R4 0x0"
    out += (k == 0 || after_register ? " " : ", ") + operand(i.operands[k]);
  }
  return out;
}

}  // namespace warplens::sass
