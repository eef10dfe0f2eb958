// Functions that stand once: recursion, calls through pointers, frames on the thread's stack.
#include "run/kernel_case.h"

namespace warplens::run {
namespace {

using u32 = uint32_t;

template <typename F>
void expect_each(const std::string& text, F f, u32 threads = 75) {
  expect_threads(text, threads, f);
}

void expect_stop(const std::string& text, const std::string& message) {
  Buffer<u32> out(64, 0);
  on_every_backend(
      text, {{1}, {64}}, Params().add(out), [] {},
      [&](const Program::Result& result) { EXPECT_EQ(result.error.substr(0, message.size()), message); });
}

const char* const kFibonacci = R"(
.func (.param .b32 result) fibonacci(.param .b32 n)
{
    .reg .b32 %r<8>;
    .reg .pred %p<2>;
    ld.param.u32 %r1, [n];
    setp.lt.u32 %p1, %r1, 2;
    @%p1 bra END;
    sub.u32 %r2, %r1, 1;
    {
    .param .b32 param0;
    st.param.b32 [param0], %r2;
    .param .b32 retval0;
    call.uni (retval0), fibonacci, (param0);
    ld.param.b32 %r3, [retval0];
    }
    sub.u32 %r4, %r1, 2;
    {
    .param .b32 param0;
    st.param.b32 [param0], %r4;
    .param .b32 retval0;
    call.uni (retval0), fibonacci, (param0);
    ld.param.b32 %r5, [retval0];
    }
    add.u32 %r1, %r3, %r5;
END:
    st.param.b32 [result], %r1;
    ret;
}
)";
u32 fibonacci(u32 n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

TEST(Stack, Recursion) {
  expect_each(kernel_with(kFibonacci, R"(
    and.b32 %r2, %r0, 7;
    {
    .param .b32 param0;
    st.param.b32 [param0], %r2;
    .param .b32 retval0;
    call.uni (retval0), fibonacci, (param0);
    ld.param.b32 %r1, [retval0];
    }
    add.u32 %r1, %r1, %r2;
)"),
              [](u32 t) { return fibonacci(t & 7) + (t & 7); });
}

// Every type of register lives across a call; a loop in the function, and a call under a guard in it.
TEST(Stack, WhatLivesAcrossCalls) {
  expect_each(kernel_with(R"(
.func (.reg .b32 %result) walk(.reg .b32 %n, .reg .b32 %salt)
{
    .reg .b16 %h<4>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<4>;
    .reg .f32 %f<4>;
    .reg .f64 %fd<4>;
    .reg .pred %p<5>;
    mov.u32 %result, %salt;
    setp.eq.u32 %p1, %n, 0;
    @%p1 ret;
    mov.u32 %r1, 0;
    and.b32 %r3, %n, 1;
    setp.eq.u32 %p2, %r3, 1;
    cvt.u16.u32 %h1, %n;
    cvt.u64.u32 %rd1, %salt;
    mul.lo.u64 %rd1, %rd1, 4294967297;
    cvt.rn.f32.u32 %f1, %n;
    cvt.rn.f64.u32 %fd1, %salt;
LOOP:
    add.u32 %r4, %salt, %r1;
    setp.lt.u32 %p3, %r1, %n;
    sub.u32 %r5, %n, 1;
    mov.u32 %r6, 5;
    @%p3 call (%r6), walk, (%r5, %r4);
    mad.lo.u32 %result, %result, 31, %r6;
    @%p2 add.u32 %result, %result, 1;
    cvt.u32.u16 %r7, %h1;
    add.u32 %result, %result, %r7;
    cvt.u32.u64 %r8, %rd1;
    shr.u64 %rd2, %rd1, 32;
    cvt.u32.u64 %r9, %rd2;
    add.u32 %result, %result, %r8;
    xor.b32 %result, %result, %r9;
    cvt.rzi.u32.f32 %r10, %f1;
    cvt.rzi.u32.f64 %r11, %fd1;
    add.u32 %result, %result, %r10;
    sub.u32 %result, %result, %r11;
    add.u32 %r1, %r1, 1;
    setp.le.u32 %p4, %r1, 2;
    @%p4 bra LOOP;
    ret;
}
)",
                          R"(
    rem.u32 %r2, %r0, 5;
    call (%r1), walk, (%r2, %r0);
)"),
              [](u32 t) {
                struct Walk {
                  static u32 of(u32 n, u32 salt) {
                    u32 result = salt;
                    if (n == 0) return result;
                    for (u32 i = 0; i <= 2; ++i) {
                      u32 r = 5;
                      if (i < n) r = of(n - 1, salt + i);
                      result = result * 31 + r;
                      if (n & 1) ++result;
                      result += n;
                      const uint64_t wide = uint64_t{salt} * 4294967297u;
                      result += static_cast<u32>(wide);
                      result ^= static_cast<u32>(wide >> 32);
                      result += n;
                      result -= salt;
                    }
                    return result;
                  }
                };
                return Walk::of(t % 5, t);
              });
}

// Two functions that call each other, a struct that is stored in pieces and loaded whole, an array in each frame.
TEST(Stack, FramesHaveArraysOfTheirOwn) {
  expect_each(kernel_with(R"(
.func (.param .align 8 .b8 result[8]) pong(.param .align 8 .b8 pair[8]);
.func (.param .align 8 .b8 result[8]) ping(.param .align 8 .b8 pair[8])
{
    .local .align 4 .b8 array[16];
    .reg .b32 %r<10>;
    .reg .b64 %rd<8>;
    .reg .pred %p<2>;
    ld.param.u32 %r1, [pair];
    ld.param.u32 %r2, [pair+4];
    and.b32 %r3, %r1, 3;
    mul.wide.u32 %rd1, %r3, 4;
    mov.u64 %rd2, array;
    add.u64 %rd3, %rd2, %rd1;
    st.local.u32 [%rd3], %r2;
    cvta.local.u64 %rd4, %rd3;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra END;
    sub.u32 %r4, %r1, 1;
    add.u32 %r5, %r2, %r1;
    {
    .param .align 8 .b8 param0[8];
    st.param.b32 [param0], %r4;
    st.param.b32 [param0+4], %r5;
    .param .align 8 .b8 retval0[8];
    call.uni (retval0), pong, (param0);
    ld.param.b64 %rd5, [retval0];
    }
    cvt.u32.u64 %r6, %rd5;
    shr.u64 %rd6, %rd5, 32;
    cvt.u32.u64 %r7, %rd6;
    ld.u32 %r8, [%rd4];
    add.u32 %r1, %r6, %r8;
    xor.b32 %r2, %r7, %r1;
END:
    st.param.v2.b32 [result], {%r1, %r2};
    ret;
}
.func (.param .align 8 .b8 result[8]) pong(.param .align 8 .b8 pair[8])
{
    .local .align 8 .b64 kept;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [pair];
    st.local.u64 [kept], %rd1;
    {
    .param .align 8 .b8 param0[8];
    st.param.b64 [param0], %rd1;
    .param .align 8 .b8 retval0[8];
    call.uni (retval0), ping, (param0);
    ld.param.b64 %rd2, [retval0];
    }
    ld.local.u64 %rd3, [kept];
    add.u64 %rd2, %rd2, %rd3;
    st.param.b64 [result], %rd2;
    ret;
}
)",
                          R"(
    .local .align 4 .b32 mine[3];
    st.local.u32 [mine+8], %r0;
    rem.u32 %r2, %r0, 6;
    {
    .param .align 8 .b8 param0[8];
    st.param.v2.b32 [param0], {%r2, %r0};
    .param .align 8 .b8 retval0[8];
    call.uni (retval0), ping, (param0);
    ld.param.b32 %r3, [retval0];
    ld.param.b32 %r4, [retval0+4];
    }
    ld.local.u32 %r5, [mine+8];
    mad.lo.u32 %r1, %r3, 7, %r4;
    add.u32 %r1, %r1, %r5;
)"),
              [](u32 t) {
                struct Two {
                  u32 a, b;
                  static Two ping(Two p) {
                    if (p.a == 0) return p;
                    const Two r = pong({p.a - 1, p.b + p.a});
                    const u32 a = r.a + p.b;
                    return {a, r.b ^ a};
                  }
                  static Two pong(Two p) {
                    const Two r = ping(p);
                    const uint64_t sum = (uint64_t{r.b} << 32 | r.a) + (uint64_t{p.b} << 32 | p.a);
                    return {static_cast<u32>(sum), static_cast<u32>(sum >> 32)};
                  }
                };
                const Two r = Two::ping({t % 6, t});
                return r.a * 7 + r.b + t;
              });
}

