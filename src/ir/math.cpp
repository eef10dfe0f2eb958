#include "ir/math.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>
#include <numbers>
#include <unordered_map>

#include "ir/elementary.h"
#include "ir/precise.h"

namespace warplens::ir {
namespace {

constexpr double wide(double x) { return x; }

int32_t quotient(double x, double y) {
  int low = 0;
  std::remquo(x, y, &low);
  return low;
}

// The modified Bessel functions I0 and I1, to long double's accuracy: the power series, whose terms are all positive,
// and for large arguments the asymptotic series of e^-x sqrt(2 pi x) I(x). (C++'s own throws where it does not
// converge.)
double bessel_i(int order, double x) {
  const long double a = std::fabs(x);
  if (!(a <= 1000)) return std::isnan(x) ? x : order == 1 ? std::copysign(HUGE_VAL, x) : HUGE_VAL;
  long double sum = 1, term = 1;
  if (a <= 30) {
    for (int k = 1; term > sum * 1e-21L; ++k) sum += term *= a * a / 4 / k / (k + order);
    if (order == 1) sum *= a / 2;
  } else {
    for (int k = 1; k < 60 && std::fabs(term) > 1e-21L; ++k)
      sum += term *= -(4.0L * order * order - (2.0L * k - 1) * (2.0L * k - 1)) / (8 * a * k);
    sum *= std::exp(a) / std::sqrt(2 * std::numbers::pi_v<long double> * a);
  }
  return static_cast<double>(order == 1 && std::signbit(x) ? -sum : sum);
}

// The C library's take n steps. Where n is far above x they are 0 and -infinity, below all that double holds.
double bessel_j(int n, double x) {
  if (n < 0) return std::nan("");
  return n > 2000 + 2 * std::fabs(x) ? 0 * x : static_cast<double>(::jnl(n, x));
}
double bessel_y(int n, double x) {
  if (n < 0) return std::nan("");
  return n > 2000 + 2 * std::fabs(x) && x > 0 ? -HUGE_VAL : static_cast<double>(::ynl(n, x));
}

// Thread-safe, unlike lgamma: the sign goes to a variable of ours.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

// The inverse functions by Newton's method in long double, from the right side, so that it comes down to one value.
constexpr long double kHalfRootPi = 0.886226925452758013649083741670572591L;
// y with erfc y = x, for x in (0, 1/2]: on the logarithm, which is nearly a parabola.
long double inverse_tail(long double x) {
  const long double wanted = std::log(x);
  long double y = std::sqrt(-wanted);
  for (int i = 0; i < 30; ++i) {
    const long double tail = erfcl(y), step = (std::log(tail) - wanted) * tail * kHalfRootPi * std::exp(y * y);
    y += step;
    if (std::fabs(step) < y * 1e-18L) break;
  }
  return y;
}
// y with erf y = x, for |x| <= 1/2.
long double inverse_center(long double x) {
  long double y = x * kHalfRootPi;
  for (int i = 0; i < 30; ++i) {
    const long double step = (x - erfl(y)) * kHalfRootPi * std::exp(y * y);
    y += step;
    if (std::fabs(step) <= std::fabs(y) * 1e-18L) break;
  }
  return y;
}
long double inverse_erfc(long double x) {
  if (!(x >= 0 && x <= 2)) return std::nan("");
  if (x == 0 || x == 2) return x == 0 ? HUGE_VAL : -HUGE_VAL;
  if (x < 0.5) return inverse_tail(x);
  return x > 1.5 ? -inverse_tail(2 - x) : inverse_center(1 - x);
}
double inverse_erf(double x) {
  const double a = std::fabs(x);
  return static_cast<double>(a <= 0.5 ? inverse_center(x) : std::copysign(inverse_erfc(1 - a), x));
}

using Two = elementary::VectorOf<double, 2>::Type;

// The angle of a finite number of 2^19 and more less its quarter turns (Payne and Hanek): m 2^e 2/pi with m whole, of
// which only the last two bits before the point and what follows are computed. They come from 192 bits of 2/pi, since
// multiples of 4 fall away; no double is nearer to a multiple of pi/2 than 2^-62.
precise::Angle<Two> reduce_large(double x) {
  static constexpr uint64_t kTwoOverPi[] = {
      0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
      0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
      0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
      0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};
  const uint64_t raw = std::bit_cast<uint64_t>(x), m = (raw & ((1ull << 52) - 1)) | 1ull << 52;
  const int e = static_cast<int>(raw >> 52 & 2047) - 1075, skipped = std::max(e - 2, 0);
  const auto word = [&](int i) {
    const int at = skipped / 64 + i, shift = skipped % 64;
    return shift == 0 ? kTwoOverPi[at] : kTwoOverPi[at] << shift | kTwoOverPi[at + 1] >> (64 - shift);
  };
  // m times 192 bits: the point stands before bit 192 + skipped - e from the right.
  uint64_t product[5] = {};
  unsigned __int128 carry = 0;
  for (int i = 0; i < 3; ++i) {
    carry += static_cast<unsigned __int128>(m) * word(2 - i);
    product[i] = static_cast<uint64_t>(carry);
    carry >>= 64;
  }
  product[3] = static_cast<uint64_t>(carry);
  const int point = 192 + skipped - e;
  const auto bits_from = [&](int low) {  // 64 bits of the product, from its bit `low` on
    const int at = low / 64, shift = low % 64;
    return shift == 0 ? product[at] : product[at] >> shift | product[at + 1] << (64 - shift);
  };
  // What follows the point as a signed number: above one half the next quarter turn is nearer.
  const auto first = static_cast<int64_t>(bits_from(point - 64));
  const uint64_t second = bits_from(point - 128);
  const uint64_t quarters = bits_from(point) + (first < 0 ? 1 : 0);
  const double high = static_cast<double>(first >> 32) * 0x1p-32;
  const double middle = static_cast<double>(first & 0xffffffff) * 0x1p-64, low = static_cast<double>(second) * 0x1p-128;
  const auto both = [](double v) { return Two{v, v}; };
  precise::Pair<Two> turns = precise::exact_sum(both(high), both(middle));
  turns = precise::quick_sum(turns.high, turns.low + both(low));
  precise::Angle<Two> angle{
      precise::multiply(turns, precise::constant<Two>(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54)),
      elementary::Bits<Two>{quarters, quarters}};
  if (std::signbit(x)) angle = {-angle.rest, -angle.quarters};
  return angle;
}
double sin_of_large(double x) { return std::isfinite(x) ? precise::sine(reduce_large(x))[0] : std::nan(""); }
double cos_of_large(double x) { return std::isfinite(x) ? precise::cosine(reduce_large(x))[0] : std::nan(""); }
double tan_of_large(double x) { return std::isfinite(x) ? precise::tangent(reduce_large(x))[0] : std::nan(""); }

// kCount lanes from `first` on: converted to double, computed, and back.
template <typename D, typename Of, typename E, typename... A>
WL_INLINE void some_lanes(E* results, const A*... arguments) {
  using elementary::kLanes;
  const auto load = [](const E* from) __attribute__((always_inline)) {
    typename elementary::VectorOf<E, kLanes<D>>::Type v;
    std::memcpy(&v, from, sizeof v);
    return __builtin_convertvector(v, D);
  };
  const auto values =
      __builtin_convertvector(Of::value(load(arguments)...), typename elementary::VectorOf<E, kLanes<D>>::Type);
  std::memcpy(results, &values, sizeof values);
  const auto rare = Of::rare(load(arguments)...);
  int64_t any = 0;
  for (int i = 0; i < kLanes<D>; ++i) any |= rare[i];
  if (any == 0) return;
  for (int i = 0; i < kLanes<D>; ++i)
    if (rare[i]) results[i] = static_cast<E>(Of::rare_value(static_cast<double>(arguments[i])...));
}
template <typename D, typename Of, typename E, typename... A>
WL_INLINE void each_lane(uint32_t n, E* results, const A*... arguments) {
  for (uint32_t i = 0; i < n; i += elementary::kLanes<D>) some_lanes<D, Of>(results + i, (arguments + i)...);
}

// For two generations of processors (of GCC 12's code for 512 bits, that for masks is slower), and for one lane: none
// computes other bits.
template <typename Of, typename Function>
struct ForProcessors;
template <typename Of, typename E, typename... A>
struct ForProcessors<Of, E(A...)> {
  static void plain(uint32_t n, E* results, const A*... arguments) { each_lane<Two, Of>(n, results, arguments...); }
#if defined(__x86_64__)
  [[gnu::target("arch=x86-64-v3")]] static void avx2(uint32_t n, E* results, const A*... arguments) {
    each_lane<elementary::VectorOf<double, 4>::Type, Of>(n, results, arguments...);
  }
#endif
  template <auto kWide>
  static E one(A... arguments) {
    E results[4];
    const auto everywhere = [](E x) { return std::array<E, 4>{x, x, x, x}; };
    kWide(4, results, everywhere(arguments).data()...);
    return results[0];
  }
  static MathFunction functions(const char* name, const char* signature) {
    const auto of = [&](auto* one, auto* wide) {
      return MathFunction{name, signature, reinterpret_cast<void (*)()>(one), reinterpret_cast<void (*)()>(wide)};
    };
#if defined(__x86_64__)
    if (__builtin_cpu_supports("x86-64-v3")) return of(&one<&avx2>, &avx2);
#endif
    return of(&one<&plain>, &plain);
  }
};
using elementary::Mask;
#define WL_MATH(name, signature, result, parameters, value) \
  result host##name parameters { return value; }
#define WL_MATH_WIDE(name, signature, type, parameters, value_, rare_, rare_value_) \
  struct Wide##name {                                                               \
    template <typename D>                                                           \
    WL_INLINE static D value parameters {                                           \
      return value_;                                                                \
    }                                                                               \
    template <typename D>                                                           \
    WL_INLINE static Mask<D> rare parameters {                                      \
      return rare_;                                                                 \
    }                                                                               \
    template <std::same_as<double> D>                                               \
    WL_INLINE static double rare_value parameters {                                 \
      return rare_value_;                                                           \
    }                                                                               \
  };
#include "ir/math.def"

constexpr MathFunction kNothing{"", "", nullptr, nullptr};

const std::vector<MathFunction>& functions() {
  static const std::vector<MathFunction> kFunctions = {
      kNothing,
#define WL_MATH(name, signature, result, parameters, value) \
  {#name, signature, reinterpret_cast<void (*)()>(&host##name), nullptr},
#define WL_MATH_WIDE(name, signature, type, parameters, value, rare, rare_value) \
  ForProcessors<Wide##name, type>::functions(#name, signature),
#include "ir/math.def"
  };
  return kFunctions;
}

}  // namespace

Type type_of_letter(char letter) {
  switch (letter) {
    case 'i':
      return Type::I32;
    case 'l':
      return Type::I64;
    case 'f':
      return Type::F32;
    case 'd':
      return Type::F64;
    default:
      return Type::Void;
  }
}

uint32_t math_function_count() { return static_cast<uint32_t>(functions().size()); }
const MathFunction& math_function(uint32_t index) { return index < functions().size() ? functions()[index] : kNothing; }

std::optional<uint32_t> find_math_function(std::string_view name) {
  static const auto kByName = [] {
    std::unordered_map<std::string_view, uint32_t> table;
    for (uint32_t i = 1; i < functions().size(); ++i) table.emplace(functions()[i].name, i);
    return table;
  }();
  const auto it = kByName.find(name);
  if (it == kByName.end()) return std::nullopt;
  return it->second;
}

}  // namespace warplens::ir
