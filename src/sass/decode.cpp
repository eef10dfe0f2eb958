#include "sass/decode.h"

#include <fmt/format.h>

#include <bit>

#include "sass/encoding.h"

namespace warplens::sass {
namespace {

using Kind = Operand::Kind;

constexpr unsigned kImad = 0x24;  // of the opcode's lower nine bits; the upper three say what kinds the operands are

void split_into(std::vector<std::string>& out, std::string_view words) {
  while (!words.empty()) {
    const auto point = words.find('.');
    out.emplace_back(words.substr(0, point));
    words = point == words.npos ? "" : words.substr(point + 1);
  }
}

uint8_t uniform_number(const Field& field, Word word) {
  return field.all_ones(word) ? kRZ : static_cast<uint8_t>(field.value(word));
}

// "R2.64", "R3.X8": what stands behind the base register.
void base_suffix(Operand& out, std::string_view words) {
  std::vector<std::string> parts;
  split_into(parts, words);
  for (std::string& part : parts) {
    if (part == "64")
      out.wide_base = true;
    else if (part == "X4" || part == "X8" || part == "X16")
      out.scale = static_cast<uint8_t>(part == "X4" ? 4 : part == "X8" ? 8 : 16);
    else
      out.suffixes.push_back(std::move(part));
  }
}

void memory(const OperandEncoding& from, Word word, Operand& out) {
  out.kind = Kind::Memory;
  out.value = from.offset.value(word);
  if (!from.descriptor.pieces.empty() && from.has_descriptor.holds(word))
    out.descriptor = uniform_number(from.descriptor, word);
  if (!from.uniform.pieces.empty() && from.has_uniform.holds(word)) {
    out.uniform = uniform_number(from.uniform, word);
    out.wide_uniform = from.uniform_suffix.get(word) == "64";
  }
  if (from.base.pieces.empty() || !from.has_base.holds(word)) return;
  out.base = static_cast<uint8_t>(from.base.value(word));
  const bool other_parts = (from.has_uniform.holds(word) && !from.uniform.pieces.empty()) || out.descriptor != kRZ;
  if (out.base != kRZ || other_parts || out.value == 0)
    base_suffix(out, from.base_suffix.get(word));
  else  // an address alone: without a sign
    out.value = static_cast<int64_t>(from.offset.raw(word));
}

// c[bank][base + offset], or cx[UR][base + offset].
void constant(const OperandEncoding& from, Word word, Operand& out) {
  static const Field bound{{{32, 6}}};
  const auto bits = static_cast<uint16_t>(word.bits(38, 16) & ~uint64_t{from.bytes ? 0u : 3u});
  if (from.kind == "X" || (from.kind == "C" && word.bits(91, 1))) {
    out.kind = Kind::BoundConstant;
    out.uniform = uniform_number(from.uniform.pieces.empty() ? bound : from.uniform, word);
    out.value = from.base.pieces.empty() ? bits : static_cast<int16_t>(bits);
  } else {
    out.kind = Kind::Constant;
    out.number = static_cast<uint8_t>(word.bits(54, 5));
    out.value = static_cast<int16_t>(bits);
    if (from.kind == "CB" && !from.uniform.pieces.empty()) out.uniform = uniform_number(from.uniform, word);
  }
  if (!from.base.pieces.empty()) out.base = static_cast<uint8_t>(from.base.value(word));
}

std::string set_of_scoreboards(uint64_t bits) {
  std::string out = "{";
  for (int i = 63; i >= 0; i--)
    if (bits >> i & 1) out += fmt::format("{}{}", out.size() > 1 ? "," : "", i);
  return out + "}";
}

void numbered(Operand& out, Kind kind, const Field& field, Word word) {
  out.kind = kind;
  out.number = kind == Kind::Uniform ? uniform_number(field, word) : static_cast<uint8_t>(field.value(word));
}

// False: the word has no meaning for the hardware.
bool place(const OperandEncoding& from, Word word, uint32_t offset, Operand& out) {
  const std::string& kind = from.kind;
  if (kind == "R")
    numbered(out, Kind::Register, from.number, word);
  else if (kind == "UR")
    numbered(out, Kind::Uniform, from.number, word);
  else if (kind == "P")
    numbered(out, Kind::Predicate, from.number, word);
  else if (kind == "UP")
    numbered(out, Kind::UniformPredicate, from.number, word);
  else if (kind == "B" || kind == "SB")
    numbered(out, Kind::Barrier, from.number, word);
  else if (kind == "M")
    memory(from, word, out);
  else if (kind == "C" || kind == "CB" || kind == "X")
    constant(from, word, out);
  else if (kind == "T")
    out.kind = Kind::Target, out.value = from.number.value(word) + offset;
  else if (kind == "J")
    out.kind = Kind::Target, out.value = from.number.value(word);
  else if (kind == "I")
    out.kind = Kind::Immediate, out.value = static_cast<uint32_t>(from.number.value(word));
  else if (kind == "S")
    out.kind = Kind::Name, out.name = set_of_scoreboards(from.number.raw(word));
  else {
    out.name = from.name.get(word);
    out.kind = out.name.starts_with("SR") ? Kind::Special : Kind::Name;
  }
  const std::string &sign = from.sign.get(word), &suffix = from.suffix.get(word);
  for (char c : sign) (c == 'a' ? out.absolute : c == '~' ? out.inverted : out.negated) = true;
  split_into(out.suffixes, suffix);
  return out.name != "?" && suffix != "?";
}

// IMAD does what other instructions could, and the disassembler says so by a first modifier.
std::string_view imad_alias(const Instruction& i) {
  const Operand &a = i.operands[1], &b = i.operands[2], &c = i.operands[3];
  auto is_zero = [](const Operand& o) {
    return (o.kind == Kind::Register && o.number == kRZ) || (o.kind == Kind::Immediate && o.value == 0);
  };
  auto is_uniform = [](const Operand& o) { return o.kind == Kind::Uniform || o.kind == Kind::BoundConstant; };
  if (i.has("X") || is_uniform(b) || is_uniform(c)) return "";
  const bool one = b.kind == Kind::Immediate && b.value == 1;
  if (is_zero(a) || is_zero(b) || (one && is_zero(c))) return "MOV";
  if (one) return "IADD";
  const auto value = static_cast<uint32_t>(b.value);
  return b.kind == Kind::Immediate && std::has_single_bit(value) && value < 0x80000000 && value != 0x10000 && is_zero(c)
             ? "SHL"
             : "";
}

bool is_present(const OperandEncoding& from, Word word) {
  if (from.optional_when_zero && from.number.raw(word) == 0) return false;
  if (from.number.all_ones(word)) {
    if (from.optional && from.sign.get(word).empty()) return false;  // !PT is said
    if (!from.present_when_ones.table.empty()) return from.present_when_ones.holds(word);
  }
  return from.present.holds(word);
}

}  // namespace

Result<Instruction> decode(uint64_t low, uint64_t high, uint32_t offset, unsigned sm) {
  static const EncodingTable table;
  const Word word{low, high};
  const auto opcode = static_cast<unsigned>(word.bits(0, 12));
  const Encoding* encoding = table.find(opcode, sm);
  auto unknown = [&](std::string_view what) {
    return Error{fmt::format("{} of sm_{} at offset {:#x}: opcode {:#05x}, bits {:#018x} {:#018x}", what, sm, offset,
                             opcode, low, high),
                 ""};
  };
  if (!encoding) return unknown("an unknown machine instruction");
  Instruction out;
  out.offset = offset;
  out.opcode = encoding->name;
  out.guard = static_cast<uint8_t>(word.bits(12, 3));
  out.guard_negated = word.bits(15, 1);
  out.guard_uniform = encoding->uniform_guard && (out.guard != kPT || out.guard_negated);
  for (const Choice& modifier : encoding->modifiers) {
    const std::string& words = modifier.get(word);
    if (words == "?") return unknown("an unknown form of " + encoding->name);
    split_into(out.modifiers, words);
  }
  for (const OperandEncoding& from : encoding->operands) {
    if (!is_present(from, word)) continue;
    if (!place(from, word, offset, out.operands.emplace_back())) return unknown("an unknown form of " + encoding->name);
  }
  if ((opcode & 0x1ff) == kImad)
    if (const auto alias = imad_alias(out); !alias.empty()) out.modifiers.emplace(out.modifiers.begin(), alias);
  return out;
}

}  // namespace warplens::sass
