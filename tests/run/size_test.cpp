// Large kernels: their code is right however it was made.
#include <fmt/format.h>

#include "base/deep_stack.h"
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

// Such code has a frame of megabytes, whatever stack the launching thread has.
TEST_F(Size, FromAThreadWithLittleStack) {
  Program program(ptx_header() + branches(200));
  EXPECT_EQ(program.launch(Backend::Engine, "k", {{1}, {64}}, Params().add(out).add(in)).error, "");  // compiled
  const std::vector<u32> expected = out.values();
  out.fill(std::vector<u32>(64, 0));
  on_deep_stack(size_t{256} << 10, [&] {
    EXPECT_EQ(program.launch(Backend::Engine, "k", {{1}, {64}}, Params().add(out).add(in)).error, "");
  });
  EXPECT_EQ(out.values(), expected);
}

}  // namespace
}  // namespace warplens::run
