// The table of encodings as decode.cpp walks it. encodings.def has the lines and says how to read one.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::sass {

struct Word {
  uint64_t low, high;
  // `width` bits from bit `first` on, at most 64.
  uint64_t bits(unsigned first, unsigned width) const;
};

// A number whose bits lie in pieces, the lowest first.
struct Field {
  struct Piece {
    uint8_t first, width;
  };
  std::vector<Piece> pieces;
  bool is_signed = false, inverted = false;
  int64_t scale = 1, add = 0;
  unsigned width() const;
  uint64_t raw(Word word) const;
  int64_t value(Word word) const;
  bool all_ones(Word word) const;
};

// What a field says, as words; "?" where the hardware has no meaning for a value. Without a field: always values[0].
struct Choice {
  Field field;
  std::vector<std::string> values;
  const std::string& get(Word word) const;
};

// Whether a part is there.
struct Condition {
  Field field;
  std::string table;  // a '0' or '1' for each value; empty: always
  bool holds(Word word) const;
};

struct OperandEncoding {
  std::string kind;  // as in encodings.def
  Field number, base, uniform, offset, descriptor;
  Condition has_base, has_uniform, has_descriptor;
  Choice sign, suffix, base_suffix, uniform_suffix, name;
  Condition present, present_when_ones;  // the second: where the number's bits are all ones, RZ or PT
  bool bytes = false;                    // a constant's offset counts bytes, not words
  bool optional = false;                 // left out where they are
  bool optional_when_zero = false;       // left out where the number is 0
};

struct Encoding {
  uint16_t opcode = 0;
  unsigned first_sm = 0, last_sm = 0;
  std::string name;
  bool uniform_guard = false;
  std::vector<Choice> modifiers;
  std::vector<OperandEncoding> operands;
};

// All lines of encodings.def, by the twelve bits of the opcode.
class EncodingTable {
 public:
  EncodingTable();
  const Encoding* find(unsigned opcode, unsigned sm) const;

 private:
  std::array<std::vector<Encoding>, 4096> by_opcode_;
};

}  // namespace warplens::sass
