// In which kernels lanes part at calls of a function that stands once (passes/calls.h).
#include "passes/calls.h"

#include <gtest/gtest.h>

#include "engine/trial.h"
#include "passes/lanes.h"

namespace warplens::engine_test {
namespace {

struct Found {
  bool parts = false, independent = false;  // whatever is the same in all lanes; of 256 threads
  friend bool operator==(const Found&, const Found&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Found& f) {
    return out << (f.parts ? "parts" : "stays") << (f.independent ? ", independent" : "");
  }
};
constexpr Found kStays{}, kParts{true, true}, kPartsInOthers{true, false};

// %r1 is tid.x, %rd1 a pointer; `down` calls itself.
Found look(const std::string& body) {
  static exec::DeviceMemory memory(uint64_t{1} << 30);
  const auto program = compile(R"(
.version 8.3
.target sm_80
.address_size 64
.func (.param .b32 c) down(.param .b32 n)
{
    .reg .b32 %r<3>;
    .reg .pred %p;
    ld.param.b32 %r1, [n];
    mov.u32 %r2, 1;
    setp.eq.u32 %p, %r1, 0;
    @%p bra L;
    sub.u32 %r1, %r1, 1;
    {
    .param .b32 m; .param .b32 got;
    st.param.b32 [m], %r1;
    call (got), down, (m);
    ld.param.b32 %r2, [got];
    }
    add.u32 %r2, %r2, 1;
L:
    st.param.b32 [c], %r2;
    ret;
}
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    .reg .pred %p<4>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 3;
    mov.u32 %r3, 0;
)" + body + "\n    st.global.u32 [%rd1], %r4;\n    ret;\n}\n",
                               memory);
  EXPECT_TRUE(program) << (program ? "" : program.error().what);
  if (!program) return {};
  const ir::Function& f = program->canonical;
  passes::Specialization spec;
  spec.block = {256, 1, 1};
  return {passes::calls_part_lanes(f, passes::find_loops(f)), passes::analyze_lanes(f, spec).independent};
}

const std::string kCall =
    "{ .param .b32 n; .param .b32 c; st.param.b32 [n], %r2; call (c), down, (n); ld.param.b32 %r4, [c]; }\n";
const std::string kVote = "vote.sync.ballot.b32 %r5, %p2, -1; add.u32 %r2, %r2, %r5;\n";

std::string loop(const std::string& body, const std::string& asks = "setp.ge.u32 %p1, %r3, %r1;") {
  return "L: " + asks + "\n@%p1 bra E;\n" + body + "add.u32 %r3, %r3, 1;\nbra L;\nE:\n";
}

TEST(Calls, LanesThatLeaveALoopVoteBeforeOthersHaveCome) {
  EXPECT_EQ(look(loop(kCall) + kVote + kCall), kParts);
  EXPECT_EQ(look(loop(kCall) + "bar.warp.sync -1;\n" + kCall), kParts);
}

TEST(Calls, LanesThatLeaveALoopTogether) {
  const std::string same = "mov.u32 %r6, %ctaid.x; setp.lt.u32 %p1, %r6, 7;";
  EXPECT_EQ(look(loop(kCall, same) + kVote + kCall), kPartsInOthers);
}

TEST(Calls, NothingLeadsBack) {
  EXPECT_EQ(look(loop(kCall) + kVote), kStays);          // no other call
  EXPECT_EQ(look(loop(kCall) + kCall), kStays);          // no vote
  EXPECT_EQ(look(loop(kCall) + kCall + kVote), kStays);  // behind the last call
  EXPECT_EQ(look(loop(kCall + kVote) + kCall), kStays);  // in the loop
  EXPECT_EQ(look(kCall + kVote + kCall), kStays);        // no loop
  EXPECT_EQ(look(loop("") + kVote + kCall), kStays);     // no call in it
  EXPECT_EQ(look(loop(kVote)), kStays);
}

}  // namespace
}  // namespace warplens::engine_test
