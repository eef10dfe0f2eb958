// The arithmetic of tensor cores, measured on an H200 (sm_90).
//
// Integers: exact sums of exact products; the 32 bits wrap, or are clamped once at the end (.satfinite).
//
// f64: d = c, then d = fma(a[k], b[k], d) for k = 0, 1, ..., each rounded. Of several NaNs that of b is handed on, else
// d's, else a's, made quiet; a new one is 0xfff8000000000000.
//
// f16, bf16, tf32: the products of one instruction and C are added up at once, in fixed point.
//   1. Every product is exact. Its exponent is the sum of its factors' exponents; it is not normalised, so that
//      1.5 * 1.5 = 2.25 has exponent 0. A subnormal has the smallest normal exponent. A product or C that is zero has
//      no exponent.
//   2. Let e be the largest of these exponents, -133 at least. Each term loses what lies below 2^(e - 25), towards
//   zero.
//   3. The sum of what is left is exact. As F32 it is rounded towards zero, as F16 to nearest even; beyond the largest
//      number it is infinite; a zero is +0.
//   4. A NaN, inf * 0 or inf - inf gives the NaN 0x7fffffff (F16: 0x7fff), otherwise an infinite term gives infinity.
// There is one such sum an instruction, whatever its depth: 16 terms and C for m16n8k16, 4 and C for m16n8k4.
//
// Worked example, f16 to F32 (exponents in brackets): C = -1 [0], products 1 * 1 [0] and 1.5 * 2^-25 [-25]: e = 0, the
// small product keeps 1 of its 1.5 units of 2^-25, the result is 2^-25, where exact arithmetic gives 1.5 * 2^-25. With
// 2^-26 in its place the result is 0. And 2^-24 * 3 + C = 1: exact, then rounded towards zero: 1 + 2^-23.
//
// 8-bit floats: Hopper's mma.sync has none. ptxas converts them to f16, exactly, multiplies those with k mod 4 < 2 with
// C = 0, then the others with C = that sum, and adds the program's C to it, rounding to nearest even.
//
// Sources: M. Fasi, N. Higham, M. Mikaitis, S. Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ CS 7:e330
// (2021), for the form of the rule on Volta to Ampere, where fewer bits are kept (23 and 24) and sums are shorter. The
// constants here, and that zeros have no exponent: tests/gpu/tensor_cores.cu on an H200, 32 matrices of each of 6 kinds
// of numbers for each instruction, all results equal. ptxas 13.0 for the 8-bit floats.
//
// Not modelled: other GPUs than sm_90, whose results differ in the last bits. A --gpu of another architecture computes
// as an H200 does.
#include "model/tensor_core.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

