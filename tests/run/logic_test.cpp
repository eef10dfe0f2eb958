// Bits and shifts.
#include <gtest/gtest.h>

#include <algorithm>

#include "run/table.h"

namespace warplens::run {
namespace {

using i16 = int16_t;
using u16 = uint16_t;
using i32 = int32_t;
using u32 = uint32_t;
using i64 = int64_t;
using u64 = uint64_t;

TEST(Logic, AndOrXorNot) {
  Table t;
  t.add<u16(u16, u16)>(R"(
    and.b16 %d, %a, %b;
  )",
                       [](u16 a, u16 b) { return static_cast<u16>(a & b); });
  t.add<u32(u32, u32)>(R"(
    and.b32 %d, %a, %b;
  )",
                       [](u32 a, u32 b) { return a & b; });
  t.add<u64(u64)>(R"(
    and.b64 %d, %a, -64;
  )",
                  [](u64 a) { return a & ~u64{63}; });
  t.add<bool(bool, bool)>(R"(
    and.pred %d, %a, %b;
  )",
                          [](bool a, bool b) { return a && b; });
  t.add<u16(u16, u16)>(R"(
    or.b16 %d, %a, %b;
  )",
                       [](u16 a, u16 b) { return static_cast<u16>(a | b); });
  t.add<u32(u32, u32)>(R"(
    or.b32 %d, %a, %b;
  )",
                       [](u32 a, u32 b) { return a | b; });
  t.add<u64(u64, u64)>(R"(
    or.b64 %d, %a, %b;
  )",
                       [](u64 a, u64 b) { return a | b; });
  t.add<bool(bool, bool)>(R"(
    or.pred %d, %a, !%b;
  )",
                          [](bool a, bool b) { return a || !b; });
  t.add<u16(u16, u16)>(R"(
    xor.b16 %d, %a, %b;
  )",
                       [](u16 a, u16 b) { return static_cast<u16>(a ^ b); });
  t.add<u32(u32, u32)>(R"(
    xor.b32 %d, %a, %b;
  )",
                       [](u32 a, u32 b) { return a ^ b; });
  t.add<u64(u64, u64)>(R"(
    xor.b64 %d, %a, %b;
  )",
                       [](u64 a, u64 b) { return a ^ b; });
  t.add<bool(bool, bool)>(R"(
    xor.pred %d, %a, %b;
  )",
                          [](bool a, bool b) { return a != b; });
  t.add<u16(u16)>(R"(
    not.b16 %d, %a;
  )",
                  [](u16 a) { return static_cast<u16>(~a); });
  t.add<u32(u32)>(R"(
    not.b32 %d, %a;
  )",
                  [](u32 a) { return ~a; });
  t.add<u64(u64)>(R"(
    not.b64 %d, %a;
  )",
                  [](u64 a) { return ~a; });
  t.add<bool(bool)>(R"(
    not.pred %d, %a;
  )",
                    [](bool a) { return !a; });
  t.add<u32(u32)>(R"(
    cnot.b32 %d, %a;
  )",
                  [](u32 a) { return u32{a == 0}; });
  t.add<u64(u64)>(R"(
    cnot.b64 %d, %a;
  )",
                  [](u64 a) { return u64{a == 0}; });
  t.run();
}

template <typename T>
T shift_left(T a, u32 b) {
  return b >= sizeof(T) * 8 ? T{0} : static_cast<T>(static_cast<u64>(a) << b);
}
template <typename T>
T shift_right(T a, u32 b) {
  return static_cast<T>(b >= sizeof(T) * 8 ? (a < 0 ? T(-1) : T{0}) : a >> b);
}

