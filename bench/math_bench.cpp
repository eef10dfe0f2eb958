// What the double functions of device code cost a warp of vectors: 8 lanes in one call, as compiled kernels make it,
// against the C library's function called for each lane, and its long double where double is not accurate enough.
// Prints a table in Markdown; times are the least of several, in nanoseconds a lane.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "ir/math.h"

namespace {

using namespace warplens;

constexpr uint32_t kCount = 1024;

struct Compared {
  const char* name;
  double low, high;  // of the arguments
  double (*each)(double, double);
};

// C's own functions are reached through lambdas, so that their second argument may be missing.
const std::vector<Compared> kCompared = {
    {"exp", -700, 700, [](double x, double) { return std::exp(x); }},
    {"exp2", -1000, 1000, [](double x, double) { return std::exp2(x); }},
    {"exp10", -300, 300, [](double x, double) { return std::pow(10.0, x); }},
    {"expm1", -5, 5, [](double x, double) { return static_cast<double>(expm1l(x)); }},
    {"log", 0, 1000, [](double x, double) { return std::log(x); }},
    {"log2", 0, 1000, [](double x, double) { return std::log2(x); }},
    {"log10", 0, 1000, [](double x, double) { return static_cast<double>(log10l(x)); }},
    {"log1p", -0.9, 10, [](double x, double) { return static_cast<double>(log1pl(x)); }},
    {"sin", -100, 100, [](double x, double) { return std::sin(x); }},
    {"sin", 1e8, 1e9, [](double x, double) { return std::sin(x); }},
    {"cos", -100, 100, [](double x, double) { return std::cos(x); }},
    {"tan", -100, 100, [](double x, double) { return std::tan(x); }},
    {"sinpi", -10, 10, [](double x, double) { return std::sin(M_PI * std::remainder(x, 2.0)); }},
    {"cospi", -10, 10, [](double x, double) { return std::cos(M_PI * std::remainder(x, 2.0)); }},
    {"asin", -1, 1, [](double x, double) { return std::asin(x); }},
    {"acos", -1, 1, [](double x, double) { return std::acos(x); }},
    {"atan", -10, 10, [](double x, double) { return std::atan(x); }},
    {"atan2", -10, 10, [](double x, double y) { return std::atan2(x, y); }},
    {"sinh", -20, 20, [](double x, double) { return static_cast<double>(sinhl(x)); }},
    {"cosh", -20, 20, [](double x, double) { return static_cast<double>(coshl(x)); }},
    {"tanh", -3, 3, [](double x, double) { return static_cast<double>(tanhl(x)); }},
    {"asinh", -20, 20, [](double x, double) { return static_cast<double>(asinhl(x)); }},
    {"acosh", 1, 20, [](double x, double) { return static_cast<double>(acoshl(x)); }},
    {"atanh", -1, 1, [](double x, double) { return static_cast<double>(atanhl(x)); }},
    {"pow", 0, 20, [](double x, double y) { return std::pow(x, y); }},
    {"cbrt", -100, 100, [](double x, double) { return static_cast<double>(cbrtl(x)); }},
    {"rcbrt", -100, 100, [](double x, double) { return static_cast<double>(1 / cbrtl(x)); }},
    {"hypot", -100, 100, [](double x, double y) { return static_cast<double>(hypotl(x, y)); }},
    {"erf", -4, 4, [](double x, double) { return std::erf(x); }},
    {"erfc", -4, 4, [](double x, double) { return std::erfc(x); }},
    {"erfcx", 0, 10,
     [](double x, double) { return static_cast<double>(std::exp(static_cast<long double>(x) * x) * erfcl(x)); }},
    {"normcdf", -4, 4, [](double x, double) { return static_cast<double>(erfcl(x * -M_SQRT1_2l) / 2); }},
};

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double nanoseconds_a_lane(const std::function<void()>& all) {
  double least = 1e9;
  for (int sample = 0; sample < 20; ++sample) {
    const double start = cpu_seconds();
    for (int i = 0; i < 20; ++i) all();
    least = std::min(least, (cpu_seconds() - start) / 20);
  }
  return least * 1e9 / kCount;
}

}  // namespace

int main() {
  std::mt19937_64 random(1);
  fmt::print("| function | arguments | C library, each lane | whole vectors | ratio |\n|---|---|--:|--:|--:|\n");
  for (const Compared& c : kCompared) {
    const auto index = ir::find_math_function(std::string("__nv_") + c.name);
    if (!index) continue;
    const ir::MathFunction& function = ir::math_function(*index);
    if (!function.wide) continue;
    std::vector<double> x(kCount), y(kCount), result(kCount);
    std::uniform_real_distribution<double> any(c.low, c.high);
    for (uint32_t i = 0; i < kCount; ++i) x[i] = any(random), y[i] = any(random);
    const double each = nanoseconds_a_lane([&] {
      for (uint32_t i = 0; i < kCount; ++i) result[i] = c.each(x[i], y[i]);
    });
    const bool two = std::string(function.signature).size() == 3;
    const double wide = nanoseconds_a_lane([&] {
      for (uint32_t i = 0; i < kCount; i += 8) {
        if (two)
          reinterpret_cast<void (*)(uint32_t, double*, const double*, const double*)>(function.wide)(8, &result[i],
                                                                                                     &x[i], &y[i]);
        else
          reinterpret_cast<void (*)(uint32_t, double*, const double*)>(function.wide)(8, &result[i], &x[i]);
      }
    });
    fmt::print("| `{}` | {:g} to {:g} | {:.1f} ns | {:.1f} ns | {:.1f} |\n", c.name, c.low, c.high, each, wide,
               each / wide);
  }
}