// Vectors are passed between functions that are always inlined: their ABI never matters.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace warplens::model {
namespace {

#define WL_INLINE __attribute__((always_inline)) inline

typedef int32_t I32 __attribute__((vector_size(32)));
typedef float F32 __attribute__((vector_size(32)));

constexpr int kColumns = 8;
constexpr int kMaxTerms = 16 * 16;
constexpr int kKeptBits = 25;  // below the largest exponent
constexpr int kLeastExponent = -133;
constexpr int kNoExponent = -1 << 12;  // of a zero: far below all others, also in a sum
constexpr uint32_t kNan = 0x7fffffff, kHalfNan = 0x7fff;

struct Format {
  int exponent, mantissa, unused;  // bits; `unused` ones at the low end
  constexpr int bias() const { return (1 << (exponent - 1)) - 1; }
  constexpr int top() const { return (1 << exponent) - 1; }
};
constexpr Format kHalf{5, 10, 0}, kSingle{8, 23, 0};
constexpr Format format_of(TensorInput type) {
  return type == TensorInput::F16 ? kHalf : type == TensorInput::BF16 ? Format{8, 7, 0} : Format{8, 10, 13};
}

// Numbers taken apart: significand * 2^(exponent - mantissa bits), the significand a whole number.
struct Parts {
  alignas(32) F32 significand[kMaxTerms / 8];
  alignas(32) I32 exponent[kMaxTerms / 8];
};

// Returns whether some are infinite or no numbers.
template <Format F>
WL_INLINE bool take_apart(const uint32_t* bits, int count, F32* significand, I32* exponent) {
  I32 special{};
  for (int i = 0; i < count / 8; ++i) {
    I32 x;
    std::memcpy(&x, bits + 8 * i, sizeof x);
    x = x >> F.unused;
    const I32 e = (x >> F.mantissa) & F.top(), fraction = x & ((1 << F.mantissa) - 1);
    special |= e == F.top();
    const I32 is_normal = e != 0;
    const I32 whole = fraction | (is_normal & (1 << F.mantissa));
    const I32 sign = (x >> (F.exponent + F.mantissa) & 1) != 0;
    significand[i] = __builtin_convertvector((whole ^ sign) - sign, F32);
    exponent[i] = (whole == 0) ? I32{} + kNoExponent : e + 1 + is_normal - F.bias();
  }
  bool any = false;
  for (int k = 0; k < 8; ++k) any |= special[k] != 0;
  return any;
}

// 2^exponent, 0 where that is too small to matter.
WL_INLINE F32 power_of_two(const I32& exponent) {
  I32 biased = exponent + 127;
  biased = (biased > 0) ? biased : I32{};
  return std::bit_cast<F32>(biased << 23);
}

// sum * 2^unit to F32, towards zero.
WL_INLINE uint32_t to_single(int64_t sum, int unit) {
  const uint64_t magnitude = sum < 0 ? -static_cast<uint64_t>(sum) : static_cast<uint64_t>(sum);
  if (magnitude == 0) return 0;
  const uint32_t sign = sum < 0 ? 0x80000000u : 0;
  const int top = 63 - std::countl_zero(magnitude), exponent = top + unit;
  if (exponent > 127) return sign | 0x7f800000u;
  if (exponent >= -126) {
    const uint64_t fraction = top > 23 ? magnitude >> (top - 23) : magnitude << (23 - top);
    return sign | ((static_cast<uint32_t>(exponent + 126) << 23) + static_cast<uint32_t>(fraction));
  }
  const int shift = unit + 149;
  const uint64_t kept = shift >= 0 ? magnitude << shift : shift > -64 ? magnitude >> -shift : 0;
  return kept ? sign | static_cast<uint32_t>(kept) : 0;
}

// sum * 2^unit to F16, to nearest even.
WL_INLINE uint32_t to_half(int64_t sum, int unit) {
  const uint64_t magnitude = sum < 0 ? -static_cast<uint64_t>(sum) : static_cast<uint64_t>(sum);
  if (magnitude == 0) return 0;
  const uint32_t sign = sum < 0 ? 0x8000u : 0;
  const int top = 63 - std::countl_zero(magnitude), exponent = top + unit;
  if (exponent > 15) return sign | 0x7c00u;
  const int last = std::max(exponent - 10, -24);  // exponent of the last place
  const int drop = last - unit;
  uint64_t kept = 0;
  if (drop <= 0) {
    kept = magnitude << -drop;
  } else if (drop < 64) {
    const uint64_t half = uint64_t{1} << (drop - 1), rest = magnitude & (2 * half - 1);
    kept = magnitude >> drop;
    kept += rest > half || (rest == half && (kept & 1));
  }
  if (kept == 0) return 0;
  // A carry out of the fraction is one more in the exponent, up to infinity.
  return sign | ((static_cast<uint32_t>(last + 24) << 10) + static_cast<uint32_t>(kept));
}

// Of one element of D: what infinite terms and those that are no numbers make of it, or `finite`.
uint32_t with_specials(Format f, bool half, int depth, const uint32_t* a, const uint32_t* b, uint32_t c,
                       uint32_t finite) {
  bool nan = false, infinite[2] = {false, false};
  const auto kind = [](Format g, uint32_t x) {
    const uint32_t magnitude = x >> g.unused & ((1u << (g.exponent + g.mantissa)) - 1);
    const uint32_t infinity = static_cast<uint32_t>(g.top()) << g.mantissa;
    return magnitude == 0 ? 'z' : magnitude < infinity ? 'f' : magnitude == infinity ? 'i' : 'n';
  };
  const auto negative = [](Format g, uint32_t x) { return x >> (g.unused + g.exponent + g.mantissa) & 1; };
  for (int k = 0; k < depth; ++k) {
    const uint32_t x = a[k], y = b[k * kColumns];
    const char p = kind(f, x), q = kind(f, y);
    if (p == 'n' || q == 'n' || (p == 'i' && q == 'z') || (p == 'z' && q == 'i')) nan = true;
    if (p == 'i' || q == 'i') infinite[negative(f, x) ^ negative(f, y)] = true;
  }
  const Format g = half ? kHalf : kSingle;
  if (kind(g, c) == 'n') nan = true;
  if (kind(g, c) == 'i') infinite[negative(g, c)] = true;
  if (nan || (infinite[0] && infinite[1])) return half ? kHalfNan : kNan;
  if (!infinite[0] && !infinite[1]) return finite;
  return (half ? 0x7c00u : 0x7f800000u) | (infinite[1] ? (half ? 0x8000u : 0x80000000u) : 0);
}

template <TensorInput kType, bool kToHalf>
WL_INLINE void multiply_body(TensorShape s, const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) {
  constexpr Format f = format_of(kType), g = kToHalf ? kHalf : kSingle;
  Parts pa, pb, pc;
  bool special = take_apart<f>(a, s.rows * s.depth, pa.significand, pa.exponent);
  special |= take_apart<f>(b, s.depth * kColumns, pb.significand, pb.exponent);
  special |= take_apart<g>(c, s.rows * kColumns, pc.significand, pc.exponent);
  const auto* sa = reinterpret_cast<const float*>(pa.significand);
  const auto* ea = reinterpret_cast<const int32_t*>(pa.exponent);
  for (int row = 0; row < s.rows; ++row, sa += s.depth, ea += s.depth) {
    I32 largest = pc.exponent[row];
    largest = (largest > kLeastExponent) ? largest : I32{} + kLeastExponent;
    for (int k = 0; k < s.depth; ++k) {
      const I32 e = pb.exponent[k] + ea[k];
      largest = (e > largest) ? e : largest;
    }
    // In units of 2^(largest - 25). A product is below 4: 16 of them are below 2^31.
    const I32 up = kKeptBits - 2 * f.mantissa - largest;
    I32 products{};
    for (int k = 0; k < s.depth; ++k) {
      const F32 scaled = pb.significand[k] * sa[k] * power_of_two(pb.exponent[k] + ea[k] + up);
      products += __builtin_convertvector(scaled, I32);
    }
    const F32 scaled = pc.significand[row] * power_of_two(pc.exponent[row] + (kKeptBits - g.mantissa) - largest);
    const I32 added = __builtin_convertvector(scaled, I32);
    for (int n = 0; n < kColumns; ++n) {
      const int64_t sum = int64_t{products[n]} + added[n];
      const int unit = largest[n] - kKeptBits;
      d[row * kColumns + n] = kToHalf ? to_half(sum, unit) : to_single(sum, unit);
    }
  }
  if (!special) return;
  for (int row = 0; row < s.rows; ++row)
    for (int n = 0; n < kColumns; ++n) {
      const int at = row * kColumns + n;
      d[at] = with_specials(f, kToHalf, s.depth, a + row * s.depth, b + n, c[at], d[at]);
    }
}

template <TensorInput kType, bool kToHalf>
void multiply_plain(TensorShape s, const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) {
  multiply_body<kType, kToHalf>(s, a, b, c, d);
}
WL_INLINE void multiply_f64_body(TensorShape s, const double* a, const double* b, const double* c, double* d) {
  for (int row = 0; row < s.rows; ++row) {
    double sum[kColumns];
    for (int n = 0; n < kColumns; ++n) sum[n] = c[row * kColumns + n];
    for (int k = 0; k < s.depth; ++k)
      for (int n = 0; n < kColumns; ++n) sum[n] = std::fma(a[row * s.depth + k], b[k * kColumns + n], sum[n]);
    for (int n = 0; n < kColumns; ++n) d[row * kColumns + n] = sum[n];
  }
}
WL_INLINE void multiply_integers_body(bool saturate, TensorShape s, const int32_t* a, const int32_t* b,
                                      const int32_t* c, int32_t* d) {
  for (int row = 0; row < s.rows; ++row) {
    I32 sum{};
    for (int k = 0; k < s.depth; ++k) {
      I32 y;
      std::memcpy(&y, b + k * kColumns, sizeof y);
      sum += y * a[row * s.depth + k];
    }
    for (int n = 0; n < kColumns; ++n) {
      const int at = row * kColumns + n;
      const int64_t whole = int64_t{c[at]} + sum[n];
      d[at] = static_cast<int32_t>(saturate ? std::clamp<int64_t>(whole, INT32_MIN, INT32_MAX) : whole);
    }
  }
}

// One element of D where some step gives no number. `b`: a column.
double with_nans(int depth, const double* a, const double* b, double sum) {
  for (int k = 0; k < depth; ++k) {
    const double x = a[k], y = b[k * kColumns];
    const double nan = std::isnan(y) ? y : std::isnan(sum) ? sum : x;
    sum = std::fma(x, y, sum);
    if (!std::isnan(sum)) continue;
    constexpr uint64_t kQuiet = uint64_t{1} << 51, kNew = 0xfff8000000000000;
    sum = std::bit_cast<double>(std::isnan(nan) ? std::bit_cast<uint64_t>(nan) | kQuiet : kNew);
  }
  return sum;
}

#if defined(__x86_64__)
#define WL_WIDE __attribute__((target("avx2,fma")))
template <TensorInput kType, bool kToHalf>
WL_WIDE void multiply_wide(TensorShape s, const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) {
  multiply_body<kType, kToHalf>(s, a, b, c, d);
}
WL_WIDE void multiply_f64_wide(TensorShape s, const double* a, const double* b, const double* c, double* d) {
  multiply_f64_body(s, a, b, c, d);
}
WL_WIDE void multiply_integers_wide(bool saturate, TensorShape s, const int32_t* a, const int32_t* b, const int32_t* c,
                                    int32_t* d) {
  multiply_integers_body(saturate, s, a, b, c, d);
}
bool is_wide() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#define WL_DISPATCH(name, ...) (is_wide() ? name##_wide(__VA_ARGS__) : name##_body(__VA_ARGS__))
#else
template <TensorInput kType, bool kToHalf>
void multiply_wide(TensorShape s, const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) {
  multiply_body<kType, kToHalf>(s, a, b, c, d);
}
bool is_wide() { return false; }
#define WL_DISPATCH(name, ...) name##_body(__VA_ARGS__)
#endif

template <TensorInput kType>
void multiply(bool half, TensorShape s, const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) {
  if (is_wide())
    half ? multiply_wide<kType, true>(s, a, b, c, d) : multiply_wide<kType, false>(s, a, b, c, d);
  else
    half ? multiply_plain<kType, true>(s, a, b, c, d) : multiply_plain<kType, false>(s, a, b, c, d);
}

// e4m3 has no infinity and one NaN, 0x7f; e5m2 is the upper half of an f16. Both fit an f16.
uint32_t half_of_f8(bool wide, uint32_t x) {
  if (wide) return x << 8;
  const uint32_t sign = (x & 0x80) << 8, exponent = x >> 3 & 15, fraction = x & 7;
  if ((x & 0x7f) == 0x7f) return sign | kHalfNan;
  if (exponent != 0) return sign | (exponent + 8) << 10 | fraction << 7;
  if (fraction == 0) return sign;
  const int shift = std::countl_zero(fraction) - 28;  // up to bit 3
  return sign | static_cast<uint32_t>(9 - shift) << 10 | ((fraction << shift) & 7) << 7;
}

uint32_t add(bool half, uint32_t a, uint32_t b) {
  if (!half) {
    const float sum = std::bit_cast<float>(a) + std::bit_cast<float>(b);
    return std::isnan(sum) ? kNan : std::bit_cast<uint32_t>(sum);
  }
  const auto number = [](uint32_t x) { return static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(x))); };
  const float sum = number(a) + number(b);  // exact but for a last place far below an f16's
  return std::isnan(sum) ? kHalfNan : std::bit_cast<uint16_t>(static_cast<_Float16>(sum));
}

}  // namespace

