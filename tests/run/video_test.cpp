// The video instructions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "run/run_ptx.h"
#include "run/table.h"

namespace warplens::run {
namespace {

using u32 = uint32_t;
using i64 = int64_t;

i64 part(u32 word, int first, int bits, bool is_signed) {
  const u32 x = bits == 32 ? word : word >> first & ((1u << bits) - 1);
  if (!is_signed || (x >> (bits - 1)) == 0) return x;
  return static_cast<i64>(x) - (i64{1} << bits);
}
i64 clamped(i64 x, int bits, bool is_signed) {
  const i64 low = is_signed ? -(i64{1} << (bits - 1)) : 0, high = (i64{1} << (is_signed ? bits - 1 : bits)) - 1;
  return std::clamp(x, low, high);
}
u32 put(u32 word, i64 x, int first, int bits) {
  const u32 mask = bits == 32 ? ~0u : ((1u << bits) - 1) << first;
  return (word & ~mask) | (static_cast<u32>(x) << first & mask);
}

TEST(Video, OneAtATime) {
  Table t;
  const auto add = [&](const std::string& text, auto f) { t.add<u32(u32, u32, u32)>(text, f); };
  add("    vadd.s32.u32.s32 %d, %a.b1, %b.h1;\n",
      [](u32 a, u32 b, u32) { return static_cast<u32>(part(a, 8, 8, false) + part(b, 16, 16, true)); });
  add("    vadd.s32.u32.u32.sat %d, %a, %b;\n",
      [](u32 a, u32 b, u32) { return static_cast<u32>(clamped(i64{a} + b, 32, true)); });
  add("    vsub.u32.s32.s32.sat.add %d, %a.b2, %b.b0, %c;\n", [](u32 a, u32 b, u32 c) {
    return static_cast<u32>(clamped(part(a, 16, 8, true) - part(b, 0, 8, true), 32, false)) + c;
  });
  add("    vsub.u32.u32.u32 %d.b2, %a, %b.b1, %c;\n",
      [](u32 a, u32 b, u32 c) { return put(c, i64{a} - part(b, 8, 8, false), 16, 8); });
  add("    vabsdiff.u32.s32.u32 %d, %a.h0, %b.b3;\n",
      [](u32 a, u32 b, u32) { return static_cast<u32>(std::abs(part(a, 0, 16, true) - part(b, 24, 8, false))); });
  add("    vmin.s32.s32.s32.max %d, %a, %b.b3, %c;\n", [](u32 a, u32 b, u32 c) {
    const i64 x = std::min(part(a, 0, 32, true), part(b, 24, 8, true));
    return static_cast<u32>(std::max(x, part(c, 0, 32, true)));
  });
  add("    vmax.s32.s32.u32 %d, %a, %b;\n",
      [](u32 a, u32 b, u32) { return static_cast<u32>(std::max(part(a, 0, 32, true), i64{b})); });
  add("    vshl.u32.s32.u32.wrap %d, %a.b1, %b;\n",
      [](u32 a, u32 b, u32) { return static_cast<u32>(part(a, 8, 8, true)) << (b & 31); });
  add("    vshl.u32.u32.u32.clamp.add %d, %a, %b, %c;\n",
      [](u32 a, u32 b, u32 c) { return (b < 32 ? a << b : 0) + c; });
  add("    vshr.s32.s32.u32.clamp %d, %a, %b.b0;\n",
      [](u32 a, u32 b, u32) { return static_cast<u32>(part(a, 0, 32, true) >> std::min(b & 255, 32u)); });
  add("    vshr.u32.u32.u32.wrap %d.b3, %a, %b, %c;\n",
      [](u32 a, u32 b, u32 c) { return put(c, a >> (b & 31), 24, 8); });
  add("    vmad.u32.u32.u32 %d, %a, %b.h1, %c;\n",
      [](u32 a, u32 b, u32 c) { return a * static_cast<u32>(part(b, 16, 16, false)) + c; });
  add("    vmad.s32.s32.s32.po.sat.shr7 %d, %a, %b.h0, %c;\n", [](u32 a, u32 b, u32 c) {
    const i64 x = part(a, 0, 32, true) * part(b, 0, 16, true) + part(c, 0, 32, true) + 1;
    return static_cast<u32>(clamped(x >> 7, 32, true));
  });
  add("    vmad.s32.s32.s32.sat %d, %a.b3, -%b, %c;\n", [](u32 a, u32 b, u32 c) {
    return static_cast<u32>(clamped(-part(a, 24, 8, true) * part(b, 0, 32, true) + part(c, 0, 32, true), 32, true));
  });
  add("    vmad.s32.s32.s32 %d, %a.h1, %b.h0, -%c;\n",
      [](u32 a, u32 b, u32 c) { return static_cast<u32>(part(a, 16, 16, true) * part(b, 0, 16, true)) - c; });
  add("    vset.s32.u32.ge %d, %a.b3, %b.h0;\n",
      [](u32 a, u32 b, u32) { return u32{part(a, 24, 8, true) >= part(b, 0, 16, false)}; });
  add("    vset.u32.u32.lt.add %d, %a, %b, %c;\n", [](u32 a, u32 b, u32 c) { return u32{a < b} + c; });
  t.run();
}

// Where numbers leave their type's range; as an H200 has it, which is not always as PTX says.
TEST(Video, BeyondTheRange) {
  Table t;
  const auto add = [&](const std::string& text, auto f) { t.add<u32(u32, u32, u32)>(text, f); };
  add("    vadd.u32.u32.u32.sat %d, %a, %b;\n", [](u32 a, u32 b, u32) { return a + b; });
  add("    vsub.u32.u32.s32.sat.add %d, %a, %b, %c;\n", [](u32 a, u32 b, u32 c) {
    const i64 x = i64{a} - part(b, 0, 32, true);
    return (x < 0 ? 0 : static_cast<u32>(x)) + c;
  });
  add("    vadd.s32.s32.u32.sat %d.b2, %a, %b, %c;\n", [](u32 a, u32 b, u32 c) {
    const auto x = static_cast<uint64_t>(part(a, 0, 32, true) + i64{b});
    return put(c, static_cast<i64>(std::min<uint64_t>(x, 127)), 16, 8);
  });
  add("    vmax.u32.s32.u32.sat %d.h0, %a, %b.h1, %c;\n", [](u32 a, u32 b, u32 c) {
    return put(c, std::min<i64>(std::max(part(a, 0, 32, true), part(b, 16, 16, false)), 0xffff), 0, 16);
  });
  add("    vmin.s32.s32.s32 %d.h1, %a, %b, %c;\n", [](u32 a, u32 b, u32 c) {
    const auto x = static_cast<u32>(std::min(part(a, 0, 32, true), part(b, 0, 32, true)));
    return (x & 0xffff0000) | (c & 0xffff);
  });
  add("    vadd.u32.u32.u32.max %d, %a, %b, %c;\n", [](u32 a, u32 b, u32 c) {
    const auto x = static_cast<uint64_t>(part(a + b, 0, 32, true));
    return static_cast<u32>(std::max<uint64_t>(x, c));
  });
  add("    vabsdiff.s32.u32.u32.min %d, %a, %b, %c;\n",
      [](u32 a, u32 b, u32 c) { return static_cast<u32>(std::min(std::abs(i64{a} - b), part(c, 0, 32, true))); });
  add("    vshl.s32.u32.u32.sat.wrap %d, %a, %b;\n", [](u32 a, u32 b, u32) {
    const auto x = static_cast<i64>(uint64_t{a} << (b & 31) << 30) >> 30;
    return static_cast<u32>(clamped(x, 32, true));
  });
  add("    vshr.u32.u32.u32.sat.clamp.min %d, %a, %b, %c;\n", [](u32 a, u32 b, u32 c) {
    const auto x = static_cast<uint64_t>(part(b < 32 ? a >> b : 0, 0, 32, true));
    return static_cast<u32>(std::min<uint64_t>(x, c));
  });
  add("    vshr.s32.u32.u32.sat.clamp %d.b1, %a, %b, %c;\n",
      [](u32 a, u32 b, u32 c) { return put(c, clamped(b < 32 ? a >> b : 0, 32, true), 8, 8); });
  add("    vset.s32.u32.lt.min %d, %a, %b, %c;\n", [](u32 a, u32 b, u32 c) {
    return static_cast<u32>(std::min<i64>(part(a, 0, 32, true) < i64{b}, part(c, 0, 32, true)));
  });
  const auto product = [](u32 a, u32 b, u32 c) {
    return part(a, 0, 32, true) * part(b, 0, 32, true) + part(c, 0, 32, true);
  };
  add("    vmad.u32.u32.u32.sat %d, %a, %b, %c;\n",
      [=](u32 a, u32 b, u32 c) { return static_cast<u32>(clamped(product(a, b, c), 32, false)); });
  add("    vmad.u32.s32.u32.sat %d, %a, %b, %c;\n",
      [=](u32 a, u32 b, u32 c) { return static_cast<u32>(clamped(product(a, b, c), 32, true)); });
  add("    vmad.s32.u32.u32.shr15 %d, %a, %b, %c;\n",
      [=](u32 a, u32 b, u32 c) { return static_cast<u32>(static_cast<uint64_t>(product(a, b, c)) >> 15); });
  t.run();
}

TEST(Video, TwoAndFourAtATime) {
  Table t;
  const auto add = [&](const std::string& text, auto f) { t.add<u32(u32, u32, u32)>(text, f); };
  add("    vadd2.s32.u32.s32.sat %d.h0, %a.h31, %b.h02, %c;\n", [](u32 a, u32 b, u32 c) {
    return put(c, clamped(part(a, 16, 16, false) + part(b, 0, 16, true), 16, true), 0, 16);  // .h1 of a, .h2 of b
  });
  add("    vsub4.u32.s32.u32.sat %d, %a, %b, %c;\n", [](u32 a, u32 b, u32) {
    u32 d = 0;
    for (int k = 0; k < 32; k += 8) d = put(d, clamped(part(a, k, 8, true) - part(b, k, 8, false), 8, false), k, 8);
    return d;
  });
  add("    vavrg4.s32.s32.s32 %d.b31, %a, %b, %c;\n", [](u32 a, u32 b, u32 c) {
    for (int k : {8, 24}) {
      const i64 sum = part(a, k, 8, true) + part(b, k, 8, true);
      c = put(c, sum >= 0 ? (sum + 1) >> 1 : -((1 - sum) >> 1), k, 8);
    }
    return c;
  });
  add("    vavrg2.u32.u32.u32.add %d, %a, %b, %c;\n", [](u32 a, u32 b, u32 c) {
    for (int k : {0, 16}) c += static_cast<u32>((part(a, k, 16, false) + part(b, k, 16, false) + 1) >> 1);
    return c;
  });
  add(std::string(kNotForAGpu) + "    vabsdiff4.s32.s32.u32.sat.add %d.b20, %a.b4567, %b.b3210, %c;\n",
      [](u32 a, u32 b, u32 c) {
        for (int k : {0, 2}) {  // elements of a from b's, backwards; of b from a's
          const i64 x = part(b, 8 * (3 - k), 8, true), y = part(a, 8 * k, 8, false);
          c += static_cast<u32>(clamped(std::abs(x - y), 8, true));
        }
        return c;
      });
  add("    vmin2.s32.s32.s32 %d, %a, %b, %c;\n", [](u32 a, u32 b, u32) {
    u32 d = 0;
    for (int k : {0, 16}) d = put(d, std::min(part(a, k, 16, true), part(b, k, 16, true)), k, 16);
    return d;
  });
  add("    vmax4.u32.u32.s32 %d, %a, %b, %c;\n", [](u32 a, u32 b, u32) {
    u32 d = 0;
    for (int k = 0; k < 32; k += 8) d = put(d, std::max(part(a, k, 8, false), part(b, k, 8, true)), k, 8);
    return d;
  });
  // The plain forms: sums and differences that wrap, the smaller and the larger.
  const auto plain = [&](const char* text, int bits, auto f) {
    add(text, [=](u32 a, u32 b, u32) {
      u32 d = 0;
      for (int k = 0; k < 32; k += bits) d = put(d, f(part(a, k, bits, true), part(b, k, bits, true)), k, bits);
      return d;
    });
  };
  plain("    vsub2.s32.s32.s32 %d, %a, %b, %c;\n", 16, [](i64 x, i64 y) { return x - y; });
  plain("    vadd4.s32.s32.s32 %d, %a, %b, %c;\n", 8, [](i64 x, i64 y) { return x + y; });
  plain("    vmax2.s32.s32.s32 %d, %a, %b, %c;\n", 16, [](i64 x, i64 y) { return std::max(x, y); });
  plain("    vmin4.s32.s32.s32 %d, %a, %b, %c;\n", 8, [](i64 x, i64 y) { return std::min(x, y); });
  add("    vset4.s32.s32.le %d.b30, %a, %b, %c;\n", [](u32 a, u32 b, u32 c) {
    for (int k : {0, 24}) c = put(c, part(a, k, 8, true) <= part(b, k, 8, true), k, 8);
    return c;
  });
  add("    vset2.u32.u32.ne.add %d, %a, %b, %c;\n",
      [](u32 a, u32 b, u32 c) { return c + ((a & 0xffff) != (b & 0xffff)) + (a >> 16 != b >> 16); });
  t.run();
}

}  // namespace
}  // namespace warplens::run
