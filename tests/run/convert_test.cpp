// cvt and mov.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "run/rounding.h"
#include "run/table.h"

namespace warplens::run {
namespace {

using i8 = int8_t;
using u8 = uint8_t;
using i16 = int16_t;
using u16 = uint16_t;
using i32 = int32_t;
using u32 = uint32_t;
using i64 = int64_t;
using u64 = uint64_t;

float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

template <typename To, typename From>
To clamped(From x) {
  __int128 v = x;
  v = std::max<__int128>(v, std::numeric_limits<To>::min());
  v = std::min<__int128>(v, std::numeric_limits<To>::max());
  return static_cast<To>(v);
}

TEST(Convert, IntegerWidths) {
  Table t;
  t.add<i64(i32)>(R"(
    cvt.s64.s32 %d, %a;
  )",
                  [](i32 a) { return i64{a}; });
  t.add<u64(u32)>(R"(
    cvt.u64.u32 %d, %a;
  )",
                  [](u32 a) { return u64{a}; });
  t.add<u32(u64)>(R"(
    cvt.u32.u64 %d, %a;
  )",
                  [](u64 a) { return static_cast<u32>(a); });
  t.add<i32(i16)>(R"(
    cvt.s32.s16 %d, %a;
  )",
                  [](i16 a) { return i32{a}; });
  t.add<u32(u16)>(R"(
    cvt.u32.u16 %d, %a;
  )",
                  [](u16 a) { return u32{a}; });
  t.add<u16(u32)>(R"(
    cvt.u16.u32 %d, %a;
  )",
                  [](u32 a) { return static_cast<u16>(a); });
  // 8 bits in wider registers: the result fills the register by its type's sign.
  t.add<u32(u32)>(R"(
    cvt.u32.u8 %d, %a;
  )",
                  [](u32 a) { return u32{static_cast<u8>(a)}; });
  t.add<i32(u32)>(R"(
    cvt.s32.s8 %d, %a;
  )",
                  [](u32 a) { return i32{static_cast<i8>(a)}; });
  t.add<u16(u32)>(R"(
    cvt.u8.u32 %d, %a;
  )",
                  [](u32 a) { return u16{static_cast<u8>(a)}; });
  t.add<i16(u32)>(R"(
    cvt.s8.s32 %d, %a;
  )",
                  [](u32 a) { return i16{static_cast<i8>(a)}; });
  t.add<i64(u32)>(R"(
    cvt.s64.s8 %d, %a;
  )",
                  [](u32 a) { return i64{static_cast<i8>(a)}; });
  t.run();
}

TEST(Convert, IntegerSaturation) {
  Table t;
  t.add<i16(i32)>(R"(
    cvt.sat.s8.s32 %d, %a;
  )",
                  [](i32 a) { return i16{clamped<i8>(a)}; });
  t.add<u16(i32)>(R"(
    cvt.sat.u8.s32 %d, %a;
  )",
                  [](i32 a) { return u16{clamped<u8>(a)}; });
  t.add<u16(u32)>(R"(
    cvt.sat.u8.u32 %d, %a;
  )",
                  [](u32 a) { return u16{clamped<u8>(a)}; });
  t.add<i16(u64)>(R"(
    cvt.sat.s16.u64 %d, %a;
  )",
                  [](u64 a) { return clamped<i16>(a); });
  t.add<u32(i64)>(R"(
    cvt.sat.u32.s64 %d, %a;
  )",
                  [](i64 a) { return clamped<u32>(a); });
  t.add<i32(u32)>(R"(
    cvt.sat.s32.u32 %d, %a;
  )",
                  [](u32 a) { return clamped<i32>(a); });
  t.add<u32(i32)>(R"(
    cvt.sat.u32.s32 %d, %a;
  )",
                  [](i32 a) { return clamped<u32>(a); });
  t.add<u32(i32, i32)>(
      R"(
    cvt.pack.sat.s16.s32 %d, %a, %b;
  )",
      [](i32 a, i32 b) { return u32{static_cast<u16>(clamped<i16>(a))} << 16 | static_cast<u16>(clamped<i16>(b)); });
  t.add<u32(i32, i32, u32)>(R"(
    cvt.pack.sat.u8.s32.b32 %d, %a, %b, %c;
  )",
                            [](i32 a, i32 b, u32 c) { return c << 16 | u32{clamped<u8>(a)} << 8 | clamped<u8>(b); });
  const auto small = [](i32 x, i32 least, i32 most) { return static_cast<u32>(std::clamp(x, least, most)); };
  t.add<u32(i32, i32, u32)>("cvt.pack.sat.u4.s32.b32 %d, %a, %b, %c;",
                            [=](i32 a, i32 b, u32 c) { return c << 8 | small(a, 0, 15) << 4 | small(b, 0, 15); });
  t.add<u32(i32, i32, u32)>("cvt.pack.sat.s4.s32.b32 %d, %a, %b, %c;", [=](i32 a, i32 b, u32 c) {
    return c << 8 | (small(a, -8, 7) & 15) << 4 | (small(b, -8, 7) & 15);
  });
  t.add<u32(i32, i32, u32)>("cvt.pack.sat.u2.s32.b32 %d, %a, %b, %c;",
                            [=](i32 a, i32 b, u32 c) { return c << 4 | small(a, 0, 3) << 2 | small(b, 0, 3); });
  t.add<u32(i32, i32, u32)>("cvt.pack.sat.s2.s32.b32 %d, %a, %b, %c;", [=](i32 a, i32 b, u32 c) {
    return c << 4 | (small(a, -2, 1) & 3) << 2 | (small(b, -2, 1) & 3);
  });
  t.run();
}

