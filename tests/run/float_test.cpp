// f32 and f64.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "run/rounding.h"
#include "run/table.h"

namespace warplens::run {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

struct Mode {
  const char* name;
  int mode;
};
constexpr Mode kModes[] = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }
float sat(float x) { return !(x > 0) ? 0.0f : x > 1 ? 1.0f : x; }

// op.mode.type of two and three arguments, each under every rounding mode.
template <typename T, typename F>
void binary(Table& t, const std::string& op, const std::string& type, F f) {
  for (const Mode& m : kModes)
    t.add<T(T, T)>("    " + op + "." + m.name + "." + type + " %d, %a, %b;\n", [=](T a, T b) {
      const volatile T x = a, y = b;
      return under(m.mode, [&] { return f(T(x), T(y)); });
    });
}

template <typename T>
void arithmetic(Table& t, const std::string& type) {
  binary<T>(t, "add", type, [](T a, T b) { return a + b; });
  binary<T>(t, "sub", type, [](T a, T b) { return a - b; });
  binary<T>(t, "mul", type, [](T a, T b) { return a * b; });
  binary<T>(t, "div", type, [](T a, T b) { return a / b; });
  for (const Mode& m : kModes) {
    t.add<T(T, T, T)>("    fma." + std::string(m.name) + "." + type + " %d, %a, %b, %c;\n", [=](T a, T b, T c) {
      const volatile T x = a, y = b, z = c;
      return under(m.mode, [&] { return std::fma(T(x), T(y), T(z)); });
    });
    t.add<T(T)>("    sqrt." + std::string(m.name) + "." + type + " %d, %a;\n", [=](T a) {
      const volatile T x = a;
      return under(m.mode, [&] { return std::sqrt(T(x)); });
    });
    t.add<T(T)>("    rcp." + std::string(m.name) + "." + type + " %d, %a;\n", [=](T a) {
      const volatile T x = a;
      return under(m.mode, [&] { return T{1} / T(x); });
    });
  }
}

TEST(Float, RoundedF32) {
  Table t;
  arithmetic<float>(t, "f32");
  t.run();
}

TEST(Float, RoundedF64) {
  Table t;
  arithmetic<double>(t, "f64");
  t.run();
}

TEST(Float, FlushAndSaturate) {
  Table t;
  t.add<float(float, float)>(R"(
    add.f32 %d, %a, %b;
  )",
                             [](float a, float b) { return a + b; });
  t.add<float(float, float)>(R"(
    add.ftz.f32 %d, %a, %b;
  )",
                             [](float a, float b) { return flush(flush(a) + flush(b)); });
  t.add<float(float, float)>(R"(
    mul.ftz.f32 %d, %a, %b;
  )",
                             [](float a, float b) { return flush(flush(a) * flush(b)); });
  t.add<float(float, float)>(R"(
    sub.sat.f32 %d, %a, %b;
  )",
                             [](float a, float b) { return sat(a - b); });
  t.add<float(float, float, float)>(
      R"(
    fma.rn.ftz.sat.f32 %d, %a, %b, %c;
  )",
      [](float a, float b, float c) { return sat(flush(std::fma(flush(a), flush(b), flush(c)))); });
  t.add<float(float, float, float)>(R"(
    mad.rn.f32 %d, %a, %b, %c;
  )",
                                    [](float a, float b, float c) { return std::fma(a, b, c); });
  t.add<float(float)>(R"(
    mul.f32 %d, %a, 0f40490FDB;
  )",
                      [](float a) { return a * 3.14159274f; });
  t.add<double(double)>(R"(
    add.f64 %d, %a, 0d3FF8000000000000;
  )",
                        [](double a) { return a + 1.5; });
  t.run();
}

