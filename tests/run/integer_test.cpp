// Integer arithmetic and bit counting.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "run/table.h"

namespace warplens::run {
namespace {

using u8 = uint8_t;
using i16 = int16_t;
using u16 = uint16_t;
using i32 = int32_t;
using u32 = uint32_t;
using i64 = int64_t;
using u64 = uint64_t;
using i128 = __int128;
using u128 = unsigned __int128;

TEST(Integer, AddSub) {
  Table t;
  t.add<u16(u16, u16)>(R"(
    add.u16 %d, %a, %b;
  )",
                       [](u16 a, u16 b) { return static_cast<u16>(a + b); });
  t.add<u32(u32, u32)>(R"(
    add.u32 %d, %a, %b;
  )",
                       [](u32 a, u32 b) { return a + b; });
  t.add<u64(u64, u64)>(R"(
    add.s64 %d, %a, %b;
  )",
                       [](u64 a, u64 b) { return a + b; });
  t.add<u32(u32)>(R"(
    add.s32 %d, %a, -7;
  )",
                  [](u32 a) { return a - 7; });
  t.add<u16(u16, u16)>(R"(
    sub.s16 %d, %a, %b;
  )",
                       [](u16 a, u16 b) { return static_cast<u16>(a - b); });
  t.add<u32(u32, u32)>(R"(
    sub.s32 %d, %a, %b;
  )",
                       [](u32 a, u32 b) { return a - b; });
  t.add<u64(u64, u64)>(R"(
    sub.u64 %d, %a, %b;
  )",
                       [](u64 a, u64 b) { return a - b; });
  const auto clamp = [](i64 v) { return static_cast<i32>(std::clamp<i64>(v, INT32_MIN, INT32_MAX)); };
  t.add<i32(i32, i32)>(R"(
    add.sat.s32 %d, %a, %b;
  )",
                       [=](i32 a, i32 b) { return clamp(i64{a} + b); });
  t.add<i32(i32, i32)>(R"(
    sub.sat.s32 %d, %a, %b;
  )",
                       [=](i32 a, i32 b) { return clamp(i64{a} - b); });
  t.add<u32(u32, u32)>(R"(
    add.u16x2 %d, %a, %b;
  )",
                       [](u32 a, u32 b) { return ((a + b) & 0xffff) | ((a >> 16) + (b >> 16)) << 16; });
  t.run();
}

TEST(Integer, CarryChains) {
  Table t;
  t.add<u64(u64, u64)>(R"(
    mov.b64 {%t0, %t1}, %a;
    mov.b64 {%t2, %t3}, %b;
    add.cc.u32 %t4, %t0, %t2;
    addc.u32 %t5, %t1, %t3;
    mov.b64 %d, {%t4, %t5};
  )",
                       [](u64 a, u64 b) { return a + b; });
  t.add<u64(u64, u64)>(R"(
    mov.b64 {%t0, %t1}, %a;
    mov.b64 {%t2, %t3}, %b;
    sub.cc.u32 %t4, %t0, %t2;
    subc.u32 %t5, %t1, %t3;
    mov.b64 %d, {%t4, %t5};
  )",
                       [](u64 a, u64 b) { return a - b; });
  t.add<u32(u64, u64, u32)>(R"(
    // the carry out of a 96-bit sum, through addc.cc
    add.cc.u64 %u0, %a, %b;
    addc.cc.u32 %t0, %c, %c;
    addc.u32 %d, 0, 0;
  )",
                            [](u64 a, u64 b, u32 c) {
                              const u64 carry = static_cast<u64>((u128{a} + b) >> 64);
                              return static_cast<u32>((u64{c} + c + carry) >> 32);
                            });
  t.add<u32(u64, u64, u32)>(R"(
    sub.cc.u64 %u0, %a, %b;
    subc.cc.u32 %t0, %c, 5;
    subc.u32 %d, 0, 0;
  )",
                            [](u64 a, u64 b, u32 c) { return u64{c} < u64{5} + (a < b) ? ~0u : 0u; });
  t.add<u64(u32, u32, u64)>(R"(
    mov.b64 {%t0, %t1}, %c;
    mad.lo.cc.u32 %t2, %a, %b, %t0;
    madc.hi.u32 %t3, %a, %b, %t1;
    mov.b64 %d, {%t2, %t3};
  )",
                            [](u32 a, u32 b, u64 c) { return u64{a} * b + c; });
  t.add<u32(u32, u32, u32)>(R"(
    mad.lo.cc.u32 %t0, %a, %b, %c;
    madc.lo.cc.u32 %t1, %a, %b, %c;
    addc.u32 %d, %t1, 0;
  )",
                            [](u32 a, u32 b, u32 c) {
                              const u32 low = a * b;
                              const u64 first = u64{low} + c, second = u64{low} + c + (first >> 32);
                              return static_cast<u32>(second) + static_cast<u32>(second >> 32);
                            });
  t.run();
}

