// setp set selp slct.
#include <gtest/gtest.h>

#include <cmath>

#include "run/table.h"

namespace warplens::run {
namespace {

using i16 = int16_t;
using u16 = uint16_t;
using i32 = int32_t;
using u32 = uint32_t;
using i64 = int64_t;
using u64 = uint64_t;

template <typename T>
void integers(Table& t, const char* type, const char* (*names)[6]) {
  const auto row = [&](const char* name, auto f) {
    t.add<bool(T, T)>(std::string("    setp.") + name + "." + type + " %d, %a, %b;\n", f);
  };
  row((*names)[0], [](T a, T b) { return a == b; });
  row((*names)[1], [](T a, T b) { return a != b; });
  row((*names)[2], [](T a, T b) { return a < b; });
  row((*names)[3], [](T a, T b) { return a <= b; });
  row((*names)[4], [](T a, T b) { return a > b; });
  row((*names)[5], [](T a, T b) { return a >= b; });
}

TEST(Compare, Integers) {
  const char* plain[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  const char* unsigned_names[] = {"eq", "ne", "lo", "ls", "hi", "hs"};
  Table t;
  integers<i16>(t, "s16", &plain);
  integers<u16>(t, "u16", &plain);
  integers<i32>(t, "s32", &plain);
  integers<u32>(t, "u32", &plain);
  integers<u32>(t, "u32", &unsigned_names);
  integers<i64>(t, "s64", &plain);
  integers<u64>(t, "u64", &plain);
  t.add<bool(u32, u32)>(R"(
    setp.eq.b32 %d, %a, %b;
  )",
                        [](u32 a, u32 b) { return a == b; });
  t.run();
}

template <typename T>
void floats(Table& t, const char* type) {
  const auto row = [&](const char* name, auto f) {
    t.add<bool(T, T)>(std::string("    setp.") + name + "." + type + " %d, %a, %b;\n", [f](T x, T y) {
      double a, b;
      if constexpr (std::is_floating_point_v<T>)
        a = x, b = y;
      else
        a = to_double(x), b = to_double(y);
      return f(a, b);
    });
  };
  const auto unordered = [](double a, double b) { return std::isnan(a) || std::isnan(b); };
  row("eq", [](double a, double b) { return a == b; });
  row("ne", [=](double a, double b) { return a != b && !unordered(a, b); });
  row("lt", [](double a, double b) { return a < b; });
  row("le", [](double a, double b) { return a <= b; });
  row("gt", [](double a, double b) { return a > b; });
  row("ge", [](double a, double b) { return a >= b; });
  row("equ", [=](double a, double b) { return a == b || unordered(a, b); });
  row("neu", [](double a, double b) { return a != b; });
  row("ltu", [=](double a, double b) { return a < b || unordered(a, b); });
  row("leu", [=](double a, double b) { return a <= b || unordered(a, b); });
  row("gtu", [=](double a, double b) { return a > b || unordered(a, b); });
  row("geu", [=](double a, double b) { return a >= b || unordered(a, b); });
  row("num", [=](double a, double b) { return !unordered(a, b); });
  row("nan", unordered);
}

TEST(Compare, Floats) {
  Table t;
  floats<float>(t, "f32");
  floats<double>(t, "f64");
  floats<Half>(t, "f16");
  floats<BFloat>(t, "bf16");
  const auto flush = [](float x) { return std::fpclassify(x) == FP_SUBNORMAL ? 0.0f : x; };
  t.add<bool(float, float)>(R"(
    setp.lt.ftz.f32 %d, %a, %b;
  )",
                            [=](float a, float b) { return flush(a) < flush(b); });
  t.run();
}

TEST(Compare, CombinedAndPairs) {
  Table t;
  t.add<bool(i32, i32, bool)>(R"(
    setp.lt.and.s32 %d, %a, %b, %c;
  )",
                              [](i32 a, i32 b, bool c) { return a < b && c; });
  t.add<bool(i32, i32, bool)>(R"(
    setp.lt.or.s32 %d, %a, %b, !%c;
  )",
                              [](i32 a, i32 b, bool c) { return a < b || !c; });
  t.add<bool(float, float, bool)>(R"(
    setp.ge.xor.f32 %d, %a, %b, %c;
  )",
                                  [](float a, float b, bool c) { return (a >= b) != c; });
  t.add<u32(i32, i32)>(R"(
    setp.le.s32 %q0|%q1, %a, %b;
    selp.u32 %t0, 1, 0, %q0;
    selp.u32 %t1, 2, 0, %q1;
    or.b32 %d, %t0, %t1;
  )",
                       [](i32 a, i32 b) { return a <= b ? 1u : 2u; });
  t.add<u32(i32, i32, bool)>(R"(
    setp.le.and.s32 %q0|%q1, %a, %b, %c;
    selp.u32 %t0, 1, 0, %q0;
    selp.u32 %t1, 2, 0, %q1;
    or.b32 %d, %t0, %t1;
  )",
                             [](i32 a, i32 b, bool c) { return !c       ? 0u
                                                               : a <= b ? 1u
                                                                        : 2u; });
  t.add<u32(Half2, Half2)>(R"(
    setp.gt.f16x2 %q0|%q1, %a, %b;
    selp.u32 %t0, 1, 0, %q0;
    selp.u32 %t1, 2, 0, %q1;
    or.b32 %d, %t0, %t1;
  )",
                           [](Half2 a, Half2 b) {
                             return (to_double(low(a)) > to_double(low(b)) ? 1u : 0u) |
                                    (to_double(high(a)) > to_double(high(b)) ? 2u : 0u);
                           });
  t.run();
}

