#include "math/exact.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace warplens::accuracy {
namespace {

constexpr mpfr_rnd_t kNearest = MPFR_RNDN;
using Args = const std::vector<double>&;

template <typename F>
Exact unary(F f) {
  return [f](Real& out, Args x, double) { f(out, Real(x[0]), kNearest); };
}
template <typename F>
Exact binary(F f) {
  return [f](Real& out, Args x, double) { f(out, Real(x[0]), Real(x[1]), kNearest); };
}
Exact reciprocal(Exact f) {
  return [f](Real& out, Args x, double result) {
    f(out, x, result);
    mpfr_ui_div(out, 1, out, kNearest);
  };
}

void norm(Real& out, Args x, double) {
  bool infinite = false;
  Real square;
  mpfr_set_ui(out, 0, kNearest);
  for (const double v : x) {
    infinite = infinite || std::isinf(v);
    mpfr_sqr(square, Real(v), kNearest);
    mpfr_add(out, out, square, kNearest);
  }
  if (infinite) mpfr_set_inf(out, 1);
  mpfr_sqrt(out, out, kNearest);
}

void erfcx(Real& out, Args x, double) {
  Real a(x[0]), power;
  if (x[0] >
      100) {  // by its asymptotic series: MPFR's erfc underflows. 1 - h (1 - h (3 - h (15 - ...))), h = 1 / (2 x^2)
    mpfr_sqr(power, a, kNearest);
    mpfr_mul_ui(power, power, 2, kNearest);
    mpfr_ui_div(power, 1, power, kNearest);
    mpfr_set_ui(out, 1, kNearest);
    for (unsigned long k = 19; k < 20; k -= 2) {  // until it wraps
      mpfr_mul(out, out, power, kNearest);
      mpfr_mul_ui(out, out, k, kNearest);
      mpfr_ui_sub(out, 1, out, kNearest);
    }
    mpfr_const_pi(power, kNearest);
    mpfr_sqrt(power, power, kNearest);
    mpfr_mul(power, power, a, kNearest);
    mpfr_div(out, out, power, kNearest);
    return;
  }
  if (x[0] < -30) return mpfr_set_inf(out, 1);
  mpfr_sqr(power, a, kNearest);
  mpfr_exp(power, power, kNearest);
  mpfr_erfc(out, a, kNearest);
  mpfr_mul(out, out, power, kNearest);
}

void normcdf(Real& out, Args x, double) {
  if (x[0] < -40) return mpfr_set_zero(out, 1);
  Real half(0.5);
  mpfr_sqrt(half, half, kNearest);
  mpfr_mul(out, Real(-x[0]), half, kNearest);
  mpfr_erfc(out, out, kNearest);
  mpfr_div_ui(out, out, 2, kNearest);
}

// y with f(y) = x, from a y nearby, by Newton's method: y - (f(y) - x) / f'(y), f' = scale * exp(-y^2 * rate).
void newton(Real& out, double x, double near, double sign, double rate, bool by_sqrt_2pi) {
  mpfr_set_d(out, near, kNearest);
  for (int step = 0; step < 2; ++step) {
    Real value, slope, factor;
    if (by_sqrt_2pi) {
      Real half(0.5);
      mpfr_sqrt(half, half, kNearest);
      mpfr_mul(value, out, half, kNearest);
      mpfr_neg(value, value, kNearest);
      mpfr_erfc(value, value, kNearest);
      mpfr_div_ui(value, value, 2, kNearest);
    } else if (sign < 0) {
      mpfr_erfc(value, out, kNearest);
    } else {
      mpfr_erf(value, out, kNearest);
    }
    mpfr_sub(value, value, Real(x), kNearest);
    mpfr_sqr(slope, out, kNearest);
    mpfr_mul_d(slope, slope, -rate, kNearest);
    mpfr_exp(slope, slope, kNearest);
    mpfr_const_pi(factor, kNearest);
    if (by_sqrt_2pi) mpfr_mul_ui(factor, factor, 2, kNearest);
    mpfr_sqrt(factor, factor, kNearest);
    mpfr_div(slope, slope, factor, kNearest);
    mpfr_mul_d(slope, slope, by_sqrt_2pi ? 1.0 : sign < 0 ? -2.0 : 2.0, kNearest);
    mpfr_div(value, value, slope, kNearest);
    mpfr_sub(out, out, value, kNearest);
  }
}
// kind: 0 erfinv, 1 erfcinv, 2 normcdfinv
Exact inverse(int kind) {
  return [kind](Real& out, Args x, double result) {
    const double low = kind == 0 ? -1 : 0, high = kind == 1 ? 2 : 1;
    if (!(x[0] >= low && x[0] <= high)) return mpfr_set_nan(out);
    if (x[0] == low || x[0] == high) return mpfr_set_inf(out, (x[0] == high) == (kind != 1) ? 1 : -1);
    if (!std::isfinite(result)) return mpfr_set_zero(out, 1);
    newton(out, x[0], result, kind == 1 ? -1 : 1, kind == 2 ? 0.5 : 1, kind == 2);
  };
}

// The modified Bessel functions by their series: sum of (x/2)^(2k+n) / (k! (k+n)!).
Exact bessel_i(unsigned long n) {
  return [n](Real& out, Args x, double) {
    if (std::fabs(x[0]) > 800) return mpfr_set_inf(out, n == 1 && x[0] < 0 ? -1 : 1);
    Real term(n == 0 ? 1 : x[0] / 2), square(x[0]);
    mpfr_sqr(square, square, kNearest);
    mpfr_div_ui(square, square, 4, kNearest);
    mpfr_set(out, term, kNearest);
    for (unsigned long k = 1; k < 2000; ++k) {
      mpfr_mul(term, term, square, kNearest);
      mpfr_div_ui(term, term, k, kNearest);
      mpfr_div_ui(term, term, k + n, kNearest);
      mpfr_add(out, out, term, kNearest);
      if (mpfr_zero_p(term) || mpfr_get_exp(term) < mpfr_get_exp(out) - 200) break;
    }
  };
}

Exact bessel_n(int (*f)(mpfr_ptr, long, mpfr_srcptr, mpfr_rnd_t)) {
  return [f](Real& out, Args x, double) { f(out, static_cast<long>(x[0]), Real(x[1]), kNearest); };
}

std::map<std::string, Exact> make_functions() {
  std::map<std::string, Exact> f;
  f["sin"] = unary(mpfr_sin), f["cos"] = unary(mpfr_cos), f["tan"] = unary(mpfr_tan);
  f["asin"] = unary(mpfr_asin), f["acos"] = unary(mpfr_acos), f["atan"] = unary(mpfr_atan);
  f["sinh"] = unary(mpfr_sinh), f["cosh"] = unary(mpfr_cosh), f["tanh"] = unary(mpfr_tanh);
  f["asinh"] = unary(mpfr_asinh), f["acosh"] = unary(mpfr_acosh), f["atanh"] = unary(mpfr_atanh);
  f["sinpi"] = unary(mpfr_sinpi), f["cospi"] = unary(mpfr_cospi);
  f["exp"] = unary(mpfr_exp), f["exp2"] = unary(mpfr_exp2), f["exp10"] = unary(mpfr_exp10);
  f["expm1"] = unary(mpfr_expm1), f["log"] = unary(mpfr_log), f["log2"] = unary(mpfr_log2);
  f["log10"] = unary(mpfr_log10), f["log1p"] = unary(mpfr_log1p);
  f["sqrt"] = unary(mpfr_sqrt), f["rsqrt"] = reciprocal(unary(mpfr_sqrt)), f["cbrt"] = unary(mpfr_cbrt);
  f["rcbrt"] = reciprocal(f["cbrt"]);
  f["erf"] = unary(mpfr_erf), f["erfc"] = unary(mpfr_erfc), f["erfcx"] = erfcx;
  f["normcdf"] = normcdf;
  f["erfinv"] = inverse(0), f["erfcinv"] = inverse(1), f["normcdfinv"] = inverse(2);
  f["tgamma"] = unary(mpfr_gamma);
  f["lgamma"] = [](Real& out, Args x, double) {
    int sign = 0;
    mpfr_lgamma(out, &sign, Real(x[0]), kNearest);
  };
  f["j0"] = unary(mpfr_j0), f["j1"] = unary(mpfr_j1), f["y0"] = unary(mpfr_y0), f["y1"] = unary(mpfr_y1);
  f["jn"] = bessel_n(mpfr_jn), f["yn"] = bessel_n(mpfr_yn);
  f["cyl_bessel_i0"] = bessel_i(0), f["cyl_bessel_i1"] = bessel_i(1);
  f["atan2"] = binary(mpfr_atan2), f["pow"] = f["powi"] = binary(mpfr_pow);
  f["hypot"] = f["norm"] = f["norm3d"] = f["norm4d"] = norm;
  f["rhypot"] = f["rnorm"] = f["rnorm3d"] = f["rnorm4d"] = reciprocal(norm);
  f["floor"] = unary([](mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t) { mpfr_floor(out, x); });
  f["ceil"] = unary([](mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t) { mpfr_ceil(out, x); });
  f["trunc"] = unary([](mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t) { mpfr_trunc(out, x); });
  f["round"] = unary([](mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t) { mpfr_round(out, x); });
  f["rint"] = f["nearbyint"] = unary([](mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t) { mpfr_rint(out, x, MPFR_RNDN); });
  f["fabs"] = unary(mpfr_abs);
  f["div"] = f["fast_fdivide"] = binary(mpfr_div);
  f["rcp"] = unary([](mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t mode) { mpfr_ui_div(out, 1, x, mode); });
  for (const char* name : {"sin", "cos", "tan", "exp", "exp10", "log", "log2", "log10", "pow", "tanh"})
    f[std::string("fast_") + name] = f[name];
  return f;
}

}  // namespace