// `count` functions f0, f1, ... of which each is in a table, and what calls one of them.
std::string pointers(int count, const std::string& body) {
  std::string functions, table = ".global .align 8 .u64 table[" + std::to_string(count) + "] = {";
  for (int k = 0; k < count; ++k) {
    const std::string name = "f" + std::to_string(k);
    functions += ".func (.param .b32 result) " + name + "(.param .b32 x)\n{\n    .reg .b32 %r<4>;\n" +
                 "    ld.param.u32 %r1, [x];\n    mad.lo.u32 %r2, %r1, " + std::to_string(k + 2) + ", " +
                 std::to_string(k) + ";\n    st.param.b32 [result], %r2;\n    ret;\n}\n";
    table += (k ? ", " : "") + name;
  }
  return kernel_with(functions + table + "};\n.const .align 8 .u64 other = generic(table)+8;\n", body);
}

const char* const kCallOne = R"(
    rem.u32 %r3, %r0, COUNT;
    mul.wide.u32 %rd3, %r3, 8;
    mov.u64 %rd4, table;
    add.u64 %rd4, %rd4, %rd3;
    ld.global.u64 %rd5, [%rd4];
    mov.u32 %r1, 0;
    mov.u32 %r4, 0;
AGAIN:
    {
    .param .b32 param0;
    st.param.b32 [param0+0], %r0;
    .param .b32 retval0;
    proto: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (retval0), %rd5, (param0), proto;
    ld.param.b32 %r2, [retval0+0];
    }
    add.u32 %r1, %r1, %r2;
    add.u32 %r4, %r4, 1;
    setp.le.u32 %p1, %r4, %r3;
    @%p1 bra AGAIN;
    mov.u64 %rd6, f1;
    {
    .param .b32 param0;
    st.param.b32 [param0+0], %r1;
    .param .b32 retval0;
    targets: .calltargets f0, f1;
    call (retval0), %rd6, (param0), targets;
    ld.param.b32 %r1, [retval0+0];
    }
)";

