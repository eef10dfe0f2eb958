// f16 and bf16, alone and in pairs.
#include <gtest/gtest.h>

#include <cmath>

#include "run/table.h"

namespace warplens::run {
namespace {

using u16 = uint16_t;
using u32 = uint32_t;

template <typename H>
H round_to(double exact) {
  if constexpr (std::is_same_v<H, Half>)
    return half_from(exact);
  else
    return bfloat_from(exact);
}

// Products and sums of two halves are exact in a double where it matters: a sum that is not exact there differs from
// the double by far less than half a unit of the result, and not at a midpoint, except as fma() below says.
template <typename H>
double product(H a, H b) {
  return to_double(a) * to_double(b);
}

// a * b + c, exactly rounded once: the double nearest to it, nudged off a midpoint in the direction of what was lost.
template <typename H>
H fma(H a, H b, H c) {
  const double p = product(a, b), q = to_double(c);
  double sum = p + q;
  if (std::isfinite(sum)) {
    const double larger = std::fabs(p) > std::fabs(q) ? p : q, smaller = std::fabs(p) > std::fabs(q) ? q : p;
    const double lost = smaller - (sum - larger);
    if (lost != 0) sum = std::nextafter(sum, lost > 0 ? HUGE_VAL : -HUGE_VAL);
  }
  return round_to<H>(sum);
}

template <typename H>
H flush(H h) {
  const u16 exponent = std::is_same_v<H, Half> ? 0x7c00 : 0x7f80;
  return {static_cast<u16>(h.bits & exponent ? h.bits : h.bits & 0x8000)};
}

template <typename H>
H least(H a, H b, bool maximum) {
  const double x = to_double(a), y = to_double(b);
  if (std::isnan(x)) return b;
  if (std::isnan(y)) return a;
  if (x == y) return std::signbit(x) == maximum ? b : a;
  return (x < y) != maximum ? a : b;
}

template <typename H>
void scalar(Table& t, const std::string& type) {
  const auto ptx = [&](const char* op) { return std::string("    ") + op + "." + type; };
  t.add<H(H, H)>(ptx("add.rn") + " %d, %a, %b;\n", [](H a, H b) { return round_to<H>(to_double(a) + to_double(b)); });
  t.add<H(H, H)>(ptx("sub") + " %d, %a, %b;\n", [](H a, H b) { return round_to<H>(to_double(a) - to_double(b)); });
  t.add<H(H, H)>(ptx("mul.rn") + " %d, %a, %b;\n", [](H a, H b) { return round_to<H>(product(a, b)); });
  t.add<H(H, H, H)>(ptx("fma.rn") + " %d, %a, %b, %c;\n", fma<H>);
  t.add<H(H, H, H)>(ptx("fma.rn.relu") + " %d, %a, %b, %c;\n", [](H a, H b, H c) {
    const H r = fma(a, b, c);
    return to_double(r) > 0 || std::isnan(to_double(r)) ? r : H{0};
  });
  // On the bits: there is one NaN.
  const auto or_nan = [](u16 a, int changed) {
    return static_cast<u16>(std::isnan(to_double(H{a})) ? 0x7fff : changed);
  };
  t.add<u16(u16)>(ptx("neg") + " %d, %a;\n", [=](u16 a) { return or_nan(a, a ^ 0x8000); });
  t.add<u16(u16)>(ptx("abs") + " %d, %a;\n", [=](u16 a) { return or_nan(a, a & 0x7fff); });
  t.add<H(H, H)>(ptx("min") + " %d, %a, %b;\n", [](H a, H b) { return least(a, b, false); });
  t.add<H(H, H)>(ptx("max") + " %d, %a, %b;\n", [](H a, H b) { return least(a, b, true); });
  t.add<H(H, H)>(ptx("max.NaN") + " %d, %a, %b;\n", [](H a, H b) {
    return std::isnan(to_double(a)) || std::isnan(to_double(b)) ? H{0x7fff} : least(a, b, true);
  });
}

TEST(Half, F16) {
  Table t;
  scalar<Half>(t, "f16");
  t.add<Half(Half, Half)>(R"(
    add.ftz.f16 %d, %a, %b;
  )",
                          [](Half a, Half b) { return flush(half_from(to_double(flush(a)) + to_double(flush(b)))); });
  t.add<Half(Half, Half)>(R"(
    mul.sat.f16 %d, %a, %b;
  )",
                          [](Half a, Half b) {
                            const double x = to_double(half_from(product(a, b)));
                            return half_from(!(x > 0) ? 0 : std::fmin(x, 1));
                          });
  t.run();
}

