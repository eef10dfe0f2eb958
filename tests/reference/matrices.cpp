// Matrix operations, element by element. The sums are exact integers of 128 bits after each term was cut, as
// src/model/tensor_core.cpp says; nothing is shared with it.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>

#include "ir/matrix.h"
#include "reference/values.h"

namespace warplens::reference {
namespace {

using ir::Matrix;
using Element = Matrix::Element;
using Wide = __int128;

// Where elements lie: PTX ISA, the fragments of mma.sync. Bits of element (row, k) of A; of B's (k, column) likewise,
// its columns standing for rows.
uint64_t operand_bits(const WarpOperands& w, int first, Element type, int row_blocks, int row, int k) {
  const int bits = ir::bits(type), each = bits == 64 ? 1 : 32 / bits;
  const int lane = row % 8 * 4 + k / each % 4;
  const int number = k / (4 * each) * row_blocks + row / 8;
  const uint64_t word = w.args[lane][first + number] >> (k % each * bits);
  return bits == 64 ? word : word & ((uint64_t{1} << bits) - 1);
}

struct Place {
  int lane, number, shift;
};
Place place_in_c(Element type, int row, int column) {
  const int lane = row % 8 * 4 + column / 2;
  if (type == Element::F16) return {lane, row / 8, column % 2 * 16};
  return {lane, row / 8 * 2 + column % 2, 0};
}

struct Float {
  enum class Kind : uint8_t { Finite, Infinite, Nan } kind = Kind::Finite;
  bool negative = false;
  Wide significand = 0;  // value: significand * 2^last
  int last = 0;
  int exponent = 0;  // of the leading place: that of the smallest normal number for a subnormal
};

Float read(Element type, uint64_t bits) {
  int exponent_bits = 8, mantissa_bits = 23;
  if (type == Element::F16) exponent_bits = 5, mantissa_bits = 10;
  if (type == Element::BF16) mantissa_bits = 7;
  if (type == Element::TF32) mantissa_bits = 10, bits >>= 13;
  if (type == Element::E4M3) exponent_bits = 4, mantissa_bits = 3;
  if (type == Element::E5M2) exponent_bits = 5, mantissa_bits = 2;
  const auto top = (uint64_t{1} << exponent_bits) - 1;
  const uint64_t e = bits >> mantissa_bits & top, fraction = bits & ((uint64_t{1} << mantissa_bits) - 1);
  Float x;
  x.negative = bits >> (exponent_bits + mantissa_bits) & 1;
  if (type == Element::E4M3) {
    if (e == top && fraction == 7) x.kind = Float::Kind::Nan;
  } else if (e == top) {
    x.kind = fraction ? Float::Kind::Nan : Float::Kind::Infinite;
  }
  x.significand = static_cast<Wide>(e ? fraction | uint64_t{1} << mantissa_bits : fraction);
  x.exponent = static_cast<int>(std::max<uint64_t>(e, 1)) - static_cast<int>(top / 2);
  x.last = x.exponent - mantissa_bits;
  return x;
}

Float times(const Float& a, const Float& b) {
  Float p;
  using enum Float::Kind;
  p.negative = a.negative != b.negative;
  const auto zero = [](const Float& x) { return x.kind == Finite && x.significand == 0; };
  if (a.kind == Nan || b.kind == Nan || (a.kind == Infinite && zero(b)) || (b.kind == Infinite && zero(a)))
    p.kind = Nan;
  else if (a.kind == Infinite || b.kind == Infinite)
    p.kind = Infinite;
  p.significand = a.significand * b.significand;
  p.last = a.last + b.last;
  p.exponent = a.exponent + b.exponent;
  return p;
}

// magnitude * 2^last in a format whose last place is 2^smallest at least and which has `digits` of them.
uint64_t write(bool half, bool negative, Wide magnitude, int last) {
  const int digits = half ? 11 : 24, smallest = half ? -24 : -149, largest = half ? 15 : 127;
  const uint64_t sign = negative ? (half ? 0x8000 : 0x80000000) : 0, infinity = half ? 0x7c00 : 0x7f800000;
  int length = 0;
  while (length < 127 && magnitude >> length != 0) ++length;
  if (length == 0) return 0;
  if (length - 1 + last > largest) return sign | infinity;
  const int place = std::max(length + last - digits, smallest);
  Wide kept = 0;
  if (place <= last) {
    kept = magnitude << (last - place);
  } else if (place - last < 127) {
    kept = magnitude >> (place - last);
    const Wide rest = magnitude - (kept << (place - last)), middle = static_cast<Wide>(1) << (place - last - 1);
    if (half && (rest > middle || (rest == middle && kept % 2 != 0))) ++kept;
  }
  if (kept == 0) return 0;
  return sign | ((static_cast<uint64_t>(place - smallest) << (digits - 1)) + static_cast<uint64_t>(kept));
}

uint64_t sum_up(bool half, const std::vector<Float>& terms) {
  bool plus = false, minus = false;
  int largest = -133;
  for (const Float& t : terms) {
    if (t.kind == Float::Kind::Nan) plus = minus = true;
    if (t.kind == Float::Kind::Infinite) (t.negative ? minus : plus) = true;
    if (t.significand != 0) largest = std::max(largest, t.exponent);
  }
  if (plus && minus) return half ? 0x7fff : 0x7fffffff;
  if (plus || minus) return (half ? 0x7c00u : 0x7f800000u) | (minus ? (half ? 0x8000u : 0x80000000u) : 0u);
  const int unit = largest - 25;
  Wide sum = 0;
  for (const Float& t : terms) {
    if (t.significand == 0 || unit - t.last > 126) continue;
    const Wide cut = t.last >= unit ? t.significand << (t.last - unit) : t.significand >> (unit - t.last);
    sum += t.negative ? -cut : cut;
  }
  return write(half, sum < 0, sum < 0 ? -sum : sum, unit);
}

uint64_t add_rounded(bool half, uint64_t a, uint64_t b) {
  if (half) {
    const double sum = decode_half(static_cast<uint16_t>(a), 5, 10) + decode_half(static_cast<uint16_t>(b), 5, 10);
    return std::isnan(sum) ? 0x7fff : encode_half(sum, 5, 10, ir::Rounding::Nearest);
  }
  float x, y;
  std::memcpy(&x, &a, sizeof x);
  std::memcpy(&y, &b, sizeof y);
  x += y;
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return std::isnan(x) ? 0x7fffffff : bits;
}

struct Terms {
  std::vector<uint64_t> a, b;
  uint64_t c = 0;
};

uint64_t dot_floats(const Matrix& m, const Terms& t) {
  const bool half = m.c == Element::F16, eight = ir::bits(m.a) == 8;
  const Element of_c = half ? Element::F16 : Element::F32;
  if (!eight) {
    std::vector<Float> terms{read(of_c, t.c)};
    for (size_t k = 0; k < t.a.size(); ++k) terms.push_back(times(read(m.a, t.a[k]), read(m.b, t.b[k])));
    return sum_up(half, terms);
  }
  uint64_t sum = 0;
  for (const size_t part : {0u, 1u}) {
    std::vector<Float> terms{read(of_c, sum)};
    for (size_t k = 0; k < t.a.size(); ++k)
      if (k % 4 / 2 == part) terms.push_back(times(read(m.a, t.a[k]), read(m.b, t.b[k])));
    sum = sum_up(half, terms);
  }
  return add_rounded(half, sum, t.c);
}

uint64_t dot_doubles(const Matrix& m, const Terms& t) {
  const auto number = [](uint64_t bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  };
  constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  std::fesetround(kModes[static_cast<size_t>(m.rounding)]);
  uint64_t sum = t.c;
  for (size_t k = 0; k < t.a.size(); ++k) {
    volatile double result = std::fma(number(t.a[k]), number(t.b[k]), number(sum));
    uint64_t bits = 0xfff8000000000000;
    for (const uint64_t operand : {t.a[k], sum, t.b[k]})  // the last one wins
      if (std::isnan(number(operand))) bits = operand | uint64_t{1} << 51;
    const double value = result;
    if (!std::isnan(value)) std::memcpy(&bits, &value, sizeof bits);
    sum = bits;
  }
  std::fesetround(FE_TONEAREST);
  return sum;
}

int64_t integer(Element type, uint64_t bits) {
  const int width = ir::bits(type);
  const bool sign = (type == Element::S8 || type == Element::S4) && bits >> (width - 1) & 1;
  return static_cast<int64_t>(bits) - (sign ? int64_t{1} << width : 0);
}

uint64_t dot_integers(const Matrix& m, const Terms& t) {
  int64_t sum = static_cast<int32_t>(t.c);
  for (size_t k = 0; k < t.a.size(); ++k) {
    if (m.a == Element::B1)
      sum += m.exclusive ? t.a[k] ^ t.b[k] : t.a[k] & t.b[k];
    else
      sum += integer(m.a, t.a[k]) * integer(m.b, t.b[k]);
  }
  if (m.saturate) sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
  return static_cast<uint32_t>(sum);
}

// PTX ISA, "Sparse matrix storage": eight groups a lane, of one row, or of two rows where elements have 16 bits or
// more.
uint64_t sparse_metadata(const Matrix& m, const WarpOperands& w, int row, int group) {
  const int columns = m.k / 4 / (m.a == Element::TF32 ? 2 : ir::bits(m.a) == 4 ? 8 : 4);  // of lanes, in four
  const bool narrow = ir::bits(m.a) <= 8;
  const int lane = row % 8 * 4 + m.selector * columns + (narrow ? group / 8 * 2 + row / 8 : group / 4);
  const auto last_argument =
      ir::registers_of_a(m) + ir::registers_of_b(m) + static_cast<uint32_t>(m.c == Element::F16 ? 2 : 4);
  return w.args[lane][last_argument] >> (narrow ? group % 8 * 4 : row / 8 * 16 + group % 4 * 4) & 15;
}

// mma.sp: four bits say which columns of a group of A's there are, two bits for each of two of them.
int sparse_row_of_b(const Matrix& m, const WarpOperands& w, int row, int k) {
  const bool pairs = m.a == Element::S4 || m.a == Element::U4;
  const int columns = m.a == Element::TF32 ? 2 : pairs ? 8 : 4;
  const int group = k / (columns / 2), within = k % (columns / 2), which = pairs ? within / 2 : within;
  const uint64_t bits = sparse_metadata(m, w, row, group);
  const int chosen = static_cast<int>(bits >> (2 * which) & 3);
  if (m.a == Element::TF32) return group * columns + chosen / 2;
  return group * columns + (pairs ? 2 * chosen + within % 2 : chosen);
}

void multiply(const Matrix& m, WarpOperands& w) {
  const int from_b = static_cast<int>(ir::registers_of_a(m));
  const int from_c = from_b + static_cast<int>(ir::registers_of_b(m));
  for (int row = 0; row < m.m; ++row)
    for (int column = 0; column < m.n; ++column) {
      const Place at = place_in_c(m.c, row, column);
      Terms t;
      t.c = w.args[at.lane][from_c + at.number] >> at.shift;
      if (m.c == Element::F16) t.c &= 0xffff;
      for (int k = 0; k < (m.sparse ? m.k / 2 : m.k); ++k) {
        t.a.push_back(operand_bits(w, 0, m.a, m.m / 8, row, k));
        t.b.push_back(operand_bits(w, from_b, m.b, 1, column, m.sparse ? sparse_row_of_b(m, w, row, k) : k));
      }
      const uint64_t d = m.a == Element::F64   ? dot_doubles(m, t)
                         : m.c == Element::S32 ? dot_integers(m, t)
                                               : dot_floats(m, t);
      uint64_t& result = w.results[at.lane][at.number];
      result = at.shift ? result | d << at.shift : d;
    }
}

// mma.m8n8k4 of f16: four elements a lane, of lane 16 * (x >= 4) + 4 * quarter + the number that is left.
uint64_t of_quarter(const WarpOperands& w, int first, int quarter, bool one_lane_each, int line, int k) {
  const int high = line / 4 * 16 + quarter * 4;
  const int lane = high + (one_lane_each ? line % 4 : k), number = one_lane_each ? k : line % 4;
  return w.args[lane][first + number / 2] >> (number % 2 * 16) & 0xffff;
}

void multiply_quarters(const Matrix& m, WarpOperands& w) {
  const bool half_c = m.c == Element::F16, half_d = half_c && !m.widens;
  const auto single = [](double x) { return static_cast<float>(x); };
  const auto half = [](uint64_t bits) { return decode_half(static_cast<uint16_t>(bits), 5, 10); };
  const auto place = [](bool of_half, int quarter, int row, int column) {
    const int high = row / 4 * 16 + quarter * 4;
    if (of_half) return Place{high + row % 4, column / 2, column % 2 * 16};
    return Place{high + column / 2 % 2 * 2 + row % 2, column / 4 * 4 + row % 4 / 2 * 2 + column % 2, 0};
  };
  for (int index = 0; index < 4 * 64; ++index) {
    const int quarter = index / 64, row = index / 8 % 8, column = index % 8;
    double p[4];  // exact
    for (int k = 0; k < 4; ++k)
      p[k] = half(of_quarter(w, 0, quarter, !m.transposed, row, k)) *
             half(of_quarter(w, 2, quarter, !m.rows_of_b, column, k));
    const Place from = place(half_c, quarter, row, column), to = place(half_d, quarter, row, column);
    const uint64_t c_bits = w.args[from.lane][4 + from.number] >> from.shift;
    float c = single(half(c_bits & 0xffff));
    if (!half_c) std::memcpy(&c, &c_bits, sizeof c);
    float sum = single((half_d ? p[0] : 0.0 + p[0]) + p[1]);  // which a zero's sign shows
    sum = half_d ? single(double{single(double{c} + sum)} + single(p[2] + p[3]))
                 : single(double{c} + single(single(sum + p[2]) + p[3]));
    uint32_t bits = 0x7fffffff;
    if (!std::isnan(sum)) std::memcpy(&bits, &sum, sizeof bits);
    if (half_d) bits = std::isnan(sum) ? 0x7fff : encode_half(sum, 5, 10, ir::Rounding::Nearest);
    w.results[to.lane][to.number] |= uint64_t{bits} << to.shift;
  }
}

// Element (row, column) of 8x8 ones of 16 bits: two in the register of each lane, or four words by each of eight lanes.
uint64_t in_fragment(const WarpOperands& w, int number, int row, int column) {
  return w.args[row * 4 + column / 2][number] >> (column % 2 * 16) & 0xffff;
}
uint64_t in_rows(const WarpOperands& w, int matrix, int row, int column) {
  return w.args[8 * matrix + row][column / 2] >> (column % 2 * 16) & 0xffff;
}

void move(const Matrix& m, WarpOperands& w) {
  const bool from_rows = m.what == Matrix::What::Spread, to_rows = m.what == Matrix::What::Collect;
  const bool turned = m.transposed || m.what == Matrix::What::Transpose;
  const int matrices = m.what == Matrix::What::Transpose ? 1 : m.count;
  for (int j = 0; j < matrices; ++j)
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 8; ++column) {
        const int r = turned ? column : row, c = turned ? row : column;
        const uint64_t x = from_rows ? in_rows(w, j, r, c) : in_fragment(w, j, r, c);
        uint64_t& to = to_rows ? w.results[8 * j + row][column / 2] : w.results[row * 4 + column / 2][j];
        to |= x << (column % 2 * 16);
      }
}

}  // namespace

void compute_matrix(const ir::Inst& inst, WarpOperands& w) {
  const Matrix m = ir::unpack_matrix(inst.imm);
  if (m.what == Matrix::What::Multiply)
    multiply(m, w);
  else if (m.what == Matrix::What::Quarters)
    multiply_quarters(m, w);
  else
    move(m, w);
}

}  // namespace warplens::reference