struct Mode {
  const char* integral;
  const char* plain;
  int mode;
};
constexpr Mode kModes[] = {
    {"rni", "rn", FE_TONEAREST}, {"rzi", "rz", FE_TOWARDZERO}, {"rmi", "rm", FE_DOWNWARD}, {"rpi", "rp", FE_UPWARD}};

template <typename To, typename From>
To to_integer(From x, int mode) {
  // NaN: 0, or the top bit where 64 bits are involved.
  if (std::isnan(x))
    return sizeof(From) == 8 || sizeof(To) == 8 ? static_cast<To>(u64{1} << (sizeof(To) * 8 - 1)) : To{0};
  const volatile From v = x;
  const long double r = under(mode, [&] { return std::rint(From(v)); });
  if (r <= static_cast<long double>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  if (r >= static_cast<long double>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  return static_cast<To>(r);
}

template <typename To, typename From>
void to_integers(Table& t, const std::string& to, const std::string& from) {
  for (const Mode& m : kModes)
    t.add<To(From)>(std::string("    cvt.") + m.integral + "." + to + "." + from + " %d, %a;\n",
                    [=](From a) { return to_integer<To, From>(a, m.mode); });
}

TEST(Convert, FloatToInteger) {
  Table t;
  to_integers<i32, float>(t, "s32", "f32");
  to_integers<u32, float>(t, "u32", "f32");
  to_integers<i64, float>(t, "s64", "f32");
  to_integers<u64, float>(t, "u64", "f32");
  to_integers<i32, double>(t, "s32", "f64");
  to_integers<u32, double>(t, "u32", "f64");
  to_integers<i64, double>(t, "s64", "f64");
  to_integers<u64, double>(t, "u64", "f64");
  to_integers<i16, float>(t, "s16", "f32");
  to_integers<u16, float>(t, "u16", "f32");
  t.add<i32(float)>(R"(
    cvt.rpi.ftz.s32.f32 %d, %a;
  )",
                    [](float a) { return to_integer<i32>(flush(a), FE_UPWARD); });
  t.add<u16(float)>(R"(
    cvt.rzi.u8.f32 %d, %a;
  )",
                    [](float a) { return u16{to_integer<u8>(a, FE_TOWARDZERO)}; });
  t.add<i32(Half)>(R"(
    cvt.rni.s32.f16 %d, %a;
  )",
                   [](Half a) { return to_integer<i32>(static_cast<float>(to_double(a)), FE_TONEAREST); });
  t.add<u64(Half)>(R"(
    cvt.rzi.u64.f16 %d, %a;
  )",
                   [](Half a) { return to_integer<u64>(static_cast<float>(to_double(a)), FE_TOWARDZERO); });
  t.run();
}

template <typename To, typename From>
void from_integers(Table& t, const std::string& to, const std::string& from) {
  for (const Mode& m : kModes)
    t.add<To(From)>(std::string("    cvt.") + m.plain + "." + to + "." + from + " %d, %a;\n", [=](From a) {
      const volatile From v = a;
      return under(m.mode, [&] { return static_cast<To>(From(v)); });
    });
}