TEST(Integer, MulMad) {
  Table t;
  t.add<u16(u16, u16)>(R"(
    mul.lo.u16 %d, %a, %b;
  )",
                       [](u16 a, u16 b) { return static_cast<u16>(u32{a} * b); });
  t.add<u32(u32, u32)>(R"(
    mul.lo.s32 %d, %a, %b;
  )",
                       [](u32 a, u32 b) { return a * b; });
  t.add<u64(u64, u64)>(R"(
    mul.lo.u64 %d, %a, %b;
  )",
                       [](u64 a, u64 b) { return a * b; });
  t.add<i16(i16, i16)>(R"(
    mul.hi.s16 %d, %a, %b;
  )",
                       [](i16 a, i16 b) { return static_cast<i16>(i32{a} * b >> 16); });
  t.add<u16(u16, u16)>(R"(
    mul.hi.u16 %d, %a, %b;
  )",
                       [](u16 a, u16 b) { return static_cast<u16>(u32{a} * b >> 16); });
  t.add<i32(i32, i32)>(R"(
    mul.hi.s32 %d, %a, %b;
  )",
                       [](i32 a, i32 b) { return static_cast<i32>(i64{a} * b >> 32); });
  t.add<u32(u32, u32)>(R"(
    mul.hi.u32 %d, %a, %b;
  )",
                       [](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); });
  t.add<i64(i64, i64)>(R"(
    mul.hi.s64 %d, %a, %b;
  )",
                       [](i64 a, i64 b) { return static_cast<i64>(i128{a} * b >> 64); });
  t.add<u64(u64, u64)>(R"(
    mul.hi.u64 %d, %a, %b;
  )",
                       [](u64 a, u64 b) { return static_cast<u64>(u128{a} * b >> 64); });
  t.add<i32(i16, i16)>(R"(
    mul.wide.s16 %d, %a, %b;
  )",
                       [](i16 a, i16 b) { return i32{a} * b; });
  t.add<u32(u16, u16)>(R"(
    mul.wide.u16 %d, %a, %b;
  )",
                       [](u16 a, u16 b) { return u32{a} * b; });
  t.add<i64(i32, i32)>(R"(
    mul.wide.s32 %d, %a, %b;
  )",
                       [](i32 a, i32 b) { return i64{a} * b; });
  t.add<u64(u32, u32)>(R"(
    mul.wide.u32 %d, %a, %b;
  )",
                       [](u32 a, u32 b) { return u64{a} * b; });
  t.add<u16(u16, u16, u16)>(R"(
    mad.lo.s16 %d, %a, %b, %c;
  )",
                            [](u16 a, u16 b, u16 c) { return static_cast<u16>(u32{a} * b + c); });
  t.add<u32(u32, u32, u32)>(R"(
    mad.lo.s32 %d, %a, %b, %c;
  )",
                            [](u32 a, u32 b, u32 c) { return a * b + c; });
  t.add<u64(u64, u64, u64)>(R"(
    mad.lo.s64 %d, %a, %b, %c;
  )",
                            [](u64 a, u64 b, u64 c) { return a * b + c; });
  t.add<u32(i32, i32, u32)>(R"(
    mad.hi.s32 %d, %a, %b, %c;
  )",
                            [](i32 a, i32 b, u32 c) { return static_cast<u32>(i64{a} * b >> 32) + c; });
  t.add<u32(u32, u32, u32)>(R"(
    mad.hi.u32 %d, %a, %b, %c;
  )",
                            [](u32 a, u32 b, u32 c) { return static_cast<u32>(u64{a} * b >> 32) + c; });
  t.add<i32(i32, i32, i32)>(R"(
    mad.hi.sat.s32 %d, %a, %b, %c;
  )",
                            [](i32 a, i32 b, i32 c) {
                              return static_cast<i32>(std::clamp<i64>((i64{a} * b >> 32) + c, INT32_MIN, INT32_MAX));
                            });
  t.add<u64(i32, i32, u64)>(R"(
    mad.wide.s32 %d, %a, %b, %c;
  )",
                            [](i32 a, i32 b, u64 c) { return static_cast<u64>(i64{a} * b) + c; });
  t.add<u32(u16, u16, u32)>(R"(
    mad.wide.u16 %d, %a, %b, %c;
  )",
                            [](u16 a, u16 b, u32 c) { return u32{a} * b + c; });
  const auto s24 = [](i32 v) { return i64{v << 8 >> 8}; };
  t.add<i32(i32, i32)>(R"(
    mul24.lo.s32 %d, %a, %b;
  )",
                       [=](i32 a, i32 b) { return static_cast<i32>(s24(a) * s24(b)); });
  t.add<u32(u32, u32)>(R"(
    mul24.hi.u32 %d, %a, %b;
  )",
                       [](u32 a, u32 b) { return static_cast<u32>(u64{a & 0xffffff} * (b & 0xffffff) >> 16); });
  t.add<u32(u32, u32, u32)>(
      R"(
    mad24.lo.u32 %d, %a, %b, %c;
  )",
      [](u32 a, u32 b, u32 c) { return static_cast<u32>(u64{a & 0xffffff} * (b & 0xffffff)) + c; });
  t.add<i32(i32, i32, i32)>("mad24.hi.sat.s32 %d, %a, %b, %c;", [=](i32 a, i32 b, i32 c) {
    return static_cast<i32>(std::clamp<i64>((s24(a) * s24(b) >> 16) + c, INT32_MIN, INT32_MAX));
  });
  t.run();
}

