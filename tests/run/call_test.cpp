// Device functions: every shape of parameter, nesting.
#include "run/kernel_case.h"

namespace warplens::run {
namespace {

using u32 = uint32_t;

template <typename F>
void expect_each(const std::string& text, F f) {
  expect_threads(text, 64, f);
}

const char* const kTwice = R"(
.func (.param .b32 result) twice(.param .b32 x)
{
    .reg .b32 %r<4>;
    .reg .pred %p<2>;
    ld.param.u32 %r1, [x];
    setp.gt.u32 %p1, %r1, 40;
    @%p1 bra BIG;
    add.u32 %r2, %r1, %r1;
    st.param.b32 [result], %r2;
    ret;
BIG:
    st.param.b32 [result], 99;
    ret;
}
)";

TEST(Call, ReturnsFromSeveralPlaces) {
  expect_each(kernel_with(kTwice, R"(
    {
    .param .b32 param0;
    st.param.b32 [param0], %r0;
    .param .b32 retval0;
    call.uni (retval0), twice, (param0);
    ld.param.b32 %r1, [retval0];
    }
    {
    .param .b32 param0;
    st.param.b32 [param0], %r1;
    .param .b32 retval0;
    call.uni (retval0), twice, (param0);
    ld.param.b32 %r2, [retval0];
    }
    add.u32 %r1, %r1, %r2;
)"),
              [](u32 t) {
                const auto twice = [](u32 x) { return x > 40 ? 99 : 2 * x; };
                return twice(t) + twice(twice(t));
              });
}

TEST(Call, Guarded) {
  expect_each(kNotForAGpu + kernel_with(kTwice, R"(
    mov.u32 %r1, 7;
    setp.lt.u32 %p1, %r0, 9;
    {
    .param .b32 param0;
    st.param.b32 [param0], %r0;
    .param .b32 retval0;
    st.param.b32 [retval0], 5;
    @%p1 call (retval0), twice, (param0);
    ld.param.b32 %r1, [retval0];
    }
)"),
              [](u32 t) { return t < 9 ? 2 * t : 5; });
}

TEST(Call, StructsInPieces) {
  // Written as bytes and halves, read as words; returned as an array.
  expect_each(kernel_with(R"(
.func (.param .align 8 .b8 result[8]) mix(.param .align 8 .b8 s[16], .param .b64 scale)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u32 %r1, [s];
    ld.param.v2.u32 {%r2, %r3}, [s+8];
    ld.param.u64 %rd1, [scale];
    cvt.u32.u64 %r4, %rd1;
    mad.lo.u32 %r5, %r1, %r4, %r2;
    st.param.b32 [result], %r5;
    st.param.b32 [result+4], %r3;
    ret;
}
)",
                          R"(
    {
    .param .align 8 .b8 param0[16];
    cvt.u16.u32 %h1, %r0;
    st.param.b8 [param0], %h1;
    st.param.b8 [param0+1], 1;
    st.param.b16 [param0+2], 0;
    st.param.v2.b32 [param0+8], {%r0, 5};
    .param .b64 param1;
    st.param.b64 [param1], 3;
    .param .align 8 .b8 retval0[8];
    call.uni (retval0), mix, (param0, param1);
    ld.param.v2.b32 {%r2, %r3}, [retval0];
    }
    mul.lo.u32 %r1, %r2, %r3;
)"),
              [](u32 t) { return ((t + 256) * 3 + t) * 5; });
}

TEST(Call, AddressOfAParameter) {
  // Indexed at run time: the parameter lies in local memory.
  expect_each(kernel_with(R"(
.func (.param .b32 result) pick(.param .align 4 .b8 s[16], .param .b32 i)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u32 %r1, [i];
    mov.b64 %rd1, s;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    ld.local.u32 %r2, [%rd1];
    st.param.b32 [result], %r2;
    ret;
}
)",
                          R"(
    and.b32 %r2, %r0, 3;
    {
    .param .align 4 .b8 param0[16];
    st.param.v4.b32 [param0], {10, 20, 30, %r0};
    .param .b32 param1;
    st.param.b32 [param1], %r2;
    .param .b32 retval0;
    call.uni (retval0), pick, (param0, param1);
    ld.param.b32 %r1, [retval0];
    }
)"),
              [](u32 t) { return t % 4 == 3 ? t : (t % 4 + 1) * 10; });
}

