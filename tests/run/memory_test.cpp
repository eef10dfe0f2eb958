// ld st ldu, every space and width; cvta isspacep; parameters.
#include <bit>
#include <cstring>
#include <numeric>

#include "run/kernel_case.h"

namespace warplens::run {
namespace {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

// A kernel of one warp: %r0 is tid.x, %rd0 and %rd1 are the global pointers out and in, %rd2 = tid.x * 16.
std::string one_warp(const std::string& body, const std::string& declarations = "") {
  return declarations + R"(
.visible .entry k(.param .u64 out, .param .u64 in)
{
    .reg .b16 %h<8>;
    .reg .b32 %r<16>;
    .reg .f32 %f<16>;
    .reg .b64 %rd<16>;
    .reg .f64 %fd<8>;
    .reg .pred %p<8>;
    mov.u32 %r0, %tid.x;
    ld.param.u64 %rd0, [out];
    ld.param.u64 %rd1, [in];
    cvta.to.global.u64 %rd0, %rd0;
    cvta.to.global.u64 %rd1, %rd1;
    mul.wide.u32 %rd2, %r0, 16;
)" + body +
         "\n    ret;\n}\n";
}

std::vector<u32> ramp(size_t count, u32 first = 0x80f1e2d3, u32 step = 0x01030509) {
  std::vector<u32> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = first + static_cast<u32>(i) * step;
  return values;
}

struct Memory : ::testing::Test {
  std::vector<u32> in_values = ramp(32 * 4);
  Buffer<u32> in{in_values};
  Buffer<u32> out{32 * 4, 0xabababab};

  void run(const std::string& body, const std::vector<u32>& expected, const std::string& declarations = "") {
    out.fill(std::vector<u32>(32 * 4, 0xabababab));
    expect_output(one_warp(body, declarations), {{1}, {32}}, Params().add(out).add(in), out, expected);
  }
  // Four words a thread, from the thread's own four.
  template <typename F>
  std::vector<u32> each(F f) {
    std::vector<u32> result(32 * 4, 0xabababab);
    for (size_t t = 0; t < 32; ++t) f(&in_values[t * 4], &result[t * 4]);
    return result;
  }
};

TEST_F(Memory, NarrowLoadsExtend) {
  run(R"(
    add.s64 %rd3, %rd1, %rd2;
    add.s64 %rd4, %rd0, %rd2;
    ld.global.u8 %r1, [%rd3+3];
    ld.global.s8 %r2, [%rd3+3];
    ld.global.u16 %r3, [%rd3+6];
    ld.global.s16 %r4, [%rd3+6];
    st.global.u32 [%rd4], %r1;
    st.global.u32 [%rd4+4], %r2;
    st.global.u32 [%rd4+8], %r3;
    st.global.u32 [%rd4+12], %r4;
  )",
      each([](const u32* a, u32* d) {
        d[0] = a[0] >> 24;
        d[1] = static_cast<u32>(static_cast<int8_t>(a[0] >> 24));
        d[2] = a[1] >> 16;
        d[3] = static_cast<u32>(static_cast<int16_t>(a[1] >> 16));
      }));
  run(R"(
    add.s64 %rd3, %rd1, %rd2;
    add.s64 %rd4, %rd0, %rd2;
    ld.global.s32 %rd5, [%rd3];
    st.global.u64 [%rd4], %rd5;
    ld.global.s8 %h1, [%rd3+1];
    st.global.u16 [%rd4+8], %h1;
  )",
      each([](const u32* a, u32* d) {
        d[0] = a[0];
        d[1] = static_cast<int32_t>(a[0]) < 0 ? ~0u : 0;
        d[2] = 0xabab0000 | static_cast<u16>(static_cast<int8_t>(a[0] >> 8));
      }));
}

