// Which loops are taken to wait for other threads, and in which kernels lanes may wait for lanes of their warp.
#include "passes/waits.h"

#include <gtest/gtest.h>

#include "engine/trial.h"
#include "passes/lanes.h"

namespace warplens::engine_test {
namespace {

struct Found {
  size_t waits = 0;
  bool only_waits = false, independent = false;
  friend bool operator==(const Found&, const Found&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Found& f) {
    return out << f.waits << " waits" << (f.only_waits ? ", only waits" : "") << (f.independent ? ", independent" : "");
  }
};
constexpr Found kNothing{}, kWaits{1, true, false}, kWorks{1, false, false}, kLanesWait{1, true, true};

// %rd1 is a pointer, %r1 tid.x, %rd2 the pointer to the thread's own word behind it; blocks of 256.
Found look(const std::string& body) {
  static exec::DeviceMemory memory(uint64_t{1} << 30);
  const auto program = compile(R"(
.version 8.3
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
    .reg .b32 %r<20>;
    .reg .b64 %rd<8>;
    .reg .pred %p<8>;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r0, [n];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd2, %rd2, %rd1;
)" + body + "\n    ret;\n}\n",
                               memory);
  EXPECT_TRUE(program) << (program ? "" : program.error().what);
  if (!program) return {};
  const ir::Function& f = program->canonical;
  const auto waits = passes::find_waits(f, passes::find_loops(f));
  passes::Specialization spec;
  spec.block = {256, 1, 1};
  return {waits.size(), !waits.empty() && waits[0].only_waits, passes::analyze_lanes(f, spec).independent};
}

const std::string kTake = "L: atom.global.cas.b32 %r2, [%rd1], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L;\n";
const std::string kGive = "atom.global.exch.b32 %r3, [%rd1], 0;\n";
const std::string kPoll = "L: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;\n";

TEST(Waits, Locks) {
  EXPECT_EQ(look(kTake + kGive), kLanesWait);
  EXPECT_EQ(look("L: atom.global.exch.b32 %r2, [%rd1], 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L;\n" + kGive), kLanesWait);
  EXPECT_EQ(look("setp.ne.u32 %p2, %r1, 0; @%p2 bra E;\n" + kTake + kGive + "E:"), kWaits);  // one lane alone
  EXPECT_EQ(look("setp.gt.u32 %p2, %r1, 7; @%p2 bra E;\n" + kTake + kGive + "E:"), kLanesWait);
  // Taken, used and given back inside: done is set under an if.
  const Found inside = look(
      "mov.u32 %r5, 0;\nL: atom.global.cas.b32 %r2, [%rd1], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra N;\n"
      "st.global.u32 [%rd2+4], %r1;\n" +
      kGive + "mov.u32 %r5, 1;\nN: setp.eq.u32 %p2, %r5, 0; @%p2 bra L;\n");
  EXPECT_EQ(inside.waits, 1u);
  EXPECT_FALSE(inside.only_waits);
}

TEST(Waits, Flags) {
  EXPECT_EQ(look(kPoll), kWaits);
  EXPECT_EQ(look("L: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;\n"), kWaits);
  EXPECT_EQ(look("L: atom.global.add.u32 %r2, [%rd1], 0; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;\n").waits, 1u);
  EXPECT_EQ(look("L: ld.global.u32 %r2, [%rd1]; membar.gl; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;\n"), kWaits);
  EXPECT_EQ(
      look(
          "L: ld.volatile.global.u32 %r2, [%rd1]; st.global.u32 [%rd2+4], %r2; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;\n"),
      kWorks);
  EXPECT_EQ(look("L: ld.volatile.global.u32 %r2, [%rd2]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;\n"), kLanesWait);
}

TEST(Waits, LanesThatGoAnotherWay) {
  const std::string apart = "setp.ne.u32 %p2, %r1, 3; @%p2 bra O;\n" + kPoll;
  EXPECT_EQ(look(apart + "bra E;\nO: st.global.u32 [%rd1], 1;\nE:"), kLanesWait);  // they may be waited for
  EXPECT_EQ(look(apart + "O: bar.sync 0;\nst.global.u32 [%rd2], 1;"), kWaits);     // they only wait in turn
  EXPECT_EQ(look(apart + "O: bar.warp.sync -1;\nst.global.u32 [%rd2], 1;"), kWaits);
}

TEST(Waits, OtherLoops) {
  // An ordinary loop; one over volatile memory that ends by a count.
  EXPECT_EQ(
      look("mov.u32 %r3, 0;\nL: ld.volatile.global.u32 %r2, [%rd1]; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r0;\n"
           "@%p1 bra L;\n"),
      kNothing);
  // A search through a hash table.
  EXPECT_EQ(look("mov.u64 %rd3, %rd2;\nL: atom.global.cas.b32 %r2, [%rd3], 0, %r1; add.s64 %rd3, %rd3, 4;\n"
                 "setp.ne.u32 %p1, %r2, 0; @%p1 bra L;\n"),
            kNothing);
  // A compare-and-swap with a new value each time.
  EXPECT_EQ(look("ld.global.u32 %r2, [%rd1];\nL: mov.u32 %r3, %r2; add.u32 %r4, %r3, %r1;\n"
                 "atom.global.cas.b32 %r2, [%rd1], %r3, %r4; setp.ne.u32 %p1, %r2, %r3; @%p1 bra L;\n"),
            kNothing);
  // Work from a queue.
  EXPECT_EQ(look("L: atom.global.add.u32 %r2, [%rd1], 1; setp.lt.u32 %p1, %r2, %r0; @%p1 bra L;\n"), kNothing);
  // Memory that nobody else sees.
  EXPECT_EQ(look(".local .u32 own;\nL: ld.volatile.local.u32 %r2, [own]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;\n"),
            kNothing);
}

}  // namespace
}  // namespace warplens::engine_test
