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
// mma.sp: the same sums, of the columns of A that are there. The metadata's two indices of a group may come in any
// order, and may be the same. Not so TF32's, which count halves of elements; other bits than 0100 and 1110 mean nothing
// in PTX.
//
// m8n8k4 of f16, Volta's: newer GPUs have none. ptxas multiplies and adds in single precision, to nearest even: to F32
// c + ((((0 + p0) + p1) + p2) + p3), to F16 (c + (p0 + p1)) + (p2 + p3), which is then rounded once more.
//
// Sources: M. Fasi, N. Higham, M. Mikaitis, S. Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ CS 7:e330
// (2021), for the form of the rule on Volta to Ampere, where fewer bits are kept (23 and 24) and sums are shorter. The
// constants here, and that zeros have no exponent: tests/gpu/tensor_cores.cu and sparse_tensor_cores.cu on an H200, 32
// matrices of each of 6 kinds of numbers for each instruction, all results equal. ptxas 13.0 for the 8-bit floats.
//
// Not modelled: other GPUs than sm_90, whose results differ in the last bits. A --gpu of another architecture computes
// as an H200 does.
#include "model/tensor_core.h"

#include <algorithm>
#include <array>
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
typedef int64_t I64 __attribute__((vector_size(32)));
typedef double F64 __attribute__((vector_size(32)));
typedef int32_t I32x4 __attribute__((vector_size(16)));
typedef float F32x4 __attribute__((vector_size(16)));

constexpr int kColumns = 8;
constexpr int kMaxTerms = 16 * 16;          // of A
constexpr int kMaxOfB = 2 * 32 * kColumns;  // of a sparse product of 8-bit floats
constexpr int kKeptBits = 25;               // below the largest exponent
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
  alignas(32) F32 significand[kMaxOfB / 8];
  alignas(32) I32 exponent[kMaxOfB / 8];
};

// What a matrix holds besides middling numbers.
struct Extremes {
  bool special = false;  // infinite ones, or no numbers
  bool far = false;      // numbers but zero beyond 2^60 or below 2^-60
};
template <Format F>
WL_INLINE Extremes take_apart(const uint32_t* bits, int count, F32* significand, I32* exponent) {
  I32 special{}, far{};
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
    const I32 place = e + 1 + is_normal - F.bias();
    exponent[i] = (whole == 0) ? I32{} + kNoExponent : place;
    far |= (whole != 0) & ((place > 60) | (place < -60));
  }
  int32_t any_special = 0, any_far = 0;
  for (int k = 0; k < kColumns; ++k) any_special |= special[k], any_far |= far[k];
  return {any_special != 0, any_far != 0};
}

// 2^exponent, 0 where that is too small to matter.
WL_INLINE F32 power_of_two(const I32& exponent) {
  I32 biased = exponent + 127;
  biased = (biased > 0) ? biased : I32{};
  return std::bit_cast<F32>(biased << 23);
}

// sum * 2^unit to F32, towards zero, where that is no normal number.
uint32_t to_small_single(double sum, int unit) {
  const auto magnitude = static_cast<uint64_t>(std::fabs(sum));
  const int shift = unit + 149;
  const uint64_t kept = shift >= 0 ? magnitude << shift : shift > -64 ? magnitude >> -shift : 0;
  return kept ? (sum < 0 ? 0x80000000u : 0) | static_cast<uint32_t>(kept) : 0;
}

WL_INLINE F64 power_of_two(const I64& exponent) { return std::bit_cast<F64>((exponent + 1023) << 52); }

// Sums in units of 2^unit, up to 33 bits each: of all elements of D.
struct Sums {
  alignas(32) F64 sum[16 * kColumns / 4];
  alignas(16) I32x4 unit[16 * kColumns / 4];
};