TEST_F(Memory, NarrowStoresTruncate) {
  run(R"(
    add.s64 %rd3, %rd1, %rd2;
    add.s64 %rd4, %rd0, %rd2;
    ld.global.u32 %r1, [%rd3];
    ld.global.u64 %rd5, [%rd3+8];
    st.global.u8 [%rd4+1], %r1;
    st.global.u16 [%rd4+4], %r1;
    st.global.u32 [%rd4+8], %rd5;
  )",
      each([](const u32* a, u32* d) {
        d[0] = 0xabab00ab | (a[0] & 0xff) << 8;
        d[1] = 0xabab0000 | (a[0] & 0xffff);
        d[2] = a[2];
      }));
}

TEST_F(Memory, Vectors) {
  run(R"(
    add.s64 %rd3, %rd1, %rd2;
    add.s64 %rd4, %rd0, %rd2;
    ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd3];
    st.global.v2.u32 [%rd4], {%r4, %r3};
    st.global.v2.f32 [%rd4+8], {%r2, %r1};
  )",
      each([](const u32* a, u32* d) { d[0] = a[3], d[1] = a[2], d[2] = a[1], d[3] = a[0]; }));
  run(R"(
    add.s64 %rd3, %rd1, %rd2;
    add.s64 %rd4, %rd0, %rd2;
    ld.global.nc.L1::no_allocate.v2.b64 {%rd5, %rd6}, [%rd3];
    st.global.wb.v2.u64 [%rd4], {%rd6, %rd5};
  )",
      each([](const u32* a, u32* d) { d[0] = a[2], d[1] = a[3], d[2] = a[0], d[3] = a[1]; }));
  run(R"(
    add.s64 %rd3, %rd1, %rd2;
    add.s64 %rd4, %rd0, %rd2;
    ld.global.v4.u8 {%r1, _, %r3, %r4}, [%rd3+4];
    st.global.v4.u8 [%rd4], {%r4, %r3, %r1, 7};
    ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3];
    st.global.f32 [%rd4+8], %f2;
    ld.global.v2.b16 {%h1, %h2}, [%rd3+12];
    st.global.v2.b16 [%rd4+12], {%h2, %h1};
  )",
      each([](const u32* a, u32* d) {
        d[0] = a[1] >> 24 | (a[1] >> 16 & 0xff) << 8 | (a[1] & 0xff) << 16 | 7u << 24;
        d[2] = a[1];
        d[3] = a[3] >> 16 | a[3] << 16;
      }));
}

TEST_F(Memory, OrderedAndGuarded) {
  run(R"(
    add.s64 %rd3, %rd1, %rd2;
    add.s64 %rd4, %rd0, %rd2;
    setp.lt.u32 %p1, %r0, 7;
    mov.u32 %r1, 5;
    @%p1 ld.volatile.global.u32 %r1, [%rd3];
    @!%p1 st.relaxed.gpu.global.u32 [%rd4], %r1;
    ld.acquire.sys.u32 %r2, [%rd3+4];
    st.release.cta.global.u32 [%rd4+4], %r2;
    @%p1 st.global.u32 [%rd4+8], %r1;
  )",
      [&] {
        auto d = each([](const u32* a, u32* d) { d[1] = a[1]; });
        for (size_t t = 0; t < 32; ++t) {
          if (t < 7)
            d[t * 4 + 2] = in_values[t * 4];
          else
            d[t * 4] = 5;
        }
        return d;
      }());
}

