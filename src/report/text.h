// Numbers and text for a terminal.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::report {

std::string grouped(uint64_t n);                   // "1,234,567"
std::string short_number(uint64_t n);              // "999,999", "1.235 M": four digits; exact below a million
std::string short_bytes(uint64_t n);               // "512 B", "4.295 GB": powers of 1000, as Nsight Compute
std::string ratio(uint64_t a, uint64_t b);         // "4.0"; "-" for b = 0
std::string percent(uint64_t part, uint64_t all);  // "0 %", "3.1 %", "97 %"; "-" for all = 0
std::string seconds(double s);                     // "12 ms", "1.23 s"

size_t columns(std::string_view text);  // code points
std::string pad_left(std::string text, size_t width);
std::string pad_right(std::string text, size_t width);
std::string fit(std::string_view text, size_t width);                // cut with "..." where too long
std::string glued(std::string text);                                 // "97 %" such that wrap() does not part it
std::vector<std::string> wrap(std::string_view text, size_t width);  // at spaces; longer words are kept whole
std::string printable(std::string_view text);                        // tabs to spaces, control characters to '?'

std::string demangled(const std::string& name);  // of a C++ symbol; others as they are

// Lines of source files, read when first asked for.
class SourceText {
 public:
  explicit SourceText(std::string root) : root_(std::move(root)) {}
  // Without leading and trailing space; "" where the file or the line is not there.
  std::string line(const std::string& file, uint32_t number);
  std::string all(const std::string& file);  // "" where it is not there

 private:
  const std::vector<std::string>& lines(const std::string& file);

  std::string root_;
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace warplens::report
