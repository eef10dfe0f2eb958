// Between a warp's registers and the matrices that model/tensor_core.h multiplies.
//
// All of mma.sync's shapes follow one arrangement (PTX ISA, "Matrix Fragments for mma.m16n8k16" and its like). With
// g = lane / 4, t = lane % 4, and E elements in a register (32 bits, 64 for f64):
//   A: register r holds row g + 8 * (r % 2), of 8 rows: g; columns E * t + 4 * E * (r / 2) on. Of 8 rows r counts
//   columns. B: register r holds column g, rows E * t + 4 * E * r on. C, D: elements 2t and 2t + 1 of row g, then of
//   row g + 8; F16 has both in one register.
// So a register is an 8 x 8 matrix of 16-bit elements, or as many bytes, with a row in each four lanes: what ldmatrix
// makes of eight rows of 16 bytes.
#include "jit/matrix.h"

#include <cfenv>
#include <cstring>

#include "base/dim3.h"
#include "ir/matrix.h"
#include "model/tensor_core.h"

namespace warplens::jit {
namespace {

using ir::Matrix;
using Element = Matrix::Element;

constexpr int kLanes = kWarpSize;
constexpr int kColumns = 8;
constexpr int kMaxDepth = 64, kMaxRows = 16;  // of elements that are multiplied one by one

// Calls visit(row, first column, word) for each register of an operand whose rows lie in four lanes each.
template <typename Word, typename Visit>
void for_each_register(const Word* in, int registers, int row_blocks, int elements, Visit visit) {
  for (int r = 0; r < registers; ++r)
    for (int l = 0; l < kLanes; ++l)
      visit(l / 4 + 8 * (r % row_blocks), elements * (l % 4) + 4 * elements * (r / row_blocks), in[r * kLanes + l]);
}

// One element, as a number for integers, as its bits for floats.
template <int kBits, bool kSigned, typename Out>
Out element(uint32_t word, int i) {
  const uint32_t x = word >> (kBits * i) & (~0u >> (32 - kBits));
  if (!kSigned) return static_cast<Out>(x);
  const uint32_t sign = 1u << (kBits - 1);
  return static_cast<Out>((x ^ sign) - sign);
}

// A by rows and B by rows too, each element a word.
template <int kBits, bool kSigned, typename Out>
void unpack_a(const Matrix& m, const uint32_t* in, Out* a) {
  constexpr int kElements = 32 / kBits;
  for_each_register(in, static_cast<int>(ir::registers_of_a(m)), m.m / 8, kElements,
                    [&](int row, int k, uint32_t word) {
                      for (int i = 0; i < kElements; ++i) a[row * m.k + k + i] = element<kBits, kSigned, Out>(word, i);
                    });
}
template <int kBits, bool kSigned, typename Out>
void unpack_b(const Matrix& m, const uint32_t* in, Out* b) {
  constexpr int kElements = 32 / kBits;
  for_each_register(in, static_cast<int>(ir::registers_of_b(m)), 1, kElements, [&](int n, int k, uint32_t word) {
    for (int i = 0; i < kElements; ++i) b[(k + i) * kColumns + n] = element<kBits, kSigned, Out>(word, i);
  });
}

// C and D: where element i of register r of lane l lies in a matrix of eight columns.
int place_in_c(int r, int l, int i, bool half) {
  const int row = l / 4 + 8 * (half ? r : r / 2), column = l % 4 * 2 + (half ? i : r % 2);
  return row * kColumns + column;
}
template <typename Word, typename Out>
void unpack_c(const Matrix& m, const Word* in, Out* c) {
  const bool half = m.c == Element::F16;
  const int registers = static_cast<int>(ir::registers_of_c(m));
  for (int r = 0; r < registers; ++r)
    for (int l = 0; l < kLanes; ++l) {
      const Word word = in[r * kLanes + l];
      if (half) {
        c[place_in_c(r, l, 0, true)] = static_cast<Out>(word & 0xffff);
        c[place_in_c(r, l, 1, true)] = static_cast<Out>(word >> 16);
      } else {
        std::memcpy(&c[place_in_c(r, l, 0, false)], &word, sizeof word);
      }
    }
}
template <typename Word, typename In>
void pack_d(const Matrix& m, const In* d, Word* out) {
  const bool half = m.c == Element::F16;
  const int registers = static_cast<int>(ir::registers_of_c(m));
  for (int r = 0; r < registers; ++r)
    for (int l = 0; l < kLanes; ++l) {
      Word& word = out[r * kLanes + l];
      if (half)
        word = static_cast<Word>(d[place_in_c(r, l, 0, true)]) | static_cast<Word>(d[place_in_c(r, l, 1, true)]) << 16;
      else
        std::memcpy(&word, &d[place_in_c(r, l, 0, false)], sizeof word);
    }
}

struct Operands {
  const uint32_t *a, *b, *c;
};
Operands operands(const Matrix& m, const uint32_t* in) {
  const uint32_t* b = in + ir::registers_of_a(m) * kLanes;
  return {in, b, b + ir::registers_of_b(m) * kLanes};
}
model::TensorShape shape_of(const Matrix& m) { return {m.m, m.k}; }

void multiply_floats(const Matrix& m, const uint32_t* in, uint32_t* out) {
  uint32_t a[kMaxRows * 32], b[32 * kColumns], c[kMaxRows * kColumns], d[kMaxRows * kColumns];
  const Operands from = operands(m, in);
  const int bits = ir::bits(m.a);
  if (bits == 8) {
    unpack_a<8, false>(m, from.a, a);
    unpack_b<8, false>(m, from.b, b);
  } else if (bits == 16) {
    unpack_a<16, false>(m, from.a, a);
    unpack_b<16, false>(m, from.b, b);
  } else {
    unpack_a<32, false>(m, from.a, a);
    unpack_b<32, false>(m, from.b, b);
  }
  unpack_c(m, from.c, c);
  const bool half = m.c == Element::F16;
  if (bits == 8) {
    model::tensor_multiply_f8(m.a == Element::E5M2, m.b == Element::E5M2, half, shape_of(m), a, b, c, d);
  } else {
    const model::TensorInput type = m.a == Element::F16    ? model::TensorInput::F16
                                    : m.a == Element::BF16 ? model::TensorInput::BF16
                                                           : model::TensorInput::TF32;
    model::tensor_multiply(type, half, shape_of(m), a, b, c, d);
  }
  pack_d(m, d, out);
}

void unpack_integers(const Matrix& m, const Operands& from, int32_t* a, int32_t* b) {
  switch (m.a) {
    case Element::S8:
      unpack_a<8, true>(m, from.a, a);
      break;
    case Element::U8:
      unpack_a<8, false>(m, from.a, a);
      break;
    case Element::S4:
      unpack_a<4, true>(m, from.a, a);
      break;
    default:
      unpack_a<4, false>(m, from.a, a);
  }
  switch (m.b) {
    case Element::S8:
      unpack_b<8, true>(m, from.b, b);
      break;
    case Element::U8:
      unpack_b<8, false>(m, from.b, b);
      break;
    case Element::S4:
      unpack_b<4, true>(m, from.b, b);
      break;
    default:
      unpack_b<4, false>(m, from.b, b);
  }
}

void multiply_integers(const Matrix& m, const uint32_t* in, uint32_t* out) {
  int32_t a[kMaxRows * kMaxDepth], b[kMaxDepth * kColumns], c[kMaxRows * kColumns], d[kMaxRows * kColumns];
  const Operands from = operands(m, in);
  unpack_integers(m, from, a, b);
  unpack_c(m, from.c, c);
  model::tensor_multiply_integers(m.saturate, shape_of(m), a, b, c, d);
  pack_d(m, d, out);
}

// How many bits of a row of A and a column of B are both one, or differ.
void multiply_bits(const Matrix& m, const uint32_t* in, uint32_t* out) {
  const int words = m.k / 32;
  uint32_t a[kMaxRows * 8], b[8 * kColumns], c[kMaxRows * kColumns], d[kMaxRows * kColumns];
  const Operands from = operands(m, in);
  const auto registers = [](uint32_t n) { return static_cast<int>(n); };
  for_each_register(from.a, registers(ir::registers_of_a(m)), m.m / 8, 1,
                    [&](int row, int k, uint32_t word) { a[row * words + k] = word; });
  for_each_register(from.b, registers(ir::registers_of_b(m)), 1, 1,
                    [&](int n, int k, uint32_t word) { b[n * words + k] = word; });
  unpack_c(m, from.c, c);
  for (int row = 0; row < m.m; ++row)
    for (int n = 0; n < kColumns; ++n) {
      uint32_t count = 0;
      for (int k = 0; k < words; ++k) {
        const uint32_t x = a[row * words + k], y = b[n * words + k];
        count += static_cast<uint32_t>(__builtin_popcount(m.exclusive ? x ^ y : x & y));
      }
      d[row * kColumns + n] = c[row * kColumns + n] + count;
    }
  pack_d(m, d, out);
}

void multiply_doubles(const Matrix& m, const uint64_t* in, uint64_t* out) {
  double a[kMaxRows * 16], b[16 * kColumns], c[kMaxRows * kColumns], d[kMaxRows * kColumns];
  const auto number = [](uint64_t bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  };
  const int in_a = static_cast<int>(ir::registers_of_a(m)), in_b = static_cast<int>(ir::registers_of_b(m));
  const uint64_t* from_b = in + in_a * kLanes;
  for_each_register(in, in_a, m.m / 8, 1, [&](int row, int k, uint64_t word) { a[row * m.k + k] = number(word); });
  for_each_register(from_b, in_b, 1, 1, [&](int n, int k, uint64_t word) { b[k * kColumns + n] = number(word); });
  unpack_c(m, from_b + in_b * kLanes, c);
  constexpr int kDirections[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  const int before = std::fegetround();
  std::fesetround(kDirections[static_cast<size_t>(m.rounding)]);
  model::tensor_multiply_f64(shape_of(m), a, b, c, d);
  std::fesetround(before);
  pack_d(m, d, out);
}

// Word w of row i of matrix j, as ldmatrix loads it: register w of lane 8j + i. As an operand: register j of lane 4i +
// w. Transposed: its element (i, k) is element (k, i) of the matrix.
uint32_t transposed(const uint32_t* matrix, int lane) {  // `matrix`: 32 words, by rows of four
  const int row = lane / 4, column = lane % 4 * 2;
  const auto at = [&](int i, int k) { return matrix[i * 4 + k / 2] >> (k % 2 * 16) & 0xffff; };
  return at(column, row) | at(column + 1, row) << 16;
}
void transpose(uint32_t* matrix) {
  uint32_t result[kLanes];
  for (int l = 0; l < kLanes; ++l) result[l] = transposed(matrix, l);
  std::memcpy(matrix, result, sizeof result);
}

void spread(const Matrix& m, const uint32_t* in, uint32_t* out) {
  for (int j = 0; j < m.count; ++j) {
    for (int l = 0; l < kLanes; ++l) out[j * kLanes + l] = in[l % 4 * kLanes + 8 * j + l / 4];
    if (m.transposed) transpose(out + j * kLanes);
  }
}

void collect(const Matrix& m, const uint32_t* in, uint32_t* out) {
  std::memset(out, 0, 4 * kLanes * sizeof *out);
  for (int j = 0; j < m.count; ++j) {
    uint32_t matrix[kLanes];
    std::memcpy(matrix, in + j * kLanes, sizeof matrix);
    if (m.transposed) transpose(matrix);
    for (int l = 0; l < kLanes; ++l) out[l % 4 * kLanes + 8 * j + l / 4] = matrix[l];
  }
}

void multiply(const Matrix& m, const void* in, void* out) {
  const auto* words = static_cast<const uint32_t*>(in);
  switch (m.a) {
    case Element::F64:
      return multiply_doubles(m, static_cast<const uint64_t*>(in), static_cast<uint64_t*>(out));
    case Element::B1:
      return multiply_bits(m, words, static_cast<uint32_t*>(out));
    case Element::S8:
    case Element::U8:
    case Element::S4:
    case Element::U4:
      return multiply_integers(m, words, static_cast<uint32_t*>(out));
    default:
      return multiply_floats(m, words, static_cast<uint32_t*>(out));
  }
}

}  // namespace

void wl_matrix(uint64_t imm, const void* in, void* out) {
  const Matrix m = ir::unpack_matrix(imm);
  const auto* words = static_cast<const uint32_t*>(in);
  auto* results = static_cast<uint32_t*>(out);
  switch (m.what) {
    case Matrix::What::Multiply:
      return multiply(m, in, out);
    case Matrix::What::Spread:
      return spread(m, words, results);
    case Matrix::What::Collect:
      return collect(m, words, results);
    case Matrix::What::Transpose:
      std::memcpy(results, words, kLanes * sizeof *results);
      return transpose(results);
  }
}

}  // namespace warplens::jit
