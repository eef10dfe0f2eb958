// bar and barrier.
#include "run/kernel_case.h"

namespace warplens::run {
namespace {

using u32 = uint32_t;

// %r11: the block's words, %r12: the thread's own.
template <typename F>
void expect_each(const std::string& body, u32 threads, F f) {
  expect_threads(kernel_with(".shared .align 4 .u32 words[256];\n", R"(
    shl.b32 %r10, %r0, 2;
    mov.u32 %r11, words;
    add.u32 %r12, %r11, %r10;
)" + body),
                 threads, f);
}

TEST(Barrier, ReverseThroughSharedMemory) {
  for (const u32 threads : {32u, 96u, 100u, 256u})
    expect_each(R"(
    mov.u32 %r2, %ntid.x;
    st.shared.u32 [%r12], %r0;
    barrier.sync 0;
    sub.u32 %r3, %r2, %r0;
    shl.b32 %r3, %r3, 2;
    add.u32 %r3, %r3, %r11;
    ld.shared.u32 %r1, [%r3+-4];
)",
                threads, [=](u32 t) { return threads - 1 - t; });
}

TEST(Barrier, TreeReductionInALoop) {
  expect_each(R"(
    st.shared.u32 [%r12], %r0;
    mov.u32 %r2, 64;
LOOP:
    bar.sync 0;
    setp.ge.u32 %p1, %r0, %r2;
    @%p1 bra SKIP;
    shl.b32 %r3, %r2, 2;
    add.u32 %r3, %r3, %r12;
    ld.shared.u32 %r4, [%r3];
    ld.shared.u32 %r5, [%r12];
    add.u32 %r5, %r5, %r4;
    st.shared.u32 [%r12], %r5;
SKIP:
    shr.u32 %r2, %r2, 1;
    setp.ne.u32 %p2, %r2, 0;
    @%p2 bra LOOP;
    bar.sync 0;
    ld.shared.u32 %r1, [words];
)",
              128, [](u32) { return 127u * 128 / 2; });
}

TEST(Barrier, Reductions) {
  expect_each(R"(
    setp.lt.u32 %p1, %r0, 37;
    barrier.red.popc.u32 %r2, 0, %p1;
    bar.red.and.pred %p2, 0, %p1;
    bar.red.or.pred %p3, 0, !%p1;
    selp.u32 %r3, 1000, 0, %p2;
    selp.u32 %r4, 2000, 0, %p3;
    add.u32 %r1, %r2, %r3;
    add.u32 %r1, %r1, %r4;
)",
              96, [](u32) { return 37u + 2000; });
}

TEST(Barrier, SomeThreadsLeaveBefore) {
  expect_each(R"(
    st.shared.u32 [%r12], %r0;
    setp.ge.u32 %p1, %r0, 64;
    @%p1 ret;
    bar.sync 0;
    xor.b32 %r3, %r0, 32;
    shl.b32 %r3, %r3, 2;
    add.u32 %r3, %r3, %r11;
    ld.shared.u32 %r1, [%r3];
)",
              96, [](u32 t) { return t < 64 ? t ^ 32 : 0; });
}

TEST(Barrier, NamedWithAThreadCount) {
  // The first two warps meet at barrier 1, the last at none.
  expect_each(R"(
    st.shared.u32 [%r12], %r0;
    mov.u32 %r1, 5;
    setp.ge.u32 %p1, %r0, 64;
    @%p1 bra DONE;
    bar.sync 1, 64;
    xor.b32 %r3, %r0, 32;
    shl.b32 %r3, %r3, 2;
    add.u32 %r3, %r3, %r11;
    ld.shared.u32 %r1, [%r3];
DONE:
)",
              96, [](u32 t) { return t < 64 ? t ^ 32 : 5; });
}

TEST(Barrier, ProducerArrivesConsumerWaits) {
  expect_each(R"(
    mov.u32 %r1, 0;
    setp.ge.u32 %p1, %r0, 32;
    @%p1 bra CONSUME;
    add.u32 %r2, %r0, 500;
    st.shared.u32 [%r12], %r2;
    bar.arrive 2, 64;
    bra DONE;
CONSUME:
    bar.sync 2, 64;
    ld.shared.u32 %r1, [%r12+-128];
DONE:
)",
              64, [](u32 t) { return t < 32 ? 0 : t - 32 + 500; });
}

TEST(Barrier, ReachedInDivergentCode) {
  // Lanes of a warp come to the same barrier at different times.
  expect_each(R"(
    mov.u32 %r2, %r0;
LOOP:
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra MEET;
    sub.u32 %r2, %r2, 1;
    bra LOOP;
MEET:
    st.shared.u32 [%r12], %r0;
    bar.sync 0;
    xor.b32 %r3, %r0, 63;
    shl.b32 %r3, %r3, 2;
    add.u32 %r3, %r3, %r11;
    ld.shared.u32 %r1, [%r3];
)",
              64, [](u32 t) { return t ^ 63; });
}

}  // namespace
}  // namespace warplens::run
