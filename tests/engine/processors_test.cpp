// Code for processors other than this machine's: it cannot run here, but it has to be made, and in finite time.
#include <gtest/gtest.h>

#include <string_view>

#include "codegen/plan.h"
#include "jit/compiler.h"
#include "lower/lower.h"
#include "passes/passes.h"
#include "ptx/parse.h"

namespace warplens::jit {
namespace {

// An array of each thread's own, read at an index that all lanes share while some of them wait. The masks of both
// halves of the warp then meet in one condition, which LLVM 19 compiled for ever with AVX-512.
constexpr const char* kKernel = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
    .local .align 4 .b8 array[160];
    .reg .b32 %r<16>;
    .reg .b64 %rd<8>;
    .reg .pred %p<4>;
    ld.param.u32 %r1, [n];
    ld.param.u64 %rd1, [out];
    mov.u32 %r2, %tid.x;
    mov.u64 %rd2, array;
    mov.u32 %r3, 0;
    rem.u32 %r4, %r2, 3;
    setp.ne.u32 %p1, %r4, 1;
    @%p1 bra DONE;
LOOP:
    mul.lo.u32 %r5, %r3, 7;
    rem.u32 %r5, %r5, %r1;
    mul.wide.u32 %rd3, %r5, 4;
    add.s64 %rd3, %rd2, %rd3;
    ld.local.u32 %r6, [%rd3];
    add.u32 %r7, %r7, %r6;
    st.local.u32 [%rd3], %r7;
    and.b32 %r8, %r7, 8;
    setp.eq.u32 %p2, %r8, 0;
    @%p2 bra NEXT;
    mul.wide.u32 %rd4, %r3, 4;
    add.s64 %rd4, %rd2, %rd4;
    ld.local.u32 %r9, [%rd4];
    xor.b32 %r7, %r7, %r9;
NEXT:
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p3, %r3, %r1;
    @%p3 bra LOOP;
DONE:
    mul.wide.u32 %rd5, %r2, 4;
    add.s64 %rd1, %rd1, %rd5;
    st.global.u32 [%rd1], %r7;
    ret;
}
)";

class Processors : public testing::TestWithParam<const char*> {};

TEST_P(Processors, AKernelWithItsOwnArrayCompiles) {
  auto compiler = Compiler::create(GetParam(), 0);
  ASSERT_TRUE(compiler) << compiler.error().what;
  const auto parsed = ptx::parse(kKernel, "test.ptx");
  auto lowered = lower::lower(parsed.module, "test.ptx");
  ASSERT_EQ(lowered.module.kernels.size(), 1u);
  ir::Function f = lowered.module.kernels[0].function;
  passes::prepare(f);
  for (bool counting : {true, false}) {
    passes::Specialization spec;
    spec.block = {64, 1, 1};
    spec.max_groups = 32 / (*compiler)->vector_lanes();
    const auto plan = codegen::make_plan(f, spec);
    const auto object = (*compiler)->compile(f, spec, plan, counting);
    ASSERT_TRUE(object) << object.error().what;
    EXPECT_GT(object->size(), 1000u);
  }
}

constexpr const char* kMath = R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) __nv_expf(.param .b32 x);
.extern .func (.param .b64 r) __nv_lgamma(.param .b64 x);
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<4>; .reg .b64 %rd<8>;
    mov.u32 %r1, %tid.x;
    cvt.rn.f32.u32 %r2, %r1;
    ld.param.u64 %rd1, [out];
    { .param .b32 x; st.param.b32 [x], %r2; .param .b32 r; call.uni (r), __nv_expf, (x); ld.param.b32 %r3, [r]; }
    cvt.f64.f32 %rd2, %r3;
    { .param .b64 x; st.param.b64 [x], %rd2; .param .b64 r; call.uni (r), __nv_lgamma, (x); ld.param.b64 %rd3, [r]; }
    mul.wide.u32 %rd4, %r1, 8;
    add.s64 %rd1, %rd1, %rd4;
    st.global.b64 [%rd1], %rd3;
    ret;
}
)";

TEST_P(Processors, SmallFunctionsOfDeviceMathAreTakenIn) {
  auto compiler = Compiler::create(GetParam(), 0);
  ASSERT_TRUE(compiler) << compiler.error().what;
  const auto parsed = ptx::parse(kMath, "test.ptx");
  auto lowered = lower::lower(parsed.module, "test.ptx");
  ASSERT_EQ(lowered.module.kernels.size(), 1u);
  ir::Function f = lowered.module.kernels[0].function;
  passes::prepare(f);
  passes::Specialization spec;
  spec.block = {64, 1, 1};
  spec.max_groups = 32 / (*compiler)->vector_lanes();
  const auto object = (*compiler)->compile(f, spec, codegen::make_plan(f, spec), false);
  ASSERT_TRUE(object) << object.error().what;
  const std::string_view bytes(object->data(), object->size());  // the names of what it calls are in it
  EXPECT_EQ(bytes.find("__nv_expf"), std::string_view::npos);
  EXPECT_NE(bytes.find("__nv_lgamma_wide"), std::string_view::npos) << "larger than what is taken in";
}

INSTANTIATE_TEST_SUITE_P(X86, Processors,
                         testing::Values("x86-64", "haswell", "skylake-avx512", "sapphirerapids", "znver4"));

}  // namespace
}  // namespace warplens::jit