TEST(Call, NestedWithLocalMemoryAndLoops) {
  expect_each(kernel_with(R"(
.func (.param .b32 result) inner(.param .b32 n)
{
    .local .align 4 .b8 depot[16];
    .reg .b32 %r<8>;
    .reg .pred %p<2>;
    ld.param.u32 %r1, [n];
    st.local.u32 [depot+4], %r1;
    mov.u32 %r2, 0;
LOOP:
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra DONE;
    add.u32 %r2, %r2, %r1;
    sub.u32 %r1, %r1, 1;
    bra LOOP;
DONE:
    ld.local.u32 %r3, [depot+4];
    add.u32 %r2, %r2, %r3;
    st.param.b32 [result], %r2;
    ret;
}
.func (.param .b32 result) outer(.param .b32 n)
{
    .local .align 4 .b8 depot[8];
    .reg .b32 %r<8>;
    ld.param.u32 %r1, [n];
    st.local.u32 [depot], 1000;
    {
    .param .b32 param0;
    st.param.b32 [param0], %r1;
    .param .b32 retval0;
    call.uni (retval0), inner, (param0);
    ld.param.b32 %r2, [retval0];
    }
    ld.local.u32 %r3, [depot];
    add.u32 %r2, %r2, %r3;
    st.param.b32 [result], %r2;
    ret;
}
)",
                          R"(
    and.b32 %r2, %r0, 7;
    {
    .param .b32 param0;
    st.param.b32 [param0], %r2;
    .param .b32 retval0;
    call.uni (retval0), outer, (param0);
    ld.param.b32 %r1, [retval0];
    }
)"),
              [](u32 t) { return (t & 7) * ((t & 7) + 1) / 2 + (t & 7) + 1000; });
}

TEST(Call, RegisterParameters) {
  expect_each(kernel_with(R"(
.func (.reg .u32 d) add3(.reg .u32 a, .reg .u32 b)
{
    .reg .u32 t;
    add.u32 t, a, b;
    add.u32 d, t, 3;
    ret;
}
.func nothing()
{
    ret;
}
)",
                          R"(
    call nothing, ();
    call nothing;
    call (%r1), add3, (%r0, 10);
)"),
              [](u32 t) { return t + 13; });
}

TEST(Call, ExitInsideAFunction) {
  expect_each(kernel_with(R"(
.func stop_if_big(.param .b32 x)
{
    .reg .b32 %r<2>;
    .reg .pred %p<2>;
    ld.param.u32 %r1, [x];
    setp.gt.u32 %p1, %r1, 50;
    @%p1 exit;
    ret;
}
)",
                          R"(
    {
    .param .b32 param0;
    st.param.b32 [param0], %r0;
    call.uni stop_if_big, (param0);
    }
    mov.u32 %r1, 1;
)"),
              [](u32 t) { return t > 50 ? 0 : 1; });
}

void expect_refused(const std::string& text, const std::string& message) {
  Buffer<u32> out(64, 0);
  Program program(ptx_header() + text);
  for (const Backend backend : kBackends) {
    SCOPED_TRACE(to_string(backend));
    const std::string error = program.launch(backend, "k", {{1}, {64}}, Params().add(out)).error;
    EXPECT_NE(error.find(message), std::string::npos) << error;
  }
}

TEST(Call, Refused) {
  expect_refused(kernel_with(".extern .func (.param .b32 r) vsprintf(.param .b64 f);\n", R"(
    {
    .param .b64 param0;
    st.param.b64 [param0], 0;
    .param .b32 retval0;
    call.uni (retval0), vsprintf, (param0);
    }
)"),
                 "unsupported: kernel k, line 18: a call of vsprintf");
}

TEST(Call, Assert) {
  expect_refused(kernel_with(R"(
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);
.global .align 1 .b8 message[6] = {105, 32, 60, 32, 51};
.global .align 1 .b8 file[5] = {97, 46, 99, 117};
.global .align 1 .b8 name[4] = {102, 40, 41};
)",
                             R"(
    setp.lt.u32 %p1, %r0, 3;
    mov.u32 %r1, 0;
    @%p1 bra FINE;
    mov.u64 %rd1, message;
    cvta.global.u64 %rd2, %rd1;
    mov.u64 %rd3, file;
    cvta.global.u64 %rd4, %rd3;
    mov.u64 %rd5, name;
    cvta.global.u64 %rd6, %rd5;
    {
    .param .b64 param0;
    st.param.b64 [param0], %rd2;
    .param .b64 param1;
    st.param.b64 [param1], %rd4;
    .param .b32 param2;
    st.param.b32 [param2], 17;
    .param .b64 param3;
    st.param.b64 [param3], %rd6;
    .param .b64 param4;
    st.param.b64 [param4], 1;
    call.uni __assertfail, (param0, param1, param2, param3, param4);
    }
FINE:
)"),
                 "assert: a.cu:17: f(): Assertion `i < 3` failed");
}

}  // namespace
}  // namespace warplens::run