TEST(Stack, CallsThroughPointers) {
  for (const u32 count : {3u, 7u}) {  // inlined side by side; each once
    std::string body = kCallOne;
    body.replace(body.find("COUNT"), 5, std::to_string(count));
    expect_each(pointers(static_cast<int>(count), body), [&](u32 t) {
      const u32 k = t % count;
      return (t * (k + 2) + k) * (k + 1) * 3 + 1;
    });
  }
}

TEST(Stack, PointersToNoFunction) {
  const auto call = [](const std::string& pointer) {
    return "    setp.eq.u32 %p1, %r0, 35;\n    mov.u64 %rd5, f1;\n    @%p1 mov.u64 %rd5, " + pointer + R"(;
    {
    .param .b32 param0;
    st.param.b32 [param0+0], %r0;
    .param .b32 retval0;
    proto: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (retval0), %rd5, (param0), proto;
    ld.param.b32 %r1, [retval0+0];
    }
)";
  };
  for (const int count : {2, 8}) {
    expect_stop(pointers(count, call("0")), "call: a call through ");
    expect_stop(pointers(count, call("table")), "call: a call through ");
  }
  // No function has these parameters at all.
  expect_stop(kernel_with("", R"(
    mov.u64 %rd5, 16;
    proto: .callprototype _ ();
    call %rd5, proto;
    mov.u32 %r1, 0;
)"),
              "call: a call through ");
}

