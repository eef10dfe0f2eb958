#include "ptx/line_info.h"

#include <cxxabi.h>

#include <charconv>
#include <cstdlib>
#include <memory>

#include "ptx/lexer.h"

namespace warplens::ptx {
namespace {

struct Place {
  uint32_t file, line, column;
  friend bool operator==(const Place&, const Place&) = default;
};

struct PlaceHash {
  size_t operator()(const Place& p) const {
    uint64_t h = (uint64_t{p.file} << 32 | p.line) * 0x9E3779B97F4A7C15u;
    h ^= (h >> 29) + p.column * 0xBF58476D1CE4E5B9u;
    return static_cast<size_t>(h ^ (h >> 32));
  }
};

// The width in bytes of a .b8 ... .b64 word; 0 if it is none.
int data_width(std::string_view word) {
  if (word == ".b8") return 1;
  if (word == ".b16") return 2;
  if (word == ".b32") return 4;
  return word == ".b64" ? 8 : 0;
}

uint64_t number(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  return value;
}

void append(std::string& bytes, uint64_t value, int width) {
  for (int i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i));
}

}  // namespace

// A section's lines are "label:", ".b8 1, 2, 3" (nvcc for sm_80 puts a whole string on one line, for sm_100 one byte a
// line) and ".b32 label+4" or ".b64 .debug_abbrev". None of them ends in ';'.
SectionBytes decode_section(std::string_view text) {
  SectionBytes out;
  Diagnostics ignored;  // the text is kept as it stands; what is no data in it is skipped
  Reporter reporter({}, ignored);
  Lexer lexer(text, reporter);
  int width = 0;
  bool minus = false, value_due = false;
  for (Token t = lexer.next(); t.kind != TokenKind::End; t = lexer.next()) {
    const bool is_value =
        t.kind == TokenKind::Number || t.kind == TokenKind::Word || (t.kind == TokenKind::DotWord && value_due);
    if (t.kind == TokenKind::Word && lexer.peek() == ':') {
      out.labels.emplace(t.text, out.bytes.size());
      lexer.next();
      value_due = false;
    } else if (t.kind == TokenKind::DotWord && (!value_due || data_width(t.text) != 0)) {
      width = data_width(t.text);
      value_due = width != 0;
      minus = false;
    } else if (value_due && is_value) {
      const uint64_t value = t.kind == TokenKind::Number ? number(t.text) : 0;
      append(out.bytes, minus ? 0 - value : value, width);
      value_due = false;
      minus = false;
    } else if (t.kind == TokenKind::Punct && t.punct == ',') {
      value_due = width != 0;
    } else {
      minus = t.kind == TokenKind::Punct && t.punct == '-';
    }
  }
  return out;
}

std::string_view SectionBytes::string_at(const std::string& label, uint64_t offset) const {
  const auto found = labels.find(label);
  if (found == labels.end() || offset >= bytes.size() || found->second >= bytes.size() - offset) return {};
  return bytes.c_str() + found->second + offset;
}

SectionBytes debug_strings(const Module& module) {
  for (const Section& section : module.sections) {
    if (section.name != ".debug_str") continue;
    SectionBytes strings = decode_section(section.text);
    strings.labels.emplace(".debug_str", 0);  // function_name may count from the section's start
    return strings;
  }
  return {};
}

LineTable::LineTable(const Module& module, const Function& function, const SectionBytes& strings)
    : function_(function) {
  for (const File& file : module.files) paths_.emplace(file.index, file.path);
  std::unordered_map<Place, int32_t, PlaceHash> latest;
  nodes_.reserve(function.locs.size());
  for (const Loc& loc : function.locs) {
    Node& node = nodes_.emplace_back();
    node.path = path(loc.file);
    node.function =
        loc.function.empty() ? std::string_view(function.name) : strings.string_at(loc.function, loc.function_offset);
    if (loc.at_file != 0) {
      const auto outer = latest.find({loc.at_file, loc.at_line, loc.at_column});
      if (outer != latest.end()) node.caller = outer->second;
    }
    latest[{loc.file, loc.line, loc.column}] = static_cast<int32_t>(nodes_.size() - 1);
  }
}

std::string_view LineTable::path(uint32_t file) const {
  const auto found = paths_.find(file);
  return found == paths_.end() ? std::string_view() : found->second;
}

int32_t LineTable::caller(int64_t loc) const {
  return loc < 0 || loc >= static_cast<int64_t>(nodes_.size()) ? -1 : nodes_[static_cast<size_t>(loc)].caller;
}

std::vector<LineFrame> LineTable::stack(int64_t loc) const {
  std::vector<LineFrame> frames;
  if (loc < 0 || loc >= static_cast<int64_t>(nodes_.size())) return frames;
  for (auto i = static_cast<int32_t>(loc); i >= 0 && frames.size() < kMaxInlineDepth;) {
    const Node& node = nodes_[static_cast<size_t>(i)];
    const Loc& at = function_.locs[static_cast<size_t>(i)];
    frames.push_back({std::string(node.path), at.line, at.column, demangle(node.function)});
    if (node.caller < 0 && at.at_file != 0) {
      frames.push_back({std::string(path(at.at_file)), at.at_line, at.at_column, {}});
    }
    i = node.caller;
  }
  return frames;
}

std::vector<LineFrame> inline_stack(const Module& module, const Function& function, int loc) {
  const SectionBytes strings = debug_strings(module);
  return LineTable(module, function, strings).stack(loc);
}

std::string demangle(std::string_view name) {
  std::string text(name);
  constexpr size_t kLongest = 1 << 14;  // no compiler writes longer ones, and the demangler is not linear
  if (!name.starts_with("_Z") || name.size() > kLongest) return text;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status),
                                                     std::free);
  return plain && status == 0 ? std::string(plain.get()) : text;
}

}  // namespace warplens::ptx
