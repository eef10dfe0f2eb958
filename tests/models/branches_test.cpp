#include "model/branches.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "support/csv.h"

namespace warplens::model {
namespace {

TEST(Branches, Table) {
  uint64_t same[32], two[32], each[32];
  for (uint64_t l = 0; l < 32; ++l) same[l] = 64, two[l] = 16 * (l % 2), each[l] = l;
  EXPECT_EQ(branch(same, ~0u), (BranchCost{1, 0}));
  EXPECT_EQ(branch(two, ~0u), (BranchCost{0, 1}));
  EXPECT_EQ(branch(two, 0x55555555), (BranchCost{1, 0}));
  EXPECT_EQ(branch(each, ~0u), (BranchCost{0, 31}));
  EXPECT_EQ(branch(each, 0x1f0), (BranchCost{0, 4}));
  EXPECT_EQ(branch(each, 1u << 31), (BranchCost{1, 0}));
  EXPECT_EQ(branch(each, 0), BranchCost{});
}

struct Instruction {
  std::string opcode, text;
  uint64_t executed = 0, lanes = 0, divergent = 0;
  bool is_branch = false;  // the profiler has a value for divergent targets
};

// A kernel's instructions, as an H200 counted them: tests/sass/divergence.
std::map<std::string, std::vector<Instruction>> instructions() {
  std::map<std::string, std::vector<Instruction>> kernels;
  bool head = true;
  for (const auto& row : test::read_csv(WARPLENS_SOURCE_DIR "/tests/sass/divergence/divergence.csv")) {
    if (std::exchange(head, false)) continue;
    Instruction i;
    i.text = row[2];
    i.opcode = i.text.substr(i.text[0] == '@' ? i.text.find(' ') + 1 : 0);
    i.opcode = i.opcode.substr(0, i.opcode.find_first_of(" ."));
    i.executed = std::stoul(row[3]);
    i.lanes = std::stoul(row[4]);
    i.is_branch = !row[6].empty();
    i.divergent = i.is_branch ? std::stoul(row[6]) : 0;
    kernels[row[0]].push_back(i);
  }
  return kernels;
}

std::map<std::string, std::map<std::string, std::string>> launches() {
  const auto rows = test::read_csv(WARPLENS_SOURCE_DIR "/tests/sass/divergence/launches.csv");
  std::map<std::string, std::map<std::string, std::string>> values;
  for (size_t r = 1; r < rows.size(); ++r)
    for (size_t k = 1; k < rows[r].size(); ++k) values[rows[0][k]][rows[r][0]] = rows[r][k];
  return values;
}

TEST(Branches, WhichInstructions) {
  const auto kernels = instructions();
  EXPECT_EQ(kernels.size(), 22u);
  for (const auto& [name, list] : kernels)
    for (const Instruction& i : list) EXPECT_EQ(i.is_branch, has_branch_targets(i.opcode)) << name << ": " << i.text;
}

// Where each branch has one or two places to go on at: the launch's sums follow from the instructions' counts. Left out
// are branches through registers, and kernels whose lanes meet by chance.
TEST(Branches, SumsOfLaunches) {
  const std::set<std::string> by_chance = {"loop_by_data", "switch_of_many", "switch_by_table", "short_circuit",
                                           "recursion",    "irreducible",    "jump_table",      "calls_by_pointer"};
  const auto counted = launches();
  int compared = 0;
  for (const auto& [name, list] : instructions()) {
    if (by_chance.contains(name)) continue;
    uint64_t targets = 0, divergent = 0, control = 0, executed = 0;
    for (const Instruction& i : list) {
      executed += i.executed;
      if (has_branch_targets(i.opcode)) targets += i.executed, divergent += i.divergent;
      if (is_control_flow(i.opcode)) control += i.executed;
    }
    const auto value = [&](const char* metric) { return std::stoul(counted.at(name).at(metric)); };
    EXPECT_EQ(executed, value("smsp__inst_executed.sum")) << name;
    EXPECT_EQ(targets, value("smsp__sass_branch_targets.sum")) << name;
    EXPECT_EQ(divergent, value("smsp__sass_branch_targets_threads_divergent.sum")) << name;
    EXPECT_EQ(targets - divergent, value("smsp__sass_branch_targets_threads_uniform.sum")) << name;
    EXPECT_EQ(control, value("smsp__inst_executed_op_branch.sum")) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 14);
}

uint32_t hash(uint32_t x) {
  x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu, x ^= x >> 16;
  return x;
}

// The lanes of kernel jump_table, and where its three BRX send them.
TEST(Branches, JumpTable) {
  struct Lane {
    uint32_t x;
    bool gone = false;
  };
  std::vector<Lane> lanes;
  for (uint32_t i = 0; i < 160; ++i) lanes.push_back({hash(i)});
  std::vector<Instruction> jumps;
  for (const Instruction& i : instructions().at("jump_table"))
    if (i.opcode == "BRX") jumps.push_back(i);
  ASSERT_EQ(jumps.size(), 3u);
  for (const Instruction& jump : jumps) {
    BranchCost sum;
    for (uint32_t warp : {0, 32, 64, 80, 112, 144}) {
      const uint32_t size = warp % 80 == 64 ? 16 : 32;
      uint64_t next[32] = {};
      uint32_t mask = 0;
      for (uint32_t l = 0; l < size; ++l) {
        Lane& lane = lanes[warp + l];
        if (lane.gone) continue;
        mask |= 1u << l;
        uint32_t x = lane.x;
        next[l] = x % 9 < 5 ? x % 9 : x % 4;
        switch (next[l]) {
          case 0:
            x = (x + 11) ^ 5;
            break;
          case 1:
            x *= 3;
            break;
          case 2:
            x = (x - 1) << 1 >> 3;
            break;
          case 3:
            x = x << 1 >> 3;
            break;
          default:
            lane.gone = true;
            break;
        }
        lane.x = hash(x);
      }
      const BranchCost cost = branch(next, mask);
      sum.uniform += cost.uniform, sum.divergent += cost.divergent;
    }
    EXPECT_EQ(sum.uniform, 0u);
    EXPECT_EQ(sum.divergent, jump.divergent) << jump.text;
  }
}

}  // namespace
}  // namespace warplens::model