// Division by zero: all ones, as an H200 has it of quotient and remainder; INT_MIN / -1 wraps.
template <typename T>
T quotient(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return static_cast<T>(std::make_unsigned_t<T>{0} - static_cast<std::make_unsigned_t<T>>(a));
  return static_cast<T>(a / b);
}
template <typename T>
T remainder(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}

TEST(Integer, DivRem) {
  Table t;
  t.add<i16(i16, i16)>(R"(
    div.s16 %d, %a, %b;
  )",
                       quotient<i16>);
  t.add<u16(u16, u16)>(R"(
    div.u16 %d, %a, %b;
  )",
                       quotient<u16>);
  t.add<i32(i32, i32)>(R"(
    div.s32 %d, %a, %b;
  )",
                       quotient<i32>);
  t.add<u32(u32, u32)>(R"(
    div.u32 %d, %a, %b;
  )",
                       quotient<u32>);
  t.add<i64(i64, i64)>(R"(
    div.s64 %d, %a, %b;
  )",
                       quotient<i64>);
  t.add<u64(u64, u64)>(R"(
    div.u64 %d, %a, %b;
  )",
                       quotient<u64>);
  t.add<i16(i16, i16)>(R"(
    rem.s16 %d, %a, %b;
  )",
                       remainder<i16>);
  t.add<u16(u16, u16)>(R"(
    rem.u16 %d, %a, %b;
  )",
                       remainder<u16>);
  t.add<i32(i32, i32)>(R"(
    rem.s32 %d, %a, %b;
  )",
                       remainder<i32>);
  t.add<u32(u32, u32)>(R"(
    rem.u32 %d, %a, %b;
  )",
                       remainder<u32>);
  t.add<i64(i64, i64)>(R"(
    rem.s64 %d, %a, %b;
  )",
                       remainder<i64>);
  t.add<u64(u64, u64)>(R"(
    rem.u64 %d, %a, %b;
  )",
                       remainder<u64>);
  t.add<u32(u32)>(R"(
    div.u32 %d, %a, 10;
  )",
                  [](u32 a) { return a / 10; });
  t.add<i32(i32)>(R"(
    rem.s32 %d, %a, 32;
  )",
                  [](i32 a) { return a % 32; });
  t.run();
}