TEST_F(Memory, Shared) {
  // Lane t writes its own word and reads its neighbour's; names and registers as addresses, static and dynamic.
  const std::string declarations = ".shared .align 16 .b8 first[256];\n.shared .align 4 .u32 second[32];\n";
  run(
      R"(
    mov.u32 %r1, second;
    shl.b32 %r2, %r0, 2;
    add.s32 %r3, %r1, %r2;
    st.shared.u32 [%r3], %r0;
    st.shared.u32 [first], 77;
    bar.sync 0;
    xor.b32 %r4, %r2, 4;
    add.s32 %r4, %r4, %r1;
    ld.shared.u32 %r5, [%r4];
    ld.shared.u32 %r6, [second+124];
    cvt.u64.u32 %rd5, %r3;
    ld.shared.u32 %r7, [%rd5];
    ld.shared.u32 %r8, [first];
    add.s64 %rd4, %rd0, %rd2;
    st.global.v4.u32 [%rd4], {%r5, %r6, %r7, %r8};
  )",
      [&] {
        auto d = each([](const u32*, u32*) {});
        for (u32 t = 0; t < 32; ++t) d[t * 4] = t ^ 1, d[t * 4 + 1] = 31, d[t * 4 + 2] = t, d[t * 4 + 3] = 77;
        return d;
      }(),
      declarations);
}

TEST_F(Memory, SharedAddressesWrapAt32Bits) {
  // Registers below zero with offsets that bring them back: of a known pattern, of an unknown one, and of some lanes
  // only.
  run(
      R"(
    mov.u32 %r9, words;
    shl.b32 %r1, %r0, 2;
    add.s32 %r1, %r1, %r9;
    st.shared.u32 [%r1], %r0;
    bar.sync 0;
    shl.b32 %r2, %r0, 2;
    sub.s32 %r2, %r9, %r2;
    sub.s32 %r2, %r2, 4096;
    ld.shared.u32 %r3, [%r2+4220];
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r4, [%rd3];
    and.b32 %r4, %r4, 31;
    shl.b32 %r5, %r4, 2;
    sub.s32 %r5, %r9, %r5;
    sub.s32 %r5, %r5, 4096;
    ld.shared.u32 %r6, [%r5+4220];
    mov.u32 %r7, 0;
    setp.lt.u32 %p0, %r0, 11;
    @!%p0 bra skip;
    add.s32 %r8, %r1, -4096;
    ld.shared.u32 %r7, [%r8+4100];
skip:
    add.s64 %rd4, %rd0, %rd2;
    st.global.v4.u32 [%rd4], {%r3, %r4, %r6, %r7};
  )",
      [&] {
        return each([&](const u32* a, u32* d) {
          const u32 t = static_cast<u32>(a - in_values.data()) / 4;
          d[0] = 31 - t, d[1] = a[0] & 31, d[2] = 31 - d[1], d[3] = t < 11 ? t + 1 : 0;
        });
      }(),
      ".shared .align 4 .u32 words[32];\n");
}

TEST_F(Memory, DynamicShared) {
  const std::string text = one_warp(R"(
    mov.u32 %r1, dynamic;
    shl.b32 %r2, %r0, 2;
    add.s32 %r3, %r1, %r2;
    st.shared.u32 [%r3], %r0;
    bar.sync 0;
    ld.shared.u32 %r5, [dynamic+12];
    mov.u32 %r6, fixed;
    sub.s32 %r1, %r1, %r6;
    mov.u32 %r6, %dynamic_smem_size;
    add.s64 %rd4, %rd0, %rd2;
    st.shared.u32 [fixed], 1;
    st.global.v4.u32 [%rd4], {%r5, %r1, %r6, %r0};
  )",
                                    ".shared .align 4 .b8 fixed[20];\n.extern .shared .align 16 .b8 dynamic[];\n");
  auto d = each([](const u32*, u32*) {});
  for (u32 t = 0; t < 32; ++t) d[t * 4] = 3, d[t * 4 + 1] = 32, d[t * 4 + 2] = 128, d[t * 4 + 3] = t;
  expect_output(text, {{1}, {32}, 128}, Params().add(out).add(in), out, d);
}

