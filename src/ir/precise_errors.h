// The error function and its like, of doubles (precise.h).
#pragma once
#include "ir/precise.h"

namespace warplens::ir::precise {

// e^(a^2) (1 - erf a) for a >= 0.
WL_LANES Pair<D> scaled_erfc_above_0(D a) {
  const D b = at_most(a, 0x1p60), t = (b - 2) / (b + 2);
  const D p = polynomial(t, 0x1.46e80e2277953p+0, -0x1.7bf5ec1700631p-4, -0x1.5407bebf32443p-3, 0x1.4ffa1e14e278ep-3,
                         -0x1.bc2b956198a79p-5, -0x1.0742340480f2cp-7, 0x1.1dd2ec90a4271p-7, 0x1.4d461d2f8f311p-10,
                         -0x1.7de520f8dd15bp-10, -0x1.dc6933b48da8ap-12, 0x1.b0c88654b951fp-13, 0x1.3cc0c6a269606p-13,
                         -0x1.952f3043f4f9ap-20, -0x1.318fa90132af6p-15, -0x1.c4cfe075b96edp-17, 0x1.f33587a9e8f98p-19,
                         0x1.5ef4c18768ebep-18, 0x1.8de01885bf2fbp-20, -0x1.7b46d07f9349dp-21, -0x1.ab9e7bcba3d8cp-21,
                         -0x1.0ae0290e03ca2p-22, 0x1.837763ec7e2f7p-24, 0x1.3ea1f41b395cbp-23, 0x1.277e4b3706c8fp-24,
                         -0x1.6537050ad5976p-26, -0x1.52277e0927d91p-25, -0x1.08d15787f8eb5p-27, 0x1.434c1ebb7d03dp-27,
                         0x1.04110ceabb738p-28, -0x1.030aa9ad9fd3cp-30, -0x1.1c351c34ded49p-31);
  return divide(Pair<D>{0.5 * p, D{}}, exact_sum(a, all<D>(0.5)));
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
  Power<D> power = power_of_e(-square.high, -fma(2 * a, low, square.low));
  power.value = multiply(power.value, scaled_erfc_above_0(a));
  return value_of(power);
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
  const D value = select(a < 0.5, power * (1 - erf_near_0(at_most(a, 1))),
                         select(a == kInfinity, 0.0, sum_of(scaled_erfc_above_0(a))));
  return select(x < 0, 2 * power - value, value);
}
WL_LANES D normcdf(D x) {
  x = at_least(at_most(x, 60), -60);
  return 0.5 * erfc_of(multiply(Pair<D>{x, D{}}, constant<D>(-0x1.6a09e667f3bcdp-1, 0x1.bdd3413b26456p-55)));
}

// ---- their inverses

// y with erf y = t, for |t| up to 3/4.
WL_LANES D erfinv_center(D t) {
  return t * polynomial(t * t, 0x1.c5bf891b4ef6bp-1, 0x1.db29fb2fee5ddp-3, 0x1.053c2c0ab9c2fp-3, 0x1.62847c472220ap-4,
                        0x1.0a1318d47393ep-4, 0x1.a7c847f864aa4p-5, 0x1.5eeda5d1878dap-5, 0x1.2a81cde02ea7ap-5,
                        0x1.0747426f9469fp-5, 0x1.6d40ec685c44bp-6, 0x1.4c209e812ea48p-4, -0x1.a8d2a89308155p-2,
                        0x1.6090c1254d407p+1, -0x1.b8b52ce85d81dp+3, 0x1.c39b771b3b3a5p+5, -0x1.774c066275d53p+7,
                        0x1.fa8917080d372p+8, -0x1.141d23b4d615bp+10, 0x1.e220737ae52b5p+10, -0x1.4c3eff040931ep+11,
                        0x1.61735bc4096aep+11, -0x1.181d9fecb7972p+11, 0x1.37bb459d7ae15p+10, -0x1.b35206bbf903fp+8,
                        0x1.1fe814de07c0fp+6);
}
// y with erfc y = x, for x from 1/4 down: it is nearly w, the root of -ln x.
WL_LANES D erfcinv_tail(D x) {
  const D w = root(-log(x));
  return w * polynomial((w - 3.5) / (w + 3.5), 0x1.d921dd7942fa6p-1, 0x1.cc69e14b2228ap-3, -0x1.2dbafa365e95ep-2,
                        0x1.125cd93e89346p-2, -0x1.a21f11289dd4ep-3, 0x1.f7e2e498eacbbp-4, -0x1.6c343b9d326f6p-5,
                        -0x1.4bd0ebd647997p-6, 0x1.042387ce02279p-4, -0x1.5690ef25a4943p-4, 0x1.510ca06dbacabp-4,
                        -0x1.08641594e88adp-4, 0x1.2e12ba1dead93p-5, -0x1.a4e3d1f9e6c5cp-8, -0x1.513daad1ac1d9p-6,
                        0x1.42b076c481240p-5, -0x1.84a6ae539bccfp-5, 0x1.6d76e39914b14p-5, -0x1.1430687655246p-5,
                        0x1.25b94ae93804ep-6, 0x1.4e4c41d15964cp-9, -0x1.86d74e813cbdap-6, 0x1.f0a0305b59a54p-6,
                        -0x1.2d83f4de9c7d3p-6, 0x1.2da4c6cf8dce4p-6, -0x1.4c98199e76efap-5, 0x1.2319560ee289bp-5,
                        0x1.05fe503d7fd34p-6, -0x1.a638159acde92p-5, 0x1.245b7626c9c94p-5, -0x1.1bc47069880a2p-7);
}
WL_LANES D erfcinv(D x) {
  const D center = 1 - x, tail = with_sign(erfcinv_tail(select(x > 1, 2 - x, x)), center);
  const D value = select(magnitude(center) > 0.75, tail, erfinv_center(center));
  const D inside = select(x == 0, kInfinity, select(x == 2, -kInfinity, value));
  return select(x >= 0, select(x <= 2, inside, kNan), kNan);
}
WL_LANES D erfinv(D x) {
  const D a = magnitude(x), tail = select(a == 1, kInfinity, erfcinv_tail(1 - a));
  return select(a > 1, kNan, select(a > 0.75, with_sign(tail, x), erfinv_center(x)));
}
WL_LANES D normcdfinv(D x) { return -0x1.6a09e667f3bcdp+0 * erfcinv(2 * x); }

}  // namespace warplens::ir::precise
