// Branches, loops, exits, traps, and what has no effect.
#include "run/kernel_case.h"

namespace warplens::run {
namespace {

using u32 = uint32_t;

// %r0 is tid.x; the body leaves its result in %r1.
std::string kernel(const std::string& body) {
  return R"(
.visible .entry k(.param .u64 out, .param .u32 n)
{
    .reg .b32 %r<32>;
    .reg .b64 %rd<8>;
    .reg .pred %p<8>;
    mov.u32 %r0, %tid.x;
    ld.param.u32 %r31, [n];
    mov.u32 %r1, 0;
)" + body +
         R"(
STORE:
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r0, 4;
    add.s64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r1;
    ret;
}
)";
}

template <typename F>
void expect_each(const std::string& body, u32 threads, F f, u32 n = 0) {
  Buffer<u32> out(threads, 0x77777777);
  std::vector<u32> expected;
  for (u32 t = 0; t < threads; ++t) expected.push_back(f(t));
  expect_output(kernel(body), {{1}, {threads}}, Params().add(out).add(n), out, expected);
}

TEST(Control, DivergentLoop) {
  expect_each(R"(
    mov.u32 %r2, %r0;
LOOP:
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra STORE;
    add.u32 %r1, %r1, %r2;
    sub.u32 %r2, %r2, 1;
    bra.uni LOOP;
)",
              70, [](u32 t) { return t * (t + 1) / 2; });
}

// Lanes could wait at this barrier while others go around again, as far as can be known before the run. What goes
// around then differs by lane from the start, also for whoever reads it behind the loop, where a constant comes in from
// the side.
TEST(Control, LoopWithABarrierBesideAConstant) {
  const std::string body = R"(
    setp.eq.u32 %p1, %r31, 0;
    @%p1 bra.uni STORE;
    ld.param.u64 %rd3, [out];
    mul.wide.u32 %rd4, %r0, 4;
    add.s64 %rd3, %rd3, %rd4;
    ld.global.u32 %r4, [%rd3];
    and.b32 %r4, %r4, 7;
    mov.u32 %r2, 0;
    mov.u32 %r3, 0;
LOOP:
    add.u32 %r3, %r3, %r2;
    bar.sync 0;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p2, %r2, %r4;
    @%p2 bra LOOP;
    mov.u32 %r1, %r3;
)";
  expect_each(body, 70, [](u32) { return 21u; }, 5);
  expect_each(body, 70, [](u32) { return 0u; }, 0);
}

TEST(Control, NestedLoopsAndEarlyExits) {
  // for i in 0..t: for j in 0..i: if (i*j == 12) goto out; r += i ^ j
  expect_each(R"(
    mov.u32 %r2, 0;
OUTER:
    setp.ge.u32 %p1, %r2, %r0;
    @%p1 bra STORE;
    mov.u32 %r3, 0;
INNER:
    setp.ge.u32 %p2, %r3, %r2;
    @%p2 bra NEXT;
    mul.lo.u32 %r4, %r2, %r3;
    setp.eq.u32 %p3, %r4, 12;
    @%p3 bra STORE;
    xor.b32 %r5, %r2, %r3;
    add.u32 %r1, %r1, %r5;
    add.u32 %r3, %r3, 1;
    bra INNER;
NEXT:
    add.u32 %r2, %r2, 1;
    bra OUTER;
)",
              40, [](u32 t) {
                u32 r = 0;
                for (u32 i = 0; i < t; ++i)
                  for (u32 j = 0; j < i; ++j) {
                    if (i * j == 12) return r;
                    r += i ^ j;
                  }
                return r;
              });
}

TEST(Control, IfElseChain) {
  expect_each(R"(
    setp.lt.u32 %p1, %r0, 10;
    @!%p1 bra ELSE;
    add.u32 %r1, %r0, 100;
    bra JOIN;
ELSE:
    and.b32 %r2, %r0, 1;
    setp.eq.u32 %p2, %r2, 1;
    @%p2 bra ODD;
    mul.lo.u32 %r1, %r0, 3;
    bra JOIN;
ODD:
    sub.u32 %r1, 1000, %r0;
JOIN:
    add.u32 %r1, %r1, 1;
)",
              64, [](u32 t) {
                return (t < 10 ? t + 100 : t % 2 ? 1000 - t : 3 * t) + 1;
              });
}

TEST(Control, IrreducibleLoop) {
  // Two ways into one cycle.
  expect_each(R"(
    mov.u32 %r2, 5;
    and.b32 %r3, %r0, 1;
    setp.eq.u32 %p1, %r3, 1;
    @%p1 bra SECOND;
FIRST:
    add.u32 %r1, %r1, 10;
SECOND:
    add.u32 %r1, %r1, %r0;
    sub.u32 %r2, %r2, 1;
    setp.ne.u32 %p2, %r2, 0;
    @%p2 bra FIRST;
)",
              32, [](u32 t) { return t % 2 ? 5 * t + 40 : 5 * t + 50; });
}

TEST(Control, JumpTable) {
  expect_each(R"(
    rem.u32 %r2, %r0, 4;
TABLE: .branchtargets ZERO, ONE, TWO, ZERO;
    brx.idx %r2, TABLE;
ZERO:
    mov.u32 %r1, 1000;
    bra STORE;
ONE:
    add.u32 %r1, %r0, 7;
    bra STORE;
TWO:
    mul.lo.u32 %r1, %r0, 2;
)",
              40, [](u32 t) { return t % 4 == 1   ? t + 7
                                     : t % 4 == 2 ? 2 * t
                                                  : 1000; });
}

