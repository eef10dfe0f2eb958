#include "report/text.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

namespace warplens::report {
namespace {

// Four significant digits and the prefix, for n of at least 1000.
std::string scaled(uint64_t n, const char* unit) {
  static constexpr char kPrefixes[] = {'k', 'M', 'G', 'T', 'P', 'E'};
  double value = double(n) / 1000;
  size_t prefix = 0;
  while (value >= 999.95 && prefix + 1 < sizeof kPrefixes) value /= 1000, ++prefix;
  const int digits = value < 9.9995 ? 3 : value < 99.995 ? 2 : 1;
  return fmt::format("{:.{}f} {}{}", value, digits, kPrefixes[prefix], unit);
}

constexpr char kGlue = '\1';  // a space that wrap() keeps; printable() lets none through

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

}  // namespace

std::string grouped(uint64_t n) {
  std::string text = std::to_string(n);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string short_number(uint64_t n) { return n < 1000000 ? grouped(n) : scaled(n, ""); }
std::string short_bytes(uint64_t n) { return n < 1000 ? std::to_string(n) + " B" : scaled(n, "B"); }
std::string ratio(uint64_t a, uint64_t b) { return b == 0 ? "-" : fmt::format("{:.1f}", double(a) / double(b)); }

std::string percent(uint64_t part, uint64_t all) {
  if (all == 0) return "-";
  const double value = 100 * double(part) / double(all);
  if (part == 0 || value >= 9.95) return fmt::format("{:.0f} %", value);
  return value < 0.05 ? "<0.1 %" : fmt::format("{:.1f} %", value);
}

std::string seconds(double s) {
  if (s < 0.0995) return fmt::format("{:.1f} ms", s * 1000);
  return s < 0.9995 ? fmt::format("{:.0f} ms", s * 1000) : fmt::format("{:.2f} s", s);
}

size_t columns(std::string_view text) {
  size_t n = 0;
  for (char c : text) n += starts_character(c);
  return n;
}

std::string pad_left(std::string text, size_t width) {
  const size_t have = columns(text);
  return have < width ? std::string(width - have, ' ') + text : text;
}

std::string pad_right(std::string text, size_t width) {
  const size_t have = columns(text);
  if (have < width) text.append(width - have, ' ');
  return text;
}

std::string fit(std::string_view text, size_t width) {
  if (columns(text) <= width) return std::string(text);
  const bool dots = width > 6;
  size_t keep = dots ? width - 3 : width, at = 0;
  while (at < text.size() && (keep > 0 || !starts_character(text[at]))) keep -= starts_character(text[at++]);
  return std::string(text.substr(0, at)) + (dots ? "..." : "");
}

std::string glued(std::string text) {
  std::replace(text.begin(), text.end(), ' ', kGlue);
  return text;
}

std::vector<std::string> wrap(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string word(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && columns(line) + 1 + columns(word) > width) {
      lines.push_back(line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  if (!line.empty()) lines.push_back(line);
  for (std::string& done : lines) std::replace(done.begin(), done.end(), kGlue, ' ');
  return lines;
}

std::string printable(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\t' || c == '\n')
      out += ' ';
    else
      out += static_cast<unsigned char>(c) < 32 || c == 127 ? '?' : c;
  }
  return out;
}

// nvcc, compiling for separate linking, puts the file before the name of what is static:
// "__nv_static_22__7dfe75a9_5_st_cu_main__Z4kernPi", the number being the length of what comes before the name proper.
static std::string without_file(const std::string& name) {
  constexpr std::string_view kPrefix = "__nv_static_";
  if (name.rfind(kPrefix, 0) != 0) return name;
  size_t at = kPrefix.size(), length = 0;
  for (; at < name.size() && name[at] >= '0' && name[at] <= '9' && length < name.size(); ++at)
    length = length * 10 + static_cast<size_t>(name[at] - '0');
  if (name.compare(at, 2, "__") != 0 || at + 2 + length >= name.size()) return name;
  return name.substr(at + 2 + length);
}

std::string demangled(const std::string& symbol) {
  const std::string name = without_file(symbol);
  if (name.rfind("_Z", 0) != 0) return name;  // "y" alone would be read as a type
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? text.get() : name;
}

const std::vector<std::string>& SourceText::lines(const std::string& file) {
  const auto [it, is_new] = files_.try_emplace(file);
  if (is_new) {
    std::filesystem::path path = file;
    if (path.is_relative() && !root_.empty()) path = std::filesystem::path(root_) / path;
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) {
      std::ifstream in(path);
      for (std::string text; std::getline(in, text);) it->second.push_back(text);
    }
  }
  return it->second;
}

std::string SourceText::all(const std::string& file) {
  std::string text;
  for (const std::string& line : lines(file)) text += line + "\n";
  return text;
}

std::string SourceText::line(const std::string& file, uint32_t number) {
  if (file.empty() || number == 0) return "";
  const std::vector<std::string>& of_file = lines(file);
  if (number > of_file.size()) return "";
  const std::string text = printable(of_file[number - 1]);
  const size_t from = text.find_first_not_of(' '), to = text.find_last_not_of(" \r");
  return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

}  // namespace warplens::report