TEST(Convert, IntegerToFloat) {
  Table t;
  from_integers<float, i32>(t, "f32", "s32");
  from_integers<float, u32>(t, "f32", "u32");
  from_integers<float, i64>(t, "f32", "s64");
  from_integers<float, u64>(t, "f32", "u64");
  from_integers<double, i32>(t, "f64", "s32");
  from_integers<double, u32>(t, "f64", "u32");
  from_integers<double, i64>(t, "f64", "s64");
  from_integers<double, u64>(t, "f64", "u64");
  from_integers<float, i16>(t, "f32", "s16");
  t.add<float(u32)>(R"(
    cvt.rn.f32.u8 %d, %a;
  )",
                    [](u32 a) { return static_cast<float>(static_cast<u8>(a)); });
  t.add<float(u32)>(R"(
    cvt.rn.f32.s8 %d, %a;
  )",
                    [](u32 a) { return static_cast<float>(static_cast<i8>(a)); });
  t.add<Half(i32)>(R"(
    cvt.rn.f16.s32 %d, %a;
  )",
                   [](i32 a) { return half_from(a); });
  t.add<Half(u64)>(R"(
    cvt.rn.f16.u64 %d, %a;
  )",
                   [](u64 a) { return half_from(static_cast<double>(std::min<u64>(a, 1u << 20))); });
  t.add<BFloat(u32)>(R"(
    cvt.rn.bf16.u32 %d, %a;
  )",
                     [](u32 a) { return bfloat_from(a); });
  t.add<BFloat(i64)>(R"(
    cvt.rn.bf16.s64 %d, %a;
  )",
                     [](i64 a) {
                       // Exact in a double but for the bits that only say "a little more".
                       const u64 m = a < 0 ? u64{0} - static_cast<u64>(a) : static_cast<u64>(a);
                       const double d = static_cast<double>((m >> 12) | ((m & 0xfff) != 0)) * 4096;
                       return bfloat_from(m < u64{1} << 52 ? static_cast<double>(a) : a < 0 ? -d : d);
                     });
  t.run();
}

TEST(Convert, FloatWidths) {
  Table t;
  t.add<double(float)>(R"(
    cvt.f64.f32 %d, %a;
  )",
                       [](float a) { return double{a}; });
  t.add<double(float)>(R"(
    cvt.ftz.f64.f32 %d, %a;
  )",
                       [](float a) { return double{flush(a)}; });
  for (const Mode& m : kModes)
    t.add<float(double)>(std::string("    cvt.") + m.plain + ".f32.f64 %d, %a;\n", [=](double a) {
      const volatile double v = a;
      return under(m.mode, [&] { return static_cast<float>(double(v)); });
    });
  t.add<float(double)>(R"(
    cvt.rn.ftz.f32.f64 %d, %a;
  )",
                       [](double a) { return flush(static_cast<float>(a)); });
  t.add<float(Half)>(R"(
    cvt.f32.f16 %d, %a;
  )",
                     [](Half a) { return static_cast<float>(to_double(a)); });
  t.add<double(Half)>(R"(
    cvt.f64.f16 %d, %a;
  )",
                      [](Half a) { return to_double(a); });
  t.add<float(BFloat)>(R"(
    cvt.f32.bf16 %d, %a;
  )",
                       [](BFloat a) { return static_cast<float>(to_double(a)); });
  t.add<Half(float)>(R"(
    cvt.rn.f16.f32 %d, %a;
  )",
                     [](float a) { return half_from(a); });
  t.add<Half(double)>(R"(
    cvt.rn.f16.f64 %d, %a;
  )",
                      half_from);
  t.add<BFloat(float)>(R"(
    cvt.rn.bf16.f32 %d, %a;
  )",
                       [](float a) { return bfloat_from(a); });
  t.add<BFloat(double)>(R"(
    cvt.rn.bf16.f64 %d, %a;
  )",
                        bfloat_from);
  t.add<BFloat(Half)>(R"(
    cvt.rn.bf16.f16 %d, %a;
  )",
                      [](Half a) { return bfloat_from(to_double(a)); });
  // Toward zero: the nearest one, or its neighbour where that is larger.
  const auto toward_zero = [](auto nearest, double exact) {
    if (std::fabs(to_double(nearest)) > std::fabs(exact) && !std::isinf(exact)) nearest.bits--;
    return nearest;
  };
  t.add<Half(float)>(R"(
    cvt.rz.f16.f32 %d, %a;
  )",
                     [=](float a) { return toward_zero(half_from(a), a); });
  t.add<BFloat(float)>(R"(
    cvt.rz.bf16.f32 %d, %a;
  )",
                       [=](float a) { return toward_zero(bfloat_from(a), a); });
  t.add<Half(float)>(R"(
    cvt.rn.sat.f16.f32 %d, %a;
  )",
                     [](float a) { return half_from(!(a > 0) ? 0 : std::min(a, 1.0f)); });
  t.add<Half(float)>(R"(
    cvt.rn.relu.f16.f32 %d, %a;
  )",
                     [](float a) {
                       return half_from(std::isnan(a) ? a : a > 0 ? a : 0.0f);
                     });
  t.add<Half2(float, float)>(R"(
    cvt.rn.f16x2.f32 %d, %a, %b;
  )",
                             [](float a, float b) { return pair(half_from(b), half_from(a)); });
  t.add<BFloat2(float, float)>(R"(
    cvt.rn.bf16x2.f32 %d, %a, %b;
  )",
                               [](float a, float b) { return pair(bfloat_from(b), bfloat_from(a)); });
  t.add<u32(u32)>(R"(
    cvt.rna.tf32.f32 %d, %a;
  )",
                  [](u32 a) { return ((a & 0x7f800000) == 0x7f800000 ? a : a + 0x1000) & 0xffffe000; });
  t.run();
}

