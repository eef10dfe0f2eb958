// One machine instruction (SASS) of Volta and later, decoded: the names and the order of operands are the
// disassembler's.
//
//   @!P0  LDG.E.128.CONSTANT R4, desc[UR6][R2.64+UR8+0x10]
//         IMAD.WIDE R2, R7, 0x4, R2          (R2 stands for the pair R2, R3)
//         ISETP.GE.AND P0, PT, R0, c[0x0][0x220], PT
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::sass {

inline constexpr uint8_t kRZ = 255;  // reads as 0, writes vanish; URZ likewise
inline constexpr uint8_t kPT = 7;    // always true; UPT likewise

struct Operand {
  enum class Kind : uint8_t {
    Register,   // R0 to R254, RZ
    Uniform,    // UR0 to UR62, URZ (kRZ)
    Predicate,  // P0 to P6, PT
    UniformPredicate,
    Immediate,      // `value`: the bits
    Constant,       // c[bank][base + offset]
    BoundConstant,  // cx[URn][base + offset]: the bank is what URn says
    Memory,         // [base + uniform + offset], with a descriptor or without
    Special,        // SR_TID.X: `name`
    Barrier,        // B0 to B15, convergence barriers; SB0 to SB5, scoreboards
    Target,         // a place in the code: `value`, bytes from the function's start
    Name,           // what else the text has as a word
  };
  Kind kind = Kind::Register;
  uint8_t number = kRZ;    // of the register, predicate or barrier; Constant: the bank
  bool negated = false;    // -x; of a predicate: !p
  bool absolute = false;   // |x|
  bool inverted = false;   // ~x
  uint8_t base = kRZ;      // Memory, Constants: the register in the brackets
  bool wide_base = false;  // Memory: the base is a pair of registers (R2.64)
  uint8_t scale = 1;       // Memory: of the base (R2.X4, .X8, .X16)
  uint8_t uniform = kRZ;   // Memory: the uniform register that is added; BoundConstant: which says the bank
  bool wide_uniform = false;
  uint8_t descriptor = kRZ;  // Memory: the uniform register of desc[..]
  int64_t value = 0;  // Immediate: bits, zero-extended from 32 (64 where the instruction has 64); Memory, Constants:
                      // the offset in bytes
  std::string name = {};  // Special, Name: as the disassembler has it, "SR_TID.X"
  // Behind the operand: "H0_H0", "H1_H1", "F32", "B1", "ROW", "COL", "64"...; "reuse" is left out.
  std::vector<std::string> suffixes = {};
  bool has(std::string_view suffix) const;
  friend bool operator==(const Operand&, const Operand&) = default;
};

struct Instruction {
  uint32_t offset = 0;  // bytes from the function's start
  // The guard: @P0, @!P0, @UP0. kPT without negation: none.
  uint8_t guard = kPT;
  bool guard_negated = false, guard_uniform = false;
  std::string opcode;                  // "LDG": what stands before the first point
  std::vector<std::string> modifiers;  // "E", "128", "CONSTANT", in the disassembler's order
  std::vector<Operand> operands;       // destinations first, as the disassembler has them
  bool has(std::string_view modifier) const;
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

// As the disassembler writes it: for messages and reports.
std::string print(const Instruction& instruction);

}  // namespace warplens::sass
