// Every typed form of an instruction that public programs use (public_forms.txt): a kernel of one such instruction
// computes the same on the engine and on the reference, or is refused by name. In public_forms.txt stands
//
//   #v #w #b #h #x #y #q   a register of 32, 64, 8 and 16 bits, f32, f64, a predicate; each time another one
//   [%global] [%shared] [%local] [constants] [parameter]   64 bytes; of the thread's own the first three
//   [%warp] [%sh]          4096 bytes of global and of shared memory that a warp has together; %bar: 8 more
//   ;                      between instructions
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "run/run_ptx.h"

namespace warplens::run {
namespace {

struct Form {
  std::string name, text;
};

// What is refused, and why.
const std::map<std::string, std::string> kRefused = {
    {"barrier.cluster.arrive", "clusters of blocks"},
    {"barrier.cluster.wait", "clusters of blocks"},
};

// What the reference does not do: it is compared with what it must give in tests/run/mbarrier_test.cpp.
const std::string kOfTheEngineAlone = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";

std::vector<Form> forms() {
  std::vector<Form> list;
  std::ifstream file(WARPLENS_PUBLIC_FORMS);
  for (std::string line; std::getline(file, line);) {
    const size_t name = line.find('\t'), text = line.rfind('\t');
    if (line.starts_with('#') || name == text) continue;
    list.push_back({line.substr(name + 1, text - name - 1), line.substr(text + 1)});
  }
  return list;
}

struct RegisterKind {
  char letter;
  const char *type, *load, *store;
  uint32_t bytes;
};
constexpr RegisterKind kKinds[] = {{'v', "b32", "ld.global.b32", "st.global.b32", 4},
                                   {'w', "b64", "ld.global.b64", "st.global.b64", 8},
                                   {'b', "b8", "ld.global.b8", "st.global.b8", 1},
                                   {'h', "b16", "ld.global.b16", "st.global.b16", 2},
                                   {'x', "f32", "ld.global.f32", "st.global.f32", 4},
                                   {'y', "f64", "ld.global.f64", "st.global.f64", 8},
                                   {'q', "pred", "", "", 1}};

constexpr uint32_t kInBytes = 512, kOutBytes = 640;  // a thread; of `out` the last 128 are shared memory

std::string kernel_of(const Form& form) {
  std::map<char, uint32_t> used;
  std::string code;
  for (size_t at = 0; at < form.text.size(); ++at) {
    const char c = form.text[at];
    if (c == '#') {
      const char kind = form.text[++at];
      code += fmt::format("%{}{}", kind, used[kind]++);
    } else {
      code += c;
    }
  }
  if (!code.ends_with(':') && !code.starts_with('{')) code += ';';
  std::string registers, before, after;
  uint32_t from = 0, to = 0;
  for (const RegisterKind& kind : kKinds) {
    const uint32_t n = used[kind.letter];
    if (n == 0) continue;
    registers += fmt::format("    .reg .{} %{}<{}>;\n", kind.type, kind.letter, n);
    from = (from + 7) / 8 * 8, to = (to + 7) / 8 * 8;
    for (uint32_t k = 0; k < n; ++k, from += kind.bytes, to += kind.bytes) {
      const std::string reg = fmt::format("%{}{}", kind.letter, k);
      if (kind.letter == 'q') {
        before += fmt::format("    ld.global.u8 %t, [%from+{}];\n    and.b32 %t, %t, 1;\n    setp.ne.u32 {}, %t, 0;\n",
                              from, reg);
        after += fmt::format("    selp.u32 %t, 1, 0, {};\n    st.global.u8 [%to+{}], %t;\n", reg, to);
      } else {
        before += fmt::format("    {} {}, [%from+{}];\n", kind.load, reg, from);
        after += fmt::format("    {} [%to+{}], {};\n", kind.store, to, reg);
      }
    }
  }
  for (uint32_t k = 0; k < 128; k += 16) {
    before += fmt::format("    ld.global.v4.u32 {{%t, %t1, %t2, %t3}}, [%from+{}];\n", 256 + k);
    before += fmt::format("    st.shared.v4.u32 [%mine+{}], {{%t, %t1, %t2, %t3}};\n", k);
    if (k < 64) before += fmt::format("    st.local.v4.u32 [lo+{}], {{%t, %t1, %t2, %t3}};\n", k);
    after += fmt::format("    ld.shared.v4.u32 {{%t, %t1, %t2, %t3}}, [%mine+{}];\n", k);
    after += fmt::format("    st.global.v4.u32 [%to+{}], {{%t, %t1, %t2, %t3}};\n", kOutBytes - 128 + k);
  }
  return ".const .align 16 .u32 constants[16] = {1, 2, 0x80000000, 0x7fffffff, 0x3f800000, 0x40490fdb, 7, 8, 9, 10, "
         "11, 12, 13, 14, 15, 16};\n"
         ".func (.param .b32 c) helper(.param .b32 a)\n{\n    .reg .b32 %r;\n    ld.param.b32 %r, [a];\n"
         "    xor.b32 %r, %r, 77;\n    st.param.b32 [c], %r;\n    ret;\n}\n"
         ".func blob(.param .align 16 .b8 a[16])\n{\n    ret;\n}\n"
         ".visible .entry k(.param .u64 in, .param .u64 slots, .param .u64 out, .param .align 16 .b8 "
         "parameter[64])\n{\n"
         "    .reg .b32 %t, %t1, %t2, %t3, %tid, %mine, %shared, %sh, %bar;\n    .reg .pred %first, %never;\n"
         "    .reg .b64 %from, %to, %global, %warp, %shared64, %local, %s64;\n"
         "    .shared .align 128 .b8 sh[4096];\n    .shared .align 8 .b64 bar;\n    .local .align 16 .b8 lo[64];\n" +
         registers +
         "    prototype: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
         "    mov.u32 %tid, %tid.x;\n    setp.eq.u32 %first, %tid, 0;\n    setp.eq.u32 %never, %tid, 99;\n" +
         fmt::format(
             "    ld.param.u64 %from, [in];\n    mad.wide.u32 %from, %tid, {}, %from;\n"
             "    ld.param.u64 %to, [out];\n    mad.wide.u32 %to, %tid, {}, %to;\n",
             kInBytes, kOutBytes) +
         "    ld.param.u64 %global, [slots];\n    add.s64 %warp, %global, 2048;\n    mad.wide.u32 %global, %tid, 64, "
         "%global;\n"
         "    mov.u32 %sh, sh;\n    mov.u32 %bar, bar;\n    mad.lo.u32 %mine, %tid, 128, %sh;\n"
         "    mad.lo.u32 %shared, %tid, 64, %sh;\n    cvt.u64.u32 %shared64, %shared;\n    mov.u64 %local, lo;\n" +
         before + "    bar.sync 0;\n    // what is tested\n    " + code +
         "\n    // and what became of it\n    bar.sync 0;\n" + after + "    ret;\n}\n";
}

// What approximates may differ a little: as floats, or as doubles.
bool about_the_same(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  const auto near = [](double x, double y) {
    return (std::isnan(x) && std::isnan(y)) || x == y ||
           std::abs(x - y) <= 2e-5 * std::max(std::abs(x), std::abs(y)) + 1e-6;
  };
  for (size_t at = 0; at < a.size(); at += 8) {
    if (std::equal(&a[at], &a[at] + 8, &b[at])) continue;
    float f[2], g[2];
    double d, e;
    std::memcpy(f, &a[at], 8), std::memcpy(g, &b[at], 8), std::memcpy(&d, &a[at], 8), std::memcpy(&e, &b[at], 8);
    if (!(near(f[0], g[0]) && near(f[1], g[1])) && !near(d, e)) return false;
  }
  return true;
}

TEST(PublicForms, RunOrAreRefused) {
  static constexpr uint32_t kEdges[] = {0,          1,          0xffffffff, 0x80000000, 0x7fffffff, 0x3f800000,
                                        0xbf800000, 0x7f800000, 0xff800000, 0x7fc00001, 0x00000001, 0x807fffff,
                                        0x40490fdb, 0x4b000001, 0x00003c00, 0x3ff00000, 0x40080000, 31};
  std::mt19937 random(7);
  const auto fill = [&](size_t bytes) {
    std::vector<uint32_t> words(bytes / 4);
    for (uint32_t& w : words) w = random() % 3 ? static_cast<uint32_t>(random()) : kEdges[random() % std::size(kEdges)];
    return words;
  };
  const auto initial = fill(32 * kInBytes), slots_before = fill(2048 + 4096), parameter = fill(64);
  Buffer<uint32_t> in(initial), slots(slots_before), out(32 * kOutBytes / 4, 0);
  size_t run = 0, refused = 0;
  for (const Form& form : forms()) {
    SCOPED_TRACE(form.name + ": " + form.text);
    Program program(ptx_header() + kernel_of(form));
    if (kRefused.contains(form.name)) {
      EXPECT_NE(program.problems().find(form.name + " is not supported"), std::string::npos) << program.problems();
      ++refused;
      continue;
    }
    if (!program.problems().empty()) {
      ADD_FAILURE() << program.problems();
      continue;
    }
    Params params;
    params.add(in).add(slots).add(out).add(uint64_t{0});
    for (const uint32_t w : parameter) params.add(w);
    std::vector<std::vector<uint8_t>> results;
    for (const Backend backend : kBackends) {
      if (backend == Backend::Reference && form.name == kOfTheEngineAlone) continue;
      slots.fill(slots_before);
      out.fill(std::vector<uint32_t>(out.size(), 0));
      const std::string error = program.launch(backend, "k", {{1}, {32}}, params).error;
      results.emplace_back();
      for (Buffer<uint32_t>* b : {&slots, &out}) {
        const auto* bytes = reinterpret_cast<const uint8_t*>(b->data());
        results.back().insert(results.back().end(), bytes, bytes + 4 * b->size());
      }
      EXPECT_EQ(error, "") << to_string(backend);
    }
    const bool approximates =
        form.name.find(".approx") != std::string::npos || form.name.find(".full") != std::string::npos;
    EXPECT_TRUE(results.front() == results.back() || (approximates && about_the_same(results.front(), results.back())));
    ++run;
  }
  EXPECT_GT(run, 600u);
  std::printf("%zu typed forms run, %zu are refused\n", run, refused);
}

}  // namespace
}  // namespace warplens::run