TEST(Integer, SignMinMax) {
  Table t;
  t.add<u16(u16)>(R"(
    neg.s16 %d, %a;
  )",
                  [](u16 a) { return static_cast<u16>(-a); });
  t.add<u32(u32)>(R"(
    neg.s32 %d, %a;
  )",
                  [](u32 a) { return 0 - a; });
  t.add<u64(u64)>(R"(
    neg.s64 %d, %a;
  )",
                  [](u64 a) { return 0 - a; });
  t.add<u16(i16)>(R"(
    abs.s16 %d, %a;
  )",
                  [](i16 a) { return static_cast<u16>(a < 0 ? -a : a); });
  t.add<u32(i32)>(R"(
    abs.s32 %d, %a;
  )",
                  [](i32 a) { return a < 0 ? 0 - static_cast<u32>(a) : static_cast<u32>(a); });
  t.add<u64(i64)>(R"(
    abs.s64 %d, %a;
  )",
                  [](i64 a) { return a < 0 ? 0 - static_cast<u64>(a) : static_cast<u64>(a); });
  t.add<i16(i16, i16)>(R"(
    min.s16 %d, %a, %b;
  )",
                       [](i16 a, i16 b) { return std::min(a, b); });
  t.add<u16(u16, u16)>(R"(
    max.u16 %d, %a, %b;
  )",
                       [](u16 a, u16 b) { return std::max(a, b); });
  t.add<i32(i32, i32)>(R"(
    min.s32 %d, %a, %b;
  )",
                       [](i32 a, i32 b) { return std::min(a, b); });
  t.add<u32(u32, u32)>(R"(
    min.u32 %d, %a, %b;
  )",
                       [](u32 a, u32 b) { return std::min(a, b); });
  t.add<i32(i32, i32)>(R"(
    max.s32 %d, %a, %b;
  )",
                       [](i32 a, i32 b) { return std::max(a, b); });
  t.add<u32(u32, u32)>(R"(
    max.u32 %d, %a, %b;
  )",
                       [](u32 a, u32 b) { return std::max(a, b); });
  t.add<i64(i64, i64)>(R"(
    min.s64 %d, %a, %b;
  )",
                       [](i64 a, i64 b) { return std::min(a, b); });
  t.add<u64(u64, u64)>(R"(
    max.u64 %d, %a, %b;
  )",
                       [](u64 a, u64 b) { return std::max(a, b); });
  t.add<i32(i32, i32)>(R"(
    max.s32.relu %d, %a, %b;
  )",
                       [](i32 a, i32 b) { return std::max({a, b, 0}); });
  t.add<u32(u32, u32)>(R"(
    min.s16x2 %d, %a, %b;
  )",
                       [](u32 a, u32 b) {
                         const auto half = [](u32 v, int k) { return static_cast<i16>(v >> 16 * k); };
                         return static_cast<u16>(std::min(half(a, 0), half(b, 0))) |
                                u32{static_cast<u16>(std::min(half(a, 1), half(b, 1)))} << 16;
                       });
  t.add<u32(i32, i32, u32)>(
      R"(
    sad.s32 %d, %a, %b, %c;
  )",
      [](i32 a, i32 b, u32 c) {
        return c + (a < b ? static_cast<u32>(b) - static_cast<u32>(a) : static_cast<u32>(a) - static_cast<u32>(b));
      });
  t.add<u64(u64, u64, u64)>(R"(
    sad.u64 %d, %a, %b, %c;
  )",
                            [](u64 a, u64 b, u64 c) { return c + (a < b ? b - a : a - b); });
  t.run();
}