const Exact* exact_function(const std::string& base) {
  static const std::map<std::string, Exact> kFunctions = make_functions();
  const auto it = kFunctions.find(base);
  return it == kFunctions.end() ? nullptr : &it->second;
}

double ulps_between(const Real& exact, double result, int bits) {
  if (mpfr_nan_p(exact)) return std::isnan(result) ? 0 : HUGE_VAL;
  if (std::isnan(result)) return HUGE_VAL;
  // What overflows may be infinite, or the largest number.
  const double rounded = bits == 24 ? double{mpfr_get_flt(exact, MPFR_RNDN)} : mpfr_get_d(exact, MPFR_RNDN);
  if (rounded == result) {
    if (std::isinf(result) || result == 0) return 0;
  } else if (std::isinf(rounded) || std::isinf(result)) {
    const double largest = bits == 24 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
    return std::signbit(rounded) == std::signbit(result) && std::fabs(rounded) >= largest &&
                   std::fabs(result) >= largest
               ? 1
               : HUGE_VAL;
  }
  const long lowest = bits == 24 ? -149 : -1074;
  const long unit = mpfr_zero_p(exact) ? lowest : std::max<long>(mpfr_get_exp(exact) - bits, lowest);
  Real distance;
  mpfr_sub_d(distance, exact, result, MPFR_RNDA);
  mpfr_mul_2si(distance, distance, -unit, MPFR_RNDA);
  return std::fabs(mpfr_get_d(distance, MPFR_RNDN));
}

}  // namespace warplens::accuracy
