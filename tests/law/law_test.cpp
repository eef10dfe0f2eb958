// Laws of addresses: PTX in, the law of each access out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "law/law.h"
#include "lower/lower.h"
#include "ptx/parse.h"

namespace warplens::law {
namespace {

// Laws of the accesses of a kernel k(out, in, n, m) with this body, a line each; %rd1 and %rd2 hold out and in, %r1 and
// %r2 n and m, %r3 threadIdx.x, %r4 threadIdx.y, %r5 blockIdx.x, %r6 blockDim.x.
std::string laws(const std::string& body) {
  const std::string text = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n, .param .u32 m)
{
.reg .pred %p<8>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<8>;
.shared .align 4 .b8 tile[4224];
ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [m];
mov.u32 %r3, %tid.x; mov.u32 %r4, %tid.y; mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x;
)" + body + "\nret;\n}\n";
  const auto parsed = ptx::parse(text, "test.ptx");
  EXPECT_TRUE(parsed.diagnostics.empty()) << to_string(parsed.diagnostics[0]);
  const auto lowered = lower::lower(parsed.module, "test.ptx");
  const ir::Kernel& kernel = lowered.module.kernels.at(0);
  std::vector<report::Parameter> names = parameters_of(kernel);
  const char* const source[] = {"out", "in", "n", "m"};
  for (size_t i = 0; i < names.size(); ++i) names[i].name = source[i];
  std::string out;
  for (const report::Law& law : laws_of(lowered.module, kernel).sites)
    if (!law.empty()) out += report::law_text(law, names) + "\n";
  return out;
}

TEST(Law, IsASumOfProducts) {
  EXPECT_EQ(laws("mad.lo.s32 %r7, %r5, %r6, %r3; mul.wide.s32 %rd3, %r7, 4; add.s64 %rd4, %rd2, %rd3;"
                 "ld.global.f32 %f1, [%rd4+8]; add.s64 %rd5, %rd1, %rd3; st.global.f32 [%rd5], %f1;"),
            "in + 4 * (blockIdx.x * blockDim.x + threadIdx.x) + 8\n"
            "out + 4 * (blockIdx.x * blockDim.x + threadIdx.x)\n");
  EXPECT_EQ(laws("mad.lo.s32 %r7, %r3, %r1, %r4; mul.wide.s32 %rd3, %r7, 4; add.s64 %rd4, %rd2, %rd3;"
                 "ld.global.f32 %f1, [%rd4];"),
            "in + 4 * n * threadIdx.x + 4 * threadIdx.y\n");
  EXPECT_EQ(laws("sub.s32 %r7, %r1, %r3; add.s32 %r7, %r7, -1; shl.b32 %r7, %r7, 3; cvt.s64.s32 %rd3, %r7;"
                 "add.s64 %rd4, %rd2, %rd3; ld.global.f32 %f1, [%rd4];"),
            "in + 8 * n - 8 * threadIdx.x - 8\n");
}

TEST(Law, OfLoopsCountsHowOftenTheyWentRound) {
  // Inner and outer loop; the pointer grows by m elements in the outer one.
  const std::string text = laws(R"(mov.u64 %rd6, %rd2; mov.u32 %r8, 0;
OUTER: mov.u32 %r9, 0;
INNER: add.s32 %r10, %r9, %r3; mul.wide.s32 %rd3, %r10, 4; add.s64 %rd4, %rd6, %rd3; ld.global.f32 %f1, [%rd4];
add.s32 %r9, %r9, 32; setp.lt.s32 %p1, %r9, %r1; @%p1 bra INNER;
mul.wide.s32 %rd7, %r2, 4; add.s64 %rd6, %rd6, %rd7; add.s32 %r8, %r8, 1; setp.lt.s32 %p2, %r8, %r1; @%p2 bra OUTER;)");
  EXPECT_TRUE(text.starts_with("in + 4 * threadIdx.x + ")) << text;
  EXPECT_NE(text.find("4 * m * loop"), std::string::npos) << text;
  EXPECT_NE(text.find("128 * loop"), std::string::npos) << text;
  // What doubles is no multiple of how often the loop went round.
  EXPECT_EQ(laws(R"(mov.u32 %r9, 1;
AGAIN: mul.wide.s32 %rd3, %r9, 4; add.s64 %rd4, %rd2, %rd3; ld.global.f32 %f1, [%rd4];
shl.b32 %r9, %r9, 1; setp.lt.s32 %p1, %r9, %r1; @%p1 bra AGAIN;)"),
            "in + 4 * f()\n");
}