TEST(Integer, Counting) {
  Table t;
  t.add<u32(u32)>(R"(
    popc.b32 %d, %a;
  )",
                  [](u32 a) { return static_cast<u32>(std::popcount(a)); });
  t.add<u32(u64)>(R"(
    popc.b64 %d, %a;
  )",
                  [](u64 a) { return static_cast<u32>(std::popcount(a)); });
  t.add<u32(u32)>(R"(
    clz.b32 %d, %a;
  )",
                  [](u32 a) { return static_cast<u32>(std::countl_zero(a)); });
  t.add<u32(u64)>(R"(
    clz.b64 %d, %a;
  )",
                  [](u64 a) { return static_cast<u32>(std::countl_zero(a)); });
  t.add<u32(u32)>(R"(
    bfind.u32 %d, %a;
  )",
                  [](u32 a) { return a ? 31u - static_cast<u32>(std::countl_zero(a)) : ~0u; });
  t.add<u32(u64)>(R"(
    bfind.u64 %d, %a;
  )",
                  [](u64 a) { return a ? 63u - static_cast<u32>(std::countl_zero(a)) : ~0u; });
  t.add<u32(i32)>(R"(
    bfind.s32 %d, %a;
  )",
                  [](i32 a) {
                    const u32 x = static_cast<u32>(a < 0 ? ~a : a);
                    return x ? 31u - static_cast<u32>(std::countl_zero(x)) : ~0u;
                  });
  t.add<u32(u32)>(R"(
    bfind.shiftamt.u32 %d, %a;
  )",
                  [](u32 a) { return a ? static_cast<u32>(std::countl_zero(a)) : ~0u; });
  const auto reverse = [](u64 a, int bits) {
    u64 r = 0;
    for (int i = 0; i < bits; ++i)
      if (a >> i & 1) r |= u64{1} << (bits - 1 - i);
    return r;
  };
  t.add<u32(u32)>(R"(
    brev.b32 %d, %a;
  )",
                  [=](u32 a) { return static_cast<u32>(reverse(a, 32)); });
  t.add<u64(u64)>(R"(
    brev.b64 %d, %a;
  )",
                  [=](u64 a) { return reverse(a, 64); });
  t.run();
}

// PTX ISA's own definition: bit by bit.
template <typename T>
T field_extract(T a, u32 b, u32 c) {
  const int msb = sizeof(T) * 8 - 1;
  // Of 64 bits, all bits of position and length count on an H200.
  const u64 pos = sizeof(T) == 8 ? b : b & 0xff, len = sizeof(T) == 8 ? c : c & 0xff;
  const auto bit = [&](u64 i) { return static_cast<u64>(a) >> i & 1; };
  u64 sign = 0;
  if (std::is_signed_v<T> && len != 0) sign = bit(std::min<u64>(pos + len - 1, static_cast<u64>(msb)));
  u64 d = 0;
  for (int i = 0; i <= msb; ++i) {
    const bool inside = static_cast<u64>(i) < len && pos + static_cast<u64>(i) <= static_cast<u64>(msb);
    d |= (inside ? bit(pos + static_cast<u64>(i)) : sign) << i;
  }
  return static_cast<T>(d);
}

template <typename T>
T field_insert(T a, T b, u64 pos, u64 len) {
  const u32 msb = sizeof(T) * 8 - 1;
  T f = b;
  for (u64 i = 0; i < len && pos + i <= msb; ++i) {
    const T one = T{1} << (pos + i);
    f = static_cast<T>((f & ~one) | (i <= msb && (a >> i & 1) ? one : 0));
  }
  return f;
}

