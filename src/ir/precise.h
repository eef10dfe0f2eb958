// Elementary functions of doubles, in the manner of elementary.h: straight-line code of IEEE 754 operations, the fused
// multiply-add among them, for vectors of any length, and the same bits on every processor.
//
// A result is a sum high + low that is rounded once at the end, so most are within 0.55 ulp (docs/math.md). What is
// known to be exact is kept so: a product's error is a fused multiply-add (Dekker), a sum's six operations (Knuth), and
// arguments are reduced by constants of so few bits that their multiples are exact (Cody and Waite). The polynomials
// are minimax, made with Remez's exchange in 45 digits.
#pragma once
#include "ir/elementary.h"

namespace warplens::ir::precise {

using elementary::all;
using elementary::at_least;
using elementary::at_most;
using elementary::Bits;
using elementary::bits;
using elementary::from_bits;
using elementary::kInfinity;
using elementary::kLanes;
using elementary::kNan;
using elementary::magnitude;
using elementary::Mask;
using elementary::nearest_whole;
using elementary::root;
using elementary::select;
using elementary::where_numbers;
using elementary::Whole;
using elementary::with_sign;

WL_LANES D fma(D x, D y, D z) {
  for (int i = 0; i < kLanes<D>; ++i) x[i] = __builtin_fma(x[i], y[i], z[i]);
  return x;
}
WL_LANES D polynomial(D, double c) { return all<D>(c); }
template <typename D, typename... More>
WL_INLINE D polynomial(D x, double c, More... more) {
  return fma(x, polynomial(x, more...), all<D>(c));
}

// high + low; low is at most about a unit of high's last place.
template <typename D>
struct Pair {
  D high, low;
};
template <typename D>
WL_INLINE Pair<D> operator-(Pair<D> x) {
  return {-x.high, -x.low};
}
WL_LANES D sum_of(Pair<D> x) { return x.high + x.low; }
// x + y exactly, for |x| >= |y|, or where less is enough.
WL_LANES Pair<D> quick_sum(D x, D y) {
  const D s = x + y;
  return {s, y - (s - x)};
}
WL_LANES Pair<D> exact_sum(D x, D y) {
  const D s = x + y, b = s - x;
  return {s, (x - (s - b)) + (y - b)};
}
WL_LANES Pair<D> exact_product(D x, D y) {
  const D p = x * y;
  return {p, fma(x, y, -p)};
}
template <typename D>
WL_INLINE Pair<D> add(Pair<D> x, Pair<D> y) {
  const Pair<D> s = exact_sum(x.high, y.high);
  return quick_sum(s.high, s.low + (x.low + y.low));
}
template <typename D>
WL_INLINE Pair<D> add(Pair<D> x, D y) {
  const Pair<D> s = exact_sum(x.high, y);
  return quick_sum(s.high, s.low + x.low);
}
template <typename D>
WL_INLINE Pair<D> multiply(Pair<D> x, Pair<D> y) {
  const Pair<D> p = exact_product(x.high, y.high);
  return {p.high, p.low + fma(x.high, y.low, x.low * y.high)};
}
template <typename D>
WL_INLINE Pair<D> divide(Pair<D> x, Pair<D> y) {
  const D q = x.high / y.high;
  return {q, (fma(-q, y.high, x.high) + fma(-q, y.low, x.low)) / y.high};
}
template <typename D>
WL_INLINE Pair<D> inverse(Pair<D> x) {
  const D q = 1 / x.high;
  return {q, q * fma(-q, x.low, fma(-q, x.high, all<D>(1)))};
}
template <typename D>
WL_INLINE Pair<D> root(Pair<D> x) {  // 0 for 0
  const D r = root(x.high), rest = fma(-r, r, x.high) + x.low;
  return {r, select(r > 0, rest / (2 * r), 0.0)};
}
template <typename D>
WL_INLINE Pair<D> select(Mask<D> which, Pair<D> x, Pair<D> y) {
  return {elementary::select(which, x.high, y.high), elementary::select(which, x.low, y.low)};
}
WL_LANES Pair<D> constant(double high, double low) { return {all<D>(high), all<D>(low)}; }

// x 2^n, rounded once: 2^n in two factors, either of which is a normal number. n: the integer of a Whole, above -2000
// and below 2000.
WL_LANES D scaled(D x, Bits<D> n) {
  const Bits<D> biased = n - bits(all<D>(0x1.8p52)) + 2046, half = biased >> 1;
  return x * from_bits<D>(half << 52) * from_bits<D>((biased - half) << 52);
}

// ---- exponentials

inline constexpr double kLn2 = 0x1.62e42fefa39efp-1, kLn2Low = 0x1.abc9e3b39803fp-56;
inline constexpr double kShortLn2 = 0x1.62e42fefa3000p-1, kShortLn2Low = 0x1.3de6af278ece6p-42;
inline constexpr double kLog2e = 0x1.71547652b82fep+0, kLog2eLow = 0x1.777d0ffda0d24p-56;

// e^r for |r| up to ln(2) / 2.
template <typename D>
WL_INLINE Pair<D> exp_of_rest(Pair<D> r) {
  const D x = r.high;
  const Pair<D> square = exact_product(x, x), a = quick_sum(x, 0.5 * square.high), s = quick_sum(all<D>(1), a.high);
  const D p = polynomial(x, 0x1.555555555555bp-3, 0x1.555555555555dp-5, 0x1.111111110ec44p-7, 0x1.6c16c16c1377dp-10,
                         0x1.a01a01b3915a3p-13, 0x1.a01a01b3e1c6ep-16, 0x1.71ddefe26dd3cp-19, 0x1.27e4bff667852p-22,
                         0x1.af6c654cabca2p-26, 0x1.1f9cf159e69a5p-29);
  const D small = fma(x * square.high, p, fma(all<D>(0.5), square.low, fma(r.low, x, r.low)));
  return {s.high, s.low + (a.low + small)};
}
template <typename D>
struct Power {  // value 2^n
  Pair<D> value;
  Bits<D> n;
};
// e^(x + low), |x| below 2000.
WL_LANES Power<D> power_of_e(D x, D low) {
  const Whole<D> n = nearest_whole(x * kLog2e);
  const D rest = fma(n.value, all<D>(-kShortLn2), x);
  const Pair<D> r = exact_sum(rest, n.value * -kShortLn2Low);
  return {exp_of_rest(quick_sum(r.high, r.low + low)), n.bits};
}
// 2^(x + low), |x| below 2000.
WL_LANES Power<D> power_of_2(D x, D low) {
  const Whole<D> n = nearest_whole(x);
  return {exp_of_rest(multiply(quick_sum(x - n.value, low), constant<D>(kLn2, kLn2Low))), n.bits};
}
template <typename D>
WL_INLINE D value_of(Power<D> p) {
  return scaled(sum_of(p.value), p.n);
}
WL_LANES D exp(D x) { return value_of(power_of_e(at_least(at_most(x, 720), -760), D{})); }
WL_LANES D exp2(D x) { return value_of(power_of_2(at_least(at_most(x, 1100), -1100), D{})); }
WL_LANES D exp10(D x) {
  x = at_least(at_most(x, 320), -340);
  const Whole<D> n = nearest_whole(x * 0x1.a934f0979a371p+1);
  const D rest = fma(n.value, all<D>(-0x1.34413509f7000p-2), x);
  const Pair<D> r = exact_sum(rest, n.value * -0x1.3fde623e2566bp-43);
  return value_of(
      Power<D>{exp_of_rest(multiply(r, constant<D>(0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53))), n.bits});
}

// (e^x - 1) / 2, half because it is finite wherever sinh is.
inline constexpr double kLargestOfSinh = 710.47586007394386;
WL_LANES Pair<D> half_expm1(D x) {
  const Power<D> p = power_of_e(x, D{});
  return add(Pair<D>{scaled(p.value.high, p.n - 1), scaled(p.value.low, p.n - 1)}, all<D>(-0.5));
}
WL_LANES D expm1(D x) {
  const D value = 2 * sum_of(half_expm1(at_least(at_most(x, 710), -50)));
  return select(magnitude(x) < 0x1p-60, x, value);
}
WL_LANES D sinh(D x) {
  const D a = magnitude(x);
  const Pair<D> h = half_expm1(at_most(a, kLargestOfSinh));
  // h + h / (2 h + 1); the quotient is 1/2 long before its parts overflow.
  const Pair<D> small = {at_most(h.high, 0x1p60), select(h.high < 0x1p60, h.low, 0.0)};
  const Pair<D> other = divide(small, add(Pair<D>{2 * small.high, 2 * small.low}, all<D>(1)));
  D value = sum_of(add(h, other));
  value = select(a > kLargestOfSinh, kInfinity, value);
  return select(a < 0x1p-28, x, with_sign(value, x));
}
WL_LANES D cosh(D x) {
  const D a = magnitude(x);
  const Pair<D> half = add(half_expm1(at_most(a, kLargestOfSinh)), all<D>(0.5)), other = inverse(half);
  const D value = sum_of(add(half, Pair<D>{0.25 * other.high, 0.25 * other.low}));
  return select(a > kLargestOfSinh, kInfinity, value);
}
WL_LANES D tanh(D x) {
  const D a = magnitude(x);
  const Pair<D> h = half_expm1(2 * at_most(a, 20));
  return select(a < 0x1p-28, x, with_sign(sum_of(divide(h, add(h, all<D>(1)))), x));
}

// ---- logarithms

// x = 2^e m with m in [sqrt(1/2), sqrt(2)), of any x above 0, and ln m = 2 s + s^3 (2/3 + ...), s = (m - 1) / (m + 1).
template <typename D>
struct Reduced {
  D e;
  Pair<D> s;
};
WL_LANES Reduced<D> reduce_for_log(D x) {
  const Mask<D> small = x < 0x1p-1022;
  const Bits<D> raw = bits(select(small, x * 0x1p54, x));
  const Bits<D> biased = (raw - 0x3fe6a09e667f3bcd + (1024ull << 52)) >> 52;
  const D e = from_bits<D>(biased | 0x4330000000000000) - select(small, 0x1p52 + (1024 + 54), 0x1p52 + 1024);
  const D m = from_bits<D>(raw - ((biased - 1024) << 52));
  return {e, divide(Pair<D>{m - 1, D{}}, quick_sum(all<D>(1), m))};
}
template <typename D>
struct Logarithm {  // e ln 2 + rest
  D e;
  Pair<D> rest;  // low is up to a hundredth of high
};
WL_LANES Logarithm<D> logarithm(D x) {
  const Reduced<D> r = reduce_for_log(x);
  const D s = r.s.high, z = s * s;
  const D p = polynomial(z, 0x1.5555555555555p-1, 0x1.9999999999e0ap-2, 0x1.249249242a610p-2, 0x1.c71c725a12a43p-3,
                         0x1.745cdddb0cd89p-3, 0x1.3b20bbad9e69ap-3, 0x1.0f5b5018ba407p-3, 0x1.0f70e4cf81ceap-3);
  return {r.e, {2 * s, fma(s * z, p, 2 * r.s.low)}};
}
// To about 2^-66, relative.
WL_LANES Logarithm<D> long_logarithm(D x) {
  const Reduced<D> r = reduce_for_log(x);
  const Pair<D> z = multiply(r.s, r.s);
  const D p = z.high * polynomial(z.high, 0x1.999999999999ap-2, 0x1.249249249246ep-2, 0x1.c71c71c7228b0p-3,
                                  0x1.745d174172a4dp-3, 0x1.3b13b316264cap-3, 0x1.1110935a58a6dp-3,
                                  0x1.e20bbf97f430ep-4, 0x1.aae78107cd5d9p-4, 0x1.c33cb928f7134p-4);
  const Pair<D> series = add(constant<D>(0x1.5555555555555p-1, 0x1.5555555555555p-55), p);
  const Pair<D> tail = multiply(multiply(r.s, z), series);
  return {r.e, add(Pair<D>{2 * r.s.high, 2 * r.s.low}, tail)};
}
using elementary::where_logarithm;
template <typename D>
WL_INLINE D natural(Logarithm<D> l, D correction) {
  const Pair<D> s = exact_sum(l.e * kShortLn2, l.rest.high);
  return s.high + (s.low + (fma(l.e, all<D>(kShortLn2Low), l.rest.low) + correction));
}
WL_LANES D log(D x) { return where_logarithm(x, natural(logarithm(x), D{})); }
// log2 of x's rest, as a sum with e.
template <typename D>
WL_INLINE Pair<D> binary(Logarithm<D> l) {
  const Pair<D> rest = multiply(l.rest, constant<D>(kLog2e, kLog2eLow)), s = exact_sum(l.e, rest.high);
  return quick_sum(s.high, s.low + rest.low);
}
WL_LANES D log2(D x) { return where_logarithm(x, sum_of(binary(logarithm(x)))); }
WL_LANES D log10(D x) {
  const Logarithm<D> l = logarithm(x);
  const Pair<D> rest = multiply(l.rest, constant<D>(0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57));
  const Pair<D> s = exact_sum(l.e * 0x1.34413509f7000p-2, rest.high);
  return where_logarithm(x, s.high + (s.low + fma(l.e, all<D>(0x1.3fde623e2566bp-43), rest.low)));
}
// ln(1 + x.high + x.low), plus shift ln 2.
template <typename D>
WL_INLINE D log1p_of(Pair<D> x, D shift) {
  const Pair<D> s = exact_sum(all<D>(1), x.high);
  const D u = s.high, c = (s.low + x.low) / u;
  Logarithm<D> l = logarithm(u);
  l.e += shift;
  return natural(l, c - 0.5 * (c * c));
}
WL_LANES D log1p(D x) {
  return select(magnitude(x) < 0x1p-54, x,
                where_logarithm(1 + x, log1p_of(Pair<D>{at_most(x, 0x1.fffffffffffffp1023), D{}}, D{})));
}
// From 2^30 on ln(2 x), as ln(1 + (x - 1)) + ln 2.
WL_LANES D asinh(D x) {
  const D a = magnitude(x), b = at_most(a, 0x1p30);
  const Pair<D> near = quick_sum(b, b * (b / (1 + root(fma(b, b, all<D>(1))))));
  const Mask<D> far = a > 0x1p30;
  const D value = log1p_of(select(far, Pair<D>{a, all<D>(-1)}, near), select(far, 1.0, D{}));
  return select(a < 0x1p-28, x, with_sign(select(a < kInfinity, value, a), x));
}
WL_LANES D acosh(D x) {
  const D b = at_most(x, 0x1p30), t = b - 1;
  const Mask<D> far = x > 0x1p30;
  const Pair<D> near = exact_sum(t, root(t * (b + 1)));
  const D value = log1p_of(select(far, Pair<D>{x, all<D>(-1)}, near), select(far, 1.0, D{}));
  return select(x >= 1, select(x < kInfinity, value, x), kNan);
}
WL_LANES D atanh(D x) {
  const D a = magnitude(x);
  const Pair<D> t = divide(Pair<D>{2 * a, D{}}, quick_sum(all<D>(1), -a));
  const D value = with_sign(0.5 * log1p_of(t, D{}), x);
  return select(a < 0x1p-28, x, select(a < 1, value, select(a == 1, with_sign(all<D>(kInfinity), x), kNan)));
}

// ---- powers

WL_LANES Mask<D> is_whole(D b) {  // b >= 0
  return select(b < 0x1p52, (b + 0x1p52) - 0x1p52, b) == b;
}
// x^y as C's pow has it.
WL_LANES D pow(D x, D y) {
  const D a = magnitude(x), b = magnitude(y), bounded = with_sign(at_most(b, 0x1p70), y);
  const Pair<D> l = binary(long_logarithm(a));
  Pair<D> p = multiply(l, Pair<D>{bounded, D{}});
  const Mask<D> plain = magnitude(p.high) < 1100;
  p = {at_least(at_most(p.high, 1100), -1100), select(plain, p.low, 0.0)};
  D r = value_of(power_of_2(p.high, p.low));
  const D of_zero = select(y < 0, kInfinity, 0.0), of_infinity = select(y < 0, 0.0, kInfinity);
  r = select(a == 0, of_zero, select(a == kInfinity, of_infinity, r));
  const D odd = select(is_whole(b), select(is_whole(0.5 * b), D{}, x), D{});  // x, whose sign the result then has
  const D of_negative = select(a < kInfinity, select(a > 0, select(is_whole(b), r, kNan), r), r);
  r = select(x < 0, of_negative, r);
  r = where_numbers(x, y, with_sign(r, odd));
  return select(x == 1, 1.0, select(y == 0, 1.0, r));
}

// x = m 2^(3 q), m in [1, 8): the cube root of m, and 2^q.
template <typename D>
struct CubeRoot {
  Pair<D> of_m;
  Bits<D> q;  // of a Whole
};
WL_LANES CubeRoot<D> cube_root(D x) {
  const Mask<D> small = x < 0x1p-1022;
  const Bits<D> raw = bits(select(small, x * 0x1p54, x));
  const D e = from_bits<D>((raw >> 52) | 0x4330000000000000) - (0x1p52 + 1023);
  const Whole<D> third = nearest_whole((e - 1) * (1.0 / 3));
  const D m = from_bits<D>(raw - ((third.bits * 3) << 52));
  const D t = elementary::exp2(elementary::log2(m) / 3);
  const Pair<D> square = exact_product(t, t), cube = multiply(square, Pair<D>{t, D{}});
  const D step = ((m - cube.high) - cube.low) / (3 * square.high);
  return {quick_sum(t, step), third.bits - (Bits<D>)(small & 18)};
}
WL_LANES D cbrt(D x) {
  const D a = magnitude(x);
  const CubeRoot<D> r = cube_root(a);
  return select(a > 0, select(a < kInfinity, with_sign(scaled(sum_of(r.of_m), r.q), x), x), x);
}
WL_LANES D rcbrt(D x) {
  const D a = magnitude(x);
  const CubeRoot<D> r = cube_root(a);
  const Bits<D> negative = 2 * bits(all<D>(0x1.8p52)) - r.q;
  const D value = scaled(sum_of(inverse(r.of_m)), negative);
  return with_sign(select(a > 0, select(a < kInfinity, value, 1 / a), 1 / a), x);
}

// The root of a sum of squares of numbers scaled by a power of two near the largest: infinite if one is, even beside a
// NaN.
template <typename D>
struct Norm {
  Pair<D> root;
  D scale, back;  // 2^e and 2^-e
  Mask<D> infinite;
};
template <typename D, typename... X>
WL_INLINE Norm<D> norm_of(D x, X... more) {
  D most = magnitude(x);
  ((most = select(magnitude(more) > most, magnitude(more), most)), ...);
  const D of_power = from_bits<D>(bits(at_most(at_least(most, 0x1p-900), 0x1p900)) & (2047ull << 52));
  const D scale = from_bits<D>((2046ull << 52) - bits(of_power));
  Pair<D> sum = exact_product(x * scale, x * scale);
  ((sum = add(sum, exact_product(more * scale, more * scale))), ...);
  Mask<D> infinite = magnitude(x) == kInfinity;
  ((infinite |= magnitude(more) == kInfinity), ...);
  return {root(sum), scale, of_power, infinite};
}
template <typename D, typename... X>
WL_INLINE D norm(D x, X... more) {
  const Norm<D> n = norm_of(x, more...);
  return select(n.infinite, kInfinity, sum_of(n.root) * n.back);
}
template <typename D, typename... X>
WL_INLINE D rnorm(D x, X... more) {
  const Norm<D> n = norm_of(x, more...);
  const D value = select(n.root.high > 0, sum_of(inverse(n.root)), 1 / n.root.high);
  return select(n.infinite, 0.0, value * n.scale);
}

// ---- trigonometry

template <typename D>
struct Angle {
  Pair<D> rest;  // up to an eighth of a turn
  Bits<D> quarters;
};
// For |x| up to kLargeAngle: n times the first two parts of pi/2 is exact, and so are the differences.
inline constexpr double kLargeAngle = 1e6;
WL_LANES Angle<D> reduce(D x) {
  const Whole<D> n = nearest_whole(x * 0x1.45f306dc9c883p-1);
  const D first = fma(n.value, all<D>(-0x1.921fb544p+0), x);
  const Pair<D> second = exact_sum(first, n.value * -0x1.0b4611a6p-34);
  const Pair<D> part = exact_product(n.value, all<D>(-0x1.3198a2e037073p-69));
  const Pair<D> third = exact_sum(second.high, part.high);
  const D low = third.low + (second.low + fma(n.value, all<D>(-0x1.129024e088a68p-123), part.low));
  return {quick_sum(third.high, low), n.bits};
}
// x in half turns. Numbers of 2^53 and more are even.
WL_LANES Angle<D> reduce_half_turns(D x) {
  const D a = magnitude(x), half = 0.5 * a, turns = (half + 0x1p52) - 0x1p52;
  const D rest = select(a < 0x1p53, a - 2 * turns, a * 0);  // infinity becomes NaN
  const Whole<D> n = nearest_whole(2 * rest);
  return {multiply(Pair<D>{fma(n.value, all<D>(-0.5), rest), D{}},
                   constant<D>(0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53)),
          n.bits};
}

template <typename D>
WL_INLINE Pair<D> sine_of(Pair<D> r) {
  const D x = r.high, z = x * x;
  const D s = polynomial(z, -0x1.5555555555555p-3, 0x1.111111111110bp-7, -0x1.a01a01a018ad9p-13, 0x1.71de3a533866dp-19,
                         -0x1.ae645296abfcdp-26, 0x1.6120918c31e04p-33, -0x1.aaa4a3b3e007ap-41);
  return quick_sum(x, fma(x * z, s, r.low * fma(z, all<D>(-0.5), all<D>(1))));
}
template <typename D>
WL_INLINE Pair<D> cosine_of(Pair<D> r) {
  const D x = r.high;
  const Pair<D> z = exact_product(x, x);
  const D c = polynomial(z.high, 0x1.5555555555555p-5, -0x1.6c16c16c16c10p-10, 0x1.a01a01a018ddcp-16,
                         -0x1.27e4fb75fc747p-22, 0x1.1eed8ca271689p-29, -0x1.939336c9e062dp-37, 0x1.aac4fb77d1610p-45);
  const Pair<D> s = quick_sum(all<D>(1), -0.5 * z.high);
  return quick_sum(s.high, s.low + fma(z.high * z.high, c, -fma(x, r.low, 0.5 * z.low)));
}
template <typename D>
WL_INLINE Mask<D> is_odd(Bits<D> n) {
  return (Mask<D>)(n & 1) != 0;
}
template <typename D>
WL_INLINE D sine(Angle<D> a) {
  const Pair<D> value = select(is_odd<D>(a.quarters), cosine_of(a.rest), sine_of(a.rest));
  return from_bits<D>(bits(sum_of(value)) ^ ((a.quarters & 2) << 62));
}
template <typename D>
WL_INLINE D cosine(Angle<D> a) {
  return sine(Angle<D>{a.rest, a.quarters + 1});
}
template <typename D>
WL_INLINE D tangent(Angle<D> a) {
  const Pair<D> s = sine_of(a.rest), c = cosine_of(a.rest);
  const Mask<D> odd = is_odd<D>(a.quarters);
  return sum_of(divide(select(odd, -c, s), select(odd, s, c)));
}
WL_LANES D sin(D x) { return select(magnitude(x) < 0x1p-27, x, sine(reduce(x))); }
WL_LANES D cos(D x) { return cosine(reduce(x)); }
WL_LANES D tan(D x) { return select(magnitude(x) < 0x1p-27, x, tangent(reduce(x))); }
WL_LANES D sinpi(D x) {
  const D value = sine(reduce_half_turns(x));
  return select(value == 0, with_sign(D{}, x), from_bits<D>(bits(value) ^ (bits(x) & elementary::kSign)));
}
WL_LANES D cospi(D x) { return cosine(reduce_half_turns(x)) + 0.0; }

// The angle of (x, y), neither of them both infinite or far from 1; `negative`: x's sign.
template <typename D>
WL_INLINE D angle_above_0(Pair<D> x, Pair<D> y, Mask<D> negative) {
  const Mask<D> steep = y.high > x.high;
  const Pair<D> most = select(steep, y, x), least = select(steep, x, y);
  const Mask<D> far = least.high > 0.41421356237309503 * most.high;
  const Pair<D> q = divide(select(far, add(least, -most), least), select(far, add(least, most), most));
  const D t = q.high, z = t * t;
  const D p = polynomial(z, -0x1.5555555555555p-2, 0x1.9999999999970p-3, -0x1.24924924909f3p-3, 0x1.c71c71c60baa0p-4,
                         -0x1.745d17123808dp-4, 0x1.3b13aaf1f85d0p-4, -0x1.11108c3e5b905p-4, 0x1.e1d293939f386p-5,
                         -0x1.ae8889c938fb0p-5, 0x1.8177ca5f1cc8ap-5, -0x1.4c22c19908b05p-5, 0x1.e4e523621c41dp-6,
                         -0x1.a8d394f6b66e5p-7);
  const D low = fma(t * z, p, q.low * (1 - z));
  // The octant's angle, k pi/4, plus or minus that.
  D k = select(far, 1.0, 0.0), sign = all<D>(1);
  k = select(steep, 2 - k, k), sign = select(steep, -sign, sign);
  k = select(negative, 4 - k, k), sign = select(negative, -sign, sign);
  const Pair<D> base = multiply(Pair<D>{k, D{}}, constant<D>(0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55));
  const Pair<D> s = exact_sum(base.high, sign * t);
  return s.high + (s.low + fma(sign, low, base.low));
}
WL_LANES Mask<D> is_negative(D x) { return with_sign(all<D>(1), x) < 0; }
WL_LANES D atan2(D y, D x) {
  D ax = magnitude(x), ay = magnitude(y);
  const Mask<D> infinite = select(ax == kInfinity, 1.0, select(ay == kInfinity, 1.0, 0.0)) != 0;
  const D most = select(ay > ax, ay, ax);
  const D scale = select(most > 0x1p500, 0x1p-500, select(most < 0x1p-500, 0x1p500, 1.0));
  const D x1 = select(infinite, select(ax == kInfinity, 1.0, 0.0), select(most == 0, 1.0, ax * scale));
  const D y1 = select(infinite, select(ay == kInfinity, 1.0, 0.0), ay * scale);
  const D value = angle_above_0(Pair<D>{x1, D{}}, Pair<D>{y1, D{}}, is_negative(x));
  return where_numbers(x, y, with_sign(value, y));
}
WL_LANES D atan(D x) {
  const D a = magnitude(x), y = at_most(a, 0x1p100);
  return with_sign(angle_above_0(Pair<D>{all<D>(1), D{}}, Pair<D>{y, D{}}, all<D>(1) < 0), x);
}
// The root of 1 - x^2.
WL_LANES Pair<D> other_side(D x) {
  const Pair<D> square = exact_product(x, x), rest = quick_sum(all<D>(1), -square.high);
  return root(quick_sum(rest.high, rest.low - square.low));
}
WL_LANES D asin(D x) {
  const D a = magnitude(x), value = angle_above_0(other_side(x), Pair<D>{a, D{}}, all<D>(1) < 0);
  return select(a <= 1, with_sign(value, x), kNan);
}
WL_LANES D acos(D x) {
  const D a = magnitude(x), value = angle_above_0(Pair<D>{a, D{}}, other_side(x), is_negative(x));
  return select(a <= 1, value, kNan);
}

// ---- error functions

// e^(a^2) (1 - erf a) for a >= 0.
WL_LANES D scaled_erfc_above_0(D a) {
  const D b = at_most(a, 0x1p60), t = (b - 2) / (b + 2);
  const D p = polynomial(t, 0x1.46e80e2277953p+0, -0x1.7bf5ec1700631p-4, -0x1.5407bebf32443p-3, 0x1.4ffa1e14e278ep-3,
                         -0x1.bc2b956198a79p-5, -0x1.0742340480f2cp-7, 0x1.1dd2ec90a4271p-7, 0x1.4d461d2f8f311p-10,
                         -0x1.7de520f8dd15bp-10, -0x1.dc6933b48da8ap-12, 0x1.b0c88654b951fp-13, 0x1.3cc0c6a269606p-13,
                         -0x1.952f3043f4f9ap-20, -0x1.318fa90132af6p-15, -0x1.c4cfe075b96edp-17, 0x1.f33587a9e8f98p-19,
                         0x1.5ef4c18768ebep-18, 0x1.8de01885bf2fbp-20, -0x1.7b46d07f9349dp-21, -0x1.ab9e7bcba3d8cp-21,
                         -0x1.0ae0290e03ca2p-22, 0x1.837763ec7e2f7p-24, 0x1.3ea1f41b395cbp-23, 0x1.277e4b3706c8fp-24,
                         -0x1.6537050ad5976p-26, -0x1.52277e0927d91p-25, -0x1.08d15787f8eb5p-27, 0x1.434c1ebb7d03dp-27,
                         0x1.04110ceabb738p-28, -0x1.030aa9ad9fd3cp-30, -0x1.1c351c34ded49p-31);
  return 0.5 * p / (a + 0.5);
}
WL_LANES D erf_near_0(D x) {  // |x| < 1
  const D z = x * x;
  const D p = polynomial(z, -0x1.812746b0379e7p-2, 0x1.ce2f21a042be2p-4, -0x1.b82ce31288b47p-6, 0x1.565bcd0e6a2c6p-8,
                         -0x1.c02db4003552dp-11, 0x1.f9a326f792c5bp-14, -0x1.f4d25bf6e38bfp-17, 0x1.b9e6c357dff03p-20,
                         -0x1.5f73c0d2850cdp-23, 0x1.fcbaf8c7b5a0ap-27, -0x1.517b6ab7d3f46p-30, 0x1.9a03279f719f8p-34,
                         -0x1.b3cdfb0e43a9bp-38, 0x1.3b6f0499e336bp-42);
  return fma(x, all<D>(0x1.20dd750429b6dp+0), x * fma(z, p, all<D>(0x1.1ae3a914fed80p-56)));
}
// e^-(a + low)^2 (e^(a^2) erfc a), for a >= 0.
WL_LANES D erfc_tail(D a, D low) {
  a = at_most(a, 30);
  const Pair<D> square = exact_product(a, a);
  return value_of(power_of_e(-square.high, -fma(2 * a, low, square.low))) * scaled_erfc_above_0(a);
}
// erfc(x + low)
WL_LANES D erfc_of(Pair<D> x) {
  const D a = magnitude(x.high), tail = erfc_tail(a, with_sign(all<D>(1), x.high) * x.low);
  const D of_tail = select(x.high < 0, 2 - tail, tail);
  return select(a < 0.5, 1 - erf_near_0(x.high), select(a == a, of_tail, a));
}
WL_LANES D erfc(D x) { return erfc_of(Pair<D>{x, D{}}); }
WL_LANES D erf(D x) {
  const D a = magnitude(x);
  return select(a < 1, erf_near_0(x), with_sign(1 - erfc_tail(a, D{}), x));
}
WL_LANES D erfcx(D x) {
  const D a = magnitude(x), b = at_most(a, 30);
  const Pair<D> square = exact_product(b, b);
  const D power = value_of(power_of_e(square.high, square.low));
  const D value = select(a < 0.5, power * (1 - erf_near_0(at_most(a, 1))), scaled_erfc_above_0(a));
  return select(x < 0, 2 * power - value, value);
}
WL_LANES D normcdf(D x) {
  x = at_least(at_most(x, 60), -60);
  return 0.5 * erfc_of(multiply(Pair<D>{x, D{}}, constant<D>(-0x1.6a09e667f3bcdp-1, 0x1.bdd3413b26456p-55)));
}

}  // namespace warplens::ir::precise
