// The machine code of Volta and later (128-bit instruction words, sm_75 to sm_120) as sass::Instruction.
//
// A word is an opcode (bits 0 to 11), a guard (12 to 14, negated by 15), operands and modifiers whose places
// encodings.def says, and what the scheduler needs (105 to 127: stalls, scoreboards, reuse), which is left out.
#pragma once
#include <cstdint>

#include "base/result.h"
#include "sass/instruction.h"

namespace warplens::sass {

// `low` and `high`: the words as they lie in memory, little-endian, the lower address first. `offset`: where the
// instruction stands, bytes from its function's start; targets of branches count from the same place. `sm`: 90 for
// sm_90. Names, modifiers and operands are those of nvdisasm 13.2, with numbers as bits: an immediate float or pair of
// halves is its 32 bits, of a double the upper 32. Error: no instruction of that generation has these bits, or it is
// not in the table; says the opcode and the offset.
Result<Instruction> decode(uint64_t low, uint64_t high, uint32_t offset, unsigned sm);

}  // namespace warplens::sass
