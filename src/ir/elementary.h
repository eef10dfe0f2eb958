// Elementary functions as straight-line code of IEEE double operations: no branch (but for angles of many turns), no
// table, no call, so that a loop over lanes becomes vector code, and every processor computes the same bits, in vectors
// of any length. (The files that include this are compiled with -ffp-contract=off.)
//
// Accurate to about 2^-38, relative, for arguments that come from floats: rounded to float a result is within 0.501
// ulp, which is what device_math.h uses them for. The polynomials are minimax, made with Remez's exchange in 50 digits.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "ir/large_angle.h"

// Vectors are passed between functions that are always inlined: their ABI never matters.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace warplens::ir::elementary {

#define WL_INLINE [[gnu::always_inline]] inline
#define WL_LANES        \
  template <typename D> \
  WL_INLINE

template <typename T, int kCount>
struct VectorOf {
  typedef T Type __attribute__((vector_size(sizeof(T) * kCount)));
};
template <typename D>
inline constexpr int kLanes = sizeof(D) / sizeof(double);
template <typename D>
using Bits = typename VectorOf<uint64_t, kLanes<D>>::Type;
template <typename D>
using Mask = typename VectorOf<int64_t, kLanes<D>>::Type;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kLn2 = 0.69314718055994530942, kLog2e = 1.4426950408889634074, kPi = 3.1415926535897932385;

WL_LANES D all(double c) { return D{} + c; }
WL_LANES D all(D x) { return x; }
WL_LANES Bits<D> bits(D x) { return std::bit_cast<Bits<D>>(x); }
WL_LANES D from_bits(Bits<D> x) { return std::bit_cast<D>(x); }
template <typename M, typename A, typename B>
WL_INLINE auto select(M which, A a, B b) {
  using D = typename VectorOf<double, sizeof(M) / sizeof(double)>::Type;
  return which ? all<D>(a) : all<D>(b);
}

WL_LANES D polynomial(D, double c) { return all<D>(c); }
template <typename D, typename... More>
WL_INLINE D polynomial(D x, double c, More... more) {
  return c + x * polynomial(x, more...);
}

template <typename M>
WL_INLINE bool any_of(M which) {
#ifdef __clang__
  return __builtin_reduce_or(which) != 0;
#else
  int64_t any = 0;
  for (size_t i = 0; i < sizeof(M) / sizeof(any); ++i) any |= which[i];
  return any != 0;
#endif
}

inline constexpr uint64_t kSign = 1ull << 63;
WL_LANES D magnitude(D x) { return from_bits<D>(bits(x) & ~kSign); }
WL_LANES D with_sign(D x, D sign) { return from_bits<D>((bits(x) & ~kSign) | (bits(sign) & kSign)); }
WL_LANES D where_numbers(D x, D y, D value) { return select(x == x, select(y == y, value, kNan), kNan); }
WL_LANES D at_most(D x, double limit) { return select(x > limit, limit, x); }  // NaN stays
WL_LANES D at_least(D x, double limit) { return select(x < limit, limit, x); }
WL_LANES D root(D x) {
#ifdef __clang__
  return __builtin_elementwise_sqrt(x);
#else
  for (int i = 0; i < kLanes<D>; ++i) x[i] = __builtin_sqrt(x[i]);
  return x;
#endif
}

// x, below 2^51, rounded to a whole number; the low bits of `bits` are those of the integer.
template <typename D>
struct Whole {
  D value;
  Bits<D> bits;
};
WL_LANES Whole<D> nearest_whole(D x) {
  const D sum = x + 0x1.8p52;
  return {sum - 0x1.8p52, bits(sum)};
}

// (2^f - 1) / f for f in [-1/2, 1/2].
WL_LANES D power_slope(D f) {
  return polynomial(f, 0x1.62e42fefa3a08p-1, 0x1.ebfbdff81f98fp-3, 0x1.c6b08d703cbd9p-5, 0x1.3b2ab71f85b22p-7,
                    0x1.5d87fea0df623p-10, 0x1.43089ec6c6fadp-13, 0x1.ffcb462d118efp-17, 0x1.63e024b1af8a7p-20,
                    0x1.b684d2ec6f1d4p-24);
}
WL_LANES D bounded_exponent(D x) { return at_least(at_most(x, 1000), -1000); }

// 2^x; beyond what a float holds by far: 2^1000 and 2^-1000.
WL_LANES D exp2(D x) {
  x = bounded_exponent(x);
  const Whole<D> n = nearest_whole(x);
  const D f = x - n.value;
  return from_bits<D>(bits(1 + f * power_slope(f)) + (n.bits << 52));
}
WL_LANES D exp(D x) { return exp2(x * kLog2e); }

