#include "jit/symbols.h"

#include "ir/large_angle.h"
#include "ir/math.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>

#include "exec/warp_env.h"
#include "jit/matrix.h"

namespace warplens::jit {

namespace {

// Rounding in a direction, for what the compiled code does not do itself. volatile keeps the operation between the
// switches.
template <int Mode, typename F>
auto rounded(F f) {
  const int old = std::fegetround();
  std::fesetround(Mode);
  volatile auto r = f();
  std::fesetround(old);
  return decltype(f())(r);
}

template <int M>
double add(double x, double y) {
  volatile double a = x, b = y;
  return rounded<M>([&] { return double(a + b); });
}
template <int M>
double sub(double x, double y) {
  volatile double a = x, b = y;
  return rounded<M>([&] { return double(a - b); });
}
template <int M>
double mul(double x, double y) {
  volatile double a = x, b = y;
  return rounded<M>([&] { return double(a * b); });
}
template <int M>
double div(double x, double y) {
  volatile double a = x, b = y;
  return rounded<M>([&] { return double(a / b); });
}
template <int M>
double fma_(double x, double y, double z) {
  volatile double a = x, b = y, c = z;
  return rounded<M>([&] { return std::fma(double(a), double(b), double(c)); });
}
template <int M>
double sqrt_(double x) {
  volatile double a = x;
  return rounded<M>([&] { return std::sqrt(double(a)); });
}
template <int M>
double s64_f64(int64_t x) {
  volatile int64_t a = x;
  return rounded<M>([&] { return double(a); });
}
template <int M>
float s64_f32(int64_t x) {
  volatile int64_t a = x;
  return rounded<M>([&] { return float(a); });
}
template <int M>
double u64_f64(uint64_t x) {
  // hi * 2^32 + lo: both parts are exact, the sum rounds once.
  volatile double hi = std::ldexp(double(uint32_t(x >> 32)), 32), lo = double(uint32_t(x));
  return rounded<M>([&] { return double(hi + lo); });
}
template <int M>
float u64_f32(uint64_t x) {
  // Odd rounding to 62 bits keeps the direction, then one signed conversion rounds.
  const int shift = x >> 63 ? 2 : 0;
  volatile int64_t kept = int64_t(x >> shift | ((x & ((1u << shift) - 1)) != 0));
  const float f = rounded<M>([&] { return float(kept); });
  return std::ldexp(f, shift);
}

// f64 -> f16 bits in a direction: exact, from the bits.
template <int M>
uint16_t to_f16(double x) {
  if (std::isnan(x)) return 0x7fff;
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const double magnitude = std::fabs(x);
  const bool away = (M == FE_UPWARD && !sign) || (M == FE_DOWNWARD && sign);
  if (std::isinf(x)) return sign | 0x7c00;
  if (x == 0) return sign;
  if (magnitude >= 65504.0) return sign | (magnitude > 65504.0 && away ? 0x7c00 : 0x7bff);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int unit = std::max(exponent - 11, -24);  // exponent of the last place
  const double scaled = std::ldexp(magnitude, -unit);
  const double whole = std::floor(scaled);
  const double kept = whole + (scaled != whole && away ? 1 : 0);
  const uint32_t m = static_cast<uint32_t>(kept);
  if (unit == -24 && m < 1024) return static_cast<uint16_t>(sign | m);
  return static_cast<uint16_t>(sign | (((unit + 24) << 10) + m));
}
template <int M>
uint16_t f32_f16(float x) {
  return to_f16<M>(x);
}

// What LLVM calls for f16 on processors that lack the instructions; f16 travels as _Float16 does.
_Float16 half_from_f32(float x) { return static_cast<_Float16>(x); }
_Float16 half_from_f64(double x) { return static_cast<_Float16>(x); }
float half_to_f32(_Float16 x) { return static_cast<float>(x); }

template <int M>
void add_mode(std::vector<Symbol>& s, const std::string& mode) {
  s.push_back({"wl_f64_add_" + mode, (void*)add<M>});
  s.push_back({"wl_f64_sub_" + mode, (void*)sub<M>});
  s.push_back({"wl_f64_mul_" + mode, (void*)mul<M>});
  s.push_back({"wl_f64_div_" + mode, (void*)div<M>});
  s.push_back({"wl_f64_fma_" + mode, (void*)fma_<M>});
  s.push_back({"wl_f64_sqrt_" + mode, (void*)sqrt_<M>});
  s.push_back({"wl_s64_f64_" + mode, (void*)s64_f64<M>});
  s.push_back({"wl_s64_f32_" + mode, (void*)s64_f32<M>});
  s.push_back({"wl_u64_f64_" + mode, (void*)u64_f64<M>});
  s.push_back({"wl_u64_f32_" + mode, (void*)u64_f32<M>});
  s.push_back({"wl_f64_f16_" + mode, (void*)to_f16<M>});
  s.push_back({"wl_f32_f16_" + mode, (void*)f32_f16<M>});
}

}  // namespace

std::vector<Symbol> runtime_symbols() {
  std::vector<Symbol> s = {
      {"wl_load", (void*)exec::wl_load},
      {"wl_store", (void*)exec::wl_store},
      {"wl_atomic", (void*)exec::wl_atomic},
      {"wl_trap", (void*)exec::wl_trap},
      {"wl_stopped", (void*)exec::wl_stopped},
      {"wl_any_of", (void*)exec::wl_any_of},
      {"wl_barrier", (void*)exec::wl_barrier},
      {"wl_arrive", (void*)exec::wl_arrive},
      {"wl_test", (void*)exec::wl_test},
      {"wl_report", (void*)exec::wl_report},
      {"wl_flush", (void*)exec::wl_flush},
      {"wl_kinds", (void*)exec::wl_kinds},
      {"wl_system_call", (void*)exec::wl_system_call},
      {"wl_texture", (void*)exec::wl_texture},
      {"wl_clock", (void*)exec::wl_clock},
      {"wl_matrix", (void*)wl_matrix},
      {"wl_quarter_turns_of_large", (void*)ir::quarter_turns_of_large},
      {"memset", (void*)std::memset},
      {"memcpy", (void*)std::memcpy},
      {"fmaf", (void*)::fmaf},
      {"fma", (void*)static_cast<double (*)(double, double, double)>(::fma)},
      {"roundevenf", (void*)::roundevenf},
      {"roundeven", (void*)::roundeven},
      {"truncf", (void*)::truncf},
      {"trunc", (void*)static_cast<double (*)(double)>(::trunc)},
      {"floorf", (void*)::floorf},
      {"floor", (void*)static_cast<double (*)(double)>(::floor)},
      {"ceilf", (void*)::ceilf},
      {"ceil", (void*)static_cast<double (*)(double)>(::ceil)},
      {"roundf", (void*)::roundf},
      {"round", (void*)static_cast<double (*)(double)>(::round)},
      {"__truncsfhf2", (void*)half_from_f32},
      {"__truncdfhf2", (void*)half_from_f64},
      {"__extendhfsf2", (void*)half_to_f32},
      {"sqrtf", (void*)::sqrtf},
      {"sqrt", (void*)static_cast<double (*)(double)>(::sqrt)},
  };
  add_mode<FE_TOWARDZERO>(s, "rz");
  add_mode<FE_DOWNWARD>(s, "rm");
  add_mode<FE_UPWARD>(s, "rp");
  for (uint32_t i = 1; i < ir::math_function_count(); ++i) {
    const ir::MathFunction& function = ir::math_function(i);
    s.push_back({function.name, reinterpret_cast<void*>(function.host)});
    s.push_back({std::string(function.name) + "_wide", reinterpret_cast<void*>(function.wide)});
  }
  return s;
}

}  // namespace warplens::jit