TEST(Control, GuardedExitsAndReturns) {
  expect_each(R"(
    setp.gt.u32 %p1, %r0, 20;
    @%p1 exit;
    setp.eq.u32 %p2, %r0, 3;
    @%p2 ret;
    mov.u32 %r1, 9;
)",
              40, [](u32 t) { return t > 20 || t == 3 ? 0x77777777 : 9; });
}

TEST(Control, RegisterLeavingDivergentLoop) {
  // A uniform value inside the loop differs between lanes after it.
  expect_each(R"(
    mov.u32 %r2, 0;
LOOP:
    add.u32 %r2, %r2, 2;
    shr.u32 %r3, %r0, 1;
    setp.lt.u32 %p1, %r2, %r3;
    @%p1 bra LOOP;
    mov.u32 %r1, %r2;
)",
              32, [](u32 t) {
                u32 i = 0;
                do i += 2;
                while (i < t / 2);
                return i;
              });
}

TEST(Control, ScopesHaveTheirOwnNames) {
  expect_each(R"(
    mov.u32 %r2, 3;
    {
      .reg .b32 %r2;
      mov.u32 %r2, 50;
      add.u32 %r1, %r1, %r2;
      setp.gt.u32 %p1, %r0, 4;
      @%p1 bra SKIP;
      add.u32 %r1, %r1, 1000;
SKIP:
    }
    {
      setp.gt.u32 %p1, %r0, 8;
      @%p1 bra SKIP;
      add.u32 %r1, %r1, 5000;
SKIP:
    }
    add.u32 %r1, %r1, %r2;
)",
              16, [](u32 t) { return 53 + (t > 4 ? 0 : 1000) + (t > 8 ? 0 : 5000); });
}

TEST(Control, HintsDoNothing) {
  expect_each(kNotForAGpu + std::string(R"(
    nanosleep.u32 100;
    pmevent 1;
    griddepcontrol.launch_dependents;
    griddepcontrol.wait;
    setmaxnreg.inc.sync.aligned.u32 64;
    membar.gl;
    membar.cta;
    fence.acq_rel.gpu;
    fence.proxy.async;
    mov.u32 %r1, 4;
)"),
              32, [](u32) { return 4; });
}

TEST(Control, UnwrittenRegistersReadAsZero) {
  expect_each(kNotForAGpu + std::string(R"(
    setp.gt.u32 %p1, %r0, 4;
    @%p1 bra SKIP;
    mov.u32 %r9, 5;
SKIP:
    add.u32 %r1, %r9, 1;
)"),
              8, [](u32 t) { return t > 4 ? 1 : 6; });
}

// The error and the message; other lanes' work is not looked at.
void expect_error(const std::string& text, const std::string& error, bool well_formed = true) {
  Buffer<u32> out(32, 0);
  Program program(ptx_header() + text);
  if (well_formed) {
    EXPECT_EQ(program.problems(), "");
  }
  for (const Backend backend : kBackends) {
    SCOPED_TRACE(to_string(backend));
    const auto result = program.launch(backend, "k", {{1}, {32}}, Params().add(out).add(u32{0}));
    EXPECT_NE(result.error.find(error), std::string::npos) << result.error;
  }
}

TEST(Control, Traps) {
  expect_error(kernel(R"(
    setp.eq.u32 %p1, %r0, 5;
    @%p1 trap;
)"),
               "trap: ");
  expect_error(kernel(R"(
    setp.eq.u32 %p1, %r0, 5;
    @%p1 brkpt;
)"),
               "trap: ");
}

TEST(Control, OnlyExecutingARefusedInstructionStops) {
  const std::string body = R"(
    setp.eq.u32 %p1, %r31, 0;
    @%p1 bra STORE;
    barrier.cluster.arrive;
)";
  Buffer<u32> out(32, 0);
  Program program(ptx_header() + kernel(body));
  for (const Backend backend : kBackends) {
    SCOPED_TRACE(to_string(backend));
    EXPECT_EQ(program.launch(backend, "k", {{1}, {32}}, Params().add(out).add(u32{0})).error, "");
    const std::string error = program.launch(backend, "k", {{1}, {32}}, Params().add(out).add(u32{1})).error;
    EXPECT_NE(error.find("unsupported: kernel k, line "), std::string::npos) << error;
    EXPECT_NE(error.find("barrier.cluster.arrive is not supported yet"), std::string::npos) << error;
  }
}

TEST(Control, MalformedTextIsRefusedWhereItStands) {
  expect_error(kernel("    add.u32 %r1, %r1, %undeclared;\n"), "undeclared register %undeclared", false);
  expect_error(kernel("    bra NOWHERE;\n"), "undefined label NOWHERE", false);
  expect_error(kernel("    add.u32 %r1;\n"), "needs more", false);
}

TEST(Control, InstructionsAreCounted) {
  const std::string text = kernel(R"(
    mov.u32 %r5, 1;
    mov.u32 %r6, %r5;
    @%p1 mov.u32 %r7, 1;
    add.u32 %r1, %r6, %r0;
)");
  // mov, ld.param, mov; the four above; ld.param, mul, add, st, ret
  Buffer<u32> out(32, 0);
  on_every_backend(
      text, {{1}, {32}}, Params().add(out).add(u32{0}), [] {},
      [](const Program::Result& result) {
        EXPECT_EQ(result.error, "");
        EXPECT_EQ(result.thread_instructions, 32u * 12);
      });
}

}  // namespace
}  // namespace warplens::run
