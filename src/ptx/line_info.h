// Which source lines an instruction came from: the whole stack of inlined calls.
//
// A compiler's line info is a .loc before each group of instructions. The plain form names file, line and column. For
// code that was inlined, nvcc adds the name of the function it came from and the place of the call:
//
//   .loc 1 15 3                                                             kern at k.cu:15:3
//   .loc 1 8 3, function_name $L__info_string0, inlined_at 1 15 3           outer<float> at k.cu:8:3, called from 15:3
//   .loc 1 4 3, function_name $L__info_string1, inlined_at 1 8 3            inner at k.cu:4:3, called from 8:3
//
// The place of the call is a place, not a frame: the frame it belongs to is the latest earlier .loc of the same
// function with that file, line and column. Names are labels into .section .debug_str, whose bytes the PTX text spells
// out as .b8 lists.
//
// Not modelled: a .loc whose call place has no .loc of its own ends its stack with a frame that knows only the place.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/module.h"

namespace warplens::ptx {

struct LineFrame {
  std::string file;      // the path as .file gives it; "" if the PTX names no such file
  uint32_t line = 0;     // from 1; 0: compiler-made code without a line
  uint32_t column = 0;   // from 1; 0: not given. nvcc gives where the statement starts, clang the sub-expression.
  std::string function;  // demangled; "" if unknown (a place of a call without a .loc of its own)

  friend bool operator==(const LineFrame&, const LineFrame&) = default;
};

// What .debug_str says: label -> the text at it. `.section .debug_str` may spell its bytes on one line or one a line.
class DebugStrings {
 public:
  explicit DebugStrings(const Module& module);
  // The NUL-ended string `offset` bytes after `label`; "" where there is none.
  std::string_view at(std::string_view label, uint32_t offset = 0) const;

 private:
  std::string bytes_;
  std::unordered_map<std::string, size_t> labels_;
};

// The stacks of all of one function's locs at once: stacks[i] belongs to function.locs[i], innermost frame first.
using LineTable = std::vector<std::vector<LineFrame>>;
LineTable line_table(const Module& module, const Function& function);
LineTable line_table(const Module& module, const Function& function, const DebugStrings& strings);

// The stack of one loc (Instruction::loc). Empty for -1, and wherever the PTX has no line info. For many, use
// line_table.
std::vector<LineFrame> inline_stack(const Module& module, const Function& function, int loc);

// The bytes that the .b8/.b16/.b32/.b64 lines of a .section spell (little-endian), and where its labels are. A value
// that is itself a label counts its width in zero bytes.
struct SectionBytes {
  std::string bytes;
  std::unordered_map<std::string, size_t> labels;
};
SectionBytes decode_section(std::string_view text);

// "void kern(float*)" of "_Z4kernPf"; the name itself where it is not a mangled one.
std::string demangle(const std::string& name);

}  // namespace warplens::ptx
