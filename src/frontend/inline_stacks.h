// The stacks of inlined calls for code that clang compiles.
//
// clang's PTX says of inlined code only where it was written: a .loc without inlined_at. The LLVM IR before its back
// end knows more, each !DILocation having the place of the call, so the text of both is edited:
//
//   IR    !16 = !DILocation(line: 2, column: 73, scope: !17, inlinedAt: !18)     line: becomes a number of ours
//   PTX   .loc 1 268435456 73                                                    which is found again here, and becomes
//         .loc 1 10 12                                                           the chain, outermost first, as nvcc
//         .loc 1 2 73, function_name $L__warplens_name0, inlined_at 1 10 12      writes it (ptx/line_info.h)
//
// The names of the functions are those of the source, without namespaces and parameters: clang keeps no more.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::frontend {

class InlineStacks {
 public:
  // The IR, with numbers for the lines of inlined code. Metadata that is not understood stays as it is.
  std::string number_lines(std::string_view llvm_ir);

  // The PTX that was made of it, with chains for the numbers, and the names as a section .debug_str.
  std::string write_chains(std::string_view ptx) const;

 private:
  struct Frame {
    std::string path;      // of the file
    std::string function;  // whose code it is
    uint32_t line = 0, column = 0;
  };
  std::vector<std::vector<Frame>> chains_;  // innermost first; the number counts from kFirst
};

}  // namespace warplens::frontend
