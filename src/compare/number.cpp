#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "compare/ncu.h"

namespace warplens::compare {
namespace {

// What a figure of this unit is multiplied by to be in the base unit.
double scale_of(std::string_view unit) {
  struct Scale {
    std::string_view name;
    double factor;
  };
  static constexpr Scale kTimes[] = {{"ns", 1},   {"nsecond", 1},   {"us", 1e3}, {"usecond", 1e3},
                                     {"ms", 1e6}, {"msecond", 1e6}, {"s", 1e9},  {"second", 1e9}};
  const std::string_view first = unit.substr(0, unit.find('/'));
  for (const Scale& time : kTimes)
    if (first == time.name) return time.factor;
  static constexpr std::string_view kPrefixes = "KMGT";
  const size_t prefix = first.size() > 1 ? kPrefixes.find(first[0]) : kPrefixes.npos;
  if (prefix == kPrefixes.npos || !std::islower(static_cast<unsigned char>(first[1]))) return 1;
  return std::pow(1000.0, double(prefix) + 1);
}

// Spaces of any kind, apostrophes and underscores part thousands somewhere in the world; bytes above 127 are what
// spaces look like in UTF-8.
bool parts_thousands(char c) { return c == ' ' || c == '\'' || c == '_' || static_cast<unsigned char>(c) >= 128; }

// Digits with at most one '.', or "" where the text is no number.
std::string plain_digits(std::string_view text, bool comma) {
  const char point = comma ? ',' : '.', group = comma ? '.' : ',';
  std::string out;
  for (char c : text) {
    if (c == group || parts_thousands(c)) continue;
    out += c == point ? '.' : c;
  }
  return out;
}

}  // namespace

std::optional<Printed> printed_number(std::string_view text, std::string_view unit, bool comma) {
  text = text.substr(0, text.find(" ("));  // --print-metric-instances values: "512 (32; 32; ...)"
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  if (text.empty() || text.size() > 64) return std::nullopt;
  const std::string digits = plain_digits(text, comma);
  Printed out;
  const char* const end = digits.data() + digits.size();
  const auto [stop, problem] = std::from_chars(digits.data(), end, out.value);
  if (problem != std::errc() || stop != end || !std::isfinite(out.value)) return std::nullopt;
  const double scale = scale_of(unit);
  const size_t point = digits.find('.');
  const size_t decimals = point == digits.npos                                               ? 0
                          : digits.find_first_not_of("0123456789", point + 1) == digits.npos ? digits.size() - point - 1
                                                                                             : 15;
  uint64_t whole = 0;
  const auto [last, failed] = std::from_chars(digits.data(), end, whole);
  if (scale == 1 && decimals == 0 && failed == std::errc() && last == end) out.exact = whole;
  out.value *= scale;
  if (!out.exact) out.error = scale * 0.5 * std::pow(10.0, -double(decimals));
  return out;
}

}  // namespace warplens::compare
