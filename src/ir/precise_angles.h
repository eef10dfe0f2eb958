// Sine, arc tangent and their like, of doubles (precise.h).
#pragma once
#include "ir/precise.h"

namespace warplens::ir::precise {

template <typename D>
struct Angle {
  Pair<D> rest;  // up to an eighth of a turn
  Bits<D> quarters;
};
// Up to kLargeAngle n times the first two parts of pi/2 is exact, and so are the differences.
WL_LANES Angle<D> reduce(D x) {
  const Whole<D> n = nearest_whole(x * 0x1.45f306dc9c883p-1);
  const D first = fma(n.value, all<D>(-0x1.921fb544p+0), x);
  const Pair<D> second = exact_sum(first, n.value * -0x1.0b4611a6p-34);
  const Pair<D> part = exact_product(n.value, all<D>(-0x1.3198a2e037073p-69));
  const Pair<D> third = exact_sum(second.high, part.high);
  const D low = third.low + (second.low + fma(n.value, all<D>(-0x1.129024e088a68p-123), part.low));
  const Angle<D> angle = {quick_sum(third.high, low), n.bits};
  const auto large = elementary::large_angles(x);
  if (!large.any) return angle;
  const Pair<D> rest =
      multiply(Pair<D>{large.high, large.low}, constant<D>(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54));
  return {select(large.which, rest, angle.rest), large.which ? large.whole : angle.quarters};
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
WL_INLINE Pair<D> sine_pair(Angle<D> a) {
  const Pair<D> value = select(is_odd<D>(a.quarters), cosine_of(a.rest), sine_of(a.rest));
  const Bits<D> sign = (a.quarters & 2) << 62;
  return {from_bits<D>(bits(value.high) ^ sign), from_bits<D>(bits(value.low) ^ sign)};
}
template <typename D>
WL_INLINE D sine(Angle<D> a) {
  return sum_of(sine_pair(a));
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

}  // namespace warplens::ir::precise
