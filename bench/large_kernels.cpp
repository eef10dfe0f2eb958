#include "large_kernels.h"

#include <fmt/format.h>

#include <algorithm>

namespace warplens::bench {
namespace {

LargeKernel kernel(std::string name, const std::string& body) {
  LargeKernel k;
  k.name = std::move(name);
  k.ptx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry large(.param .u64 out)
{
    .reg .b32 %r<8>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<8>;
    .reg .pred %p<4>;
    mov.u32 %r0, %tid.x;
    mad.lo.u32 %r1, %r0, 2654435, 12345;
    cvt.rn.f32.u32 %f0, %r0;
    mov.f32 %f1, %f0;
    ld.param.u64 %rd0, [out];
    cvta.to.global.u64 %rd0, %rd0;
    mul.wide.u32 %rd1, %r0, 4;
    add.s64 %rd2, %rd0, %rd1;
)" + body +
          R"(
    cvt.rzi.u32.f32 %r2, %f0;
    add.u32 %r1, %r1, %r2;
    st.global.u32 [%rd2], %r1;
    ret;
}
)";
  k.instructions = int(std::count(k.ptx.begin(), k.ptx.end(), ';')) - 5;  // less the declarations
  return k;
}

// Every one splits the warp, and loads from an address that depends on data.
LargeKernel branches(int count) {
  std::string body;
  for (int k = 0; k < count; k++)
    body += fmt::format(
        "    shr.u32 %r2, %r1, {0};\n    and.b32 %r2, %r2, 1;\n    setp.ne.u32 %p0, %r2, 0;\n    @%p0 bra skip{1};\n"
        "    and.b32 %r3, %r1, 31;\n    mul.wide.u32 %rd3, %r3, 4;\n    add.s64 %rd3, %rd0, %rd3;\n"
        "    ld.global.u32 %r4, [%rd3];\n    mad.lo.u32 %r1, %r1, 5, %r4;\nskip{1}:\n    add.u32 %r1, %r1, {2};\n",
        k % 13, k, 2 * k + 1);
  return kernel(fmt::format("{} divergent branches", count), body);
}

LargeKernel line(int count) {
  std::string body;
  for (int k = 0; k < count; k++)
    body += fmt::format("    fma.rn.f32 %f{}, %f{}, %f{}, 0f3F000000;\n", k % 2, (k + 1) % 2, k % 2);
  return kernel(fmt::format("{} FMAs in a line", count), body);
}

}  // namespace

std::vector<LargeKernel> make_large_kernels() {
  return {branches(10), branches(50), branches(200), line(250), line(1000), line(4000)};
}

std::string large_markdown(const std::vector<LargeKernel>& kernels) {
  if (kernels.empty()) return "";
  std::string text =
      "\nLarge kernels, made by the benchmark: CPU time from PTX to code that can run, how size and time grow from row "
      "to row, and how fast the code runs (one warp, counted, per PTX instruction that it executed).\n\n"
      "| kernel | PTX instructions | seconds | size grows | time grows | ns an instruction "
      "|\n|---|--:|--:|--:|--:|--:|\n";
  const LargeKernel* before = nullptr;
  for (const LargeKernel& k : kernels) {
    if (before && before->instructions > k.instructions) before = nullptr;  // another family
    text += fmt::format("| {} | {} | {:.3f} |", k.name, k.instructions, k.seconds);
    text += before ? fmt::format(" {:.1f}x | {:.1f}x |", double(k.instructions) / before->instructions,
                                 k.seconds / before->seconds)
                   : " | |";
    text += fmt::format(" {:.1f} |\n", k.ns);
    before = &k;
  }
  return text;
}

}  // namespace warplens::bench
