#include "sass/encoding.h"

#include <array>
#include <charconv>
#include <iterator>

#include "base/check.h"

namespace warplens::sass {
namespace {

struct Line {
  unsigned first_sm, last_sm, opcode;
  std::string_view name, modifiers, operands;
};
constexpr Line kLines[] = {
#define TABLE(name, values)
#define SASS(first_sm, last_sm, opcode, name, modifiers, operands) \
  {first_sm, last_sm, opcode, name, modifiers, operands},
#include "sass/encodings.def"
#undef SASS
#undef TABLE
};

struct NamedTable {
  std::string_view name, values;
};
constexpr NamedTable kTables[] = {
#define TABLE(name, values) {name, values},
#define SASS(first_sm, last_sm, opcode, name, modifiers, operands)
#include "sass/encodings.def"
#undef SASS
#undef TABLE
};

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> out;
  while (true) {
    const auto end = text.find(separator);
    out.push_back(text.substr(0, end));
    if (end == text.npos) return out;
    text.remove_prefix(end + separator.size());
  }
}

int64_t number(std::string_view text) {
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// "76-78", "72,74-75", "40-63s", "16-23,34-81s*4+16", "^64-66"
Field field(std::string_view text) {
  Field out;
  if (text.starts_with('^')) out.inverted = true, text.remove_prefix(1);
  if (const auto plus = text.find('+'); plus != text.npos) {
    out.add = number(text.substr(plus + 1));
    text = text.substr(0, plus);
  }
  if (const auto times = text.find('*'); times != text.npos) {
    out.scale = number(text.substr(times + 1));
    text = text.substr(0, times);
  }
  if (text.ends_with('s')) out.is_signed = true, text.remove_suffix(1);
  for (std::string_view piece : split(text, ",")) {
    const auto dash = piece.find('-');
    const auto first = number(piece.substr(0, dash));
    const auto last = dash == piece.npos ? first : number(piece.substr(dash + 1));
    out.pieces.push_back({static_cast<uint8_t>(first), static_cast<uint8_t>(last - first + 1)});
  }
  return out;
}

// "76-78=F|LT|EQ", "72-79=@special", or one word
Choice choice(std::string_view text) {
  Choice out;
  const auto equals = text.find('=');
  if (equals == text.npos) {
    out.values.emplace_back(text);
    return out;
  }
  out.field = field(text.substr(0, equals));
  std::string_view values = text.substr(equals + 1);
  if (values.starts_with('@')) {
    std::string_view name = values.substr(1);
    for (const NamedTable& table : kTables)
      if (table.name == name) values = table.values;
  }
  for (std::string_view value : split(values, "|")) out.values.emplace_back(value);
  WL_CHECK(out.values.size() == size_t{1} << out.field.width(), "encodings.def: " + std::string(text));
  return out;
}

// "72=01", "1", "0"
Condition condition(std::string_view text) {
  Condition out;
  const auto equals = text.find('=');
  if (equals != text.npos) out.field = field(text.substr(0, equals));
  out.table = text.substr(equals == text.npos ? 0 : equals + 1);
  WL_CHECK(out.table.size() == size_t{1} << out.field.width(), "encodings.def: " + std::string(text));
  return out;
}

void attribute(OperandEncoding& out, std::string_view name, std::string_view value) {
  if (name == "base")
    out.base = field(value);
  else if (name == "ur")
    out.uniform = field(value);
  else if (name == "off")
    out.offset = field(value);
  else if (name == "desc")
    out.descriptor = field(value);
  else if (name == "baseif")
    out.has_base = condition(value);
  else if (name == "urif")
    out.has_uniform = condition(value);
  else if (name == "descif")
    out.has_descriptor = condition(value);
  else if (name == "sign")
    out.sign = choice(value);
  else if (name == "suf")
    out.suffix = choice(value);
  else if (name == "bsuf")
    out.base_suffix = choice(value);
  else if (name == "usuf")
    out.uniform_suffix = choice(value);
  else if (name == "if")
    out.present = condition(value);
  else if (name == "ones")
    out.present_when_ones = condition(value);
  else
    WL_CHECK(false, "encodings.def: " + std::string(name));
}

OperandEncoding operand(std::string_view text) {
  OperandEncoding out;
  const auto words = split(text, " ");
  out.kind = words.front();
  for (size_t i = 1; i < words.size(); i++) {
    const auto colon = words[i].find(':');
    if (words[i] == "opt")
      out.optional = true;
    else if (words[i] == "bytes")
      out.bytes = true;
    else if (words[i] == "optz")
      out.optional_when_zero = true;
    else if (colon != words[i].npos && words[i].find('=') > colon)
      attribute(out, words[i].substr(0, colon), words[i].substr(colon + 1));
    else if (out.kind == "N")
      out.name = choice(words[i]);
    else
      out.number = field(words[i]);
  }
  return out;
}

Encoding encoding(const Line& line) {
  Encoding out;
  out.opcode = static_cast<uint16_t>(line.opcode);
  out.first_sm = line.first_sm;
  out.last_sm = line.last_sm;
  out.name = line.name;
  for (std::string_view word : split(line.modifiers, " ")) {
    if (word == "@UP")
      out.uniform_guard = true;
    else if (!word.empty())
      out.modifiers.push_back(choice(word));
  }
  if (!line.operands.empty())
    for (std::string_view part : split(line.operands, ", ")) out.operands.push_back(operand(part));
  return out;
}

struct Table {
  std::vector<Encoding> entries;
  std::array<std::vector<uint16_t>, 4096> by_opcode;
  Table() {
    for (uint16_t i = 0; i < std::size(kLines); i++) {
      by_opcode[kLines[i].opcode].push_back(i);
      entries.push_back(encoding(kLines[i]));
    }
  }
};

}  // namespace

uint64_t Word::bits(unsigned first, unsigned width) const {
  uint64_t value = first >= 64 ? high >> (first - 64) : first == 0 ? low : (low >> first) | (high << (64 - first));
  return width >= 64 ? value : value & ((uint64_t{1} << width) - 1);
}

unsigned Field::width() const {
  unsigned out = 0;
  for (const Piece& piece : pieces) out += piece.width;
  return out;
}

uint64_t Field::raw(Word word) const {
  uint64_t out = 0;
  unsigned at = 0;
  for (const Piece& piece : pieces) {
    out |= word.bits(piece.first, piece.width) << at;
    at += piece.width;
  }
  return inverted ? ~out & ((uint64_t{1} << at) - 1) : out;
}

int64_t Field::value(Word word) const {
  uint64_t out = raw(word);
  const unsigned n = width();
  if (is_signed && n > 0 && n < 64 && (out >> (n - 1) & 1)) out |= ~uint64_t{0} << n;
  return static_cast<int64_t>(out * static_cast<uint64_t>(scale) + static_cast<uint64_t>(add));
}

bool Field::all_ones(Word word) const {
  const unsigned n = width();
  return n > 0 && raw(word) == (n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1);
}

const std::string& Choice::get(Word word) const {
  static const std::string none;
  return values.empty() ? none : values[field.raw(word)];
}

bool Condition::holds(Word word) const { return table.empty() || table[field.raw(word)] == '1'; }

const Encoding* find_encoding(unsigned opcode, unsigned sm) {
  static const Table table;
  for (const uint16_t number : table.by_opcode[opcode & 4095]) {
    const Line& line = kLines[number];
    if (sm < line.first_sm || sm > line.last_sm) continue;
    return &table.entries[number];
  }
  return nullptr;
}

}  // namespace warplens::sass