// To F32, towards zero: all but 24 bits are cut off. Zero is +0.
WL_INLINE void to_single(const Sums& sums, int count, uint32_t* d) {
  I64 is_small{};
  for (int i = 0; i < count / 4; ++i) {
    const F64 cut = std::bit_cast<F64>(std::bit_cast<I64>(sums.sum[i]) & ~((int64_t{1} << 29) - 1));
    const F64 value = cut * power_of_two(__builtin_convertvector(sums.unit[i], I64));
    const F32x4 narrow = __builtin_convertvector(value, F32x4);  // exact, or infinite
    std::memcpy(d + 4 * i, &narrow, sizeof narrow);
    const F64 least = F64{} + 0x1p-126;
    is_small |= (cut != 0) & (value < least) & (value > -least);
  }
  if ((is_small[0] | is_small[1] | is_small[2] | is_small[3]) == 0) return;
  for (int at = 0; at < count; ++at)
    if (std::isless(std::fabs(std::bit_cast<float>(d[at])), 0x1p-125f))
      d[at] = to_small_single(sums.sum[at / 4][at % 4], sums.unit[at / 4][at % 4]);
}

// To F16, to nearest even: adding 2^42 times the leading place leaves 11 bits, or multiples of 2^-24.
WL_INLINE void to_half(const Sums& sums, int count, uint32_t* d) {
  for (int i = 0; i < count / 4; ++i) {
    const F64 value = sums.sum[i] * power_of_two(__builtin_convertvector(sums.unit[i], I64));
    const I64 bits = std::bit_cast<I64>(value), magnitude_bits = bits & INT64_MAX;
    const I64 exponent = magnitude_bits >> 52, least = I64{} + (1023 - 14);
    const F64 large = std::bit_cast<F64>((((exponent > least) ? exponent : least) + 42) << 52);
    const F64 rounded = (std::bit_cast<F64>(magnitude_bits) + large) - large;
    const I32x4 single = std::bit_cast<I32x4>(__builtin_convertvector(rounded, F32x4));
    // The exponent's bias is 112 less; beyond 15 all is infinite. Below -14: multiples of 2^-24.
    const I32x4 normal = (single >> 13) - (112 << 10);
    const I32x4 small = __builtin_convertvector(__builtin_convertvector(rounded, F32x4) * 0x1p24f, I32x4);
    const I32x4 bounded = (normal < 0x7c00) ? normal : I32x4{} + 0x7c00;
    const I32x4 magnitude = (single < ((127 - 14) << 23)) ? small : bounded;
    const I32x4 sign = __builtin_convertvector((bits < 0) & 0x8000, I32x4);
    const I32x4 result = (magnitude == 0) ? I32x4{} : magnitude | sign;
    std::memcpy(d + 4 * i, &result, sizeof result);
  }
}

