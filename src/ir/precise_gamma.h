// The gamma function and its logarithm, of doubles (precise.h). The polynomials here interpolate at Chebyshev's points.
#pragma once
#include "ir/precise_angles.h"

namespace warplens::ir::precise {

// ln of x! for x from 0 to 2^900: y (ln y - 1) + ln(2 pi) / 2 + p / y with y = x + 1/2 (Burnside's form of Stirling's
// series), where p goes from -0.036 to -1/24.
WL_LANES Pair<D> log_factorial(D x) {
  const Pair<D> y = exact_sum(x, all<D>(0.5));
  const D t = (y.high - 0.75) / (y.high + 0.75);
  const D p = polynomial(t, -0x1.3c19fd49e1b47p-5, -0x1.348c1c2677019p-7, 0x1.73bd27c77e0d2p-7, -0x1.ee471c4feadafp-8,
                         0x1.f066854327c93p-9, -0x1.08cb6f4a4252bp-9, 0x1.45c058ec31e68p-10, -0x1.9ce02ee39a25cp-11,
                         0x1.16b15d58a8aacp-11, -0x1.8c1913c13a1e5p-12, 0x1.20c3efb4bb416p-12, -0x1.b45563b12e137p-13,
                         0x1.5144fa6053508p-13, -0x1.0a5d7a4c466fap-13, 0x1.a72d856ca2e8cp-14, -0x1.3ef5f61cc45c1p-14,
                         0x1.978f63b486894p-15, -0x1.5ffb0b154db51p-16, 0x1.65daa912fc1fcp-20, 0x1.816085876329ep-18,
                         -0x1.2123cec8a1864p-18, 0x1.806ff9757aa79p-20, -0x1.9b63cde164780p-23);
  const D r = 1 / y.high;
  Pair<D> l = add(natural(long_logarithm(y.high)), all<D>(-1));
  l.low += y.low * r;
  const Pair<D> rest = quick_sum(all<D>(0x1.d67f1c864beb5p-1), p * r);
  return add(multiply(y, l), Pair<D>{rest.high, rest.low - 0x1.65b5a1b7ff5dfp-55});
}

// x! / x above 0, below it -pi / (sin(pi |x|) |x|!).
WL_LANES D tgamma(D x) {
  const D a = magnitude(x), b = at_most(a, 190);
  const Mask<D> negative = x < 0;
  const Pair<D> l = log_factorial(b), sine = sine_pair(reduce_half_turns(a));
  Power<D> f = power_of_e(l.high, l.low);
  f.value = quick_sum(f.value.high, f.value.low);
  const Pair<D> over = select(negative, constant<D>(-0x1.921fb54442d18p+1, -0x1.1a62633145c07p-53), f.value);
  const Pair<D> under = select(negative, multiply(sine, f.value), Pair<D>{b, D{}});
  const D value = scaled(sum_of(divide(over, under)), negative ? 2 * bits(all<D>(0x1.8p52)) - f.n : f.n);
  const D pole = select(negative, select(sine.high == 0, kNan, value), value);
  return select(a < 0x1p-60, 1 / x, pole);
}
WL_LANES D lgamma(D x) {
  const D a = magnitude(x);
  const Pair<D> log = natural(logarithm(a)), factorial = log_factorial(at_most(a, 0x1p900));
  // ln u! from 0 to 3/2, which is 0 for 0 and 1.
  const D u = select(a < 1, a, a - 1);
  const D q = polynomial(u - 0.75, 0x1.ccf151e09cde8p-2, -0x1.e96586307946ep-4, 0x1.6cb62517118dap-5,
                         -0x1.382e176f60ad9p-6, 0x1.1f9587fa21978p-7, -0x1.14f7c58eb2647p-8, 0x1.12aa72f53cf05p-9,
                         -0x1.1605626db0c87p-10, 0x1.1daed671f2d06p-11, -0x1.28f267e3e6bf9p-12, 0x1.377643bb6ff22p-13,
                         -0x1.49179497db9a2p-14, 0x1.5ddb7bf9f03f3p-15, -0x1.75d41586fe812p-16, 0x1.90d72d04ecab8p-17,
                         -0x1.afd569e9932b0p-18, 0x1.d7f7c7ff850b7p-19, -0x1.ffd214be26a73p-20, 0x1.f9ffa177fced2p-21,
                         -0x1.13519a304b483p-21, 0x1.d2ab7356b2efcp-22, -0x1.0032fdb1b8854p-22, -0x1.1ea38134efb1bp-25,
                         0x1.43cd36659bd6bp-26, 0x1.876410711761ap-24, -0x1.b05ceec2a1f35p-25);
  const D near = u * ((u - 1) * q);
  const Pair<D> above = add(select(a < 1, Pair<D>{near, D{}}, factorial), -log);
  D value = select(a < 0x1p900, sum_of(above), a * (sum_of(log) - 1));
  value = select(a < 1, value, select(a < 2.5, near, value));
  // ln(pi / (sin(pi a) a!)) below 0.
  const Pair<D> sine = sine_pair(reduce_half_turns(a));
  const D s = magnitude(sine.high);
  Pair<D> of_sine = natural(logarithm(s));
  of_sine.low += sine.low / sine.high;
  const Pair<D> below = add(constant<D>(0x1.250d048e7a1bdp+0, 0x1.7abf2ad8d5088p-57), -add(of_sine, factorial));
  value = select(x < -0x1p-60, select(s == 0, kInfinity, sum_of(below)), value);
  return select(a > 0, select(a < kInfinity, value, a), 1 / a);
}

}  // namespace warplens::ir::precise