TEST_F(Memory, Local) {
  run(R"(
    .local .align 16 .b8 depot[64];
    mov.u64 %rd5, depot;
    cvta.local.u64 %rd6, %rd5;
    st.local.v4.u32 [depot], {%r0, 11, 12, 13};
    and.b32 %r1, %r0, 3;
    mul.wide.u32 %rd7, %r1, 4;
    add.s64 %rd8, %rd6, %rd7;
    ld.u32 %r2, [%rd8];
    cvta.to.local.u64 %rd9, %rd8;
    ld.local.u32 %r3, [%rd9];
    add.s64 %rd10, %rd5, 12;
    ld.local.u32 %r4, [%rd10];
    st.u32 [%rd8+16], %r0;
    ld.local.u32 %r5, [%rd9+16];
    add.s64 %rd4, %rd0, %rd2;
    st.global.v4.u32 [%rd4], {%r2, %r3, %r4, %r5};
  )",
      [&] {
        auto d = each([](const u32*, u32*) {});
        for (u32 t = 0; t < 32; ++t) {
          const u32 held[] = {t, 11, 12, 13};
          d[t * 4] = d[t * 4 + 1] = held[t & 3];
          d[t * 4 + 2] = 13;
          d[t * 4 + 3] = t;
        }
        return d;
      }());
}

TEST_F(Memory, GenericAddresses) {
  // One generic load whose lanes address shared, global and local memory.
  run(
      R"(
    .local .align 4 .b8 mine[4];
    st.local.u32 [mine], 100;
    st.shared.u32 [word], 200;
    bar.sync 0;
    mov.u64 %rd5, word;
    cvta.shared.u64 %rd6, %rd5;
    mov.u64 %rd7, mine;
    cvta.local.u64 %rd8, %rd7;
    rem.u32 %r1, %r0, 3;
    setp.eq.u32 %p1, %r1, 0;
    setp.eq.u32 %p2, %r1, 1;
    selp.b64 %rd9, %rd6, %rd8, %p1;
    selp.b64 %rd9, %rd1, %rd9, %p2;
    ld.u32 %r2, [%rd9];
    isspacep.shared %p3, %rd9;
    isspacep.local %p4, %rd9;
    isspacep.global %p5, %rd9;
    selp.u32 %r3, 1, 0, %p3;
    selp.u32 %r4, 1, 0, %p4;
    selp.u32 %r5, 1, 0, %p5;
    add.s64 %rd4, %rd0, %rd2;
    st.global.v4.u32 [%rd4], {%r2, %r3, %r4, %r5};
  )",
      [&] {
        auto d = each([](const u32*, u32*) {});
        for (u32 t = 0; t < 32; ++t) {
          const u32 what = t % 3;
          d[t * 4] = what == 0 ? 200 : what == 1 ? in_values[0] : 100;
          d[t * 4 + 1] = what == 0;
          d[t * 4 + 2] = what == 2;
          d[t * 4 + 3] = what == 1;
        }
        return d;
      }(),
      ".shared .align 4 .u32 word;\n");
}

TEST_F(Memory, ModuleVariables) {
  const std::string declarations = R"(
.global .align 4 .u32 counter = 42;
.const .align 4 .f32 table[4] = {0f3F800000, 0f40000000, 0f40400000, 0f40800000};
.global .align 8 .u64 pointer = generic(counter);
.global .align 1 .b8 text[4] = {65, 66, 67};
)";
  run(
      R"(
    ld.global.u32 %r1, [counter];
    and.b32 %r5, %r0, 3;
    mul.wide.u32 %rd5, %r5, 4;
    mov.u64 %rd6, table;
    add.s64 %rd6, %rd6, %rd5;
    ld.const.f32 %f2, [%rd6];
    ld.global.u64 %rd7, [pointer];
    ld.u32 %r3, [%rd7];
    ld.global.u32 %r4, [text];
    add.s64 %rd4, %rd0, %rd2;
    st.global.u32 [%rd4], %r1;
    st.global.f32 [%rd4+4], %f2;
    st.global.u32 [%rd4+8], %r3;
    st.global.u32 [%rd4+12], %r4;
  )",
      [&] {
        auto d = each([](const u32*, u32*) {});
        for (u32 t = 0; t < 32; ++t) {
          d[t * 4] = d[t * 4 + 2] = 42;
          d[t * 4 + 1] = std::bit_cast<u32>(static_cast<float>((t & 3) + 1));
          d[t * 4 + 3] = 0x00434241;
        }
        return d;
      }(),
      declarations);
}

