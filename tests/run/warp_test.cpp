// shfl vote match redux activemask elect bar.warp.sync.
#include <bit>

#include "run/kernel_case.h"

namespace warplens::run {
namespace {

using u32 = uint32_t;

u32 value(u32 lane) { return lane * 37 + 1000; }

// %r0: lane; %r2: a value that differs between lanes; the body leaves its result in %r1.
template <typename F>
void expect_each(const std::string& body, F f, u32 threads = 32) {
  expect_threads(kernel_with("", "    mad.lo.u32 %r2, %r0, 37, 1000;\n    mov.u32 %r1, 0;\n" + body), threads, f);
}

TEST(Warp, Shuffles) {
  expect_each(R"(
    shfl.sync.down.b32 %r1|%p1, %r2, 5, 31, -1;
    @!%p1 add.u32 %r1, %r1, 1000000;
)",
              [](u32 t) { return t + 5 < 32 ? value(t + 5) : value(t) + 1000000; });
  expect_each(R"(
    shfl.sync.up.b32 %r1|%p1, %r2, 3, 0, -1;
    @!%p1 add.u32 %r1, %r1, 1000000;
)",
              [](u32 t) { return t >= 3 ? value(t - 3) : value(t) + 1000000; });
  expect_each(R"(
    shfl.sync.bfly.b32 %r1, %r2, 6, 31, -1;
)",
              [](u32 t) { return value(t ^ 6); });
  expect_each(R"(
    mul.lo.u32 %r3, %r0, 7;
    shfl.sync.idx.b32 %r1, %r2, %r3, 31, -1;
)",
              [](u32 t) { return value(t * 7 % 32); });
  // Segments of 8 lanes: c = (32 - 8) << 8 | clamp.
  expect_each(R"(
    shfl.sync.down.b32 %r1, %r2, 2, 6175, -1;
)",
              [](u32 t) { return t % 8 + 2 < 8 ? value(t + 2) : value(t); });
  expect_each(R"(
    shfl.sync.up.b32 %r1, %r2, 2, 6144, -1;
)",
              [](u32 t) { return t % 8 >= 2 ? value(t - 2) : value(t); });
  expect_each(R"(
    shfl.sync.idx.b32 %r1, %r2, 3, 6175, -1;
)",
              [](u32 t) { return value(t / 8 * 8 + 3); });
}

TEST(Warp, ShuffleOfAPartOfTheWarp) {
  expect_each(R"(
    setp.ge.u32 %p1, %r0, 16;
    @%p1 bra DONE;
    shfl.sync.bfly.b32 %r1, %r2, 1, 31, 0xffff;
DONE:
)",
              [](u32 t) { return t < 16 ? value(t ^ 1) : 0; });
  expect_each(R"(
    mov.u32 %r1, 3;
    setp.lt.u32 %p1, %r0, 8;
    @%p1 shfl.sync.bfly.b32 %r1, %r2, 1, 31, 0xff;
)",
              [](u32 t) { return t < 8 ? value(t ^ 1) : 3; });
}

TEST(Warp, ReductionByShuffles) {
  expect_each(R"(
    shfl.sync.down.b32 %r3, %r2, 16, 31, -1;
    add.u32 %r2, %r2, %r3;
    shfl.sync.down.b32 %r3, %r2, 8, 31, -1;
    add.u32 %r2, %r2, %r3;
    shfl.sync.down.b32 %r3, %r2, 4, 31, -1;
    add.u32 %r2, %r2, %r3;
    shfl.sync.down.b32 %r3, %r2, 2, 31, -1;
    add.u32 %r2, %r2, %r3;
    shfl.sync.down.b32 %r3, %r2, 1, 31, -1;
    add.u32 %r2, %r2, %r3;
    shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;
)",
              [](u32) { return 32u * 1000 + 37 * 31 * 16; });
}

TEST(Warp, Votes) {
  expect_each(R"(
    setp.lt.u32 %p1, %r0, 11;
    vote.sync.ballot.b32 %r3, %p1, -1;
    vote.sync.any.pred %p2, %p1, -1;
    vote.sync.all.pred %p3, %p1, -1;
    vote.sync.uni.pred %p4, %p1, -1;
    vote.sync.all.pred %p5, !%p6, -1;
    selp.u32 %r4, 0x10000000, 0, %p2;
    selp.u32 %r5, 0x20000000, 0, %p3;
    selp.u32 %r6, 0x40000000, 0, %p4;
    selp.u32 %r7, 0x80000000, 0, %p5;
    or.b32 %r1, %r3, %r4;
    or.b32 %r1, %r1, %r5;
    or.b32 %r1, %r1, %r6;
    or.b32 %r1, %r1, %r7;
)",
              [](u32) { return 0x7ffu | 0x90000000; });
}