// e^x - 1
WL_LANES D expm1(D x) {
  const D y = bounded_exponent(x * kLog2e);
  const Whole<D> n = nearest_whole(y);
  const D f = y - n.value;
  const D scale = from_bits<D>(bits(all<D>(1)) + (n.bits << 52));
  return with_sign(scale * (f * power_slope(f)) + (scale - 1), x);
}

// x = 2^e m with m in [sqrt(1/2), sqrt(2)): e and ln m. x must be a normal number above 0.
template <typename D>
struct Logarithm {
  D e, rest;
};
WL_LANES Logarithm<D> logarithm(D x) {
  const Bits<D> raw = bits(x);
  const Bits<D> biased = (raw - 0x3fe6a09e667f3bcd + (1024ull << 52)) >> 52;
  const D e = from_bits<D>(biased | 0x4330000000000000) - (0x1p52 + 1024);
  const D m = from_bits<D>(raw - ((biased - 1024) << 52));
  const D f = m - 1, s = f / (2 + f), z = s * s;
  return {e, 2 * s + s * z *
                         polynomial(z, 0x1.55555555e49cep-1, 0x1.99999726fa14ap-2, 0x1.2493e4d43f6f8p-2,
                                    0x1.c6383c2e991a5p-3, 0x1.906917ae7cab1p-3)};
}
// `value` is a logarithm of x where x is a number above 0.
WL_LANES D where_logarithm(D x, D value) {
  value = select(x < kInfinity, value, x);
  return select(x > 0, value, select(x == 0, -kInfinity, kNan));
}
WL_LANES D log(D x) {
  const Logarithm<D> l = logarithm(x);
  return where_logarithm(x, l.e * kLn2 + l.rest);
}
WL_LANES D log2(D x) {
  const Logarithm<D> l = logarithm(x);
  return where_logarithm(x, l.e + l.rest * kLog2e);
}
WL_LANES D log10(D x) { return log(x) * 0.43429448190325182765; }
// ln(1 + x), with what rounding 1 + x loses.
WL_LANES D log1p(D x) {
  const D u = 1 + x;
  const Logarithm<D> l = logarithm(u);
  const D value = l.e * kLn2 + (l.rest + (x - (u - 1)) / u);
  return select(x == 0, x, where_logarithm(u, value));
}

// The angle less n quarter turns. Up to kLargeAngle n times each part of pi/2 is exact; lanes with larger angles go one
// by one, and are rare.
inline constexpr double kLargeAngle = 1e6;
template <typename D>
struct Angle {
  D rest;
  Bits<D> quarters;
};
// Replaces those of large angles. D -> quarter turns: whole in bits, the rest as the sum of two.
template <typename D>
struct LargeAngles {
  Mask<D> which;
  bool any;
  D high, low;
  Bits<D> whole;
};
WL_LANES LargeAngles<D> large_angles(D x) {
  LargeAngles<D> large{magnitude(x) > kLargeAngle, false, D{}, D{}, Bits<D>{}};
  large.any = any_of(large.which);
  if (!large.any) return large;
  double given[kLanes<D>], high[kLanes<D>], low[kLanes<D>];
  uint64_t whole[kLanes<D>];
  std::memcpy(given, &x, sizeof x);
  quarter_turns_of_large(kLanes<D>, kLargeAngle, given, high, low, whole);
  std::memcpy(&large.high, high, sizeof x);
  std::memcpy(&large.low, low, sizeof x);
  std::memcpy(&large.whole, whole, sizeof x);
  return large;
}
WL_LANES Angle<D> reduce(D x) {
  const Whole<D> n = nearest_whole(x * (2 / kPi));
  const D rest = ((x - n.value * 0x1.921fb544p+0) - n.value * 0x1.0b4611a6p-34) - n.value * 0x1.3198a2e037073p-69;
  const LargeAngles<D> large = large_angles(x);
  if (!large.any) return {rest, n.bits};
  return {select(large.which, large.high * (kPi / 2), rest), large.which ? large.whole : n.bits};
}
WL_LANES Angle<D> reduce_half_turns(D x) {
  const D small = select(magnitude(x) < 0x1p40, x, x * 0);  // larger floats are even; infinity becomes NaN
  const Whole<D> n = nearest_whole(2 * small);
  return {(small - n.value * 0.5) * kPi, n.bits};
}
WL_LANES D sine_of(D r) {
  const D z = r * r;
  return r + r * z *
                 polynomial(z, -0x1.5555555552442p-3, 0x1.1111110ca3cc2p-7, -0x1.a019f95959b1bp-13,
                            0x1.71d77b4667619p-19, -0x1.a965fd523aeb5p-26);
}
WL_LANES D cosine_of(D r) {
  const D z = r * r;
  return 1 - z * 0.5 +
         z * z *
             polynomial(z, 0x1.5555554f75028p-5, -0x1.6c16b8b80af1ap-10, 0x1.a011301141358p-16, -0x1.242d6b1690ea0p-22);
}
WL_LANES D sine(Angle<D> a) {
  const D value = select((a.quarters & 1) != 0, cosine_of(a.rest), sine_of(a.rest));
  return from_bits<D>(bits(value) ^ (a.quarters & 2) << 62);
}
WL_LANES D sin(D x) { return select(x == 0, x, sine(reduce(x))); }
WL_LANES D cos(D x) {
  const Angle<D> a = reduce(x);
  return sine(Angle<D>{a.rest, a.quarters + 1});
}
WL_LANES D tan(D x) {
  const Angle<D> a = reduce(x);
  const D s = sine_of(a.rest), c = cosine_of(a.rest);
  const D value = select((a.quarters & 1) != 0, -c, s) / select((a.quarters & 1) != 0, s, c);
  return select(x == 0, x, value);
}
// sin(pi x) and cos(pi x), exact at multiples of 1/2; a zero has the argument's sign, that of the cosine none.
WL_LANES D sinpi(D x) {
  const D value = sine(reduce_half_turns(x));
  return select(value == 0, with_sign(D{}, x), value);
}
WL_LANES D cospi(D x) {
  const Angle<D> a = reduce_half_turns(x);
  return sine(Angle<D>{a.rest, a.quarters + 1}) + 0.0;
}

