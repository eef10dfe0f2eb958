// What a tensor core computes: D = A * B + C for one instruction's matrices, bit for bit as an H200 does. The rule
// stands in tensor_core.cpp.
#pragma once
#include <cstdint>

namespace warplens::model {

// Matrices lie densely, by rows: A has `rows` x `depth` elements, B `depth` x 8, C and D `rows` x 8. Rows are 8 or 16.
// Of a sparse product (mma.sp) A holds only the columns that are there, and `places`, an element of A each, the row of
// B, one of `rows_in_all`, that each meets.
struct TensorShape {
  int rows = 16;
  int depth = 16;
  const uint8_t* places = nullptr;
  int rows_in_all = 0;

  int rows_of_b() const { return places ? rows_in_all : depth; }
};

// A and B hold the bits of a type, one element a word; the lowest 13 bits of a TF32 count for nothing. C and D hold the
// bits of F32 or, if `half`, of F16. depth <= 16.
enum class TensorInput : uint8_t { F16, BF16, TF32 };
void tensor_multiply(TensorInput type, bool half, TensorShape shape, const uint32_t* a, const uint32_t* b,
                     const uint32_t* c, uint32_t* d);

// 8-bit floats, which Hopper has in its asynchronous instructions alone: what ptxas makes of mma.sync for sm_90.
// `wide_a`, `wide_b`: e5m2, else e4m3. depth is 16 or 32.
void tensor_multiply_f8(bool wide_a, bool wide_b, bool half, TensorShape shape, const uint32_t* a, const uint32_t* b,
                        const uint32_t* c, uint32_t* d);

// The sums wrap, or are clamped to the range of 32 bits. |a| and |b| are at most 255, depth at most 64.
void tensor_multiply_integers(bool saturate, TensorShape shape, const int32_t* a, const int32_t* b, const int32_t* c,
                              int32_t* d);

// Adds how many bits of a row of A and a column of B are both one, or differ. Both lie with their bits together: A by
// rows, B by columns. depth is a multiple of 64, C and D by rows.
void tensor_multiply_bits(bool exclusive, TensorShape shape, const uint64_t* a, const uint64_t* b, const uint32_t* c,
                          uint32_t* d);

// Volta's mma.m8n8k4 of f16, which newer GPUs compute in single precision. A is 8 x 4 by rows, B 4 x 8, C and D 8 x 8.
void tensor_multiply_quarter(bool half, const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d);

// One fused multiply-add after the other, k ascending, in the current rounding direction.
// C and D must not overlap.
void tensor_multiply_f64(TensorShape shape, const double* a, const double* b, const double* c, double* d);

}  // namespace warplens::model