// Pointers into two kinds of function, and recursion through a pointer.
TEST(Stack, RecursionThroughPointers) {
  expect_each(kernel_with(R"(
.func (.param .b32 result) down(.param .b32 n, .param .b64 f)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    .reg .pred %p<2>;
    ld.param.u32 %r1, [n];
    ld.param.u64 %rd1, [f];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra END;
    sub.u32 %r2, %r1, 1;
    {
    .param .b32 param0;
    st.param.b32 [param0], %r2;
    .param .b64 param1;
    st.param.b64 [param1], %rd1;
    .param .b32 retval0;
    proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);
    call (retval0), %rd1, (param0, param1), proto;
    ld.param.b32 %r2, [retval0];
    }
    mad.lo.u32 %r1, %r2, 3, %r1;
END:
    st.param.b32 [result], %r1;
    ret;
}
)",
                          R"(
    rem.u32 %r2, %r0, 9;
    mov.u64 %rd3, down;
    {
    .param .b32 param0;
    st.param.b32 [param0], %r2;
    .param .b64 param1;
    st.param.b64 [param1], %rd3;
    .param .b32 retval0;
    proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);
    call (retval0), %rd3, (param0, param1), proto;
    ld.param.b32 %r1, [retval0];
    }
)"),
              [](u32 t) {
                u32 r = 0;
                for (u32 n = 1; n <= t % 9; ++n) r = r * 3 + n;
                return r;
              });
}

// Lanes come back from different depths; those that exit inside never do.
TEST(Stack, LanesMeetAgain) {
  const char* const kDown = R"(
.func (.param .b32 result) down(.param .b32 n)
{
    .reg .b32 %r<6>;
    .reg .pred %p<3>;
    ld.param.u32 %r1, [n];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra END;
    setp.eq.u32 %p2, %r1, 31;
    @%p2 exit;
    sub.u32 %r2, %r1, 1;
    {
    .param .b32 param0;
    st.param.b32 [param0], %r2;
    .param .b32 retval0;
    call (retval0), down, (param0);
    ld.param.b32 %r3, [retval0];
    }
    add.u32 %r1, %r1, %r3;
END:
    st.param.b32 [result], %r1;
    ret;
}
)";
  const char* const kBody = R"(
    .shared .b32 all[64];
    and.b32 %r2, %r0, 31;
    {
    .param .b32 param0;
    st.param.b32 [param0], %r2;
    .param .b32 retval0;
    call (retval0), down, (param0);
    ld.param.b32 %r3, [retval0];
    }
    shfl.sync.up.b32 %r4, %r3, 1, 0, 0x7fffffff;
    mul.wide.u32 %rd3, %r0, 4;
    mov.u64 %rd4, all;
    add.u64 %rd4, %rd4, %rd3;
    st.shared.u32 [%rd4], %r3;
    bar.sync 0;
    xor.b32 %r5, %r0, 32;
    mul.wide.u32 %rd3, %r5, 4;
    mov.u64 %rd4, all;
    add.u64 %rd4, %rd4, %rd3;
    ld.shared.u32 %r6, [%rd4];
    mad.lo.u32 %r1, %r4, 1000, %r6;
)";
  expect_each(
      kernel_with(kDown, kBody),
      [](u32 t) -> u32 {
        const auto sum = [](u32 n) { return n * (n + 1) / 2; };
        const u32 lane = t % 32;
        if (lane == 31) return 0;
        const u32 other = sum(lane == 0 ? 0 : lane - 1);
        return other * 1000 + sum(lane);
      },
      64);
}

