#include "sass/parse_text.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

namespace warplens::test {
namespace {

using sass::Instruction;
using sass::Operand;
using Kind = Operand::Kind;

std::string_view trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == ';')) s.remove_suffix(1);
  return s;
}

std::vector<std::string_view> split(std::string_view s, char separator) {
  std::vector<std::string_view> out;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= s.size(); i++) {
    if (i == s.size() || (s[i] == separator && depth == 0)) {
      out.push_back(trim(s.substr(begin, i - begin)));
      begin = i + 1;
    } else if (s[i] == '[' || s[i] == '{' || s[i] == '(') {
      depth++;
    } else if (s[i] == ']' || s[i] == '}' || s[i] == ')') {
      depth--;
    }
  }
  return out;
}

bool digits(std::string_view s) { return !s.empty() && s.find_first_not_of("0123456789") == std::string_view::npos; }

std::optional<int64_t> integer(std::string_view s) {
  bool minus = !s.empty() && s.front() == '-';
  if (minus || (!s.empty() && s.front() == '+')) s.remove_prefix(1);
  if (!s.starts_with("0x") && !digits(s)) return std::nullopt;
  char* end = nullptr;
  const std::string text(s);
  uint64_t value = strtoull(text.c_str(), &end, s.starts_with("0x") ? 16 : 10);
  if (*end) return std::nullopt;
  return static_cast<int64_t>(minus ? 0 - value : value);
}

// A register with a number: R12, UR4, P0, UP3, B2, SB0; kRZ for RZ, kPT for PT.
bool numbered(std::string_view s, Operand& out) {
  struct Form {
    std::string_view prefix, zero;
    Kind kind;
    uint8_t zero_number;
  };
  static constexpr Form kForms[] = {{"R", "RZ", Kind::Register, sass::kRZ},
                                    {"UR", "URZ", Kind::Uniform, sass::kRZ},
                                    {"P", "PT", Kind::Predicate, sass::kPT},
                                    {"UP", "UPT", Kind::UniformPredicate, sass::kPT},
                                    {"SB", "", Kind::Barrier, 0},
                                    {"B", "", Kind::Barrier, 0}};
  for (const Form& form : kForms) {
    if (!form.zero.empty() && s == form.zero) {
      out.kind = form.kind;
      out.number = form.zero_number;
      return true;
    }
    if (s.starts_with(form.prefix) && digits(s.substr(form.prefix.size()))) {
      out.kind = form.kind;
      out.number = static_cast<uint8_t>(atoi(std::string(s.substr(form.prefix.size())).c_str()));
      return true;
    }
  }
  return false;
}

// What stands in brackets: R2.64+UR4+0x10, in any order.
bool address(std::string_view s, Operand& out) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  for (size_t i = 0; i <= s.size(); i++)
    if (i == s.size() || s[i] == '+') {
      parts.push_back(s.substr(begin, i - begin));
      begin = i + 1;
    }
  for (std::string_view part : parts) {
    if (part.empty()) continue;
    if (auto value = integer(part)) {
      out.value += *value;
      continue;
    }
    const auto point = part.find('.');
    Operand reg;
    if (!numbered(part.substr(0, point), reg)) return false;
    std::string_view suffix = point == std::string_view::npos ? "" : part.substr(point + 1);
    bool wide = false;
    while (!suffix.empty()) {
      const auto next = suffix.find('.');
      std::string_view word = suffix.substr(0, next);
      suffix = next == std::string_view::npos ? "" : suffix.substr(next + 1);
      if (word == "64")
        wide = true;
      else if (word == "X4")
        out.scale = 4;
      else if (word == "X8")
        out.scale = 8;
      else if (word == "X16")
        out.scale = 16;
      else if (word != "reuse")
        out.suffixes.emplace_back(word);
    }
    if (reg.kind == Kind::Register) {
      out.base = reg.number;
      out.wide_base = wide;
    } else if (reg.kind == Kind::Uniform) {
      out.uniform = reg.number;
      out.wide_uniform = wide;
    } else {
      return false;
    }
  }
  return true;
}

std::optional<double> decimal(std::string_view s) {
  const bool minus = s.starts_with("-");
  std::string_view word = minus || s.starts_with("+") ? s.substr(1) : s;
  if (word == "INF") return minus ? -INFINITY : INFINITY;
  if (word == "QNAN")
    return minus ? -std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::quiet_NaN();
  char* end = nullptr;
  const std::string text(s);
  double value = strtod(text.c_str(), &end);
  if (*end || text.empty()) return std::nullopt;
  return value;
}