TEST(Float, SignMinMax) {
  Table t;
  // On the bits, so that NaNs count too: f32 has one, f64's keep their sign.
  constexpr u32 kNan = 0x7fffffff;
  const auto is_nan = [](u32 a) { return (a & 0x7fffffff) > 0x7f800000; };
  const auto is_nan64 = [](u64 a) { return a << 1 > u64{0x7ff0000000000000} << 1; };
  t.add<u32(u32)>(R"(
    neg.f32 %d, %a;
  )",
                  [=](u32 a) { return is_nan(a) ? kNan : a ^ 0x80000000; });
  t.add<u32(u32)>(R"(
    abs.f32 %d, %a;
  )",
                  [=](u32 a) { return is_nan(a) ? kNan : a & 0x7fffffff; });
  t.add<u64(u64)>(R"(
    neg.f64 %d, %a;
  )",
                  [=](u64 a) { return is_nan64(a) ? a : a ^ u64 { 1 } << 63; });
  t.add<u64(u64)>(R"(
    abs.f64 %d, %a;
  )",
                  [=](u64 a) { return is_nan64(a) ? a : a & ~(u64{1} << 63); });
  t.add<float(float)>(R"(
    abs.ftz.f32 %d, %a;
  )",
                      [](float a) { return std::fabs(flush(a)); });
  t.add<float(float)>(R"(
    neg.ftz.f32 %d, %a;
  )",
                      [](float a) { return -flush(a); });
  const auto least = [](auto a, auto b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
  };
  const auto most = [](auto a, auto b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == b) return std::signbit(a) ? b : a;
    return a > b ? a : b;
  };
  t.add<float(float, float)>(R"(
    min.f32 %d, %a, %b;
  )",
                             least);
  t.add<float(float, float)>(R"(
    max.f32 %d, %a, %b;
  )",
                             most);
  t.add<double(double, double)>(R"(
    min.f64 %d, %a, %b;
  )",
                                least);
  t.add<double(double, double)>(R"(
    max.f64 %d, %a, %b;
  )",
                                most);
  t.add<float(float, float)>(R"(
    max.ftz.f32 %d, %a, %b;
  )",
                             [=](float a, float b) { return most(flush(a), flush(b)); });
  t.add<float(float, float)>(R"(
    min.NaN.f32 %d, %a, %b;
  )",
                             [=](float a, float b) { return std::isnan(a) || std::isnan(b) ? NAN : least(a, b); });
  t.add<float(float, float)>(R"(
    max.xorsign.abs.f32 %d, %a, %b;
  )",
                             [=](float a, float b) {
                               return std::copysign(most(std::fabs(a), std::fabs(b)),
                                                    std::signbit(a) != std::signbit(b) ? -1.0f : 1.0f);
                             });
  t.add<u32(u32, u32)>(R"(
    copysign.f32 %d, %a, %b;
  )",
                       [](u32 a, u32 b) { return (b & 0x7fffffff) | (a & 0x80000000); });
  t.add<u64(u64, u64)>(R"(
    copysign.f64 %d, %a, %b;
  )",
                       [](u64 a, u64 b) { return (b & ~(u64{1} << 63)) | (a & u64{1} << 63); });
  t.run();
}

TEST(Float, Classes) {
  Table t;
  t.add<bool(float)>(R"(
    testp.finite.f32 %d, %a;
  )",
                     [](float a) { return std::isfinite(a); });
  t.add<bool(float)>(R"(
    testp.infinite.f32 %d, %a;
  )",
                     [](float a) { return std::isinf(a); });
  t.add<bool(double)>(R"(
    testp.number.f64 %d, %a;
  )",
                      [](double a) { return !std::isnan(a); });
  t.add<bool(double)>(R"(
    testp.notanumber.f64 %d, %a;
  )",
                      [](double a) { return std::isnan(a); });
  t.add<bool(float)>(R"(
    testp.normal.f32 %d, %a;
  )",
                     [](float a) { return std::isnormal(a) || a == 0; });
  t.add<bool(float)>(R"(
    testp.subnormal.f32 %d, %a;
  )",
                     [](float a) { return std::fpclassify(a) == FP_SUBNORMAL; });
  t.run();
}

