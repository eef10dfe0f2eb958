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
// clang gives no inlined_at; what it compiles for Warplens gets them (frontend/inline_stacks.h), elsewhere its inlined
// code is one frame under the kernel's name. A call place that no .loc stands for ends its stack with a frame that
// knows only the place.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/module.h"

namespace warplens::ptx {

inline constexpr size_t kMaxInlineDepth = 256;  // frames of one stack; the outermost are cut off beyond it

struct LineFrame {
  std::string file;      // the path as .file gives it; "" if the PTX names no such file
  uint32_t line = 0;     // from 1; 0: compiler-made code without a line
  uint32_t column = 0;   // from 1; 0: not given. nvcc gives where the statement starts, clang the sub-expression.
  std::string function;  // demangled; "" if unknown

  friend bool operator==(const LineFrame&, const LineFrame&) = default;
};

// The bytes that the .b8/.b16/.b32/.b64 lines of a .section spell (little-endian), and where its labels are. A value
// that is an address (a label, a section) counts its width in zero bytes.
struct SectionBytes {
  std::string bytes;
  std::unordered_map<std::string, size_t> labels;

  // The NUL-ended string `offset` bytes after `label`; "" where there is none.
  std::string_view string_at(const std::string& label, uint64_t offset = 0) const;
};
SectionBytes decode_section(std::string_view text);

// What function_name labels refer to: the module's .debug_str, decoded. Empty if there is none.
SectionBytes debug_strings(const Module& module);

// The stacks of all locs of one function, made in one pass over them; linear in time and size. Refers to the module and
// to `strings`, which must outlive it.
class LineTable {
 public:
  LineTable(const Module& module, const Function& function, const SectionBytes& strings);

  size_t size() const { return nodes_.size(); }  // the number of Function::locs

  // The stack of locs[loc], innermost frame first. Empty for a loc out of range, as -1 is.
  std::vector<LineFrame> stack(int64_t loc) const;

  // The loc of the frame that this one was inlined into; -1: none, or none that is known.
  int32_t caller(int64_t loc) const;

 private:
  struct Node {
    int32_t caller = -1;
    std::string_view path;
    std::string_view function;  // mangled
  };
  std::string_view path(uint32_t file) const;

  const Function& function_;
  std::unordered_map<uint32_t, std::string_view> paths_;
  std::vector<Node> nodes_;
};

// The stack of one Instruction::loc. Empty where the PTX has no line info. For many, keep a LineTable.
std::vector<LineFrame> inline_stack(const Module& module, const Function& function, int loc);

// "kern(float*)" of "_Z4kernPf"; the name itself where it is not a mangled one.
std::string demangle(std::string_view name);

}  // namespace warplens::ptx