TEST(Compare, Set) {
  Table t;
  t.add<u32(i32, i32)>(R"(
    set.lt.u32.s32 %d, %a, %b;
  )",
                       [](i32 a, i32 b) { return a < b ? ~0u : 0u; });
  t.add<float(float, float)>(R"(
    set.gtu.f32.f32 %d, %a, %b;
  )",
                             [](float a, float b) { return !(a <= b) ? 1.0f : 0.0f; });
  t.add<u32(u64, u64, bool)>(R"(
    set.eq.or.u32.u64 %d, %a, %b, %c;
  )",
                             [](u64 a, u64 b, bool c) { return a == b || c ? ~0u : 0u; });
  t.add<Half2(Half2, Half2)>(R"(
    set.ge.f16x2.f16x2 %d, %a, %b;
  )",
                             [](Half2 a, Half2 b) {
                               const auto one = [](bool yes) { return Half{static_cast<u16>(yes ? 0x3c00 : 0)}; };
                               return pair(one(to_double(low(a)) >= to_double(low(b))),
                                           one(to_double(high(a)) >= to_double(high(b))));
                             });
  t.run();
}

TEST(Compare, Select) {
  Table t;
  t.add<u16(u16, u16, bool)>(R"(
    selp.b16 %d, %a, %b, %c;
  )",
                             [](u16 a, u16 b, bool c) { return c ? a : b; });
  t.add<i32(i32, i32, bool)>(R"(
    selp.s32 %d, %a, %b, %c;
  )",
                             [](i32 a, i32 b, bool c) { return c ? a : b; });
  t.add<u64(u64, bool)>(R"(
    selp.b64 %d, %a, 5, %b;
  )",
                        [](u64 a, bool b) { return b ? a : 5; });
  t.add<u32(u32, u32, bool)>(R"(
    selp.f32 %d, %a, %b, %c;
  )",
                             [](u32 a, u32 b, bool c) { return c ? a : b; });
  t.add<u64(u64, u64, bool)>(R"(
    selp.f64 %d, %a, %b, %c;
  )",
                             [](u64 a, u64 b, bool c) { return c ? a : b; });
  t.add<u32(u32, u32, i32)>(R"(
    slct.b32.s32 %d, %a, %b, %c;
  )",
                            [](u32 a, u32 b, i32 c) { return c >= 0 ? a : b; });
  t.add<u64(u64, u64, float)>(R"(
    slct.u64.f32 %d, %a, %b, %c;
  )",
                              [](u64 a, u64 b, float c) { return c >= 0 ? a : b; });
  t.run();
}

}  // namespace
}  // namespace warplens::run