// The angle of (x, y), by the arc tangent of a number below tan(pi/8).
WL_LANES D atan2(D y, D x) {
  const D ax = at_most(magnitude(x), 0x1p900), ay = at_most(magnitude(y), 0x1p900);
  const D most = select(ay > ax, ay, ax), least = select(ay > ax, ax, ay);
  const Mask<D> far = least > 0.41421356237309503 * most;
  const D numerator = select(far, least - most, least), sum = select(far, least + most, most);
  const D t = numerator / select(sum == 0, 1.0, sum), z = t * t;
  D a = t + t * z *
                polynomial(z, -0x1.5555555516c17p-2, 0x1.999999362399ep-3, -0x1.24922ecb09186p-3, 0x1.c715be8e65d64p-4,
                           -0x1.73e453a29bab1p-4, 0x1.361305187a223p-4, -0x1.e30baca079139p-5, 0x1.fb6a620dafc99p-6);
  a = select(far, a + kPi / 4, a);
  a = select(ay > ax, kPi / 2 - a, a);
  a = select(with_sign(all<D>(1), x) < 0, kPi - a, a);
  return where_numbers(x, y, with_sign(a, y));
}
WL_LANES D atan(D x) { return atan2(x, all<D>(1)); }
WL_LANES D asin(D x) { return select(magnitude(x) <= 1, atan2(x, root((1 - x) * (1 + x))), kNan); }
WL_LANES D acos(D x) { return select(magnitude(x) <= 1, atan2(root((1 - x) * (1 + x)), x), kNan); }

WL_LANES D sinh(D x) {
  const D e = expm1(magnitude(x));
  return with_sign(0.5 * (e + e / (e + 1)), x);
}
WL_LANES D cosh(D x) {
  const D e = exp(magnitude(x));
  return 0.5 * (e + 1 / e);
}
WL_LANES D tanh(D x) {
  const D e = expm1(at_most(2 * magnitude(x), 80));
  return with_sign(e / (e + 2), x);
}
WL_LANES D asinh(D x) {
  const D a = magnitude(x), value = log1p(a + a * a / (1 + root(1 + a * a)));
  return with_sign(select(a < kInfinity, value, a), x);
}
WL_LANES D acosh(D x) {
  const D t = x - 1, value = log1p(t + root(2 * t + t * t));
  return select(x >= 1, value, kNan);
}
WL_LANES D atanh(D x) {
  const D a = magnitude(x), value = with_sign(0.5 * log1p(2 * a / (1 - a)), x);
  return select(a < 1, value, select(a == 1, with_sign(all<D>(kInfinity), x), kNan));
}

// |x|^power for the powers +-1/3: x's sign.
WL_LANES D cbrt(D x) {
  const D a = magnitude(x);
  return select(a > 0, select(a < kInfinity, with_sign(exp2(log2(a) / 3), x), x), x);
}
WL_LANES D rcbrt(D x) {
  const D a = magnitude(x);
  return with_sign(select(a > 0, select(a < kInfinity, exp2(log2(a) / -3), 1 / a), 1 / a), x);
}