uint16_t half_bits(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7fff;
  if (std::isinf(value)) return sign | 0x7c00;
  if (magnitude == 0) return sign;
  int exponent = std::ilogb(magnitude);
  if (exponent < -14) exponent = -14;
  const auto mantissa = static_cast<int>(std::lrint(std::ldexp(magnitude, 10 - exponent)));
  return static_cast<uint16_t>(sign | (mantissa >= 1024 ? ((exponent + 15) << 10) + (mantissa - 1024) : mantissa));
}

bool takes_64_bit_floats(const Instruction& i) {
  return i.opcode == "DADD" || i.opcode == "DMUL" || i.opcode == "DFMA" || i.opcode == "DSETP" || i.opcode == "DMNMX" ||
         i.has("RCP64H") || i.has("RSQ64H");
}
bool takes_halves(const Instruction& i) { return i.opcode.starts_with("H") && i.opcode != "HMMA"; }
// bfloat16: the upper half of a float.
bool takes_bfloats(const Instruction& i) { return i.has("BF16_V2"); }
bool branches(const Instruction& i) {
  return i.opcode == "BRA" || i.opcode == "BSSY" || i.opcode == "CALL" || i.opcode == "RET" || i.opcode == "BRX" ||
         i.opcode == "JMP" || i.opcode == "JMX" || i.opcode == "BRXU" || i.opcode == "LEPC" || i.opcode == "ULEPC" ||
         i.opcode == "JMXU" || i.opcode == "WARPSYNC";
}

bool operand(std::string_view s, Instruction& instruction, Operand& out) {
  const std::string_view whole = s;
  if (s.starts_with("!")) out.negated = true, s.remove_prefix(1);
  if (s.starts_with("-") && s.size() > 1 && !digits(s.substr(1, 1)) && s != "-INF" && s != "-QNAN")
    out.negated = true, s.remove_prefix(1);
  if (s.starts_with("~")) out.inverted = true, s.remove_prefix(1);
  if (s.starts_with("|")) {
    out.absolute = true;
    const auto close = s.find('|', 1);
    if (close == std::string_view::npos) return false;
    static thread_local std::string joined;
    joined = std::string(s.substr(1, close - 1)) + std::string(s.substr(close + 1));
    s = joined;
  }
  if (s.starts_with("SR_") || s.starts_with("SR") || s == "DR_SR") {
    out.kind = Kind::Special;
    out.name = s;
    return true;
  }
  if (s.starts_with("c[") || s.starts_with("cx[") || s.starts_with("desc[") || s.starts_with("[") ||
      s.starts_with("gdesc[")) {
    const auto first = s.find('[');
    const auto close = s.find(']', first);
    if (close == std::string_view::npos) return false;
    std::string_view prefix = s.substr(0, first), inner = s.substr(first + 1, close - first - 1);
    s.remove_prefix(close + 1);
    if (prefix == "c") {
      out.kind = Kind::Constant;
      const auto bank = integer(inner);
      if (!bank) return false;
      out.number = static_cast<uint8_t>(*bank);
    } else if (prefix == "cx") {
      out.kind = Kind::BoundConstant;
      Operand reg;
      if (!numbered(inner, reg)) return false;
      out.uniform = reg.number;
    } else {
      out.kind = Kind::Memory;
      if (prefix == "desc" || prefix == "gdesc") {
        Operand reg;
        if (!numbered(inner.substr(0, inner.find('.')), reg)) return false;
        out.descriptor = reg.number;
      }
    }
    if (!prefix.empty() && s.starts_with(" [")) s.remove_prefix(1);  // "c[0x0] [0x10].H0_H0"
    if (!prefix.empty() && s.starts_with("[")) {
      const auto end = s.find(']');
      if (end == std::string_view::npos) return false;
      inner = s.substr(1, end - 1);
      s.remove_prefix(end + 1);
      if (!address(inner, out)) return false;
    } else if (prefix.empty() && !address(inner, out)) {
      return false;
    }
  } else {
    const auto point = s.find('.');
    if (numbered(s.substr(0, point), out)) {
      s.remove_prefix(point == std::string_view::npos ? s.size() : point);
    } else if (auto value = integer(whole); value && !(takes_halves(instruction) || takes_64_bit_floats(instruction))) {
      out.negated = false;
      out.kind = branches(instruction) ? Kind::Target : Kind::Immediate;
      out.value = out.kind == Kind::Target ? *value : static_cast<int64_t>(static_cast<uint32_t>(*value));
      // A whole float without a point: 1, 2, -1.
      const bool is_float =
          (instruction.opcode == "FADD" || instruction.opcode == "FMUL" || instruction.opcode == "FFMA" ||
           instruction.opcode == "FSEL" || instruction.opcode == "FSETP" || instruction.opcode == "FMNMX" ||
           instruction.opcode == "MUFU" || instruction.opcode == "FCHK");
      if (is_float && !whole.starts_with("0x") && !whole.starts_with("-0x"))
        out.value = std::bit_cast<uint32_t>(whole == "-0" ? -0.0f : static_cast<float>(*value));
      return true;
    } else if (auto number = decimal(whole)) {
      out.negated = false;
      out.kind = Kind::Immediate;
      if (takes_64_bit_floats(instruction))
        out.value = static_cast<int64_t>(std::bit_cast<uint64_t>(*number) >> 32);
      else if (takes_halves(instruction))
        out.value = takes_bfloats(instruction) ? std::bit_cast<uint32_t>(static_cast<float>(*number)) >> 16
                                               : half_bits(*number);
      else
        out.value = std::bit_cast<uint32_t>(static_cast<float>(*number));
      return true;
    } else {
      out.kind = Kind::Name;
      out.name = whole;
      out.negated = false;
      return true;
    }
  }
  while (s.starts_with(".")) {
    const auto next = s.find('.', 1);
    std::string_view word = s.substr(1, next == std::string_view::npos ? s.npos : next - 1);
    s = next == std::string_view::npos ? "" : s.substr(next);
    if (word != "reuse") out.suffixes.emplace_back(word);
  }
  return s.empty();
}

}  // namespace

