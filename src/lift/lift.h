// Machine code (SASS) -> IR: a kernel as ptxas made it, so that what is counted is what a GPU's profiler counts.
//
// The result computes what the PTX computes, with the registers, the merged and unrolled accesses and the predicated
// instructions of the machine code: each of its instructions weighs one where instructions are counted.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "ir/ir.h"
#include "sass/instruction.h"

namespace warplens::lift {

// Where a part of a constant bank leads.
struct BankPart {
  uint8_t bank = 0;
  uint32_t offset = 0, bytes = 0;
  uint32_t symbol = ir::kNone;  // of the module: the bytes are the symbol's, from `at` on, ...
  int64_t at = 0;
  bool is_address = false;   // ... or the eight bytes are its address plus `at`
  std::string outside = {};  // ... or the address of a function of this name, which is not in the cubin
};

// An immediate that the loader fills in: the low or high word of a symbol's address plus `addend`.
struct Patch {
  uint32_t offset = 0;  // of the instruction
  uint32_t symbol = ir::kNone;
  int64_t addend = 0;
  bool high = false;
  std::string what = {};  // the name; without a symbol of the module the instruction is refused
};

struct Input {
  std::vector<sass::Instruction> code;  // all of the function, 16 bytes apart, from offset 0
  std::vector<uint32_t> locations;      // of each: index into ir::Function::locations, or kNone
  const ir::Module* module = nullptr;   // whose symbols are meant below
  unsigned sm = 90;
  uint32_t param_base = 0x210;  // where the parameters begin in bank 0
  uint32_t registers = 0;
  uint32_t frame_bytes = 0;            // local memory of a thread
  uint32_t shared_bytes = 0;           // static, the part that a GPU keeps for itself (at the start) included
  uint32_t reserved_shared_bytes = 0;  // of these
  std::vector<BankPart> banks;
  std::vector<Patch> patches;
  std::vector<uint32_t> branch_targets;  // of indirect branches, offsets; empty: unknown
};

// `ptx`: the same kernel from its PTX, for what machine code does not say: parameters, limits, the alignment of dynamic
// shared memory. `locations`: what Input::locations leads to. Error: what cannot be run as machine code yet, with the
// instruction.
Result<ir::Function> lift(const Input& input, const ir::Function& ptx, std::vector<ir::Location> locations);

}  // namespace warplens::lift
