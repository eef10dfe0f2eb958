#include "ir/math.h"

#include <cmath>
#include <iterator>
#include <numbers>
#include <unordered_map>

namespace warplens::ir {
namespace {

constexpr double wide(double x) { return x; }

// sin(pi x), exact at multiples of 1/2: the angle is reduced before it is multiplied.
double sin_pi(double x) {
  if (!std::isfinite(x)) return x - x;
  double r = std::remainder(x, 2.0);
  if (std::fabs(r) > 0.5) r = std::copysign(1.0, r) - r;
  return std::sin(std::numbers::pi * r);
}
double cos_pi(double x) {
  if (!std::isfinite(x)) return x - x;
  return sin_pi(0.5 - std::fabs(std::remainder(x, 2.0)));
}

// Thread-safe, unlike lgamma: the sign goes to a variable of ours.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

// exp(x * x) * erfc(x), beyond where the factors over- and underflow by its asymptotic series.
double scaled_erfc(double x) {
  if (x < 25) return std::exp(x * x) * std::erfc(x);
  const double r = 1 / (x * x);
  return (1 - r / 2 * (1 - 1.5 * r)) / (x * std::sqrt(std::numbers::pi));
}

// y with f(y) = x for a falling f, by halving the interval until it holds two neighbours.
template <typename F>
double solve(F f, double x, double low, double high) {
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (f(middle) > x ? low : high) = middle;
  }
  return high;
}
double inverse_erfc(double x) {
  if (std::isnan(x) || x < 0 || x > 2) return std::nan("");
  if (x == 0) return HUGE_VAL;
  if (x == 2) return -HUGE_VAL;
  if (x == 1) return 0;
  return solve([](double y) { return std::erfc(y); }, x, -6.0, 28.0);
}
double inverse_erf(double x) {
  if (std::isnan(x) || std::fabs(x) > 1) return std::nan("");
  if (x == 0) return x;
  if (std::fabs(x) > 0.5) return std::copysign(inverse_erfc(1 - std::fabs(x)), x);
  return std::copysign(solve([](double y) { return -std::erf(y); }, -std::fabs(x), 0.0, 1.0), x);
}

#define WL_MATH(name, signature, result, parameters, value) \
  result host##name parameters { return value; }
#include "ir/math.def"

constexpr MathFunction kNothing{"", "", nullptr};

const std::vector<MathFunction>& functions() {
  static const std::vector<MathFunction> kFunctions = {
      kNothing,
#define WL_MATH(name, signature, result, parameters, value) \
  {#name, signature, reinterpret_cast<void (*)()>(&host##name)},
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
