// A cubin: the machine code of one GPU, in an ELF file.
//
// The file is ordinary ELF (machine 190, 64 bits); what NVIDIA puts into it is not documented. What follows is from
// observation: cubins of ptxas 11.8, 12.4, 13.0 and 13.5 for sm_75 to sm_120 beside what cuobjdump -elf and nvdisasm
// print of them. Names of attributes and relocations are cuobjdump's.
//
//   header      e_flags: sm in bits 0-7 (ABI version 7, CUDA 11 and 12) or 8-15 (ABI version 8, CUDA 13)
//   .text.NAME  code of a kernel, and behind it that of the functions that only it calls ($KERNEL$FUNCTION); a function
//               of -rdc programs has a section of its own. sh_info: bits 0-23 its symbol. sh_flags of CUDA 11 and 12:
//               bits 20-26 the number of barriers
//   .nv.info, .nv.info.NAME   attributes of the file and of one function: u8 format, u8 attribute, u16 value; in format
//   4
//               the value is the size of what follows
//   .nv.constantB[.NAME]      the constant bank B, of all or of one function:
//               0  what the launch sets (block size, stack...), then the parameters; the file has zeros there
//               2  constants, jump tables and a table of functions, as offsets in .text.NAME: a pointer to a function
//                  in memory is an offset in this bank (c[0x2][R]). Linked -rdc programs have addresses instead
//               3  __constant__ variables
//               4  addresses of variables and functions, by relocations
//   .nv.shared.NAME           no bytes; its size is that of static shared memory. From sm_90 on the first KiB belongs
//   to
//               the system
//   .nv.global, .nv.global.init   __device__ variables: zeros, and those with bytes
//   .rel.X, .rela.X           relocations of section X; REL (CUDA 13 for sm_75 to sm_89) has the addend in place
//   .debug_line, .nv_debug_line_sass   see line_table.h
//   .nv.merc.*, .nv.capmerc.* the same once more in another encoding, from sm_100 on: not read
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/dim3.h"
#include "base/result.h"

