// Values are 64 bits: integers zero-extended, floats as their bits, a Pred 0 or 1.
#pragma once
#include <cstdint>
#include <vector>

#include "ir/ir.h"

namespace warplens::reference {

inline uint64_t mask_of(ir::Type type) {
  const int bits = ir::bits(type);
  return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}
inline int64_t as_signed(uint64_t value, ir::Type type) {
  const int shift = 64 - ir::bits(type);
  return static_cast<int64_t>(value << shift) >> shift;
}

// A pure instruction on its arguments. `types` are the arguments' types.
uint64_t compute(const ir::Inst& inst, const std::vector<uint64_t>& args, const std::vector<ir::Type>& types);

// floating_point.cpp
uint64_t compute_float(const ir::Inst& inst, const std::vector<uint64_t>& args, const std::vector<ir::Type>& types);
bool is_float_operation(ir::Op op);
// Rounds to a format of `exponent` and `mantissa` bits (f16: 5, 10; bf16: 8, 7), once.
uint16_t encode_half(double value, int exponent, int mantissa, ir::Rounding rounding);
double decode_half(uint16_t bits, int exponent, int mantissa);

// math_calls.cpp
uint64_t compute_math_call(const ir::Inst& inst, const std::vector<uint64_t>& args);

// What an atomic leaves in memory.
uint64_t atomic_result(const ir::Inst& inst, bool is_global, uint64_t old, uint64_t operand, uint64_t second);

// warp_operations.cpp: one operation of the lanes in `lanes`. Rows are lanes; results are written to `results`.
struct WarpOperands {
  uint32_t lanes = 0;  // who takes part
  uint64_t args[32][16] = {};
  uint64_t results[32][8] = {};
};
void compute_warp(const ir::Inst& inst, ir::Type argument, WarpOperands& operands);
void compute_matrix(const ir::Inst& inst, WarpOperands& operands);  // matrices.cpp; needs all 32 lanes

}  // namespace warplens::reference