TEST(Warp, DivergentVotesAndActiveMask) {
  expect_each(R"(
    setp.ge.u32 %p1, %r0, 20;
    @%p1 bra HIGH;
    activemask.b32 %r1;
    bra DONE;
HIGH:
    and.b32 %r3, %r0, 1;
    setp.eq.u32 %p2, %r3, 1;
    vote.sync.ballot.b32 %r1, %p2, 0xfff00000;
DONE:
    bar.warp.sync -1;
)",
              [](u32 t) { return t < 20 ? 0xfffff : 0xaaa00000; });
}

TEST(Warp, LastWarpIsNotFull) {
  expect_each(
      R"(
    activemask.b32 %r1;
)",
      [](u32 t) { return t < 32 ? ~0u : 0xff; }, 40);
  expect_each(
      R"(
    setp.ne.u32 %p1, %r0, 1000;
    activemask.b32 %r3;
    vote.sync.ballot.b32 %r1, %p1, %r3;
)",
      [](u32 t) { return t < 32 ? ~0u : 0xff; }, 40);
}

TEST(Warp, Match) {
  expect_each(R"(
    rem.u32 %r3, %r0, 3;
    match.any.sync.b32 %r1, %r3, -1;
)",
              [](u32 t) {
                u32 mask = 0;
                for (u32 l = 0; l < 32; ++l) mask |= u32{l % 3 == t % 3} << l;
                return mask;
              });
  expect_each(R"(
    shr.u32 %r3, %r0, 5;
    cvt.u64.u32 %rd1, %r3;
    match.all.sync.b64 %r3|%p1, %rd1, -1;
    match.all.sync.b32 %r4|%p2, %r0, -1;
    selp.u32 %r5, 1, 0, %p1;
    selp.u32 %r6, 2, 0, %p2;
    add.u32 %r5, %r5, %r6;
    and.b32 %r3, %r3, 0xff00;
    or.b32 %r1, %r3, %r5;
    or.b32 %r1, %r1, %r4;
)",
              [](u32) { return 0xff01u; });
}

TEST(Warp, Redux) {
  const auto all = [](auto f) {
    u32 total = value(0);
    for (u32 l = 1; l < 32; ++l) total = f(total, value(l));
    return total;
  };
  expect_each(R"(
    redux.sync.add.u32 %r1, %r2, -1;
)",
              [&](u32) { return all([](u32 a, u32 b) { return a + b; }); });
  expect_each(R"(
    redux.sync.xor.b32 %r1, %r2, -1;
)",
              [&](u32) { return all([](u32 a, u32 b) { return a ^ b; }); });
  expect_each(
      R"(
    redux.sync.and.b32 %r3, %r2, -1;
    redux.sync.or.b32 %r4, %r2, -1;
    mad.lo.u32 %r1, %r3, 65536, %r4;
)",
      [&](u32) { return all([](u32 a, u32 b) { return a & b; }) * 65536 + all([](u32 a, u32 b) { return a | b; }); });
  expect_each(R"(
    sub.u32 %r3, 5, %r0;
    redux.sync.min.s32 %r4, %r3, -1;
    redux.sync.max.u32 %r5, %r3, -1;
    redux.sync.max.s32 %r6, %r3, -1;
    add.u32 %r1, %r4, %r5;
    add.u32 %r1, %r1, %r6;
)",
              [](u32) { return static_cast<u32>(-26) + ~0u + 5; });
}

TEST(Warp, Elect) {
  expect_each(R"(
    setp.lt.u32 %p1, %r0, 4;
    @%p1 bra DONE;
    elect.sync %r3|%p2, 0xfffffff0;
    selp.u32 %r4, 100, 0, %p2;
    add.u32 %r1, %r3, %r4;
DONE:
)",
              [](u32 t) { return t < 4    ? 0u
                                 : t == 4 ? 104u
                                          : 4u; });
}

}  // namespace
}  // namespace warplens::run