void tensor_multiply(TensorInput type, bool half, TensorShape shape, const uint32_t* a, const uint32_t* b,
                     const uint32_t* c, uint32_t* d) {
  if (type == TensorInput::F16) return multiply<TensorInput::F16>(half, shape, a, b, c, d);
  if (type == TensorInput::BF16) return multiply<TensorInput::BF16>(half, shape, a, b, c, d);
  return multiply<TensorInput::TF32>(half, shape, a, b, c, d);
}

void tensor_multiply_f8(bool wide_a, bool wide_b, bool half, TensorShape shape, const uint32_t* a, const uint32_t* b,
                        const uint32_t* c, uint32_t* d) {
  uint32_t some_a[kMaxTerms], some_b[16 * kColumns], none[16 * kColumns] = {}, first_sum[16 * kColumns],
                                                               sum[16 * kColumns];
  const TensorShape step{shape.rows, shape.depth / 2};
  for (const int first : {0, 2}) {
    for (int k = 0; k < step.depth; ++k) {
      const int from = k / 2 * 4 + first + k % 2;
      for (int row = 0; row < shape.rows; ++row)
        some_a[row * step.depth + k] = half_of_f8(wide_a, a[row * shape.depth + from]);
      for (int n = 0; n < kColumns; ++n) some_b[k * kColumns + n] = half_of_f8(wide_b, b[from * kColumns + n]);
    }
    tensor_multiply(TensorInput::F16, half, step, some_a, some_b, first == 0 ? none : first_sum,
                    first == 0 ? first_sum : sum);
  }
  for (int at = 0; at < shape.rows * kColumns; ++at) d[at] = add(half, c[at], sum[at]);
}

void tensor_multiply_integers(bool saturate, TensorShape shape, const int32_t* a, const int32_t* b, const int32_t* c,
                              int32_t* d) {
  WL_DISPATCH(multiply_integers, saturate, shape, a, b, c, d);
}

void tensor_multiply_f64(TensorShape shape, const double* a, const double* b, const double* c, double* d) {
  WL_DISPATCH(multiply_f64, shape, a, b, c, d);
  for (int at = 0; at < shape.rows * kColumns; ++at)
    if (std::isnan(d[at])) d[at] = with_nans(shape.depth, a + at / kColumns * shape.depth, b + at % kColumns, c[at]);
}

}  // namespace warplens::model