// mov of array[index]: the address of that element, in elements of the array's type.
TEST_F(Memory, AddressesOfElements) {
  const std::string text = R"(
.global .align 8 .u64 table[4] = {10, 11, 12, 13};
.visible .entry k(.param .u64 out) {
    .reg .b64 %rd<8>;
    .reg .b32 %r<4>;
    .shared .align 4 .b32 space[8];
    .local .align 2 .b16 own[8];
    ld.param.u64 %rd1, [out];
    mov.u64 %rd2, space[3];
    mov.u64 %rd3, space[0];
    sub.u64 %rd2, %rd2, %rd3;
    st.global.u64 [%rd1], %rd2;
    mov.u64 %rd2, table[2];
    ld.global.u64 %rd4, [%rd2];
    st.global.u64 [%rd1+8], %rd4;
    mov.u64 %rd2, own[5];
    mov.u64 %rd3, own;
    sub.u64 %rd2, %rd2, %rd3;
    st.global.u64 [%rd1+16], %rd2;
    mov.u64 %rd2, space[1];
    mov.u32 %r1, 77;
    st.shared.u32 [%rd2], %r1;
    ld.shared.u32 %r2, [space+4];
    cvt.u64.u32 %rd5, %r2;
    st.global.u64 [%rd1+24], %rd5;
    ret;
}
)";
  Buffer<uint64_t> out(4, 0);
  expect_output(text, {{1, 1, 1}, {1, 1, 1}}, Params().add(out), out, {12, 12, 10, 77});
}

TEST_F(Memory, CacheHintsDoNothing) {
  run(R"(
    add.s64 %rd3, %rd1, %rd2;
    add.s64 %rd4, %rd0, %rd2;
    prefetch.global.L2 [%rd3];
    prefetchu.L1 [%rd3];
    applypriority.global.L2::evict_normal [%rd3], 128;
    ldu.global.u32 %r1, [%rd1];
    st.global.u32 [%rd4], %r1;
  )",
      each([&](const u32*, u32* d) { d[0] = in_values[0]; }));
}