TEST(Logic, Shifts) {
  Table t;
  t.add<u16(u16, u32)>(R"(
    shl.b16 %d, %a, %b;
  )",
                       shift_left<u16>);
  t.add<u32(u32, u32)>(R"(
    shl.b32 %d, %a, %b;
  )",
                       shift_left<u32>);
  t.add<u64(u64, u32)>(R"(
    shl.b64 %d, %a, %b;
  )",
                       shift_left<u64>);
  t.add<u16(u16, u32)>(R"(
    shr.u16 %d, %a, %b;
  )",
                       shift_right<u16>);
  t.add<i16(i16, u32)>(R"(
    shr.s16 %d, %a, %b;
  )",
                       shift_right<i16>);
  t.add<u32(u32, u32)>(R"(
    shr.u32 %d, %a, %b;
  )",
                       shift_right<u32>);
  t.add<u32(u32, u32)>(R"(
    shr.b32 %d, %a, %b;
  )",
                       shift_right<u32>);
  t.add<i32(i32, u32)>(R"(
    shr.s32 %d, %a, %b;
  )",
                       shift_right<i32>);
  t.add<u64(u64, u32)>(R"(
    shr.u64 %d, %a, %b;
  )",
                       shift_right<u64>);
  t.add<i64(i64, u32)>(R"(
    shr.s64 %d, %a, %b;
  )",
                       shift_right<i64>);
  const auto join = [](u32 low, u32 high) { return u64{high} << 32 | low; };
  t.add<u32(u32, u32, u32)>(R"(
    shf.l.wrap.b32 %d, %a, %b, %c;
  )",
                            [=](u32 a, u32 b, u32 c) { return static_cast<u32>(join(a, b) << (c & 31) >> 32); });
  t.add<u32(u32, u32, u32)>(
      R"(
    shf.l.clamp.b32 %d, %a, %b, %c;
  )",
      [=](u32 a, u32 b, u32 c) { return static_cast<u32>(join(a, b) << std::min(c, 32u) >> 32); });
  t.add<u32(u32, u32, u32)>(R"(
    shf.r.wrap.b32 %d, %a, %b, %c;
  )",
                            [=](u32 a, u32 b, u32 c) { return static_cast<u32>(join(a, b) >> (c & 31)); });
  t.add<u32(u32, u32, u32)>(R"(
    shf.r.clamp.b32 %d, %a, %b, %c;
  )",
                            [=](u32 a, u32 b, u32 c) { return static_cast<u32>(join(a, b) >> std::min(c, 32u)); });
  t.run();
}

template <unsigned Table>
u32 three_inputs(u32 a, u32 b, u32 c) {
  u32 d = 0;
  for (int i = 0; i < 32; ++i) d |= (Table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
  return d;
}

TEST(Logic, Lop3) {
  Table t;
  t.add<u32(u32, u32, u32)>(R"(
    lop3.b32 %d, %a, %b, %c, 0x96;
  )",
                            three_inputs<0x96>);
  t.add<u32(u32, u32, u32)>(R"(
    lop3.b32 %d, %a, %b, %c, 0xe8;
  )",
                            three_inputs<0xe8>);
  t.add<u32(u32, u32, u32)>(R"(
    lop3.b32 %d, %a, %b, %c, 0x1b;
  )",
                            three_inputs<0x1b>);
  t.add<bool(u32, u32, bool)>(R"(
    lop3.and.b32 %t0|%d, %a, %b, 0, 0xc0, %c;
  )",
                              [](u32 a, u32 b, bool c) { return (a & b) != 0 && c; });
  t.run();
}

// PTX ISA's pseudo-code for the default mode.
u32 permute(u32 a, u32 b, u32 selector) {
  const u64 both = u64{b} << 32 | a;
  u32 d = 0;
  for (int k = 0; k < 4; ++k) {
    const u32 s = selector >> 4 * k & 15;
    u32 byte = static_cast<u32>(both >> 8 * (s & 7)) & 0xff;
    if (s & 8) byte = byte & 0x80 ? 0xff : 0;
    d |= byte << 8 * k;
  }
  return d;
}
// The special modes as PTX ISA's table of byte indices, d.b3 first.
template <unsigned... Rows>
u32 permute_by_table(u32 a, u32 b, u32 selector) {
  const unsigned rows[] = {Rows...};
  return permute(a, b, rows[selector & 3]);
}

TEST(Logic, Prmt) {
  Table t;
  t.add<u32(u32, u32, u32)>(R"(
    prmt.b32 %d, %a, %b, %c;
  )",
                            permute);
  t.add<u32(u32, u32)>(R"(
    prmt.b32 %d, %a, %b, 0x5410;
  )",
                       [](u32 a, u32 b) { return (a & 0xffff) | b << 16; });
  t.add<u32(u32, u32, u32)>(R"(
    prmt.b32.f4e %d, %a, %b, %c;
  )",
                            permute_by_table<0x3210, 0x4321, 0x5432, 0x6543>);
  t.add<u32(u32, u32, u32)>(R"(
    prmt.b32.b4e %d, %a, %b, %c;
  )",
                            permute_by_table<0x5670, 0x6701, 0x7012, 0x0123>);
  t.add<u32(u32, u32, u32)>(R"(
    prmt.b32.rc8 %d, %a, %b, %c;
  )",
                            permute_by_table<0x0000, 0x1111, 0x2222, 0x3333>);
  t.add<u32(u32, u32, u32)>(R"(
    prmt.b32.ecl %d, %a, %b, %c;
  )",
                            permute_by_table<0x3210, 0x3211, 0x3222, 0x3333>);
  t.add<u32(u32, u32, u32)>(R"(
    prmt.b32.ecr %d, %a, %b, %c;
  )",
                            permute_by_table<0x0000, 0x1110, 0x2210, 0x3210>);
  t.add<u32(u32, u32, u32)>(R"(
    prmt.b32.rc16 %d, %a, %b, %c;
  )",
                            permute_by_table<0x1010, 0x3232, 0x1010, 0x3232>);
  t.run();
}

}  // namespace
}  // namespace warplens::run
