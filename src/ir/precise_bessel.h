// Bessel functions of doubles (precise.h). The polynomials here interpolate at Chebyshev's points.
#pragma once
#include "ir/precise_angles.h"

namespace warplens::ir::precise {

// ---- modified, of the first kind: by powers of x^2 up to 8, and as e^x / root(x) times a polynomial of 1 / x above

// e^x p / root(x), for x from 8 on.
WL_LANES D with_exponential(D x, D p) {
  const Power<D> power = power_of_e(x, D{});
  return scaled(sum_of(power.value) * (p / root(x)), power.n);
}
WL_LANES D cyl_bessel_i0(D x) {
  const D a = magnitude(x), z = a * a, t = 8 / a - 0.5;
  const D small =
      polynomial(z, 1, 0x1.0000000000000p-2, 0x1.ffffffffffff8p-7, 0x1.c71c71c71c835p-12, 0x1.c71c71c71a6dep-18,
                 0x1.23456789cad8fp-24, 0x1.02e85c06594fcp-31, 0x1.522a442ca7776p-39, 0x1.522a407351c9ap-47,
                 0x1.0b315b8692d2bp-55, 0x1.55fedb223c9d2p-64, 0x1.69eac23652b1dp-73, 0x1.40852a1bdf9fbp-82,
                 0x1.f3ce33d9e3b74p-92, 0x1.0d6a26a87e4bcp-101, 0x1.2069052b0b501p-110);
  const D p = polynomial(t, 0x1.9bd428ad249a5p-2, 0x1.b87969bb93bcbp-8, 0x1.1daa72b5ccfadp-11, 0x1.75e5ee702e57ap-14,
                         0x1.8e513c6a21829p-16, 0x1.3f49ac32e14bfp-17, 0x1.7d0cd4fd1f2b8p-18, 0x1.51ccdc47b6c77p-18,
                         0x1.7288379f891f7p-18, 0x1.03bcdeab408e2p-18, -0x1.d72c8d3f0b6bcp-18, -0x1.cd5da3da6b614p-16,
                         -0x1.58ce729fc478ap-16, 0x1.05248ba2f26a0p-14, 0x1.c034e59a2db9bp-14, -0x1.ece52144ada18p-14,
                         -0x1.3756a636aa04fp-12, 0x1.ba2352eb42f20p-13, 0x1.295fc465ff477p-11, -0x1.5be16a36a0da0p-12,
                         -0x1.650b3e7f898b0p-11, 0x1.852f5d42d1ca3p-12, 0x1.90df137cc1a36p-12, -0x1.ada2c97f3fdddp-13);
  return select(a <= 8, small, with_exponential(at_most(a, 720), p));
}
WL_LANES D cyl_bessel_i1(D x) {
  const D a = magnitude(x), z = a * a, t = 8 / a - 0.5;
  const D small =
      x * polynomial(z, 0.5, 0x1.0000000000000p-4, 0x1.5555555555554p-9, 0x1.c71c71c71c75dp-15, 0x1.6c16c16c164acp-21,
                     0x1.845c8a0cf35b3p-28, 0x1.27e4fb76812bfp-35, 0x1.522a440f55384p-43, 0x1.2c97573d1a3e7p-51,
                     0x1.ab8210355a0f4p-60, 0x1.f1742082aee8fp-69, 0x1.e2811d44a152bp-78, 0x1.8ad126c06d494p-87,
                     0x1.1c36d151fe25ep-96, 0x1.2645a1df6278ep-106, 0x1.18be74abc7634p-115);
  const D p = polynomial(t, 0x1.8ebe783a84030p-2, -0x1.3f796198ee63dp-6, -0x1.cbc54df1d28edp-11, -0x1.f89c2304c35d3p-14,
                         -0x1.ec8e127b73a3fp-16, -0x1.761383996dea0p-17, -0x1.ad8afba84040bp-18, -0x1.727891f52aef6p-18,
                         -0x1.91e870dc073a7p-18, -0x1.21ba2485afab4p-18, 0x1.d68fdf13b4f0fp-18, 0x1.e2d0791db759ap-16,
                         0x1.7ee7fbfb39f90p-16, -0x1.0821c71098c2bp-14, -0x1.dd37812c1dd72p-14, 0x1.e14768d6db225p-14,
                         0x1.475d4e2f2acfep-12, -0x1.a250a944e85b4p-13, -0x1.36f288e187d2ep-11, 0x1.42be4263f9ec5p-12,
                         0x1.7455f3bd09231p-11, -0x1.6612a100e112cp-12, -0x1.a1752f6235857p-12, 0x1.8a72ab2fc6959p-13);
  return select(a <= 8, small, with_sign(with_exponential(at_most(a, 720), p), x));
}

// ---- of the first and second kind
//
// CUDA bounds their error in ulp up to 8, so the polynomials there are of the function less its zeros: x^2 - z^2 or
// x - z, where z is known to twice a double's bits. From 8 on J = m cos(x + a) and Y = m sin(x + a), with m root(x) and
// (a + pi / 4) x polynomials of 1 / x^2.

WL_LANES D less(Pair<D> x, double high, double low) { return (x.high - high) + (x.low - low); }
WL_LANES D less(D x, double high, double low) { return (x - high) - low; }

WL_LANES D j0_below_8(D x) {
  const Pair<D> square = exact_product(x, x);
  const D t = square.high * 0x1p-6 - 1, z = square.high;
  const D p = polynomial(t, -0x1.0f085bb52544cp-17, 0x1.5ffb7247be305p-16, -0x1.841087c4cd112p-16,
                         0x1.f0d4db2daee54p-17, -0x1.a72d1f96a45efp-18, 0x1.03593cd027315p-19, -0x1.e1ba83ca18e1ep-22,
                         0x1.5fbea714d4260p-24, -0x1.9f41835968f85p-27, 0x1.950db5d64adbap-30, -0x1.4c4b69ebc6fe1p-33,
                         0x1.d073b4e0ad906p-37, -0x1.1ce62a0a41d88p-40, 0x1.0b9b50c730813p-44, -0x1.954284d239dd4p-48),
          near = polynomial(z, 1, -0x1.0000000000000p-2, 0x1.0000000000000p-6, -0x1.c71c71c71c717p-12,
                            0x1.c71c71c71c002p-18, -0x1.2345678962b86p-24, 0x1.02e85bd3c7bcap-31,
                            -0x1.522a171a6b334p-39, 0x1.52140b2b3ddadp-47, -0x1.053ebfa7ff8d8p-55);
  return select(z < 2, near,
                p * less(square, 0x1.721fb80462bbbp+2, 0x1.db60c816c15d3p-52) *
                    less(square, 0x1.e78a4a621dd6fp+4, -0x1.10d7c5048826bp-52) *
                    less(square, 0x1.2b8c4b8215768p+6, 0x1.ecdd94e0187e2p-50));
}
WL_LANES D j1_below_8(D x) {
  const Pair<D> square = exact_product(x, x);
  const D t = square.high * 0x1p-6 - 1, z = square.high;
  const D p = polynomial(t, -0x1.116b3f234c9bbp-20, 0x1.1c7ab0bdd6b45p-19, -0x1.05536251d4956p-19,
                         0x1.1e933c0b63a60p-20, -0x1.aacd7057b7f9cp-22, 0x1.d0a20490f707ap-24, -0x1.8412545fc267ap-26,
                         0x1.016ca53761afbp-28, -0x1.16699bef7187ep-31, 0x1.f519e019c2458p-35, -0x1.7d8941fe2feecp-38,
                         0x1.f1b08c5331fb6p-42, -0x1.1d5fc00585cb2p-45, 0x1.fffadc7a64556p-50, -0x1.623977726275ap-53),
          near = polynomial(z, 0.5, -0x1.0000000000000p-4, 0x1.5555555555555p-9, -0x1.c71c71c71c71ap-15,
                            0x1.6c16c16c16981p-21, -0x1.845c8a0cafd77p-28, 0x1.27e4fb5112704p-35,
                            -0x1.522a234b2364ap-43, 0x1.2c872a94a3edbp-51, -0x1.a2d97281c8310p-60);
  return x * select(z < 2, near,
                    p * less(square, 0x1.d5d2b4189822cp+3, -0x1.c6a0d245172bap-54) *
                        less(square, 0x1.89bf66072a432p+5, 0x1.25355661cb79cp-51) *
                        less(square, 0x1.9dff70d785e2cp+6, -0x1.41014eaf35cf6p-49));
}
// ln(x / z), for the reciprocal of a zero z: exact near it.
WL_LANES D logarithm_by(D x, double high, double low) {
  const Pair<D> ratio = multiply(Pair<D>{x, D{}}, constant<D>(high, low));
  Logarithm<D> l = logarithm(ratio.high);
  l.rest.low += ratio.low / ratio.high;
  return sum_of(natural(l));
}
// Up to 2, or to 3 for Y1, they are 2 / pi ln(x / z) J(x) and a rest that is 0 for the zero z, too.
WL_LANES D y0_below_8(D x) {
  const Pair<D> square = exact_product(x, x);
  const D z = square.high, t = (x - 8) / (x + 8) + 0.28125;
  const D rest =
      polynomial(z - 2, 0x1.34e38fcbadbc9p-3, -0x1.ded5786ed8496p-7, 0x1.08bd219281f76p-11, -0x1.301fb6a1ea96ap-17,
                 0x1.adc2b9e6acb2cp-24, -0x1.9c023b1483bcdp-31, 0x1.1dd70c94f39a6p-38, -0x1.2c7d0a6a6a56cp-46,
                 0x1.ef60270ca572fp-55, -0x1.48d9deff1d50ap-63, 0x1.67307649d5855p-72);
  const D near = fma(0x1.45f306dc9c883p-1 * logarithm_by(x, 0x1.1e7d3131dd6bap+0, 0x1.e5197d7b65facp-54), j0_below_8(x),
                     less(square, 0x1.98d257f93404ap-1, 0x1.b7acb8a94e405p-55) * rest);
  const D p = polynomial(t, -0x1.b8f19d49bc73ap-8, 0x1.bc2736beaafd3p-11, 0x1.9978c13228bfap-6, 0x1.57770b01616f0p-5,
                         0x1.8dbbc6b07fe2cp-9, -0x1.6fad38df927f2p-4, -0x1.817743424e680p-3, -0x1.6f9139a558179p-3,
                         -0x1.e0b2d3c0200f9p-9, 0x1.5c4c763dd0e75p-2, 0x1.5db7ace61e6a6p-1, 0x1.aaff8d168771ep-1,
                         0x1.163d43ecb04bfp-1, -0x1.96d0822a167c7p-3, -0x1.50a345e566f52p+0, -0x1.2b3778d05ccb3p+1,
                         -0x1.7402618e03793p+1, -0x1.3353617a521c6p+1, -0x1.b4962141a2f5cp-1, 0x1.c0f83b7fb3581p+0,
                         0x1.2024e8853b6cdp+2, 0x1.0112bce0b3873p+3, 0x1.49b52d42e3c5ap+3, 0x1.9749434b1853bp+2,
                         -0x1.f3c83256f3452p+1, -0x1.08f72247f7ae4p+2);
  return select(x < 2, near,
                p * less(x, 0x1.c982eb8d417eap-1, 0x1.ea9d270347f83p-56) *
                    less(x, 0x1.fa9534d98569cp+1, -0x1.f06ae7804384ep-54) *
                    less(x, 0x1.c581dc4e72103p+2, -0x1.9774a495f56cfp-54) *
                    less(x, 0x1.471d735a47d58p+3, -0x1.cb49ff791c495p-51));
}
WL_LANES D y1_below_8(D x) {
  const Pair<D> square = exact_product(x, x);
  const D z = square.high, t = (x - 8) / (x + 8) + 0.28125;
  const D rest =
      polynomial(z - 4.5, 0x1.6ce10ff04b241p-3, 0x1.59d8a8087f3b8p-8, -0x1.f8181f9e5869ap-11, 0x1.06d8b4bfe5c35p-15,
                 -0x1.0dbdd4352f150p-21, 0x1.53b245a3461bep-28, -0x1.24463417e7ba4p-35, 0x1.6f132e3118111p-43,
                 -0x1.601ec9d6a53e4p-51, 0x1.0ac5b77dc5bfcp-59, -0x1.479a62b1cd714p-68, 0x1.4cd42a6a6ad14p-77,
                 -0x1.1c8629acd6014p-86, 0x1.9efe819797ed2p-96);
  const D near = fma(0x1.45f306dc9c883p-1 * logarithm_by(x, 0x1.d20f658382cf2p-2, 0x1.5b2534b08b934p-57), j1_below_8(x),
                     less(square, 0x1.34f49cfc780a9p+2, -0x1.65d88128c73dfp-52) * rest / x);
  const D p = polynomial(t, 0x1.19201d893b729p-5, 0x1.85472edf12114p-8, -0x1.5c99930c2e502p-3, -0x1.47a15b0aa9732p-2,
                         -0x1.1bba8ba07eaf8p-7, 0x1.aa6c838f4de05p-1, 0x1.b998dd1ee1779p+0, 0x1.7fe52ddc552f7p+0,
                         -0x1.0fca940d231cbp-1, -0x1.1274258e6c3a1p+2, -0x1.ec8d04634839bp+2, -0x1.0c555336ffb56p+3,
                         -0x1.b39d781aee1d1p+1, 0x1.b6c46f75d170cp+2, 0x1.4d2f21fe835e5p+4, 0x1.f6fd18d24ae81p+4,
                         0x1.0fb435b65e58bp+5, 0x1.4513f32b8a7dfp+4, -0x1.43ff1bbfcec12p+2, -0x1.a139f0eb2dd6ep+5,
                         -0x1.accb8fe8f13e4p+6, -0x1.df1a1ca4a4ef6p+4, -0x1.002fe750b49a4p+6, -0x1.7424f2540924dp+9,
                         0x1.f76de67634845p+9);
  return select(x < 3, near,
                p * less(x, 0x1.193bed4dff243p+1, -0x1.bd1e50d219bfdp-55) *
                    less(x, 0x1.5b7fe4e87b02ep+2, 0x1.dfe7bac228e8cp-52) *
                    less(x, 0x1.13127ae6169b4p+3, 0x1.479cc068d9046p-52));
}

template <typename D>
struct Wave {
  D size;
  Angle<D> angle;
};
// Of order 0 and 1, for x from 8 on.
template <int kOrder, typename D>
WL_INLINE Wave<D> wave(D x) {
  const D r = 8 / x, s = r * r;
  D size, shift;
  if constexpr (kOrder == 0) {
    size = polynomial(s, 0x1.0000000000000p+0, -0x1.fffffffff0f97p-11, 0x1.a7ffffa4b0e96p-16, -0x1.15efc8babe40ep-19,
                      0x1.763f7034b96a3p-22, -0x1.a9d59ff11a5c6p-24, 0x1.64f18a042fb55p-25, -0x1.75a98d1f2bd3fp-26,
                      0x1.8bcc62d02c287p-27, -0x1.57ef2324c07c3p-28, 0x1.8e7029dc1a7bep-30, -0x1.b8c80ab8bf017p-33);
    shift = polynomial(s, -0x1.ffffffffffffdp-4, 0x1.0aaaaaaa9c8ffp-10, -0x1.ad3332ce7a73fp-15, 0x1.a35801445929ap-18,
                       -0x1.778c84dfcca01p-20, 0x1.0b085dc07ead8p-21, -0x1.0ee9f66df2313p-22, 0x1.57e48ce16aad9p-23,
                       -0x1.cb06994d62fd1p-24, 0x1.0e208d95ee082p-24, -0x1.e06d1cf76f1d0p-26, 0x1.114fec7ce4860p-27,
                       -0x1.238a0b1072fe2p-30);
  } else {
    size = polynomial(s, 0x1.0000000000000p+0, 0x1.7ffffffffbc1ep-9, -0x1.8bffffcc71961p-15, 0x1.9c4fc19b02bacp-19,
                      -0x1.ef477c608a78dp-22, 0x1.088ee8469a3a7p-23, -0x1.ab10e9f20fefdp-25, 0x1.b539cc178bc40p-26,
                      -0x1.c97d311be028fp-27, 0x1.8aeff14e871abp-28, -0x1.c7db5b16ebc3cp-30, 0x1.f736ba993a470p-33);
    shift = polynomial(s, 0x1.7ffffffffffffp-2, -0x1.4ffffffff8179p-9, 0x1.7bcccc94563ddp-14, -0x1.2f48456f09714p-17,
                       0x1.e9ecb6545d142p-20, -0x1.48b5fe3e72315p-21, 0x1.41da10100d4c8p-22, -0x1.8fce86bbabd13p-23,
                       0x1.078be7ce01857p-23, -0x1.34121d2abadd0p-24, 0x1.10e6f4dda7477p-25, -0x1.35cbc07341cccp-27,
                       0x1.49fa86684bb3cp-30);
  }
  const Pair<D> eighth = constant<D>(-0x1.921fb54442d18p-1, -0x1.1a62633145c07p-55),
                quarter = constant<D>(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54);
  Angle<D> angle = reduce(x);
  angle.quarters -= kOrder;
  const Pair<D> turned = quick_sum(eighth.high, shift / x);
  angle.rest = add(angle.rest, Pair<D>{turned.high, turned.low + eighth.low});
  const Mask<D> beyond = angle.rest.high < eighth.high;
  angle.rest = select(beyond, add(angle.rest, quarter), angle.rest);
  angle.quarters -= (Bits<D>)(beyond & 1);
  return {size * root(0x1.45f306dc9c883p-1 / x), angle};
}
template <int kOrder, typename D>
WL_INLINE D bessel_j(D x) {
  const D a = magnitude(x);
  const Wave<D> w = wave<kOrder>(a);
  D value = select(a < kInfinity, w.size * cosine(w.angle), select(a == a, 0.0, a));
  value = select(a < 8, kOrder == 0 ? j0_below_8(a) : j1_below_8(a), value);
  return kOrder == 0 ? value : from_bits<D>(bits(value) ^ (bits(x) & elementary::kSign));
}
template <int kOrder, typename D>
WL_INLINE D bessel_y(D x) {
  const Wave<D> w = wave<kOrder>(x);
  D value = select(x < 8, kOrder == 0 ? y0_below_8(x) : y1_below_8(x), w.size * sine(w.angle));
  value = select(x < kInfinity, value, select(x == kInfinity, 0.0, x));
  return select(x > 0, value, select(x == 0, -kInfinity, kNan));
}

// ---- of any order: J(k + 1) = 2 k / x J(k) - J(k - 1), and so Y, one step after the other while a lane has some left
//
// Upwards that is stable for Y, and for J up to the order m below x, where J(m) is never near 0. From there J(n) is
// J(m) times the ratios J(k) / J(k - 1) = x / (2 k - x J(k + 1) / J(k)), made downwards from where they no longer
// matter.

template <typename M>
WL_INLINE bool any(M which) {
  int64_t some = 0;
  for (unsigned i = 0; i < sizeof(M) / sizeof(int64_t); ++i) some |= which[i];
  return some != 0;
}
// Orders beyond this times 2, and 2000 more, are 0 and -infinity, below all that a double holds.
WL_LANES Mask<D> is_beyond(D n, D x) { return n > 2000 + 2 * x; }

// n: whole, of an int32_t.
WL_LANES D jn(D n, D x) {
  const D size = magnitude(x), a = select(size < kInfinity, size, 1.0);
  const D below = elementary::truncated_below_2_51(at_most(a, 0x1p40)), m = select(n < below, n, below);
  D last = bessel_j<0>(a), now = select(m < 1, last, bessel_j<1>(a));
  for (double k = 1; any(m > k); ++k) {
    const D next = 2 * k / a * now - last;
    last = select(m > k, now, last), now = select(m > k, next, now);
  }
  const D end = select(is_beyond(n, a), m, n);
  D top = end, before = D{}, growth = select(end > m, 1.0, kInfinity);
  while (any(growth < 0x1p32)) {
    const Mask<D> grows = growth < 0x1p32;
    const D next = 2 * top / a * growth - before;
    before = select(grows, growth, before), growth = select(grows, next, growth), top = select(grows, top + 1, top);
  }
  D ratio = D{};
  for (D k = top; any(k > m); k -= 1) {
    ratio = select(k > m, a / fma(-a, ratio, 2 * k), ratio);
    now = select(k > m, select(k <= end, now * ratio, now), now);
  }
  const D value = from_bits<D>(bits(select(is_beyond(n, a), 0.0, now)) ^ (bits(x) & (nearest_whole(n).bits << 63)));
  return select(n >= 0, select(size < kInfinity, value, select(size == kInfinity, 0.0, x)), kNan);
}
WL_LANES D yn(D n, D x) {
  const D a = select(x > 0, select(x < kInfinity, x, 1.0), 1.0);
  D last = bessel_y<0>(a), now = select(n < 1, last, bessel_y<1>(a));
  now = select(is_beyond(n, a), -kInfinity, now);
  for (double k = 1; any((n > k) & (now > -kInfinity)); ++k) {
    const Mask<D> goes = (n > k) & (now > -kInfinity);
    const D next = 2 * k / a * now - last;
    last = select(goes, now, last), now = select(goes, next, now);
  }
  const D value = select(x < kInfinity, now, select(x == kInfinity, 0.0, x));
  return select(n >= 0, select(x > 0, value, select(x == 0, -kInfinity, kNan)), kNan);
}

}  // namespace warplens::ir::precise
