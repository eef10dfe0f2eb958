// What a launch's threads print. On a GPU the order of blocks varies from run to run; here it is that of their numbers.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::exec {

class Printed {
 public:
  // More than this of one launch is lost, newest first; a GPU's buffer (1 MB) loses the oldest.
  static constexpr size_t kMost = size_t{256} << 20;

  void add(uint64_t block, std::string_view text);
  void clear();
  bool empty() const { return pieces_.empty(); }
  // Everything that the workers printed, by block; within a block in the order of execution.
  static std::string join(const std::vector<const Printed*>& workers);

 private:
  struct Piece {
    uint64_t block;
    size_t from, bytes;  // in text_
  };
  std::vector<Piece> pieces_;
  std::string text_;
};

// printf's text. `next(bytes)` gives the next packed argument of 4 or 8 bytes, `text(address)` the string there.
// Conversions as in C (no %n, no wide characters), length modifiers included. `arguments`: how many were taken.
class PrintfArguments {
 public:
  virtual ~PrintfArguments() = default;
  virtual uint64_t next(unsigned bytes) = 0;
  virtual std::string text(uint64_t address) = 0;
};
std::string format_printf(std::string_view format, PrintfArguments& from, unsigned* arguments);

}  // namespace warplens::exec