TEST(Convert, RoundToIntegral) {
  Table t;
  for (const Mode& m : kModes) {
    t.add<float(float)>(std::string("    cvt.") + m.integral + ".f32.f32 %d, %a;\n", [=](float a) {
      const volatile float v = a;
      return under(m.mode, [&] { return std::rint(float(v)); });
    });
    t.add<double(double)>(std::string("    cvt.") + m.integral + ".f64.f64 %d, %a;\n", [=](double a) {
      const volatile double v = a;
      return under(m.mode, [&] { return std::rint(double(v)); });
    });
    t.add<Half(Half)>(std::string("    cvt.") + m.integral + ".f16.f16 %d, %a;\n", [=](Half a) {
      const volatile double v = to_double(a);
      return half_from(under(m.mode, [&] { return std::rint(double(v)); }));
    });
  }
  t.add<float(float)>(R"(
    cvt.sat.f32.f32 %d, %a;
  )",
                      [](float a) { return !(a > 0) ? 0.0f : std::min(a, 1.0f); });
  t.add<float(float)>(R"(
    cvt.ftz.f32.f32 %d, %a;
  )",
                      flush);
  t.run();
}

TEST(Convert, Mov) {
  Table t;
  t.add<u32(u32)>(R"(
    mov.u32 %d, %a;
  )",
                  [](u32 a) { return a; });
  t.add<u32(u32)>(R"(
    mov.f32 %t0, %a;
    mov.b32 %d, %t0;
  )",
                  [](u32 a) { return a; });
  t.add<bool(bool)>(R"(
    mov.pred %d, %a;
  )",
                    [](bool a) { return a; });
  t.add<u64(u32, u32)>(R"(
    mov.b64 %d, {%a, %b};
  )",
                       [](u32 a, u32 b) { return u64{b} << 32 | a; });
  t.add<u32(u64)>(R"(
    mov.b64 {%t0, %t1}, %a;
    xor.b32 %d, %t0, %t1;
  )",
                  [](u64 a) { return static_cast<u32>(a) ^ static_cast<u32>(a >> 32); });
  t.add<u32(u64)>(R"(
    mov.b64 {_, %d}, %a;
  )",
                  [](u64 a) { return static_cast<u32>(a >> 32); });
  t.add<u32(u16, u16)>(R"(
    mov.b32 %d, {%a, %b};
  )",
                       [](u16 a, u16 b) { return u32{b} << 16 | a; });
  t.add<u16(u32)>(R"(
    mov.b32 {%h0, %h1}, %a;
    add.u16 %d, %h0, %h1;
  )",
                  [](u32 a) { return static_cast<u16>(a + (a >> 16)); });
  t.add<u64(u16, u16)>(R"(
    mov.b64 %d, {%a, %b, %b, %a};
  )",
                       [](u16 a, u16 b) { return u64{a} << 48 | u64{b} << 32 | u64{b} << 16 | a; });
  t.add<u32(u32, u32, bool)>(R"(
    // a guard on a pure instruction: the register keeps its value
    mov.u32 %d, %a;
    @%c mov.u32 %d, %b;
    @!%c add.u32 %d, %d, 1;
  )",
                             [](u32 a, u32 b, bool c) { return c ? b : a + 1; });
  t.run();
}

