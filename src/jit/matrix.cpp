// Between a warp's registers and the matrices that model/tensor_core.h multiplies.
//
// All of mma.sync's shapes follow one arrangement (PTX ISA, "Matrix Fragments for mma.m16n8k16" and its like). With
// g = lane / 4, t = lane % 4, and E elements in a register (32 bits, 64 for f64):
//   A: register r holds row g + 8 * (r % 2), of 8 rows: g; columns E * t + 4 * E * (r / 2) on. Of 8 rows r counts
//   columns. B: register r holds column g, rows E * t + 4 * E * r on. C, D: elements 2t and 2t + 1 of row g, then of
//   row g + 8; F16 has both in one register.
// So a register of all lanes is a piece of eight rows of 16 bytes, one after the other, with a row in each four lanes:
// what ldmatrix makes of eight such rows.
#include "jit/matrix.h"

#include <bit>
#include <cfenv>
#include <cstring>
#include <utility>

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
constexpr int kMaxOfB = 2 * kMaxDepth;        // rows of a sparse product's B

// The element that a word's bits from kBits * i on are: a number if it is an integer, else its bits.
template <int kBits, bool kSigned, typename Out>
Out element(uint32_t word, int i) {
  const uint32_t x = word >> (kBits * i) & (~0u >> (32 - kBits));
  if (!kSigned) return static_cast<Out>(x);
  const uint32_t sign = 1u << (kBits - 1);
  return static_cast<Out>((x ^ sign) - sign);
}

// The pieces of an operand, each a register of all lanes: visit(row of its first one, column of its first element, its
// words), by rows of four.
template <typename Word, typename Visit>
void for_each_piece(const Word* in, uint32_t registers, int row_blocks, int columns, Visit visit) {
  for (int r = 0; r < static_cast<int>(registers); ++r)
    visit(8 * (r % row_blocks), columns * (r / row_blocks), in + r * kLanes);
}

// A and B by rows, each element a word.
template <int kBits, bool kSigned, typename Out>
void unpack_a(const Matrix& m, const uint32_t* in, Out* a) {
  constexpr int kElements = 32 / kBits;
  for_each_piece(in, ir::registers_of_a(m), m.m / 8, 4 * kElements, [&](int row, int k, const uint32_t* piece) {
    for (int r = 0; r < 8; ++r) {
      Out* to = a + (row + r) * ir::depth_of_a(m) + k;
      for (int w = 0; w < 4; ++w)
        for (int i = 0; i < kElements; ++i) to[w * kElements + i] = element<kBits, kSigned, Out>(piece[4 * r + w], i);
    }
  });
}
template <int kBits, bool kSigned, typename Out>
void unpack_b(const Matrix& m, const uint32_t* in, Out* b) {
  constexpr int kElements = 32 / kBits;
  for_each_piece(in, ir::registers_of_b(m), 1, 4 * kElements, [&](int, int k, const uint32_t* piece) {
    for (int w = 0; w < 4; ++w)
      for (int i = 0; i < kElements; ++i) {
        Out* to = b + (k + w * kElements + i) * kColumns;
        for (int n = 0; n < kColumns; ++n) to[n] = element<kBits, kSigned, Out>(piece[4 * n + w], i);
      }
  });
}

// C and D by rows: those of F16 have two elements of a row in a register, the others one in each of two.
template <typename Word, typename Out>
void unpack_c(const Matrix& m, const Word* in, Out* c) {
  const bool half = m.c == Element::F16;
  for (int row = 0; row < m.m; ++row, c += kColumns) {
    const Word* even = in + (half ? row / 8 : row / 8 * 2) * kLanes + row % 8 * 4;
    for (int t = 0; t < 4; ++t) {
      if (half) {
        c[2 * t] = static_cast<Out>(even[t] & 0xffff);
        c[2 * t + 1] = static_cast<Out>(even[t] >> 16);
      } else {
        std::memcpy(&c[2 * t], &even[t], sizeof(Word));
        std::memcpy(&c[2 * t + 1], &even[kLanes + t], sizeof(Word));
      }
    }
  }
}
template <typename Word, typename In>
void pack_d(const Matrix& m, const In* d, Word* out) {
  const bool half = m.c == Element::F16;
  for (int row = 0; row < m.m; ++row, d += kColumns) {
    Word* even = out + (half ? row / 8 : row / 8 * 2) * kLanes + row % 8 * 4;
    for (int t = 0; t < 4; ++t) {
      if (half) {
        even[t] = static_cast<Word>(d[2 * t]) | static_cast<Word>(d[2 * t + 1]) << 16;
      } else {
        std::memcpy(&even[t], &d[2 * t], sizeof(Word));
        std::memcpy(&even[kLanes + t], &d[2 * t + 1], sizeof(Word));
      }
    }
  }
}