namespace warplens::sass {

// What a relocation's value is made from.
enum class RelocationKind : uint8_t {
  Address,             // of the symbol, plus the addend
  GenericAddress,      // the same in the generic address space
  FunctionDescriptor,  // what a pointer to a function holds
  Unified,             // likewise, through the table of functions that nvlink makes
  ConstantField,       // where the symbol is in its constant bank, and the bank's number above it
  Relative,            // to the instruction
  Texture,             // an index or offset of a texture, sampler or surface
  Other,               // changes of the instruction itself
};

// Which bits of the value go into the field.
enum class RelocationPart : uint8_t {
  All,
  Low,    // bits 0-31
  High,   // bits 32-63
  Byte,   // the byte that starts at `position`
  Words,  // without its two lowest bits
  Split,  // without its two lowest bits; the lowest 8 of the rest at bit 16, the others at `position`
};

struct RelocationType {
  uint32_t number = 0;
  std::string_view name;  // "R_CUDA_ABS32_LO_32"
  RelocationKind kind = RelocationKind::Other;
  RelocationPart part = RelocationPart::All;
  uint8_t bits = 0;      // width of the field
  uint8_t position = 0;  // of its lowest bit in the instruction
};

struct Relocation {
  uint64_t offset = 0;         // in the section: of the instruction, or of the bytes
  const RelocationType* type;  // never null; "R_CUDA_UNKNOWN": a number that has no name here
  uint32_t symbol = 0;         // index into Cubin::symbols
  int64_t addend = 0;
};

const RelocationType& relocation_type(uint32_t number);

// The value that the field of `bytes`, those of the relocation's section, holds now: the addend of REL. nullopt where
// there is no field, or it is outside.
std::optional<uint64_t> field(const Relocation& relocation, std::span<const uint8_t> bytes);

// Writes `value` (the symbol's, with the addend) into the field of `bytes`, those of the relocation's section. False,
// and nothing written, where it has no field, is a texture's, or is outside.
bool apply(const Relocation& relocation, uint64_t value, std::span<uint8_t> bytes);

struct Section {
  std::string_view name;
  std::span<const uint8_t> bytes;  // none for .nv.shared and .nv.global
  uint64_t size = 0;
  uint64_t alignment = 1;
  uint32_t info = 0;  // of code, .nv.shared, .nv.constant: what the section belongs to
  uint64_t flags = 0;
  std::vector<Relocation> relocations;  // by offset
};

struct Symbol {
  enum class Kind : uint8_t { None, Object, Function, Section, Other };
  std::string_view name;
  Kind kind = Kind::None;
  uint32_t section = 0;  // index into Cubin::sections; 0: not defined here
  uint64_t offset = 0;   // from the section's start
  uint64_t size = 0;
  bool local = false;  // known in this file alone
  bool entry = false;  // a kernel
  bool managed = false;
};

struct Parameter {
  uint32_t offset = 0;  // bytes from Function::parameter_offset
  uint32_t size = 0;    // bytes
};

// One instruction that goes where a register says, and where that may be.
struct IndirectBranch {
  uint32_t offset = 0;
  std::vector<uint32_t> targets;  // offsets in the section
};

// A kernel, or a function with a symbol. Offsets in code count from the start of the *section*, as branches within it
// and line tables do; the function's own code begins at `offset`.
struct Function {
  std::string_view name;
  uint32_t symbol = 0;
  uint32_t section = 0;
  uint64_t offset = 0;
  std::span<const uint8_t> code;  // of a kernel: with the functions behind it that are only its
  bool kernel = false;
  uint32_t registers = 0;                // per thread; 0: not said (functions within a kernel's section)
  uint32_t frame_bytes = 0;              // of local memory, for this function alone
  uint32_t stack_bytes = 0;              // of local memory, with what it calls (MIN_STACK_SIZE); 0: not said
  uint64_t shared_bytes = 0;             // static shared memory as programs see it, without the system's
  uint64_t reserved_shared = 0;          // the system's before it: where the program's own begins
  uint32_t barriers = 0;                 // named barriers 0 to barriers - 1
  std::optional<Dim3> max_threads;       // __launch_bounds__: of a block in x, y, z
  std::optional<Dim3> required_threads;  // .reqntid
  std::optional<Dim3> cluster;           // __cluster_dims__, in blocks
  uint32_t parameter_offset = 0;         // in constant bank 0
  uint32_t parameter_bytes = 0;
  std::vector<Parameter> parameters;     // in the order of the declaration
  std::vector<IndirectBranch> branches;  // of BRX and its like; CUDA 11 leaves the targets zero
  std::vector<uint32_t> exits;           // offsets of EXIT
  std::vector<uint32_t> spills;          // offsets of accesses to local memory for registers alone; CUDA 13 says them
  std::vector<uint32_t> externs;         // symbols that are called and not here: vprintf, malloc, __assertfail...
};

struct ConstantBank {
  uint8_t bank = 0;
  uint32_t section = 0;   // index into Cubin::sections: its bytes and relocations
  uint32_t function = 0;  // section of the code that it belongs to; 0: all of the file's
};

class Cubin {
 public:
  uint32_t sm = 0;           // 90 for sm_90
  bool relocatable = false;  // of -rdc=true, not linked: addresses are open
  std::vector<Section> sections;
  std::vector<Symbol> symbols;
  std::vector<Function> functions;  // kernels, then the others
  std::vector<ConstantBank> banks;

  const Function* kernel(std::string_view name) const;                   // null: none of that name
  const Function* function_at(uint32_t section, uint64_t offset) const;  // the innermost that has it
  const Section* section(std::string_view name) const;                   // null: none
  const Section* bank(const Function& function, uint8_t number) const;   // its own, or the file's; null: none
  const Section* code(const Function& f) const { return &sections[f.section]; }

 private:
  friend Result<Cubin> read_cubin(std::span<const uint8_t> bytes);
  std::vector<uint32_t> by_section_;                      // indices into `functions`, by section
  std::shared_ptr<const std::vector<uint64_t>> storage_;  // what all names and bytes refer to
};

// Keeps a copy of the bytes. An Error for what is no cubin, is cut short, or contradicts itself.
Result<Cubin> read_cubin(std::span<const uint8_t> bytes);

}  // namespace warplens::sass
