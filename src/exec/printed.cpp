#include "exec/printed.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

namespace warplens::exec {

void Printed::add(uint64_t block, std::string_view text) {
  if (text.empty() || text_.size() + text.size() > kMost) return;
  if (!pieces_.empty() && pieces_.back().block == block)
    pieces_.back().bytes += text.size();
  else
    pieces_.push_back({block, text_.size(), text.size()});
  text_ += text;
}

void Printed::clear() {
  pieces_.clear();
  text_.clear();
}

std::string Printed::join(const std::vector<const Printed*>& workers) {
  struct Part {
    uint64_t block;
    std::string_view text;
  };
  std::vector<Part> parts;
  size_t bytes = 0;
  for (const Printed* worker : workers)
    for (const Piece& p : worker->pieces_) {
      parts.push_back({p.block, std::string_view(worker->text_).substr(p.from, p.bytes)});
      bytes += p.bytes;
    }
  // A block belongs to one worker, so its pieces keep their order.
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.block < b.block; });
  std::string all;
  all.reserve(bytes);
  for (const Part& p : parts) all += p.text;
  return all;
}

namespace {

constexpr std::string_view kFlags = "-+ #0";
constexpr int kWidest = 1 << 16;  // of a field: more is a mistake, and would take all memory

// "%[flags][width][.precision][length]conversion", taken apart. A '*' takes its value from the arguments.
struct Conversion {
  std::string flags;
  int width = -1, precision = -1;
  bool wide = false;  // the argument has 8 bytes
  int shorts = 0;     // h, hh
  char kind = 0;      // 0: no conversion
  size_t length = 0;  // characters of the format
};

int number(std::string_view format, size_t& at, PrintfArguments& from, unsigned* arguments) {
  if (at < format.size() && format[at] == '*') {
    ++at, ++*arguments;
    return std::clamp(static_cast<int>(from.next(4)), -kWidest, kWidest);
  }
  int value = 0;
  for (; at < format.size() && format[at] >= '0' && format[at] <= '9'; ++at)
    value = std::min(value * 10 + (format[at] - '0'), kWidest);
  return value;
}

Conversion parse(std::string_view format, PrintfArguments& from, unsigned* arguments) {
  Conversion c;
  size_t at = 1;
  while (at < format.size() && kFlags.find(format[at]) != kFlags.npos) c.flags += format[at++];
  if (at < format.size() && (format[at] == '*' || (format[at] >= '0' && format[at] <= '9')))
    c.width = number(format, at, from, arguments);
  if (at < format.size() && format[at] == '.') {
    ++at;
    c.precision = std::max(-1, number(format, at, from, arguments));
  }
  for (; at < format.size() && std::strchr("hljztL", format[at]); ++at) {
    c.wide |= format[at] != 'h';
    c.shorts += format[at] == 'h';
  }
  if (at < format.size()) c.kind = format[at++];
  c.length = at;
  return c;
}

template <typename T>
std::string print(const Conversion& c, const char* length, T value) {
  std::string spec = "%" + c.flags;
  int width = c.width;
  if (width < -1) spec += '-', width = -width;  // a negative '*' means to the left
  if (width >= 0) spec += std::to_string(width);
  if (c.precision >= 0) spec += "." + std::to_string(c.precision);
  spec += length;
  spec += c.kind;
  const int bytes = std::snprintf(nullptr, 0, spec.c_str(), value);
  if (bytes <= 0) return "";
  std::string text(static_cast<size_t>(bytes) + 1, 0);
  std::snprintf(text.data(), text.size(), spec.c_str(), value);
  text.pop_back();
  return text;
}

std::string converted(const Conversion& c, PrintfArguments& from, unsigned* arguments) {
  ++*arguments;
  switch (c.kind) {
    case 'd':
    case 'i': {
      long long value = c.wide ? static_cast<long long>(from.next(8)) : static_cast<int32_t>(from.next(4));
      if (c.shorts == 1) value = static_cast<int16_t>(value);
      if (c.shorts > 1) value = static_cast<int8_t>(value);
      return print(c, "ll", value);
    }
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
      unsigned long long value = from.next(c.wide ? 8 : 4);
      if (c.shorts == 1) value = static_cast<uint16_t>(value);
      if (c.shorts > 1) value = static_cast<uint8_t>(value);
      return print(c, "ll", value);
    }
    case 'c':
      return print(c, "", static_cast<int>(from.next(4)));
    case 'p':
      return print(c, "", reinterpret_cast<void*>(from.next(8)));
    case 's': {
      const uint64_t address = from.next(8);
      return print(c, "", address ? from.text(address).c_str() : "(null)");
    }
    default:
      return print(c, "", std::bit_cast<double>(from.next(8)));
  }
}

}  // namespace

std::string format_printf(std::string_view format, PrintfArguments& from, unsigned* arguments) {
  std::string out;
  *arguments = 0;
  while (!format.empty()) {
    const size_t percent = std::min(format.find('%'), format.size());
    out += format.substr(0, percent);
    format.remove_prefix(percent);
    if (format.empty()) break;
    const Conversion c = parse(format, from, arguments);
    if (c.kind == '%')
      out += '%';
    else if (c.kind && std::strchr("diuxXocpsfFeEgGaA", c.kind))
      out += converted(c, from, arguments);
    else
      out += format.substr(0, c.length);  // as it stands, as the hardware's printf does with what it does not know
    format.remove_prefix(c.length);
  }
  return out;
}

}  // namespace warplens::exec