TEST(Integer, Fields) {
  Table t;
  t.add<u32(u32, u32, u32)>(R"(
    bfe.u32 %d, %a, %b, %c;
  )",
                            field_extract<u32>);
  t.add<i32(i32, u32, u32)>(R"(
    bfe.s32 %d, %a, %b, %c;
  )",
                            field_extract<i32>);
  t.add<u64(u64, u32, u32)>(R"(
    bfe.u64 %d, %a, %b, %c;
  )",
                            field_extract<u64>);
  t.add<i64(i64, u32, u32)>(R"(
    bfe.s64 %d, %a, %b, %c;
  )",
                            field_extract<i64>);
  t.add<u32(u32, u32)>(R"(
    bfi.b32 %d, %a, %b, 5, 9;
  )",
                       [](u32 a, u32 b) { return field_insert(a, b, 5, 9); });
  t.add<u32(u32, u32, u32)>(R"(
    bfi.b32 %d, %a, 0x12345678, %b, %c;
  )",
                            [](u32 a, u32 b, u32 c) { return field_insert<u32>(a, 0x12345678, b & 0xff, c & 0xff); });
  t.add<u64(u64, u32, u32)>(
      R"(
    bfi.b64 %d, %a, 0x123456789abcdef, %b, %c;
  )",
      [](u64 a, u32 b, u32 c) { return field_insert<u64>(a, 0x123456789abcdef, b, c); });
  const auto ones = [](u64 n) { return n >= 32 ? 0xffffffffu : (1u << n) - 1; };
  t.add<u32(u32, u32)>(R"(
    bmsk.clamp.b32 %d, %a, %b;
  )",
                       [=](u32 a, u32 b) { return a >= 32 ? 0 : ones(b) << a; });
  t.add<u32(u32, u32)>(R"(
    bmsk.wrap.b32 %d, %a, %b;
  )",
                       [=](u32 a, u32 b) { return ones(b & 31) << (a & 31); });
  t.add<i32(i32, u32)>(
      R"(
    szext.clamp.s32 %d, %a, %b;
  )",
      [](i32 a, u32 b) {
        return b == 0 ? 0 : b >= 32 ? a : static_cast<i32>(static_cast<u32>(a) << (32 - b)) >> (32 - b);
      });
  t.add<u32(u32, u32)>(R"(
    szext.wrap.u32 %d, %a, %b;
  )",
                       [](u32 a, u32 b) { return (b & 31) == 0 ? 0 : a & ((1u << (b & 31)) - 1); });
  t.add<u32(u32, u32, i32)>(
      R"(
    and.b32 %b, %b, 31;
    rem.s32 %c, %c, 9;
    fns.b32 %d, %a, %b, %c;
  )",
      [](u32 mask, u32 base, i32 offset) {
        base &= 31;
        offset %= 9;
        if (offset == 0) return mask >> base & 1 ? base : ~0u;
        int left = std::abs(offset);
        for (int at = static_cast<int>(base); at >= 0 && at < 32; at += offset > 0 ? 1 : -1)
          if (mask >> at & 1 && --left == 0) return static_cast<u32>(at);
        return ~0u;
      });
  t.run();
}

TEST(Integer, AbsoluteDifferencesWithinAWord) {
  Table t;
  t.add<u32(u32, u32, u32)>(
      R"(
    vabsdiff4.u32.u32.u32 %d, %a, %b, %c;
  )",
      [](u32 a, u32 b, u32) {
        u32 d = 0;
        for (int k = 0; k < 32; k += 8)
          d |= static_cast<u32>(std::abs(static_cast<int>(a >> k & 255) - static_cast<int>(b >> k & 255))) << k;
        return d;
      });
  t.add<u32(u32, u32, u32)>(
      R"(
    vabsdiff4.s32.s32.s32.add %d, %a, %b, %c;
  )",
      [](u32 a, u32 b, u32 c) {
        for (int k = 0; k < 32; k += 8)
          c += static_cast<u32>(std::abs(static_cast<int8_t>(a >> k) - static_cast<int8_t>(b >> k)));
        return c;
      });
  t.add<u32(u32, u32, u32)>(
      R"(
    vabsdiff2.u32.u32.u32.add %d, %a, %b, %c;
  )",
      [](u32 a, u32 b, u32 c) {
        for (int k = 0; k < 32; k += 16)
          c += static_cast<u32>(std::abs(static_cast<int>(a >> k & 0xffff) - static_cast<int>(b >> k & 0xffff)));
        return c;
      });
  t.run();
}

TEST(Integer, DotProducts) {
  Table t;
  t.add<u32(u32, u32, u32)>(
      R"(
    dp4a.s32.u32 %d, %a, %b, %c;
  )",
      [](u32 a, u32 b, u32 c) {
        for (int k = 0; k < 32; k += 8)
          c += static_cast<u32>(static_cast<int8_t>(a >> k) * static_cast<int>(static_cast<u8>(b >> k)));
        return c;
      });
  t.add<u32(u32, u32, u32)>(
      R"(
    dp2a.hi.u32.s32 %d, %a, %b, %c;
  )",
      [](u32 a, u32 b, u32 c) {
        for (int k = 0; k < 2; ++k)
          c += static_cast<u32>(static_cast<i64>(a >> 16 * k & 0xffff) * static_cast<int8_t>(b >> (16 + 8 * k)));
        return c;
      });
  t.run();
}

}  // namespace
}  // namespace warplens::run