struct Operands {
  const uint32_t *a, *b, *c, *metadata;
};
Operands operands(const Matrix& m, const uint32_t* in) {
  const uint32_t *b = in + ir::registers_of_a(m) * kLanes, *c = b + ir::registers_of_b(m) * kLanes;
  return {in, b, c, c + ir::registers_of_c(m) * kLanes};
}

// The four bits of a group of a row. Of elements of 8 bits and fewer a lane has eight groups of a row, else four of
// each of two rows.
uint32_t bits_of_group(const Matrix& m, const uint32_t* metadata, int row, int group) {
  const int lanes = m.k / ir::groups(m).columns / 4, first = row % 8 * 4 + m.selector * lanes;
  if (ir::bits(m.a) <= 8) return metadata[first + group / 8 * 2 + row / 8] >> (group % 8 * 4);
  return metadata[first + group / 4] >> (row / 8 * 16 + group % 4 * 4);
}

// Which row of B each element of a sparse A meets. A group of columns has four bits of metadata, two for each of the
// two that are there; in either order, and both may be the same. TF32 counts as two elements of 16 bits: 0100 is the
// first of two columns, 1110 the second, and PTX defines no others.
struct Places {
  uint8_t place[kMaxRows * kMaxDepth];
  model::TensorShape shape;

  Places(const Matrix& m, const uint32_t* metadata) : shape{m.m, ir::depth_of_a(m)} {
    if (!m.sparse) return;
    shape.places = place;
    shape.rows_in_all = m.k;
    const auto [columns, step] = ir::groups(m);
    const int count = m.k / columns;
    uint8_t* to = place;
    for (int row = 0; row < m.m; ++row)
      for (int g = 0; g < count; ++g) {
        const uint32_t bits = bits_of_group(m, metadata, row, g);
        for (int k = 0; k < columns / 2; ++k) {
          const auto chosen = static_cast<int>(bits >> (k / step * 2) & 3);
          *to++ = static_cast<uint8_t>(g * columns + (columns == 2 ? chosen / 2 : chosen * step + k % step));
        }
      }
  }
};

