// Large kernels: their code is right however it was made, and the time to make it grows with their size alone.
#include <fmt/format.h>

#include <ctime>

#include "run/kernel_case.h"

namespace warplens::run {
namespace {

using u32 = uint32_t;

std::string kernel(const std::string& body) {
  return R"(
.visible .entry k(.param .u64 out, .param .u64 in)
{
    .reg .b32 %r<8>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<8>;
    .reg .pred %p<4>;
    mov.u32 %r0, %tid.x;
    ld.param.u64 %rd0, [out];
    ld.param.u64 %rd1, [in];
    cvta.to.global.u64 %rd0, %rd0;
    cvta.to.global.u64 %rd1, %rd1;
    mul.wide.u32 %rd2, %r0, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r1, [%rd3];
)" + body +
         R"(
    add.s64 %rd4, %rd0, %rd2;
    st.global.u32 [%rd4], %r1;
    ret;
}
)";
}

// One `if` after the other, all divergent, each with a load whose address depends on data.
std::string branches(int count) {
  std::string body;
  for (int k = 0; k < count; ++k)
    body += fmt::format(R"(
    rem.u32 %r2, %r1, {};
    setp.ne.u32 %p0, %r2, {};
    @%p0 bra skip{};
    and.b32 %r3, %r1, 31;
    mul.wide.u32 %rd5, %r3, 4;
    add.s64 %rd5, %rd1, %rd5;
    ld.global.u32 %r4, [%rd5];
    add.s32 %r1, %r1, %r4;
skip{}:
    add.s32 %r1, %r1, {};)",
                        2 + k % 5, k % 2, k, k, k + 1);
  return kernel(body);
}

std::string straight_line(int count) {
  std::string body;
  for (int k = 0; k < count; ++k)
    body += fmt::format("    mad.lo.u32 %r1, %r1, {}, %r0;\n    xor.b32 %r1, %r1, {};\n", 2 * k + 1, k);
  return kernel(body);
}

struct Size : ::testing::Test {
  std::vector<u32> input = [] {
    std::vector<u32> v(64);
    for (u32 t = 0; t < 64; ++t) v[t] = t * t + 3;
    return v;
  }();
  Buffer<u32> in{input};
  Buffer<u32> out{64, 0};
};

// 200 branches make some 100,000 LLVM instructions, which is beyond what is optimized.
TEST_F(Size, ManyBranches) {
  for (int count : {5, 40, 200}) {
    std::vector<u32> expected = input;
    for (u32& x : expected)
      for (int k = 0; k < count; ++k) {
        if (x % static_cast<u32>(2 + k % 5) == static_cast<u32>(k % 2)) x += input[x & 31];
        x += static_cast<u32>(k) + 1;
      }
    expect_output(branches(count), {{1}, {64}}, Params().add(out).add(in), out, expected);
  }
}

TEST_F(Size, LongStraightLine) {
  std::vector<u32> expected = input;
  for (u32 t = 0; t < 64; ++t)
    for (u32 k = 0; k < 3000; ++k) expected[t] = (expected[t] * (2 * k + 1) + t) ^ k;
  expect_output(straight_line(3000), {{1}, {64}}, Params().add(out).add(in), out, expected);
}

// Seconds of this process to compile and run a kernel on the engine.
double seconds(const std::string& text, Buffer<u32>& out, Buffer<u32>& in) {
  Program program(ptx_header() + text);
  EXPECT_EQ(program.problems(), "");
  const std::clock_t start = std::clock();
  EXPECT_EQ(program.launch(Backend::Engine, "k", {{1}, {64}}, Params().add(out).add(in)).error, "");
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// Four times the code in less than eight times the time: it was fifteen times, and half a minute.
TEST_F(Size, TimeGrowsWithBranches) {
  seconds(branches(2), out, in);
  EXPECT_LT(seconds(branches(200), out, in), 8 * seconds(branches(50), out, in));
}

// A block of multiplications and additions, each of the one before: 16 times the code, less than 50 times the time.
TEST_F(Size, TimeGrowsWithStraightLines) {
  const auto text = [](int count) {
    std::string body = "    cvt.rn.f32.u32 %f0, %r1;\n    mov.f32 %f1, %f0;\n";
    for (int k = 0; k < count; ++k) body += fmt::format("    fma.rn.f32 %f{0}, %f{0}, %f{1}, %f0;\n", k % 2, 1 - k % 2);
    return kernel(body + "    mov.b32 %r1, %f0;\n");
  };
  seconds(text(2), out, in);
  EXPECT_LT(seconds(text(4000), out, in), 50 * seconds(text(250), out, in));
}

}  // namespace
}  // namespace warplens::run
