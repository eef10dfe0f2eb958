// Elementary functions of doubles, in the manner of elementary.h; those of angles, the error, gamma and Bessel
// functions stand in files of their own beside this one. They are made of IEEE 754 operations, the fused multiply-add
// among them, for vectors of any length, and give the same bits on every processor.
//
// A result is a sum high + low that is rounded once at the end, so most are within 0.7 ulp (docs/math.md). What is
// known to be exact is kept so: a product's error is a fused multiply-add (Dekker), a sum's six operations (Knuth), and
// arguments are reduced by constants of so few bits that their multiples are exact (Cody and Waite). The polynomials
// are minimax, made with Remez's exchange in 40 digits and more.
//
// A processor without fused multiply-adds gets them from the C library, slowly.
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
#ifdef __clang__
  return __builtin_elementwise_fma(x, y, z);
#else
  for (int i = 0; i < kLanes<D>; ++i) x[i] = __builtin_fma(x[i], y[i], z[i]);
  return x;
#endif
}
// first + x (a + x b + ...), the inner one by even and odd powers: half the time that Horner's chain takes.
template <typename D, typename... More>
WL_INLINE D polynomial(D x, double first, More... more) {
  constexpr int kCount = sizeof...(more);
  static_assert(kCount >= 2);
  const double c[kCount] = {more...};
  const D square = x * x;
  D last = all<D>(c[kCount - 1]), other = all<D>(c[kCount - 2]);
#pragma GCC unroll 32
  for (int k = kCount - 3; k >= 0; k -= 2) {
    last = fma(square, last, all<D>(c[k]));
    if (k > 0) other = fma(square, other, all<D>(c[k - 1]));
  }
  // kCount odd: `last` has the even powers.
  return fma(x, kCount % 2 ? fma(x, other, last) : fma(x, last, other), all<D>(first));
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
  const D q = x.high / y.high, r = 1 / y.high;
  return {q, (fma(-q, y.high, x.high) + fma(-q, y.low, x.low)) * r};
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
template <typename M, typename D>
WL_INLINE Pair<D> select(M which, Pair<D> x, Pair<D> y) {
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
  const Pair<D> r = quick_sum(rest, n.value * -kShortLn2Low);  // where that is larger it is tiny
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
  const Pair<D> sum = quick_sum(all<D>(0x1.5555555555555p-1), p), series = {sum.high, sum.low + 0x1.5555555555555p-55};
  const Pair<D> tail = multiply(multiply(r.s, z), series);
  const Pair<D> rest = quick_sum(2 * r.s.high, tail.high);
  return {r.e, quick_sum(rest.high, rest.low + fma(all<D>(2), r.s.low, tail.low))};
}
using elementary::where_logarithm;
template <typename D>
WL_INLINE D natural(Logarithm<D> l, D correction) {
  const Pair<D> s = quick_sum(l.e * kShortLn2, l.rest.high);  // e is 0, or its product larger
  return s.high + (s.low + (fma(l.e, all<D>(kShortLn2Low), l.rest.low) + correction));
}
template <typename D>
WL_INLINE Pair<D> natural(Logarithm<D> l) {
  const Pair<D> s = quick_sum(l.e * kShortLn2, l.rest.high);
  return {s.high, s.low + fma(l.e, all<D>(kShortLn2Low), l.rest.low)};
}
WL_LANES D log(D x) { return where_logarithm(x, natural(logarithm(x), D{})); }
// log2 of x's rest, as a sum with e.
template <typename D>
WL_INLINE Pair<D> binary(Logarithm<D> l) {
  const Pair<D> rest = multiply(l.rest, constant<D>(kLog2e, kLog2eLow)), s = quick_sum(l.e, rest.high);
  return quick_sum(s.high, s.low + rest.low);
}
WL_LANES D log2(D x) { return where_logarithm(x, sum_of(binary(logarithm(x)))); }
WL_LANES D log10(D x) {
  const Logarithm<D> l = logarithm(x);
  const Pair<D> rest = multiply(l.rest, constant<D>(0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57));
  const Pair<D> s = quick_sum(l.e * 0x1.34413509f7000p-2, rest.high);
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

}  // namespace warplens::ir::precise