// e4m3 and e5m2 by their definition: the nearest of the numbers that there are, of two the even one.
double small_float(unsigned bits, bool e5m2) {
  const int mantissa = e5m2 ? 2 : 3, bias = e5m2 ? 15 : 7;
  const int exponent = static_cast<int>(bits >> mantissa), fraction = static_cast<int>(bits & ((1u << mantissa) - 1));
  const double whole = exponent == 0 ? fraction : fraction + (1 << mantissa);
  return std::ldexp(whole, std::max(exponent, 1) - bias - mantissa);
}
u16 to_small_float(double x, bool e5m2, bool relu = false) {
  if (std::isnan(x)) return 0x7f;
  if (relu && std::signbit(x)) return 0;
  const unsigned largest = e5m2 ? 0x7b : 0x7e, sign = std::signbit(x) ? 0x80 : 0;
  const double magnitude = std::abs(x);
  unsigned best = 0;
  for (unsigned k = 1; k <= largest; ++k) {
    const double now = std::abs(small_float(k, e5m2) - magnitude),
                 before = std::abs(small_float(best, e5m2) - magnitude);
    if (now < before || (now == before && k % 2 == 0)) best = k;
  }
  if (magnitude > small_float(largest, e5m2)) best = largest;
  return static_cast<u16>(best | sign);
}
u16 small_to_half(unsigned byte, bool e5m2) {
  const unsigned magnitude = byte & 0x7f, largest = e5m2 ? 0x7c : 0x7e;
  if (magnitude > largest) return 0x7fff;
  const u16 sign = byte & 0x80 ? 0x8000 : 0;
  if (e5m2 && magnitude == 0x7c) return sign | 0x7c00;
  return static_cast<u16>(half_from(small_float(magnitude, e5m2)).bits | sign);
}

TEST(Convert, SmallFloats) {
  Table t;
  const auto pair = [](u16 high, u16 low) { return static_cast<u16>(high << 8 | low); };
  for (const bool e5m2 : {false, true}) {
    const std::string type = e5m2 ? "e5m2x2" : "e4m3x2";
    t.add<u16(float, float)>("    cvt.rn.satfinite." + type + ".f32 %d, %a, %b;\n",
                             [=](float a, float b) { return pair(to_small_float(a, e5m2), to_small_float(b, e5m2)); });
    t.add<u16(float, float)>("    cvt.rn.satfinite.relu." + type + ".f32 %d, %a, %b;\n", [=](float a, float b) {
      return pair(to_small_float(a, e5m2, true), to_small_float(b, e5m2, true));
    });
    t.add<u16(Half2)>("    cvt.rn.satfinite." + type + ".f16x2 %d, %a;\n", [=](Half2 x) {
      return pair(to_small_float(to_double(high(x)), e5m2), to_small_float(to_double(low(x)), e5m2));
    });
    t.add<Half2(u16)>("    cvt.rn.f16x2." + type + " %d, %a;\n", [=](u16 x) {
      return Half2{small_to_half(x & 0xff, e5m2) | u32{small_to_half(x >> 8, e5m2)} << 16};
    });
  }
  t.run();
}

TEST(Convert, Tf32OfEveryKind) {
  Table t;
  const auto is_nan = [](u32 x) { return (x & 0x7fffffff) > 0x7f800000; };
  const auto beyond = [](u32 x) { return (x & 0x7f800000) == 0x7f800000; };
  const auto to_nearest = [=](u32 x) { return beyond(x) ? x & ~0x1fffu : (x + 0xfff + (x >> 13 & 1)) & ~0x1fffu; };
  t.add<u32(u32)>("    cvt.rn.tf32.f32 %d, %a;\n", [=](u32 x) { return is_nan(x) ? 0x7fffe000 : to_nearest(x); });
  t.add<u32(u32)>("    cvt.rz.tf32.f32 %d, %a;\n", [=](u32 x) { return is_nan(x) ? 0x7fffe000 : x & ~0x1fffu; });
  t.add<u32(u32)>("    cvt.rn.relu.tf32.f32 %d, %a;\n", [=](u32 x) {
    return is_nan(x) ? 0x7fffe000 : x >> 31 ? 0 : to_nearest(x);
  });
  t.add<u32(u32)>("    cvt.rna.satfinite.tf32.f32 %d, %a;\n", [=](u32 x) {
    const u32 rounded = beyond(x) ? x & ~0x1fffu : (x + 0x1000) & ~0x1fffu;
    return beyond(rounded) ? rounded - 0x2000 : rounded;
  });
  t.run();
}

}  // namespace
}  // namespace warplens::run