void multiply_floats(const Matrix& m, const uint32_t* in, uint32_t* out) {
  uint32_t a[kMaxRows * 32], b[64 * kColumns], c[kMaxRows * kColumns], d[kMaxRows * kColumns];
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
  const Places places(m, from.metadata);
  if (bits == 8) {
    model::tensor_multiply_f8(m.a == Element::E5M2, m.b == Element::E5M2, half, places.shape, a, b, c, d);
  } else {
    const model::TensorInput type = m.a == Element::F16    ? model::TensorInput::F16
                                    : m.a == Element::BF16 ? model::TensorInput::BF16
                                                           : model::TensorInput::TF32;
    model::tensor_multiply(type, half, places.shape, a, b, c, d);
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
  int32_t a[kMaxRows * kMaxDepth], b[kMaxOfB * kColumns], c[kMaxRows * kColumns], d[kMaxRows * kColumns];
  const Operands from = operands(m, in);
  unpack_integers(m, from, a, b);
  unpack_c(m, from.c, c);
  const Places places(m, from.metadata);
  model::tensor_multiply_integers(m.saturate, places.shape, a, b, c, d);
  pack_d(m, d, out);
}

void multiply_bits(const Matrix& m, const uint32_t* in, uint32_t* out) {
  const int words = m.k / 32;
  alignas(8) uint32_t a[kMaxRows * 8], b[8 * kColumns];
  uint32_t c[kMaxRows * kColumns], d[kMaxRows * kColumns];
  const Operands from = operands(m, in);
  const auto copy_to = [&](uint32_t* rows) {
    return [rows, words](int row, int k, const uint32_t* piece) {
      for (int r = 0; r < 8; ++r) std::memcpy(rows + (row + r) * words + k, piece + 4 * r, 16);
    };
  };
  for_each_piece(from.a, ir::registers_of_a(m), m.m / 8, 4, copy_to(a));
  for_each_piece(from.b, ir::registers_of_b(m), 1, 4, copy_to(b));
  unpack_c(m, from.c, c);
  uint64_t wide_a[kMaxRows * 4], wide_b[4 * kColumns];
  std::memcpy(wide_a, a, sizeof wide_a);
  std::memcpy(wide_b, b, sizeof wide_b);
  model::tensor_multiply_bits(m.exclusive, {m.m, m.k}, wide_a, wide_b, c, d);
  pack_d(m, d, out);
}

void multiply_doubles(const Matrix& m, const uint64_t* in, uint64_t* out) {
  double a[kMaxRows * 16], b[16 * kColumns], c[kMaxRows * kColumns], d[kMaxRows * kColumns];
  const uint32_t in_a = ir::registers_of_a(m), in_b = ir::registers_of_b(m);
  const uint64_t* from_b = in + in_a * kLanes;
  for_each_piece(in, in_a, m.m / 8, 4, [&](int row, int k, const uint64_t* piece) {
    for (int r = 0; r < 8; ++r) std::memcpy(a + (row + r) * m.k + k, piece + 4 * r, 4 * sizeof(double));
  });
  for_each_piece(from_b, in_b, 1, 4, [&](int, int k, const uint64_t* piece) {
    for (int n = 0; n < kColumns; ++n)
      for (int w = 0; w < 4; ++w) std::memcpy(&b[(k + w) * kColumns + n], &piece[4 * n + w], sizeof(double));
  });
  unpack_c(m, from_b + in_b * kLanes, c);
  constexpr int kDirections[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  const int before = std::fegetround();
  std::fesetround(kDirections[static_cast<size_t>(m.rounding)]);
  model::tensor_multiply_f64({m.m, m.k}, a, b, c, d);
  std::fesetround(before);
  pack_d(m, d, out);
}

// mma.m8n8k4 of f16 (PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type"). A quarter are four
// lanes and those 16 higher. A's rows and B's columns are lines of four elements: a lane's own, or, the other way
// round, a lane has an element of each of four lines. F16 has a row of C a lane.
struct Quarter {
  int first;
  int lane(int line) const { return first + line % 4 + line / 4 * 16; }

  void unpack(const uint32_t* in, bool by_lines, uint32_t (*line)[4]) const {
    for (int l = 0; l < 8; ++l)
      for (int k = 0; k < 4; ++k) {
        const int from = by_lines ? lane(l) : first + k + l / 4 * 16, i = by_lines ? k : l % 4;
        line[l][k] = in[i / 2 * kLanes + from] >> (i % 2 * 16) & 0xffff;
      }
  }
  // The register's word, and the bit, of an element of C or D.
  std::pair<int, int> place(bool half, int row, int column) const {
    if (half) return {column / 2 * kLanes + lane(row), column % 2 * 16};
    return {((column & 4) | (row & 2) | (column & 1)) * kLanes + first + row / 4 * 16 + (column & 2) + (row & 1), 0};
  }
};

void multiply_quarters(const Matrix& m, const uint32_t* in, uint32_t* out) {
  const Operands from = operands(m, in);
  const bool half_c = m.c == Element::F16, half_d = half_c && !m.widens;
  std::memset(out, 0, ir::result_count(m) * kLanes * sizeof *out);
  for (const int first : {0, 4, 8, 12}) {
    const Quarter quarter{first};
    uint32_t a[8][4], columns[8][4], b[4 * kColumns], c[8 * kColumns], d[8 * kColumns];
    quarter.unpack(from.a, !m.transposed, a);
    quarter.unpack(from.b, !m.rows_of_b, columns);
    for (int k = 0; k < 4; ++k)
      for (int n = 0; n < kColumns; ++n) b[k * kColumns + n] = columns[n][k];
    for (int at = 0; at < 8 * kColumns; ++at) {
      const auto [word, bit] = quarter.place(half_c, at / kColumns, at % kColumns);
      c[at] = half_c ? from.c[word] >> bit & 0xffff : from.c[word];
      if (m.widens)
        c[at] = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(c[at]))));
    }
    model::tensor_multiply_quarter(half_d, a[0], b, c, d);
    for (int at = 0; at < 8 * kColumns; ++at) {
      const auto [word, bit] = quarter.place(half_d, at / kColumns, at % kColumns);
      out[word] |= d[at] << bit;
    }
  }
}

// Word w of row i of matrix j, as ldmatrix loads it: register w of lane 8j + i. As an operand: register j of lane 4i +
// w. Transposed: its element (i, k) is element (k, i) of the matrix.
void transpose(uint32_t* matrix) {  // 32 words, by rows of four
  uint16_t from[8][8], to[8][8];
  std::memcpy(from, matrix, sizeof from);
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 8; ++k) to[k][i] = from[i][k];
  std::memcpy(matrix, to, sizeof to);
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
    case Matrix::What::Quarters:
      return multiply_quarters(m, words, results);
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
