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

// Cells of 32 bytes, each thread its own; words as in tests/nosdk/programs/vector_atomics.cu, which an H200 has run.
// The engine and the reference must leave and give the same; what that is, the first of them says.
TEST(VectorAtomics, OfFloats) {
  constexpr u32 kWords[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800001, 0x00000001, 0x80000003, 0x007fffff,
                            0x00800000, 0x80800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc12345, 0x7f812345,
                            0xffffffff, 0x7c00fc00, 0x7e127d12, 0x04000400, 0x840003ff, 0x3c008003};
  constexpr u32 kCount = std::size(kWords), kThreads = kCount * kCount;
  constexpr const char* kBodies[] = {
      "atom.global.add.v4.f32 {%f0, %f1, %f2, %f3}, [%rd0], {%f4, %f5, %f4, %f5};",
      "atom.global.add.v2.f32 {%f0, %f1}, [%rd0+8], {%f4, %f5};",
      "red.global.add.v4.f32 [%rd0], {%f4, %f5, %f4, %f5};",
      "red.add.v2.f32 [%rd0], {%f4, %f5};",
      "atom.global.add.f32 %f0, [%rd0], %f4;",
      "atom.add.f32 %f0, [%rd0], %f4;",
      "st.shared.f32 [%r1], %f4; atom.shared.add.f32 %f0, [%r1], %f5;",
      "st.shared.f32 [%r1], %f4; cvt.u64.u32 %rd3, %r1; cvta.shared.u64 %rd3, %rd3; atom.add.f32 %f0, [%rd3], %f5;",
      "mov.b64 %rd3, {%r6, %r7}; atom.global.add.f64 %rd4, [%rd0], %rd3; mov.b64 {%r2, %r3}, %rd4;",
      "mov.b64 %rd3, {%r6, %r7}; red.global.add.f64 [%rd0+8], %rd3;",
      "@%p0 atom.global.add.noftz.v4.f16x2 {%r2, %r3, %r4, %r5}, [%rd0], {%r6, %r7, %r7, %r6};",
      "atom.global.min.noftz.v4.f16x2 {%r2, %r3, %r4, %r5}, [%rd0], {%r6, %r7, %r7, %r6};",
      "atom.global.max.noftz.v4.f16x2 {%r2, %r3, %r4, %r5}, [%rd0], {%r6, %r7, %r7, %r6};",
      "@%p0 red.global.add.noftz.v4.bf16x2 [%rd0], {%r6, %r7, %r7, %r6};",
      "atom.global.min.noftz.v2.bf16x2 {%r2, %r3}, [%rd0], {%r6, %r7};",
      "atom.global.max.noftz.v2.bf16x2 {%r2, %r3}, [%rd0], {%r6, %r7};",
      "red.global.min.noftz.v8.f16 [%rd0], {%h0, %h1, %h0, %h0, %h1, %h1, %h1, %h0};",
      "atom.global.max.noftz.v8.bf16 {%h2, %h3, %h2, %h3, %h2, %h3, %h2, %h3}, [%rd0], "
      "{%h0, %h1, %h0, %h0, %h1, %h1, %h1, %h0}; mov.b32 %r2, {%h2, %h3};"};
  for (const char* body : kBodies) {
    SCOPED_TRACE(body);
    Buffer<u32> cells{kThreads * 8, 0}, words{kCount, 0}, out{kThreads * 4, 0};
    words.fill({std::begin(kWords), std::end(kWords)});
    std::vector<u32> start, left, given;
    for (u32 t = 0; t < kThreads; ++t)
      for (u32 i = 0; i < 8; ++i) start.push_back(kWords[(t / kCount + i / 2) % kCount]);
    const std::string ptx = std::string(R"(
.shared .align 16 .b8 cells[1600];
.visible .entry k(.param .u64 cells_in, .param .u64 words, .param .u64 out)
{
    .reg .b16 %h<8>;
    .reg .b32 %r<16>;
    .reg .f32 %f<8>;
    .reg .b64 %rd<8>;
    .reg .pred %p<2>;
    mov.u32 %r0, %tid.x;
    ld.param.u64 %rd0, [cells_in];
    ld.param.u64 %rd1, [words];
    ld.param.u64 %rd5, [out];
    mad.wide.u32 %rd0, %r0, 32, %rd0;
    rem.u32 %r9, %r0, 20;
    mad.wide.u32 %rd1, %r9, 4, %rd1;
    ld.global.u32 %r6, [%rd1];
    xor.b32 %r7, %r6, 0x80008000;
    mov.b32 {%h0, %h1}, %r6;
    mov.b32 %f4, %r6;
    mov.b32 %f5, %r7;
    and.b32 %r8, %r0, 3;
    setp.ne.u32 %p0, %r8, 2;
    mov.f32 %f0, 0f00000000; mov.f32 %f1, 0f00000000;
    mov.u32 %r2, 0; mov.u32 %r3, 0;
    mov.u32 %r1, cells; mad.lo.u32 %r1, %r0, 4, %r1;
    )") + body + R"(
    mov.b32 %r10, %f0;
    mov.b32 %r11, %f1;
    mad.wide.u32 %rd5, %r0, 16, %rd5;
    st.global.v4.u32 [%rd5], {%r10, %r11, %r2, %r3};
    ret;
}
)";
    on_every_backend(
        ptx, {{1}, {kThreads}}, Params().add(cells).add(words).add(out),
        [&] {
          cells.fill(start);
          out.fill(std::vector<u32>(kThreads * 4, 0));
        },
        [&](const Program::Result& result) {
          EXPECT_EQ(result.error, "");
          if (left.empty()) left = cells.values(), given = out.values();
          EXPECT_EQ(cells.values(), left);
          EXPECT_EQ(out.values(), given);
          EXPECT_TRUE(left != start || std::string_view(body).find("shared") != std::string_view::npos);
        });
  }
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
