// mbarrier, and what else is about a block's place in its cluster or its shared memory.
#include "run/kernel_case.h"

namespace warplens::run {
namespace {

using u32 = uint32_t;

std::string kernel(const std::string& body) {
  return R"(
.visible .entry k(.param .u64 out)
{
    .shared .align 8 .b64 bar[3];
    .reg .b32 %r<16>;
    .reg .b64 %rd<16>;
    .reg .pred %p<4>;
    mov.u32 %r0, %tid.x;
    ld.param.u64 %rd0, [out];
)" + body +
         "    ret;\n}\n";
}

// One thread; each line that leaves something in %r1 or %p1 stores it.
struct Script {
  std::string text;
  u32 stored = 0;
  std::vector<u32> expected;
  Script& run(const std::string& line) {
    text += "    " + line + "\n";
    return *this;
  }
  Script& is(const std::string& line, u32 value) {
    run(line);
    run("st.global.u32 [%rd0+" + std::to_string(4 * stored++) + "], %r1;");
    expected.push_back(value);
    return *this;
  }
  Script& test(const std::string& line, bool value) {
    run(line);
    return is("selp.u32 %r1, 1, 0, %p1;", value);
  }
  Script& pending(const std::string& state, u32 value) {
    return is("mbarrier.pending_count.b64 %r1, " + state + ";", value);
  }
};

// The same steps as in tests/nosdk/programs/mbarrier.cu: what an H200 answered.
TEST(Mbarrier, Phases) {
  Script s;
  s.run("mbarrier.init.shared.b64 [bar], 3;")
      .test("mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;", false)
      .test("mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1;", true)
      .run("mbarrier.arrive.shared.b64 %rd1, [bar];")
      .pending("%rd1", 3)
      .test("mbarrier.test_wait.shared.b64 %p1, [bar], %rd1;", false)
      .run("mbarrier.arrive.release.cta.shared::cta.b64 %rd2, [bar], 2;")
      .pending("%rd2", 2)
      .test("mbarrier.test_wait.shared.b64 %p1, [bar], %rd1;", true)
      .test("mbarrier.try_wait.shared.b64 %p1, [bar], %rd2;", true)
      .test("mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p1, [bar], 0;", true)
      .test("mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1;", false)
      .test("mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0, 100;", true)
      .run("mbarrier.arrive_drop.shared.b64 %rd1, [bar];")
      .pending("%rd1", 3)
      .run("mbarrier.arrive.noComplete.shared.b64 %rd1, [bar], 1;")
      .pending("%rd1", 2)
      .test("mbarrier.test_wait.shared.b64 %p1, [bar], %rd1;", false)
      .run("mbarrier.arrive.shared.b64 %rd1, [bar];")
      .pending("%rd1", 1)
      .test("mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;", false)
      .test("mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1;", true)
      // Through a generic address; two arrivals are a phase now.
      .run("mov.u64 %rd3, bar;")
      .run("cvta.shared.u64 %rd3, %rd3;")
      .run("mbarrier.arrive.b64 %rd1, [%rd3], 2;")
      .pending("%rd1", 2)
      .test("mbarrier.test_wait.b64 %p1, [%rd3], %rd1;", true)
      // Bytes.
      .run("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd1, [bar], 48;")
      .run("mbarrier.arrive.shared::cluster.b64 _, [bar];")
      .test("mbarrier.test_wait.shared.b64 %p1, [bar], %rd1;", false)
      .run("mbarrier.complete_tx.relaxed.cta.shared::cluster.b64 [bar], 32;")
      .test("mbarrier.test_wait.shared.b64 %p1, [bar], %rd1;", false)
      .run("mbarrier.complete_tx.relaxed.cta.shared::cluster.b64 [bar], 16;")
      .test("mbarrier.test_wait.shared.b64 %p1, [bar], %rd1;", true)
      .run("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 8;")
      .run("mbarrier.arrive.shared.b64 %rd1, [bar], 2;")
      .test("mbarrier.test_wait.shared.b64 %p1, [bar], %rd1;", false)
      .run("mbarrier.complete_tx.relaxed.cta.shared::cluster.b64 [bar], 8;")
      .test("mbarrier.test_wait.shared.b64 %p1, [bar], %rd1;", true)
      // Copies that arrive.
      .run("mbarrier.init.shared.b64 [bar+8], 1;")
      .run("cp.async.mbarrier.arrive.noinc.shared.b64 [bar+8];")
      .test("mbarrier.try_wait.parity.shared.b64 %p1, [bar+8], 0, 1000000;", true)  // on a GPU they take their time
      .run("cp.async.mbarrier.arrive.shared.b64 [bar+8];")
      .test("mbarrier.test_wait.parity.shared.b64 %p1, [bar+8], 1;", false)
      // As many as can be.
      .run("mbarrier.init.shared.b64 [bar+16], 1048575;")
      .run("mbarrier.arrive.shared.b64 %rd1, [bar+16], 1048574;")
      .pending("%rd1", 1048575)
      .run("mbarrier.arrive.shared.b64 %rd1, [bar+16];")
      .pending("%rd1", 1)
      .test("mbarrier.test_wait.shared.b64 %p1, [bar+16], %rd1;", true)
      .run("mbarrier.inval.shared.b64 [bar+16];")
      // The block is its cluster.
      .run("mov.u32 %r2, bar;")
      .run("mapa.shared::cluster.u32 %r3, %r2, 0;")
      .is("sub.u32 %r1, %r3, %r2;", 0)
      .is("getctarank.shared::cluster.u32 %r1, %r3;", 0)
      .run("createpolicy.fractional.L2::evict_last.b64 %rd4, 0.5;")
      .is("ld.global.L2::cache_hint.u32 %r1, [%rd0], %rd4;", 0)
      .run("discard.global.L2 [%rd0], 128;");
  Buffer<u32> out(s.stored, 77);
  expect_output(kernel(s.text), {{1}, {1}}, Params().add(out), out, s.expected);
}

// The engine's own: the reference runs a thread as far as it can get, and one that waits in a loop forever.
Program::Result run_engine_alone(const std::string& text, u32 threads, Buffer<u32>& out) {
  Program program(ptx_header() + text);
  EXPECT_EQ(program.problems(), "");
  return program.launch(Backend::Engine, "k", {{1}, {threads}}, Params().add(out));
}

// Every thread waits for all in each round, in lanes that went different ways.
TEST(Mbarrier, Rounds) {
  constexpr u32 kThreads = 75;
  Buffer<u32> out(kThreads, 0);
  const std::vector<u32> expected(kThreads, kThreads * 5);
  const Program::Result result = run_engine_alone(kernel(R"(
    .shared .b32 sum;
    setp.eq.u32 %p1, %r0, 0;
    @%p1 mbarrier.init.shared.b64 [bar], 75;
    @%p1 st.shared.u32 [sum], 0;
    bar.sync 0;
    mov.u32 %r1, 0;
ROUND:
    and.b32 %r2, %r0, 3;
AROUND:
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra ON;
    sub.u32 %r2, %r2, 1;
    bra AROUND;
ON:
    red.shared.add.u32 [sum], 1;
    mbarrier.arrive.shared.b64 %rd1, [bar];
WAIT:
    mbarrier.try_wait.shared.b64 %p3, [bar], %rd1;
    @!%p3 bra WAIT;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p2, %r1, 5;
    @%p2 bra ROUND;
    ld.shared.u32 %r3, [sum];
    mul.wide.u32 %rd2, %r0, 4;
    add.u64 %rd2, %rd2, %rd0;
    st.global.u32 [%rd2], %r3;
)"),
                                                  kThreads, out);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(out.values(), expected);
}

TEST(Mbarrier, MoreArrivalsThanItWaitsFor) {
  Buffer<u32> out(1, 0);
  for (const char* start : {"    mbarrier.init.shared.b64 [bar], 2;\n", "    mbarrier.inval.shared.b64 [bar];\n"}) {
    const std::string text = kernel(std::string(start) + "    mbarrier.arrive.shared.b64 %rd1, [bar], 3;\n");
    EXPECT_EQ(run_engine_alone(text, 1, out).error.substr(0, 20), "trap: more arrivals ");
  }
}

// Into shared memory, where a barrier waits for the bytes, and back.
TEST(Mbarrier, BulkCopies) {
  const std::string text = R"(
.visible .entry k(.param .u64 out)
{
    .shared .align 16 .b8 tile[64];
    .shared .align 8 .b64 bar;
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    .reg .pred %p<4>;
    mov.u32 %r0, %tid.x;
    ld.param.u64 %rd0, [out];
    setp.eq.u32 %p1, %r0, 0;
    @!%p1 bra WAIT;
    mbarrier.init.shared.b64 [bar], 1;
    mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar], 48;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile+16], [%rd0+16], 32, [bar];
    mov.u32 %r1, 16;
    cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%rd0], %r1, [bar];
WAIT:
    bar.sync 0;
    mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;
    selp.u32 %r2, 1, 0, %p2;
    mov.u32 %r3, tile;
    mad.lo.u32 %r3, %r0, 4, %r3;
    ld.shared.u32 %r1, [%r3];
    add.u32 %r1, %r1, %r2;
    st.shared.u32 [%r3], %r1;
    bar.sync 0;
    @!%p1 ret;
    cp.async.bulk.global.shared::cta.bulk_group [%rd0+64], [tile], 48;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group.read 0;
    ret;
}
)";
  std::vector<u32> values;
  for (u32 k = 0; k < 28; ++k) values.push_back(k < 16 ? k * 7 : 0);
  Buffer<u32> out(28, 0);
  out.fill(values);
  EXPECT_EQ(run_engine_alone(text, 12, out).error, "");
  for (u32 k = 0; k < 12; ++k) values[16 + k] = k * 7 + 1;
  EXPECT_EQ(out.values(), values);
  std::string odd = text;
  odd.replace(odd.find("[tile], 48"), 10, "[tile], 80");
  EXPECT_EQ(run_engine_alone(odd, 12, out).error.substr(0, 26), "out of bounds: 80 bytes at");
}

}  // namespace
}  // namespace warplens::run
