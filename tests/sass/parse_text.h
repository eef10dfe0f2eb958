// The disassembler's text (cuobjdump -sass, nvdisasm) as instructions: what the decoder is held against, and how tests
// write machine code down.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sass/instruction.h"

namespace warplens::test {

// "@!P0 LDG.E R4, desc[UR6][R2.64+0x10] ;". Immediates in decimals (1.5, -QNAN, two halves) become bits.
Result<sass::Instruction> parse_instruction(std::string_view text, uint32_t offset = 0);

struct TextFunction {
  std::string name;
  std::vector<sass::Instruction> code;
};
// All functions of what `cuobjdump -sass` printed. Error: a line that cannot be read.
Result<std::vector<TextFunction>> parse_listing(std::string_view text);

}  // namespace warplens::test