Result<Instruction> parse_instruction(std::string_view text, uint32_t offset) {
  Instruction out;
  out.offset = offset;
  std::string_view s = trim(text);
  if (s.starts_with("@")) {
    const auto space = s.find(' ');
    std::string_view guard = s.substr(1, space - 1);
    if (guard.starts_with("!")) out.guard_negated = true, guard.remove_prefix(1);
    Operand p;
    if (!numbered(guard, p)) return Error{"guard: " + std::string(text), ""};
    out.guard = p.number;
    out.guard_uniform = p.kind == Kind::UniformPredicate;
    s = trim(s.substr(space + 1));
  }
  const auto space = s.find(' ');
  auto words = split(s.substr(0, space), '.');
  out.opcode = words.front();
  for (size_t i = 1; i < words.size(); i++) out.modifiers.emplace_back(words[i]);
  if (space == std::string_view::npos) return out;
  std::string rest(trim(s.substr(space + 1)));
  // "R4 0x0" of RET, "{3,2,1,0}" of DEPBAR
  for (std::string_view word : split(rest, ',')) {
    if (out.opcode == "RET" || out.opcode == "BRX" || out.opcode == "JMX" || out.opcode == "BRXU" ||
        out.opcode == "CALL" || out.opcode == "JMXU") {
      for (std::string_view part : split(word, ' ')) {
        if (part.empty()) continue;
        Operand o;
        if (!operand(part, out, o)) return Error{"operand: " + std::string(part) + " of " + std::string(text), ""};
        out.operands.push_back(std::move(o));
      }
      continue;
    }
    Operand o;
    if (!operand(word, out, o)) return Error{"operand: " + std::string(word) + " of " + std::string(text), ""};
    out.operands.push_back(std::move(o));
  }
  if (takes_halves(out)) {  // two halves are one immediate
    for (size_t i = 0; i + 1 < out.operands.size(); i++) {
      if (out.operands[i].kind != Kind::Immediate || out.operands[i + 1].kind != Kind::Immediate) continue;
      out.operands[i].value = out.operands[i].value << 16 | out.operands[i + 1].value;
      out.operands.erase(out.operands.begin() + static_cast<ptrdiff_t>(i) + 1);
      break;
    }
  }
  return out;
}

Result<std::vector<TextFunction>> parse_listing(std::string_view text) {
  std::vector<TextFunction> out;
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.starts_with("Function : ")) {
      out.push_back({std::string(line.substr(11)), {}});
      continue;
    }
    if (!line.starts_with("/*") || out.empty()) continue;
    const auto close = line.find("*/");
    std::string_view number = line.substr(2, close - 2);
    if (number.size() < 4 || number.find_first_not_of("0123456789abcdef") != number.npos) continue;
    const auto offset = static_cast<uint32_t>(strtoul(std::string(number).c_str(), nullptr, 16));
    std::string_view body = line.substr(close + 2);
    const auto semicolon = body.find(';');
    if (semicolon == body.npos) continue;
    auto instruction = parse_instruction(body.substr(0, semicolon), offset);
    if (!instruction) return instruction.error();
    out.back().code.push_back(std::move(*instruction));
  }
  return out;
}

}  // namespace warplens::test
