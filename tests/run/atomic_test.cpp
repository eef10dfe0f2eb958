// atom and red.
#include <algorithm>
#include <bit>
#include <numeric>

#include "run/kernel_case.h"

namespace warplens::run {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

// %rd0 points to one cell of 8 bytes, %r0 is tid.x, %rd1 points to this thread's result of 8 bytes.
std::string kernel(const std::string& body, const std::string& declarations = "") {
  return declarations + R"(
.visible .entry k(.param .u64 cell, .param .u64 out)
{
    .reg .b16 %h<4>;
    .reg .b32 %r<16>;
    .reg .f32 %f<8>;
    .reg .f64 %fd<4>;
    .reg .b64 %rd<8>;
    .reg .pred %p<4>;
    mov.u32 %r0, %tid.x;
    ld.param.u64 %rd0, [cell];
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r0, 8;
    add.s64 %rd1, %rd1, %rd2;
)" + body +
         "    ret;\n}\n";
}

struct Atomic : ::testing::Test {
  Buffer<u64> cell{1, 0}, out{64, 0};

  // Runs 64 threads from `start`; the cell must end as `end`, and the sorted results as `olds` where given.
  void run(const std::string& body, u64 start, u64 end, std::vector<u64> olds = {},
           const std::string& declarations = "") {
    on_every_backend(
        kernel(body, declarations), {{1}, {64}}, Params().add(cell).add(out),
        [&] {
          cell[0] = start;
          out.fill(std::vector<u64>(64, 0));
        },
        [&](const Program::Result& result) {
          EXPECT_EQ(result.error, "");
          EXPECT_EQ(cell[0], end);
          if (olds.empty()) return;
          std::vector<u64> got = out.values();
          std::sort(got.begin(), got.end());
          std::sort(olds.begin(), olds.end());
          EXPECT_EQ(got, olds);
        });
  }
};

std::vector<u64> counting(u64 from, size_t count = 64) {
  std::vector<u64> values(count);
  std::iota(values.begin(), values.end(), from);
  return values;
}

TEST_F(Atomic, Integers) {
  run(R"(
    atom.global.add.u32 %r1, [%rd0], 1;
    st.global.u32 [%rd1], %r1;
  )",
      5, 69, counting(5));
  run(R"(
    atom.add.u64 %rd3, [%rd0], 1;
    st.global.u64 [%rd1], %rd3;
  )",
      0xffffffff, 0xffffffff + 64ull, counting(0xffffffff));
  run(R"(
    sub.s32 %r2, 20, %r0;
    atom.global.min.s32 %r1, [%rd0], %r2;
  )",
      0, static_cast<u32>(-43));
  run(R"(
    sub.s32 %r2, 20, %r0;
    atom.global.min.u32 %r1, [%rd0], %r2;
  )",
      100, 0);
  run(R"(
    sub.s32 %r2, 20, %r0;
    atom.global.max.s32 %r1, [%rd0], %r2;
    atom.relaxed.gpu.global.max.u32 %r1, [%rd0+4], %r2;
  )",
      0, u64{0xffffffff} << 32 | 20);
  run(R"(
    shl.b32 %r2, 1, %r0;
    atom.global.or.b32 %r1, [%rd0], %r2;
    not.b32 %r2, %r2;
    atom.global.and.b32 %r1, [%rd0+4], %r2;
  )",
      u64{0xffffffff} << 32, 0xffffffff);
  run(R"(
    cvt.u64.u32 %rd3, %r0;
    atom.global.xor.b64 %rd4, [%rd0], %rd3;
  )",
      0x1000, 0x1000);
  run(R"(
    add.u32 %r2, %r0, 1;
    atom.global.exch.b32 %r1, [%rd0], %r2;
    st.global.u32 [%rd1], %r1;
  )",
      0, 64, counting(0));
}

TEST_F(Atomic, IncDec) {
  run(R"(
    atom.global.inc.u32 %r1, [%rd0], 9;
  )",
      0, 4);  // 64 steps in a cycle of 10
  run(R"(
    atom.global.dec.u32 %r1, [%rd0], 9;
  )",
      0, 6);
}

TEST_F(Atomic, CompareAndSwap) {
  run(R"(
    atom.global.cas.b32 %r1, [%rd0], 7, %r0;
    setp.eq.u32 %p1, %r1, 7;
    selp.u32 %r2, 1, 0, %p1;
    st.global.u32 [%rd1], %r2;
  )",
      7, 0, [] {
        std::vector<u64> olds(64, 0);
        olds[0] = 1;
        return olds;
      }());
  // A loop that adds by compare and swap, as programs do.
  run(R"(
    ld.global.u64 %rd3, [%rd0];
AGAIN:
    add.u64 %rd4, %rd3, 3;
    atom.global.cas.b64 %rd5, [%rd0], %rd3, %rd4;
    setp.ne.u64 %p1, %rd5, %rd3;
    mov.u64 %rd3, %rd5;
    @%p1 bra AGAIN;
  )",
      0, 192);
  run(R"(
    cvt.u16.u32 %h1, %r0;
    atom.global.cas.b16 %h2, [%rd0], 5, %h1;
  )",
      0xaaaa0005, 0xaaaa0000);
}

TEST_F(Atomic, Floats) {
  run(R"(
    atom.global.add.f32 %f1, [%rd0], 0f3F000000;
  )",
      std::bit_cast<u32>(1.0f), std::bit_cast<u32>(33.0f));
  run(R"(
    atom.global.add.f64 %fd1, [%rd0], 0d3FD0000000000000;
  )",
      std::bit_cast<u64>(1.0), std::bit_cast<u64>(17.0));
  run(R"(
    mov.b32 %r2, 0x3c003c00;
    atom.global.add.noftz.f16x2 %r1, [%rd0], %r2;
  )",
      0x40000000, 0x54205400);  // 2 + 64 = 66, 0 + 64 = 64
  run(R"(
    mov.b16 %h1, 0x3f80;
    atom.global.add.noftz.bf16 %h2, [%rd0], %h1;
  )",
      0, 0x4280);
}

TEST_F(Atomic, SharedGuardedAndReduction) {
  run(R"(
    setp.eq.u32 %p1, %r0, 0;
    @%p1 st.shared.u32 [total], 100;
    bar.sync 0;
    setp.lt.u32 %p2, %r0, 10;
    @%p2 atom.shared.add.u32 %r1, [total], 2;
    @!%p2 red.shared.add.u32 [total], 1;
    bar.sync 0;
    ld.shared.u32 %r2, [total];
    @%p1 st.global.u32 [%rd0], %r2;
  )",
      0, 174, {}, ".shared .align 4 .u32 total;\n");
  run(R"(
    red.global.add.u32 [%rd0], %r0;
    red.relaxed.gpu.global.max.s32 [%rd0+4], %r0;
  )",
      0, u64{63} << 32 | 2016);
}

}  // namespace
}  // namespace warplens::run