TEST(Law, OfQuotientsAndRemainders) {
  EXPECT_EQ(laws("and.b32 %r7, %r3, 31; shr.u32 %r8, %r3, 5; mad.lo.s32 %r9, %r7, %r1, %r8; mul.wide.u32 %rd3, %r9, 4;"
                 "add.s64 %rd4, %rd2, %rd3; ld.global.f32 %f1, [%rd4];"),
            "in + 4 * n * (threadIdx.x % 32) + 4 * (threadIdx.x / 32)\n");
  EXPECT_EQ(laws("div.u32 %r7, %r3, %r1; rem.u32 %r8, %r3, %r1; mad.lo.s32 %r9, %r8, 4, %r7; mul.wide.u32 %rd3, %r9, 4;"
                 "add.s64 %rd4, %rd2, %rd3; ld.global.f32 %f1, [%rd4];"),
            "in + 4 * (threadIdx.x / n) + 16 * (threadIdx.x % n)\n");
  // Bits that both have not: a sum. What the divisor divides: a whole number.
  EXPECT_EQ(
      laws("shl.b32 %r7, %r4, 5; and.b32 %r8, %r3, 31; or.b32 %r9, %r7, %r8; shl.b32 %r10, %r9, 2; mov.u32 %r11, tile;"
           "add.s32 %r12, %r11, %r10; ld.shared.f32 %f1, [%r12]; shr.u32 %r13, %r7, 3; shl.b32 %r13, %r13, 2;"
           "add.s32 %r12, %r11, %r13; st.shared.f32 [%r12], %f1;"),
      "128 * threadIdx.y + 4 * (threadIdx.x % 32)\n16 * threadIdx.y\n");
}

TEST(Law, OfData) {
  EXPECT_EQ(
      laws("mul.wide.u32 %rd3, %r3, 4; add.s64 %rd4, %rd2, %rd3; ld.global.u32 %r7, [%rd4]; mul.wide.u32 %rd5, %r7, 4;"
           "add.s64 %rd6, %rd1, %rd5; st.global.u32 [%rd6], %r7;"),
      "in + 4 * threadIdx.x\nout + 4 * in[]\n");
  // A clamped index is computed of what it depends on.
  EXPECT_EQ(laws("add.s32 %r7, %r3, -1; max.s32 %r7, %r7, 0; min.s32 %r7, %r7, %r1; mul.wide.s32 %rd3, %r7, 4;"
                 "add.s64 %rd4, %rd2, %rd3; ld.global.f32 %f1, [%rd4];"),
            "in + 4 * f(n, threadIdx.x)\n");
}

TEST(Law, OfLongSumsIsKeptShort) {
  std::string body = "mov.u32 %r7, 0;";
  for (int i = 0; i < 40; ++i)
    body += fmt::format("xor.b32 %r8, %r3, {}; add.s32 %r7, %r7, %r8; mul.lo.s32 %r7, %r7, %r7;", i);
  const std::string text =
      laws(body + "mul.wide.s32 %rd3, %r7, 4; add.s64 %rd4, %rd2, %rd3; ld.global.f32 %f1, [%rd4];");
  EXPECT_LT(text.size(), 200u) << text;
  EXPECT_NE(text.find("f(threadIdx.x)"), std::string::npos) << text;
}

TEST(Law, ValuesGiveCoefficients) {
  const report::LawTerm term{4, {"$2", "blockDim.x", "threadIdx.x"}, {}};
  std::vector<std::string> rest;
  const report::LawValues values{{1, 1, 1}, {256, 1, 1}, {{"$2", 3}}};
  EXPECT_EQ(report::coefficient_of(term, values, &rest), 4 * 3 * 256);
  EXPECT_EQ(rest, (std::vector<std::string>{"threadIdx.x"}));
  EXPECT_EQ(report::factor_text("($1+8 / $10)", {}), "((param2+8) / param11)");
}

}  // namespace
}  // namespace warplens::law