TEST(Stack, Overflow) {
  expect_stop(kernel_with(R"(
.func forever(.param .b32 n)
{
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [n];
    {
    .param .b32 param0;
    st.param.b32 [param0], %r1;
    call forever, (param0);
    }
    ret;
}
.func deep(.param .b32 n)
{
    .local .align 8 .b8 large[600];
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [n];
    st.local.u32 [large+596], %r1;
    {
    .param .b32 param0;
    st.param.b32 [param0], %r1;
    call deep, (param0);
    }
    ret;
}
)",
                          R"(
    mov.u32 %r1, 1;
    {
    .param .b32 param0;
    st.param.b32 [param0], %r1;
    call forever, (param0);
    call deep, (param0);
    }
)"),
              "call: the stack of a ");
}

// An H200 does not align as much as is asked for here.
TEST(Stack, Alloca) {
  expect_each(kNotForAGpu + kernel_with(R"(
.func (.param .b32 result) fill(.param .b32 n, .param .b32 value)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    .reg .pred %p<3>;
    ld.param.u32 %r1, [n];
    ld.param.u32 %r2, [value];
    mul.wide.u32 %rd1, %r1, 4;
    alloca.u64 %rd2, %rd1, 32;
    mov.u32 %r3, 0;
FILL:
    mul.wide.u32 %rd3, %r3, 4;
    add.u64 %rd4, %rd2, %rd3;
    add.u32 %r4, %r2, %r3;
    st.local.u32 [%rd4], %r4;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, %r1;
    @%p1 bra FILL;
    mov.u32 %r5, 0;
    setp.le.u32 %p2, %r1, 1;
    @%p2 bra SUM;
    sub.u32 %r6, %r1, 1;
    {
    .param .b32 param0;
    st.param.b32 [param0], %r6;
    .param .b32 param1;
    st.param.b32 [param1], %r4;
    .param .b32 retval0;
    call (retval0), fill, (param0, param1);
    ld.param.b32 %r5, [retval0];
    }
SUM:
    sub.u32 %r3, %r3, 1;
    mul.wide.u32 %rd3, %r3, 4;
    add.u64 %rd4, %rd2, %rd3;
    ld.local.u32 %r4, [%rd4];
    mad.lo.u32 %r5, %r5, 3, %r4;
    setp.ne.u32 %p1, %r3, 0;
    @%p1 bra SUM;
    st.param.b32 [result], %r5;
    ret;
}
)",
                                        R"(
    stacksave.u64 %rd3;
    alloca.u64 %rd4, 24;
    st.local.u32 [%rd4+20], %r0;
    cvta.local.u64 %rd6, %rd4;
    rem.u32 %r2, %r0, 4;
    add.u32 %r2, %r2, 1;
    {
    .param .b32 param0;
    st.param.b32 [param0], %r2;
    .param .b32 param1;
    st.param.b32 [param1], %r0;
    .param .b32 retval0;
    call (retval0), fill, (param0, param1);
    ld.param.b32 %r1, [retval0];
    }
    ld.u32 %r3, [%rd6+20];
    add.u32 %r1, %r1, %r3;
    stackrestore.u64 %rd3;
    alloca.u64 %rd5, 16, 8;
    sub.u64 %rd5, %rd5, %rd4;
    cvt.u32.u64 %r4, %rd5;
    add.u32 %r1, %r1, %r4;
)"),
              [](u32 t) {
                struct Fill {
                  static u32 of(u32 n, u32 value) {
                    u32 sum = n > 1 ? of(n - 1, value + n - 1) : 0;
                    for (u32 k = n; k-- > 0;) sum = sum * 3 + value + k;
                    return sum;
                  }
                };
                return Fill::of(t % 4 + 1, t) + t;
              });
  expect_stop(kernel_with("", "    mul.wide.u32 %rd3, %r0, 400;\n    alloca.u64 %rd4, %rd3;\n    mov.u32 %r1, 1;\n"),
              "call: the stack of a ");
}

}  // namespace
}  // namespace warplens::run