// Of one element of D: what infinite terms and those that are no numbers make of it, or `finite`.
template <typename Places>
uint32_t with_specials(Format f, bool half, int depth, Places places, const uint32_t* a, const uint32_t* b, uint32_t c,
                       uint32_t finite) {
  bool nan = false, infinite[2] = {false, false};
  const auto kind = [](Format g, uint32_t x) {
    const uint32_t magnitude = x >> g.unused & ((1u << (g.exponent + g.mantissa)) - 1);
    const uint32_t infinity = static_cast<uint32_t>(g.top()) << g.mantissa;
    return magnitude == 0 ? 'z' : magnitude < infinity ? 'f' : magnitude == infinity ? 'i' : 'n';
  };
  const auto negative = [](Format g, uint32_t x) { return x >> (g.unused + g.exponent + g.mantissa) & 1; };
  for (int k = 0; k < depth; ++k) {
    const uint32_t x = a[k], y = b[places(k) * kColumns];
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

// The numbers themselves: significands * 2^exponents, exact.
WL_INLINE void put_together(int count, int mantissa, F32* significand, const I32* exponent) {
  for (int i = 0; i < count / kColumns; ++i) significand[i] *= power_of_two(exponent[i] - mantissa);
}

// Of one row of D: the terms cut to units of 2^(largest - 25) and added up. A product is below 4, so 16 of them are
// below 2^31. kMiddling: products of the numbers themselves are exact, so that one scale does for all.
template <Format F, bool kMiddling, typename Places>
WL_INLINE I32 add_products(int depth, Places places, const float* sa, const int32_t* ea, const Parts& b,
                           const I32& largest) {
  I32 sum{};
  if constexpr (kMiddling) {
    const I32 up = kKeptBits - largest;
    const F32 scale = power_of_two((up < 127) ? up : I32{} + 127);
    for (int k = 0; k < depth; ++k) sum += __builtin_convertvector(b.significand[places(k)] * sa[k] * scale, I32);
  } else {
    const I32 up = kKeptBits - 2 * F.mantissa - largest;
    for (int k = 0; k < depth; ++k) {
      const int at = places(k);
      const F32 scaled = b.significand[at] * sa[k] * power_of_two(b.exponent[at] + ea[k] + up);
      sum += __builtin_convertvector(scaled, I32);
    }
  }
  return sum;
}

template <bool kSparse>
WL_INLINE auto places_of(TensorShape s, int row) {
  return [from = kSparse ? s.places + row * s.depth : nullptr](int k) { return kSparse ? from[k] : k; };
}

template <TensorInput kType, bool kToHalf, bool kSparse>
WL_INLINE void multiply_body(TensorShape s, const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) {
  constexpr Format f = format_of(kType), g = kToHalf ? kHalf : kSingle;
  Parts pa, pb, pc;
  Sums sums;
  const Extremes in_a = take_apart<f>(a, s.rows * s.depth, pa.significand, pa.exponent);
  const Extremes in_b = take_apart<f>(b, s.rows_of_b() * kColumns, pb.significand, pb.exponent);
  const Extremes in_c = take_apart<g>(c, s.rows * kColumns, pc.significand, pc.exponent);
  const bool middling = !in_a.far && !in_b.far;
  if (middling) {
    put_together(s.rows * s.depth, f.mantissa, pa.significand, pa.exponent);
    put_together(s.rows_of_b() * kColumns, f.mantissa, pb.significand, pb.exponent);
  }
  const auto* sa = reinterpret_cast<const float*>(pa.significand);
  const auto* ea = reinterpret_cast<const int32_t*>(pa.exponent);
  for (int row = 0; row < s.rows; ++row, sa += s.depth, ea += s.depth) {
    const auto places = places_of<kSparse>(s, row);
    I32 largest = pc.exponent[row];
    largest = (largest > kLeastExponent) ? largest : I32{} + kLeastExponent;
    for (int k = 0; k < s.depth; ++k) {
      const I32 e = pb.exponent[places(k)] + ea[k];
      largest = (e > largest) ? e : largest;
    }
    const I32 products = middling ? add_products<f, true>(s.depth, places, sa, ea, pb, largest)
                                  : add_products<f, false>(s.depth, places, sa, ea, pb, largest);
    const F32 scaled = pc.significand[row] * power_of_two(pc.exponent[row] + (kKeptBits - g.mantissa) - largest);
    const I32 added = __builtin_convertvector(scaled, I32);
    const I32 unit = largest - kKeptBits;
    const auto put = [&](int i, const I32x4& p, const I32x4& q, const I32x4& u) __attribute__((always_inline)) {
      sums.sum[i] = __builtin_convertvector(p, F64) + __builtin_convertvector(q, F64);
      sums.unit[i] = u;
    };
#define WL_LOW(v) __builtin_shufflevector(v, v, 0, 1, 2, 3)
#define WL_HIGH(v) __builtin_shufflevector(v, v, 4, 5, 6, 7)
    put(2 * row, WL_LOW(products), WL_LOW(added), WL_LOW(unit));
    put(2 * row + 1, WL_HIGH(products), WL_HIGH(added), WL_HIGH(unit));
  }
  if constexpr (kToHalf)
    to_half(sums, s.rows * kColumns, d);
  else
    to_single(sums, s.rows * kColumns, d);
  if (!in_a.special && !in_b.special && !in_c.special) return;
  for (int row = 0; row < s.rows; ++row)
    for (int n = 0; n < kColumns; ++n) {
      const int at = row * kColumns + n;
      d[at] = with_specials(f, kToHalf, s.depth, places_of<kSparse>(s, row), a + row * s.depth, b + n, c[at], d[at]);
    }
}

template <TensorInput kType, bool kToHalf, bool kSparse>
void multiply_plain(TensorShape s, const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) {
  multiply_body<kType, kToHalf, kSparse>(s, a, b, c, d);
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
template <bool kSparse>
WL_INLINE void multiply_integers_body(bool saturate, TensorShape s, const int32_t* a, const int32_t* b,
                                      const int32_t* c, int32_t* d) {
  for (int row = 0; row < s.rows; ++row) {
    const auto places = places_of<kSparse>(s, row);
    I32 sum{};
    for (int k = 0; k < s.depth; ++k) {
      I32 y;
      std::memcpy(&y, b + places(k) * kColumns, sizeof y);
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

WL_INLINE void multiply_bits_body(bool exclusive, TensorShape s, const uint64_t* a, const uint64_t* b,
                                  const uint32_t* c, uint32_t* d) {
  const int words = s.depth / 64;
  for (int row = 0; row < s.rows; ++row)
    for (int n = 0; n < kColumns; ++n) {
      uint32_t count = c[row * kColumns + n];
      for (int k = 0; k < words; ++k) {
        const uint64_t x = a[row * words + k], y = b[n * words + k];
        count += static_cast<uint32_t>(__builtin_popcountll(exclusive ? x ^ y : x & y));
      }
      d[row * kColumns + n] = count;
    }
}

#if defined(__x86_64__)
#define WL_WIDE __attribute__((target("avx2,fma,popcnt")))
template <TensorInput kType, bool kToHalf, bool kSparse>
WL_WIDE void multiply_wide(TensorShape s, const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) {
  multiply_body<kType, kToHalf, kSparse>(s, a, b, c, d);
}
WL_WIDE void multiply_f64_wide(TensorShape s, const double* a, const double* b, const double* c, double* d) {
  multiply_f64_body(s, a, b, c, d);
}
template <bool kSparse>
WL_WIDE void multiply_integers_wide(bool saturate, TensorShape s, const int32_t* a, const int32_t* b, const int32_t* c,
                                    int32_t* d) {
  multiply_integers_body<kSparse>(saturate, s, a, b, c, d);
}
WL_WIDE void multiply_bits_wide(bool exclusive, TensorShape s, const uint64_t* a, const uint64_t* b, const uint32_t* c,
                                uint32_t* d) {
  multiply_bits_body(exclusive, s, a, b, c, d);
}
bool is_wide() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt");
}
#define WL_DISPATCH(name, kind, ...) (is_wide() ? name##_wide kind(__VA_ARGS__) : name##_body kind(__VA_ARGS__))
#else
template <TensorInput kType, bool kToHalf, bool kSparse>
void multiply_wide(TensorShape s, const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) {
  multiply_body<kType, kToHalf, kSparse>(s, a, b, c, d);
}
bool is_wide() { return false; }
#define WL_DISPATCH(name, kind, ...) name##_body kind(__VA_ARGS__)
#endif

template <TensorInput kType, bool kToHalf>
void multiply(TensorShape s, const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) {
  if (is_wide())
    s.places ? multiply_wide<kType, kToHalf, true>(s, a, b, c, d) : multiply_wide<kType, kToHalf, false>(s, a, b, c, d);
  else
    s.places ? multiply_plain<kType, kToHalf, true>(s, a, b, c, d)
             : multiply_plain<kType, kToHalf, false>(s, a, b, c, d);
}

// e4m3 has no infinity and one NaN, 0x7f; e5m2 is the upper half of an f16. Both fit an f16.
constexpr uint32_t half_of_e4m3(uint32_t x) {
  const uint32_t sign = (x & 0x80) << 8, exponent = x >> 3 & 15, fraction = x & 7;
  if ((x & 0x7f) == 0x7f) return sign | kHalfNan;
  if (exponent != 0) return sign | (exponent + 8) << 10 | fraction << 7;
  if (fraction == 0) return sign;
  const int shift = std::countl_zero(fraction) - 28;  // up to bit 3
  return sign | static_cast<uint32_t>(9 - shift) << 10 | ((fraction << shift) & 7) << 7;
}
constexpr std::array<std::array<uint16_t, 256>, 2> kHalfOfF8 = [] {
  std::array<std::array<uint16_t, 256>, 2> table{};
  for (uint32_t x = 0; x < 256; ++x) {
    table[0][x] = static_cast<uint16_t>(half_of_e4m3(x));
    table[1][x] = static_cast<uint16_t>(x << 8);
  }
  return table;
}();

float of_half(uint32_t x) { return static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(x))); }

uint32_t add(bool half, uint32_t a, uint32_t b) {
  if (!half) {
    const float sum = std::bit_cast<float>(a) + std::bit_cast<float>(b);
    return std::isnan(sum) ? kNan : std::bit_cast<uint32_t>(sum);
  }
  const float sum = of_half(a) + of_half(b);  // exact but for a last place far below an f16's
  return std::isnan(sum) ? kHalfNan : std::bit_cast<uint16_t>(static_cast<_Float16>(sum));
}

}  // namespace

void tensor_multiply(TensorInput type, bool half, TensorShape shape, const uint32_t* a, const uint32_t* b,
                     const uint32_t* c, uint32_t* d) {
  if (type == TensorInput::BF16) return multiply<TensorInput::BF16, false>(shape, a, b, c, d);
  if (type == TensorInput::TF32) return multiply<TensorInput::TF32, false>(shape, a, b, c, d);
  half ? multiply<TensorInput::F16, true>(shape, a, b, c, d) : multiply<TensorInput::F16, false>(shape, a, b, c, d);
}

void tensor_multiply_f8(bool wide_a, bool wide_b, bool half, TensorShape shape, const uint32_t* a, const uint32_t* b,
                        const uint32_t* c, uint32_t* d) {
  uint32_t some_a[kMaxTerms], half_b[kMaxOfB], none[16 * kColumns] = {}, first_sum[16 * kColumns], sum[16 * kColumns];
  uint8_t places[kMaxTerms];
  for (int at = 0; at < shape.rows_of_b() * kColumns; ++at) half_b[at] = kHalfOfF8[wide_b][b[at]];
  // Of a product that is not sparse, B has twice as many rows as are multiplied at a time, too.
  const TensorShape step{shape.rows, shape.depth / 2, places, shape.rows_of_b()};
  for (const int first : {0, 2}) {
    for (int row = 0; row < shape.rows; ++row)
      for (int k = 0; k < step.depth; ++k) {
        const int from = k / 2 * 4 + first + k % 2, at = row * shape.depth + from;
        some_a[row * step.depth + k] = kHalfOfF8[wide_a][a[at]];
        places[row * step.depth + k] = static_cast<uint8_t>(shape.places ? shape.places[at] : from);
      }
    tensor_multiply(TensorInput::F16, half, step, some_a, half_b, first == 0 ? none : first_sum,
                    first == 0 ? first_sum : sum);
  }
  for (int at = 0; at < shape.rows * kColumns; ++at) d[at] = add(half, c[at], sum[at]);
}

void tensor_multiply_integers(bool saturate, TensorShape shape, const int32_t* a, const int32_t* b, const int32_t* c,
                              int32_t* d) {
  if (shape.places)
    WL_DISPATCH(multiply_integers, <true>, saturate, shape, a, b, c, d);
  else
    WL_DISPATCH(multiply_integers, <false>, saturate, shape, a, b, c, d);
}

void tensor_multiply_bits(bool exclusive, TensorShape shape, const uint64_t* a, const uint64_t* b, const uint32_t* c,
                          uint32_t* d) {
  WL_DISPATCH(multiply_bits, , exclusive, shape, a, b, c, d);
}

void tensor_multiply_quarter(bool half, const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) {
  for (int at = 0; at < 8 * kColumns; ++at) {
    float p[4];  // exact
    for (int k = 0; k < 4; ++k) p[k] = of_half(a[at / kColumns * 4 + k]) * of_half(b[k * kColumns + at % kColumns]);
    if (half) {
      const float sum = (of_half(c[at]) + (p[0] + p[1])) + (p[2] + p[3]);
      d[at] = std::isnan(sum) ? kHalfNan : std::bit_cast<uint16_t>(static_cast<_Float16>(sum));
    } else {
      const float sum = std::bit_cast<float>(c[at]) + ((((0.0f + p[0]) + p[1]) + p[2]) + p[3]);
      d[at] = std::isnan(sum) ? kNan : std::bit_cast<uint32_t>(sum);
    }
  }
}

void tensor_multiply_f64(TensorShape shape, const double* a, const double* b, const double* c, double* d) {
  WL_DISPATCH(multiply_f64, , shape, a, b, c, d);
  for (int at = 0; at < shape.rows * kColumns; ++at)
    if (std::isnan(d[at])) d[at] = with_nans(shape.depth, a + at / kColumns * shape.depth, b + at % kColumns, c[at]);
}

}  // namespace warplens::model