// x^y as C's pow has it, for floats.
WL_LANES D pow(D x, D y) {
  const D a = magnitude(x), b = magnitude(y);
  const Whole<D> whole = nearest_whole(at_most(b, 0x1p50));
  // Whether y is odd, in the place of a sign: a number of 2^24 and more is even.
  const Bits<D> odd = bits(select(b < 0x1p24, from_bits<D>(whole.bits << 63), D{}));
  const D sign = select(whole.value == b, from_bits<D>(odd & bits(x)), D{});
  const D value = exp2(y * log2(a));
  D r = select(a == 1, select(b == kInfinity, 1.0, value), value);
  const D of_negative = select(b >= 0x1p24, r, select(whole.value == b, r, kNan));
  r = select(x < 0, select(a < kInfinity, of_negative, r), r);
  r = where_numbers(x, y, from_bits<D>(bits(r) | bits(sign)));
  return select(x == 1, 1.0, select(y == 0, 1.0, r));
}

// e^(a^2) (1 - erf a) for a >= 0.
WL_LANES D scaled_erfc_above_0(D a) {
  a = at_most(a, 0x1p900);
  const D t = (a - 2) / (a + 2);
  return polynomial(t, 0x1.46e80e22773d5p+0, -0x1.7bf5ec1799b51p-4, -0x1.5407bebd1ced5p-3, 0x1.4ffa1e2847793p-3,
                    -0x1.bc2b966b7cd00p-5, -0x1.07424b2c199efp-7, 0x1.1dd31fbf6736cp-7, 0x1.4d4c74f6ff717p-10,
                    -0x1.7def12cd3eb0ap-10, -0x1.dce38834190d0p-12, 0x1.b1e1b41d910c4p-13, 0x1.3f86b5732ebedp-13,
                    -0x1.5ec7bd995f365p-19, -0x1.45ca7c52a7c99p-15, -0x1.96bcd2f400209p-17, 0x1.b507acf3e790fp-18,
                    0x1.235040b024a5dp-18, -0x1.164f4b89b82d8p-21, -0x1.474fc8fd8aa4dp-21) /
         (1 + 2 * a);
}
WL_LANES D erf_near_0(D x) {
  return x * polynomial(x * x, 0x1.20dd750429b1cp+0, -0x1.812746b027a7ap-2, 0x1.ce2f2197f51c1p-4, -0x1.b82ce1655a187p-6,
                        0x1.565ba0fbd6bcfp-8, -0x1.c0287d957f7dbp-11, 0x1.f942a4384e7e0p-14, -0x1.f0777004b84afp-17,
                        0x1.9afed050cf280p-20, -0x1.c2107ca89057dp-24);
}
WL_LANES D erfc(D x) {
  const D a = magnitude(x), tail = exp(-a * a) * scaled_erfc_above_0(a);
  return select(a < 1, 1 - erf_near_0(x), select(x < 0, 2 - tail, select(x == x, tail, x)));
}
WL_LANES D erf(D x) {
  const D a = magnitude(x);
  return select(a < 1, erf_near_0(x), with_sign(1 - exp(-a * a) * scaled_erfc_above_0(a), x));
}
WL_LANES D erfcx(D x) {
  const D a = magnitude(x), value = scaled_erfc_above_0(a);
  return select(x < 0, 2 * exp(a * a) - value, value);
}
WL_LANES D normcdf(D x) { return 0.5 * erfc(x * -0.70710678118654752440); }

WL_LANES D truncated_below_2_51(D x) {  // x >= 0
  const D whole = nearest_whole(x).value;
  return select(whole > x, whole - 1, whole);
}
// The root of a sum of squares: infinite if an argument is, even beside a NaN.
WL_LANES D hypot(D x, D y) {
  const D value = root(x * x + y * y);
  return select(magnitude(x) == kInfinity, kInfinity, select(magnitude(y) == kInfinity, kInfinity, value));
}
WL_LANES D norm3d(D x, D y, D z) {
  const D value = root(x * x + y * y + z * z), other = hypot(x, y);
  return select(other == kInfinity, kInfinity, select(magnitude(z) == kInfinity, kInfinity, value));
}

WL_LANES D norm4d(D x, D y, D z, D w) {
  const D value = root((x * x + y * y) + (z * z + w * w)), other = norm3d(x, y, z);
  return select(other == kInfinity, kInfinity, select(magnitude(w) == kInfinity, kInfinity, value));
}

}  // namespace warplens::ir::elementary