// Each thread copies its 16 bytes to shared memory, in the ways that there are, and reads them back.
TEST_F(Memory, AsynchronousCopies) {
  const std::string shared = ".shared .align 16 .b8 space[512];\n";
  const auto copied = [&](const std::string& copies) {
    return R"(
    mov.u32 %r1, space;
    mad.lo.u32 %r1, %r0, 16, %r1;
    st.shared.v4.u32 [%r1], {7, 7, 7, 7};
    add.s64 %rd3, %rd1, %rd2;
    add.s64 %rd4, %rd0, %rd2;
    and.b32 %r6, %r0, 3;
    setp.eq.u32 %p1, %r6, 1;
)" + copies +
           R"(
    cp.async.wait_all;
    ld.shared.v4.u32 {%r8, %r9, %r10, %r11}, [%r1];
    st.global.v4.u32 [%rd4], {%r8, %r9, %r10, %r11};
)";
  };
  const auto whole = each([](const u32* s, u32* d) { std::copy_n(s, 4, d); });
  run(copied("cp.async.cg.shared.global [%r1], [%rd3], 16;\ncp.async.commit_group;\ncp.async.wait_group 0;\n"), whole,
      shared);
  run(copied(
          "cp.async.ca.shared::cta.global.L2::128B [%r1+8], [%rd3+8], 8;\ncp.async.ca.shared.global [%r1], [%rd3], 4;\n"
          "cp.async.ca.shared.global [%r1+4], [%rd3+4], 4, 4;\ncp.async.wait_all;\n"),
      whole, shared);
  // Fewer bytes than the place has: zeros for the rest, and nothing is read where there are none.
  for (u32 bytes = 0; bytes <= 16; ++bytes)
    run(copied("mov.u32 %r7, " + std::to_string(bytes) + ";\ncp.async.cg.shared.global [%r1], [%rd3], 16, %r7;\n"),
        each([&](const u32* s, u32* d) {
          std::fill_n(d, 4, 0);
          std::memcpy(d, s, bytes);
        }),
        shared);
  const auto a_quarter = [&](u32 otherwise) {
    std::vector<u32> expected = whole;
    for (size_t t = 0; t < 32; ++t)
      if (t % 4 == 1) std::fill_n(&expected[t * 4], 4, otherwise);
    return expected;
  };
  run(copied("selp.u32 %r7, 0, 16, %p1;\n@%p1 mov.u64 %rd3, 0;\ncp.async.cg.shared.global [%r1], [%rd3], 16, %r7;\n"),
      a_quarter(0), shared);
  run(copied("@%p1 mov.u64 %rd3, 0;\ncp.async.cg.shared.global [%r1], [%rd3], 16, %p1;\n"), a_quarter(0), shared);
  run(copied("mov.u64 %rd5, 0;\n@!%p1 cp.async.cg.shared.global.L2::cache_hint [%r1], [%rd3], 16, %rd5;\n"),
      a_quarter(7), shared);
}

TEST(Parameters, EveryShape) {
  // A struct by value read whole, in parts, by a register and at an index known only at run time.
  const std::string text = R"(
.visible .entry k(.param .u64 out, .param .u8 byte, .param .align 8 .b8 block[24], .param .f64 real)
{
    .reg .b16 %h<4>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<16>;
    .reg .f64 %fd<4>;
    mov.u32 %r0, %tid.x;
    ld.param.u64 %rd0, [out];
    ld.param.s8 %r1, [byte];
    ld.param.u32 %r2, [block+4];
    ld.param.v2.u32 {%r3, %r4}, [block+8];
    mov.b64 %rd1, block;
    ld.param.u16 %h1, [%rd1+2];
    cvt.u32.u16 %r5, %h1;
    and.b32 %r6, %r0, 3;
    mul.wide.u32 %rd2, %r6, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.param.u32 %r7, [%rd3];
    cvta.param.u64 %rd4, %rd1;
    add.s64 %rd5, %rd4, %rd2;
    ld.u32 %r8, [%rd5+4];
    ld.param.f64 %fd1, [real];
    cvt.rzi.u32.f64 %r9, %fd1;
    mul.wide.u32 %rd6, %r0, 32;
    add.s64 %rd6, %rd6, %rd0;
    st.global.v4.u32 [%rd6], {%r1, %r2, %r3, %r4};
    st.global.v4.u32 [%rd6+16], {%r5, %r7, %r8, %r9};
    ret;
}
)";
  struct alignas(8) Block {
    u32 w[6];
  } block{{0x11112222, 2, 3, 4, 5, 6}};
  Buffer<u32> out(8 * 8, 0);
  std::vector<u32> expected;
  for (u32 t = 0; t < 8; ++t)
    for (const u32 v : {0xfffffff0u, 2u, 3u, 4u, 0x1111u, block.w[t & 3], block.w[(t & 3) + 1], 1234u})
      expected.push_back(v);
  expect_output(text, {{1}, {8}}, Params().add(out).add(static_cast<u8>(0xf0)).add(block).add(1234.9), out, expected);
}