TEST(Half, BF16) {
  Table t;
  scalar<BFloat>(t, "bf16");
  // Just above a midpoint of two bf16 numbers, by less than a double can hold: 1.00390625 * 1 + 2^-60.
  t.add<BFloat(BFloat)>(R"(
    mov.b16 %h0, 0x3f88;
    mov.b16 %h1, 0x3f88;
    mov.b16 %h2, 0x2180;
    fma.rn.bf16 %d, %h0, %h1, %h2;
  )",
                        [](BFloat) {
                          // 1.0625 * 1.0625 = 1.12890625 = 0x3f90 + half a unit; the addend decides.
                          return BFloat{0x3f91};
                        });
  t.run();
}

template <typename P, typename F>
P each(P a, P b, F f) {
  return pair(f(low(a), low(b)), f(high(a), high(b)));
}

TEST(Half, Pairs) {
  Table t;
  t.add<Half2(Half2, Half2)>(R"(
    add.f16x2 %d, %a, %b;
  )",
                             [](Half2 a, Half2 b) {
                               return each(a, b, [](Half x, Half y) { return half_from(to_double(x) + to_double(y)); });
                             });
  t.add<Half2(Half2, Half2)>(
      R"(
    mul.f16x2 %d, %a, %b;
  )",
      [](Half2 a, Half2 b) { return each(a, b, [](Half x, Half y) { return half_from(product(x, y)); }); });
  t.add<Half2(Half2, Half2, Half2)>(
      R"(
    fma.rn.f16x2 %d, %a, %b, %c;
  )",
      [](Half2 a, Half2 b, Half2 c) { return pair(fma(low(a), low(b), low(c)), fma(high(a), high(b), high(c))); });
  t.add<BFloat2(BFloat2, BFloat2)>(
      R"(
    sub.bf16x2 %d, %a, %b;
  )",
      [](BFloat2 a, BFloat2 b) {
        return each(a, b, [](BFloat x, BFloat y) { return bfloat_from(to_double(x) - to_double(y)); });
      });
  t.add<BFloat2(BFloat2, BFloat2, BFloat2)>(R"(
    fma.rn.bf16x2 %d, %a, %b, %c;
  )",
                                            [](BFloat2 a, BFloat2 b, BFloat2 c) {
                                              return pair(fma(low(a), low(b), low(c)), fma(high(a), high(b), high(c)));
                                            });
  t.add<u32(u32)>(R"(
    neg.f16x2 %d, %a;
  )",
                  [](u32 a) {
                    const auto half = [](u32 x) { return (x & 0x7fff) > 0x7c00 ? 0x7fff : x ^ 0x8000; };
                    return half(a & 0xffff) | half(a >> 16) << 16;
                  });
  t.add<Half2(Half2, Half2)>(
      R"(
    max.f16x2 %d, %a, %b;
  )",
      [](Half2 a, Half2 b) { return each(a, b, [](Half x, Half y) { return least(x, y, true); }); });
  t.run();
}

TEST(Half, Functions) {
  Table t;
  t.add<Half(Half)>(R"(
    ex2.approx.f16 %d, %a;
  )",
                    [](Half a) { return half_from(std::exp2(to_double(a))); }, {0x1p-9, 0x1p-23});
  t.add<Half(Half)>(R"(
    tanh.approx.f16 %d, %a;
  )",
                    [](Half a) { return half_from(std::tanh(to_double(a))); }, {0x1p-9, 0});
  // .ftz: a subnormal result is +0 (an H200 too), and of a subnormal argument it is 1.
  const auto ex2 = [](auto x) {
    const double power = std::exp2(to_double(x));
    return bfloat_from(power < 0x1p-126 ? 0 : power);
  };
  t.add<BFloat(BFloat)>(R"(
    ex2.approx.ftz.bf16 %d, %a;
  )",
                        ex2, {0x1p-7, 0});
  t.add<BFloat2(BFloat2)>(R"(
    ex2.approx.ftz.bf16x2 %d, %a;
  )",
                          [=](BFloat2 a) { return pair(ex2(low(a)), ex2(high(a))); }, {0x1p-7, 0});
  t.add<BFloat(BFloat)>(R"(
    tanh.approx.bf16 %d, %a;
  )",
                        [](BFloat a) { return bfloat_from(std::tanh(to_double(a))); }, {0x1p-7, 0});
  t.run();
}

}  // namespace
}  // namespace warplens::run
