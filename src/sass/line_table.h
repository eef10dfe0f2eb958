// Which source lines an instruction came from, and which line of PTX, as the cubin says it.
//
// .debug_line (nvcc -lineinfo) is a DWARF line program (DWARF 2 to 4, section 6.2: ptxas 11.8 to 13.0 write version 2,
// 13.5 version 3): one sequence of rows for each function or section of code, whose address is a relocation by its
// symbol. NVIDIA adds an extended opcode, which the disassembler's "inlined at" lines confirm:
//
//   0x90  uleb context, uleb name    what follows was inlined: `context` is the number of the row, counted from 1 in
//   its
//                                    sequence, that is the place of the call; `name` is the offset in .debug_str of the
//                                    function that the code is from. Context 0 ends it.
//
//   row 3   +0x60  a.cu:19                       kern at a.cu:19
//   row 4   +0x60  a.cu:11  context 3 "nested"   nested at 11, called from row 3
//   row 5   +0x60  a.cu:9   context 4 "quick"    quick at 9, called from row 4: the one that +0x60 has, being the last
//
// .nv_debug_line_sass (ptxas -lineinfo) is the same with the PTX text as its files: the sections .nv_debug_ptx_txt (or
// .nv_debug_ptx_txt.NUMBER, one for each file that nvlink joined), whose lines end in NUL and are those of the text
// that ptxas was given.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/line_info.h"
#include "sass/cubin.h"

namespace warplens::sass {

// A row of a line program, as far as it is used.
struct LineRow {
  uint32_t address = 0;   // bytes from the start of the section of code
  uint32_t file = 0;      // index into the program's files; 0: none
  uint32_t line = 0;      // from 1; 0: code of the compiler's own
  int32_t caller = -1;    // the row where the call is that this was inlined by; -1: not inlined
  uint32_t function = 0;  // offset in .debug_str, where `caller` is not -1
};

struct PtxLine {
  std::string_view section;  // whose text it is: ".nv_debug_ptx_txt"
  uint32_t line = 0;         // from 1
};

class LineTable {
 public:
  // The frames of the instruction at `offset` of a section of code, innermost first; at most ptx::kMaxInlineDepth.
  // Empty where the cubin has no line for it. The outermost frame's function is that of the symbol there.
  std::vector<ptx::LineFrame> stack(const Cubin& cubin, uint32_t section, uint32_t offset) const;

  // Where the instruction is in the PTX text. Nothing: not said.
  std::optional<PtxLine> ptx_line(uint32_t section, uint32_t offset) const;

  bool has_source() const { return !source_.rows.empty(); }

 private:
  friend Result<LineTable> read_line_table(const Cubin& cubin);
  // The row that holds from `address` on.
  struct Start {
    uint32_t section, address;
    int32_t row;  // -1: no row holds any more
  };
  struct Program {
    std::vector<std::string> files = {""};  // whole paths; LineRow::file is an index
    std::vector<LineRow> rows;
    std::vector<Start> starts;  // by section and address
    const LineRow* at(uint32_t section, uint32_t offset) const;
  };
  friend class LineProgramReader;

  Program source_, ptx_;
  std::string_view names_;  // .debug_str
};

// Of a cubin, which must outlive it. Without -lineinfo the table is empty; one that is damaged is an Error.
Result<LineTable> read_line_table(const Cubin& cubin);

// The text of a section .nv_debug_ptx_txt, its lines ended by '\n'. Empty where there is none of that name.
std::string ptx_text(const Cubin& cubin, std::string_view section);

}  // namespace warplens::sass
