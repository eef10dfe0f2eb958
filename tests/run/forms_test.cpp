// Every form of forms.txt over the same edge values: the engine and the reference agree on each bit, and with what an
// H200 computed (tests/gpu/README.md).
#include <fmt/format.h>

#include <bit>
#include <fstream>

#include "gpu/gpu.h"
#include "run/kernel_case.h"

namespace warplens::run {
namespace {

struct Form {
  std::string text;
  bool left_open = false;  // not held to a GPU
};

std::vector<Form> read_forms() {
  std::ifstream file(WARPLENS_FORMS);
  std::vector<Form> forms;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const bool open = line.starts_with("~ ");
    forms.push_back({open ? line.substr(2) : line, open});
  }
  return forms;
}

constexpr uint32_t kThreads = 1024, kValues = 64;

// For %r, %f and %h: three tables of 64 words.
std::vector<uint32_t> words() {
  constexpr uint32_t kIntegers[kValues] = {
      0,          1,          2,          3,          7,          8,          15,         16,
      31,         32,         33,         63,         64,         127,        128,        255,
      256,        0x7fff,     0x8000,     0xffff,     0x10000,    0x7ffffe,   0x7fffffff, 0x80000000,
      0x80000001, 0xffffffff, 0xfffffffe, 0xffffff80, 0xffff8000, 0xfffffff0, 0x12345678, 0x89abcdef,
      0x3c003c00, 0xbc003e00, 0x7c00fc00, 0x7e017d01, 0x00010001, 0x80008001, 0x03ff0400, 0x3f803f80,
      0x7f80ff80, 0x7fc17f81, 0x00010080, 0x42f7c2f7, 0xdeadbeef, 0x00ff00ff, 0xff00ff00, 0x80018001,
      0x7fff7fff, 0x55555555, 0xaaaaaaaa, 0x0f0f0f0f, 0x01010101, 0x7f7f7f7f, 0x80808080, 0x00000100,
      0x00000011, 0x0000001e, 0x40004000, 0xc0c0c0c0, 0x7e7e7e7e, 0x38383838, 0x04040404, 0x78f87bfb};
  // Without products next to the least normal number: tiny before rounding is flushed on a GPU, after it here.
  constexpr uint32_t kFloats[kValues] = {
      0,          0x80000000, 0x3f800000, 0xbf800000, 1,          0x80000001, 0x007fffff, 0x807fffff,
      0x00800001, 0x80800001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001,
      0x7f800001, 0xffffffff, 0x3f000000, 0xbf000000, 0x3fc00000, 0xbfc00000, 0x40200000, 0xc0200000,
      0x4b000000, 0x4b000001, 0xcb000000, 0x4f000000, 0xcf000000, 0x4effffff, 0xcf000001, 0x4f800000,
      0x5f000000, 0xdf000000, 0x5f800000, 0x5effffff, 0x43000000, 0x437f0000, 0x43800000, 0xc3000000,
      0xc3008000, 0x47800000, 0x477fff00, 0xc7000000, 0x477fe000, 0x477ff000, 0x33800000, 0x33000000,
      0x33000001, 0x38800000, 0x387fc000, 0x3f7fffff, 0x3f800001, 0x40490fdb, 0x3eaaaaab, 0x42280000,
      0xc2c80000, 0x7e967699, 0x00400000, 0x34000000, 0x4019999a, 0xc0a66666, 0x3dcccccd, 0x461c4000};
  constexpr uint16_t kHalves[32] = {0,      0x8000, 0x3c00, 0xbc00, 1,      0x8001, 0x03ff, 0x0400,
                                    0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7d01, 0xffff, 0x3800,
                                    0x3f80, 0xbf80, 0x007f, 0x0080, 0x7f7f, 0x7f80, 0xff80, 0x7fc0,
                                    0x7f81, 0x3555, 0x4200, 0xc248, 0x0101, 0x00ff, 0x7fff, 0x5678};
  std::vector<uint32_t> all(std::begin(kIntegers), std::end(kIntegers));
  all.insert(all.end(), std::begin(kFloats), std::end(kFloats));
  for (uint32_t i = 0; i < kValues; ++i) all.push_back(kHalves[(i * 5 + i / 32) % 32]);
  return all;
}

// For %l and %d. Only the first operand of doubles may be a NaN, a quiet one: which of two is handed on is left open.
std::vector<uint64_t> long_words() {
  constexpr uint64_t kIntegers[32] = {0,
                                      1,
                                      2,
                                      31,
                                      32,
                                      33,
                                      63,
                                      64,
                                      65,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      0x100000000,
                                      0x7fffffffffffffff,
                                      0x8000000000000000,
                                      0x8000000000000001,
                                      ~0ull,
                                      ~1ull,
                                      0xffffffff80000000,
                                      0xffffffff7fffffff,
                                      0x123456789abcdef,
                                      0xfedcba9876543210,
                                      0x5555555555555555,
                                      0xaaaaaaaaaaaaaaaa,
                                      0x00ff00ff00ff00ff,
                                      0x8080808080808080,
                                      0x7f7f7f7f7f7f7f7f,
                                      0xffff,
                                      0x8000,
                                      0xffffffffffff8000,
                                      0x100,
                                      0x20000000000001};
  std::vector<uint64_t> all, doubles;
  for (uint32_t i = 0; i < kValues; ++i) all.push_back(kIntegers[(i * 7 + i / 32) % 32]);
  for (const double x : {0.0,
                         1.0,
                         0x1p-1074,
                         0x1.ffffffffffffep-1023,
                         0x1p-1022,
                         0x1.fffffffffffffp1023,
                         0.5,
                         1.5,
                         2.5,
                         2147483647.0,
                         2147483648.0,
                         2147483649.0,
                         0x1p63,
                         0x1p64,
                         0x1p52,
                         0x1p52 + 1,
                         0x1.fffffep127,
                         0x1.fffffefffffffp127,
                         0x1.ffffffp127,
                         0x1p-149,
                         0x1p-150,
                         0x1.0000000000001p-150,
                         0x1.fffffffffffffp-127,
                         0x1p-126,
                         65504.0,
                         65520.0,
                         0x1p-24,
                         0x1p-25,
                         3.14159265358979,
                         1.0 / 3})
    for (const double y : {x, -x}) doubles.push_back(std::bit_cast<uint64_t>(y));
  for (const uint64_t x : {0x7ff0000000000000u, 0xfff0000000000000u, 0x4070000000000000u, 0xc060100000000000u})
    doubles.push_back(x);
  for (uint32_t i = 0; i < kValues; ++i) all.push_back(doubles[i]);
  constexpr uint64_t kNans[] = {0x7ff8000000000123, 0xfff8000000000000, 0x7fffffffffffffff};
  for (uint32_t i = 0; i < kValues; ++i) all.push_back(i % 20 == 7 ? kNans[i / 20 % 3] : doubles[i]);
  return all;
}

// Each thread has four of each kind, in other combinations than the thread before; what a form leaves in any register
// is mixed into 8 bytes of out[form][thread].
std::string kernel(const std::vector<Form>& forms, size_t first, size_t last) {
  std::string text = R"(
.visible .entry k(.param .u64 words, .param .u64 longs, .param .u64 out)
{
    .reg .b16 %h<8>;
    .reg .b32 %r<12>;
    .reg .f32 %f<12>;
    .reg .f64 %d<8>;
    .reg .b64 %l<12>;
    .reg .pred %p<8>;
    .reg .b32 %t<16>;
    .reg .b64 %u<16>;
    .reg .pred %z<2>;
    ld.param.u64 %u0, [words];
    ld.param.u64 %u1, [longs];
    ld.param.u64 %u2, [out];
    mov.u32 %t0, %tid.x;
    mov.u32 %t1, %ctaid.x;
    mad.lo.u32 %t0, %t1, 256, %t0;
    mad.wide.u32 %u2, %t0, 8, %u2;
)";
  constexpr const char* kPlaces[] = {"mov.u32 %t1, %t0;", "shr.u32 %t1, %t0, 6; mad.lo.u32 %t1, %t0, 17, %t1;",
                                     "shr.u32 %t1, %t0, 4; mad.lo.u32 %t1, %t0, 37, %t1;",
                                     "shr.u32 %t1, %t0, 5; mad.lo.u32 %t1, %t0, 23, %t1;"};
  for (int k = 1; k <= 4; ++k)
    text += fmt::format(
        "{0} and.b32 %t1, %t1, 63; mad.wide.u32 %u3, %t1, 4, %u0; mad.wide.u32 %u4, %t1, 8, %u1;\n"
        "ld.global.u32 %r{1}, [%u3]; ld.global.f32 %f{1}, [%u3+256]; ld.global.u16 %h{1}, [%u3+512];\n"
        "ld.global.u64 %l{1}, [%u4]; ld.global.f64 %d{1}, [%u4+{2}];\n"
        "and.b32 %t3, %t0, {3}; setp.ne.u32 %p{1}, %t3, 0;\n",
        kPlaces[k - 1], k, k == 1 ? 1024 : 512, 1 << k);
  for (size_t i = first; i < last; ++i) {
    const std::string& form = forms[i].text;
    const std::string opcode = form.substr(0, form.find(' '));
    const bool subtracts = opcode.starts_with("sub"), takes_carry = opcode.find("c.") < 5;
    text +=
        "mov.b16 %h0, 0x1234; mov.b32 %r0, 0x12345678; mov.f32 %f0, 0f3F800000; mov.f64 %d0, 0d3FF0000000000000;\n"
        "mov.b64 %l0, 0x123456789abcdef; setp.ne.u32 %p0, %t0, %t0; mov.pred %z0, %p1; mov.u32 %t8, 0;\n";
    if (takes_carry) text += subtracts ? "sub.cc.u32 %t7, %t0, 300;\n" : "add.cc.u32 %t7, %t0, 0xffffff00;\n";
    text += form + "\n";
    if (opcode.find(".cc") != opcode.npos) text += subtracts ? "subc.u32 %t8, 0, 0;\n" : "addc.u32 %t8, 0, 0;\n";
    text +=
        "mov.b32 %t3, %f0; mov.b64 %u5, %d0; cvt.u32.u16 %t4, %h0; selp.u32 %t5, 1, 0, %p0; selp.u32 %t6, 2, 0, %p1;\n"
        "mov.pred %p1, %z0; or.b32 %t5, %t5, %t6; shl.b32 %t8, %t8, 2; or.b32 %t5, %t5, %t8;\n"
        "mov.b64 %u6, {%r0, %t3}; mov.b64 %u7, {%t4, %t5};\n"
        "mul.lo.u64 %u6, %u6, 0x9E3779B97F4A7C15; xor.b64 %u6, %u6, %l0; mul.lo.u64 %u6, %u6, 0xD6E8FEB86659FD93;\n"
        "xor.b64 %u6, %u6, %u5; mul.lo.u64 %u6, %u6, 0xBF58476D1CE4E5B9; xor.b64 %u6, %u6, %u7;\n"
        "st.global.u64 [%u2], %u6;\n";
    text += fmt::format("add.u64 %u2, %u2, {};\n", 8 * kThreads);
  }
  return text + "ret;\n}\n";
}

TEST(Forms, GiveTheSameEverywhere) {
  const std::vector<Form> forms = read_forms();
  ASSERT_GT(forms.size(), 2000u);
  constexpr size_t kAtATime = 40;
  Buffer<uint32_t> in(words());
  Buffer<uint64_t> longs(long_words()), out(kAtATime * kThreads, 0);
  for (size_t first = 0; first < forms.size(); first += kAtATime) {
    const size_t last = std::min(first + kAtATime, forms.size());
    std::vector<uint64_t> expected;
    size_t turn = 0;
    on_every_backend(
        kernel(forms, first, last), {{kThreads / 256}, {256}}, Params().add(in).add(longs).add(out),
        [&] { out.fill(std::vector<uint64_t>(kAtATime * kThreads, 0)), ++turn; },
        [&](const Program::Result& result) {
          ASSERT_EQ(result.error, "");
          const std::vector<uint64_t> got = out.values();
          if (expected.empty()) expected = got;
          const bool on_gpu = turn > std::size(kBackends);
          for (size_t i = first; i < last; ++i) {
            if (forms[i].left_open && on_gpu) continue;
            const auto at = static_cast<std::ptrdiff_t>((i - first) * kThreads);
            const std::vector<uint64_t> one(got.begin() + at, got.begin() + at + kThreads);
            const std::vector<uint64_t> first_one(expected.begin() + at, expected.begin() + at + kThreads);
            const auto differs = std::mismatch(one.begin(), one.end(), first_one.begin()).first;
            EXPECT_EQ(differs, one.end()) << forms[i].text << " differs in thread " << differs - one.begin();
            if (forms[i].left_open) continue;
            if (on_gpu) gpu::record(forms[i].text, gpu::hash_of(one));
            if (const auto reading = gpu::reading_of(forms[i].text); reading && !gpu::wanted())
              EXPECT_EQ(gpu::hash_of(one), *reading) << forms[i].text << " is not what an H200 gives";
          }
        });
  }
}

}  // namespace
}  // namespace warplens::run