// What PTX ISA promises of the approximate functions: their tables of maximal errors.
TEST(Float, Approximate) {
  Table t;
  constexpr double kUlp = 0x1p-23;
  const auto outside = [](float low, float high) {
    return [=](const uint64_t* bits) {
      const auto x = std::bit_cast<float>(static_cast<u32>(bits[0]));
      return !(std::isnan(x) || (x >= low && x <= high));
    };
  };
  t.add<float(float, float)>(R"(
    div.full.f32 %d, %a, %b;
  )",
                             [](float a, float b) { return a / b; }, {2 * kUlp, 2 * 0x1p-149});
  t.add<float(float, float)>(R"(
    div.approx.ftz.f32 %d, %a, %b;
  )",
                             [](float a, float b) { return flush(flush(a) / flush(b)); }, {2 * kUlp, 0})
      .skip = [](const uint64_t* bits) {  // a divisor over 2^126 may give 0
    return std::fabs(std::bit_cast<float>(static_cast<u32>(bits[1]))) > 0x1p126f;
  };
  t.add<float(float)>(R"(
    rcp.approx.ftz.f32 %d, %a;
  )",
                      [](float a) { return flush(1 / flush(a)); }, {kUlp, 0});
  t.add<float(float)>(R"(
    sqrt.approx.f32 %d, %a;
  )",
                      [](float a) { return std::sqrt(a); }, {2 * kUlp, 0});
  t.add<float(float)>(R"(
    rsqrt.approx.f32 %d, %a;
  )",
                      [](float a) { return static_cast<float>(1 / std::sqrt(double{a})); }, {2 * kUlp, 0});
  t.add<float(float)>(R"(
    rsqrt.approx.ftz.f32 %d, %a;
  )",
                      [](float a) { return static_cast<float>(1 / std::sqrt(double{flush(a)})); }, {2 * kUlp, 0});
  t.add<double(double)>(R"(
    rsqrt.approx.f64 %d, %a;
  )",
                        [](double a) { return 1 / std::sqrt(a); }, {0x1p-20, 0});
  t.add<float(float)>(R"(
    ex2.approx.f32 %d, %a;
  )",
                      [](float a) { return static_cast<float>(std::exp2(double{a})); }, {2 * kUlp, 0x1p-148});
  t.add<float(float)>(R"(
    ex2.approx.ftz.f32 %d, %a;
  )",
                      [](float a) { return flush(static_cast<float>(std::exp2(double{flush(a)}))); },
                      {2 * kUlp, 0x1p-126});
  t.add<float(float)>(R"(
    lg2.approx.f32 %d, %a;
  )",
                      [](float a) { return static_cast<float>(std::log2(double{a})); }, {2 * kUlp, 0x1p-22});
  t.add<float(float)>(R"(
    sin.approx.f32 %d, %a;
  )",
                      [](float a) { return static_cast<float>(std::sin(double{a})); }, {0, 0x1p-20})
      .skip = outside(-3.1415926f, 3.1415926f);
  t.add<float(float)>(R"(
    cos.approx.f32 %d, %a;
  )",
                      [](float a) { return static_cast<float>(std::cos(double{a})); }, {0, 0x1p-20})
      .skip = outside(-3.1415926f, 3.1415926f);
  t.add<float(float)>(R"(
    tanh.approx.f32 %d, %a;
  )",
                      [](float a) { return static_cast<float>(std::tanh(double{a})); }, {0x1p-11, 0});
  const auto high_word = [](double x) {
    const u64 bits = std::bit_cast<u64>(x) & 0xffffffff00000000;
    return std::bit_cast<double>(bits & 0x7ff0000000000000 ? bits : bits & u64{1} << 63);
  };
  t.add<double(double)>(R"(
    rcp.approx.ftz.f64 %d, %a;
  )",
                        [=](double a) { return high_word(1 / high_word(a)); }, {0x1p-19, 0});
  t.add<double(double)>(R"(
    rsqrt.approx.ftz.f64 %d, %a;
  )",
                        [=](double a) { return high_word(1 / std::sqrt(high_word(a))); }, {0x1p-19, 0});
  t.run();
}

}  // namespace
}  // namespace warplens::run
