// PTX's scalar types and what they become.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "ir/ir.h"

namespace warplens::lower {

struct ScalarType {
  enum class Kind : uint8_t { Unsigned, Signed, Bits, Float, BFloat, Pred };
  Kind kind = Kind::Bits;
  uint8_t bits = 32;    // of one element
  bool packed = false;  // ...x2: two elements in one register

  bool is_integer() const { return kind <= Kind::Bits; }
  bool is_signed() const { return kind == Kind::Signed; }
  bool is_half() const { return (kind == Kind::Float || kind == Kind::BFloat) && bits == 16; }
  bool is_wide_float() const { return kind == Kind::Float && bits >= 32; }  // f32, f64
  bool is_pred() const { return kind == Kind::Pred; }
  int total_bits() const { return packed ? 2 * bits : bits; }
  uint64_t bytes() const { return static_cast<uint64_t>(total_bits()) / 8; }
  ScalarType element() const { return {kind, bits, false}; }
  friend bool operator==(const ScalarType&, const ScalarType&) = default;
};

inline constexpr ScalarType kPred{ScalarType::Kind::Pred, 1, false};
inline constexpr ScalarType kU32{ScalarType::Kind::Unsigned, 32, false};
inline constexpr ScalarType kU64{ScalarType::Kind::Unsigned, 64, false};
inline constexpr ScalarType kB32{ScalarType::Kind::Bits, 32, false};
inline constexpr ScalarType kF32{ScalarType::Kind::Float, 32, false};

// "u32", "bf16x2", "pred"; nothing for any other word.
std::optional<ScalarType> parse_type(std::string_view text);

// What a value of this type is in the IR: 8 bits are I8, half types I16, packed types I32; 128 bits are Void.
ir::Type ir_type(ScalarType type);
// What a register declared with this type is: as ir_type, but nothing is narrower than 16 bits.
ir::Type register_type(ScalarType type);
// The integer type of that many bits: 8, 16, 32, 64; else Void.
ir::Type int_type(int bits);

}  // namespace warplens::lower