TEST(SpecialRegisters, All) {
  const std::string text = R"(
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<32>;
    .reg .b64 %rd<8>;
    .reg .b16 %h<2>;
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %tid.y;
    mov.u32 %r2, %tid.z;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %ntid.y;
    mov.u32 %r5, %ntid.z;
    mov.u32 %r6, %ctaid.x;
    mov.u32 %r7, %ctaid.y;
    mov.u32 %r8, %ctaid.z;
    mov.u32 %r9, %nctaid.x;
    mov.u32 %r10, %nctaid.y;
    mov.u32 %r11, %nctaid.z;
    mov.u32 %r12, %laneid;
    mov.u32 %r13, %lanemask_lt;
    mov.u32 %r14, %lanemask_ge;
    mov.u16 %h1, %ntid.x;
    cvt.u32.u16 %r15, %h1;
    // linear thread and block
    mad.lo.u32 %r20, %r2, %r4, %r1;
    mad.lo.u32 %r20, %r20, %r3, %r0;
    mad.lo.u32 %r21, %r8, %r10, %r7;
    mad.lo.u32 %r21, %r21, %r9, %r6;
    mul.lo.u32 %r22, %r3, %r4;
    mul.lo.u32 %r22, %r22, %r5;
    mad.lo.u32 %r20, %r21, %r22, %r20;
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r20, 64;
    add.s64 %rd1, %rd1, %rd2;
    st.global.v4.u32 [%rd1], {%r0, %r1, %r2, %r3};
    st.global.v4.u32 [%rd1+16], {%r4, %r5, %r6, %r7};
    st.global.v4.u32 [%rd1+32], {%r8, %r9, %r10, %r11};
    st.global.v4.u32 [%rd1+48], {%r12, %r13, %r14, %r15};
    ret;
}
)";
  const Dim3 grid{2, 3, 2}, block{5, 4, 3};
  Buffer<u32> out(grid.count() * block.count() * 16, 0);
  std::vector<u32> expected;
  for (u32 b = 0; b < grid.count(); ++b)
    for (u32 t = 0; t < block.count(); ++t) {
      const u32 lane = t % 32;
      for (const u32 v : {t % 5, t / 5 % 4, t / 20, 5u, 4u, 3u, b % 2, b / 2 % 3, b / 6, 2u, 3u, 2u, lane,
                          (1u << lane) - 1, ~0u << lane, 5u})
        expected.push_back(v);
    }
  expect_output(text, {grid, block}, Params().add(out), out, expected);
}

// A vector that one thread stores in order (relaxed and stronger) is seen by another as a whole: a value beside its
// state.
TEST(OrderedVectors, AreOnePiece) {
  const std::string text = R"(
.visible .entry k(.param .u64 out, .param .u64 shared)
{
    .reg .b32 %r<16>;
    .reg .b64 %rd<4>;
    .reg .pred %p<6>;
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    ld.param.u64 %rd0, [shared];
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra DONE;
    and.b32 %r2, %r1, 1;
    setp.eq.u32 %p1, %r2, 0;
    mov.u32 %r3, 0;
    mov.u32 %r4, 0;
LOOP:
    add.u32 %r3, %r3, 1;
    @%p1 bra READ;
    st.relaxed.gpu.global.v4.u32 [%rd0], {%r3, %r3, %r3, %r3};
    bra NEXT;
READ:
    ld.relaxed.gpu.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd0];
    setp.ne.u32 %p2, %r5, %r6;
    setp.ne.or.u32 %p3, %r6, %r7, %p2;
    setp.ne.or.u32 %p4, %r7, %r8, %p3;
    @%p4 add.u32 %r4, %r4, 1;
NEXT:
    setp.lt.u32 %p5, %r3, 60000;
    @%p5 bra LOOP;
    st.global.u32 [%rd1], %r4;
DONE:
    ret;
}
)";
  Buffer<u32> out(8, 1), shared(4, 0);
  expect_output(text, {{8}, {32}}, Params().add(out).add(shared), out, std::vector<u32>(8, 0));
}

}  // namespace
}  // namespace warplens::run
