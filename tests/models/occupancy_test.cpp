#include "model/occupancy.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/csv.h"

namespace warplens::model {
namespace {

const std::string kFolder = WARPLENS_SOURCE_DIR "/tests/models/";

SmSpec sm_of(const std::string& name) {
  const auto sm = find_sm_by_name(name);
  EXPECT_TRUE(sm) << name;
  return sm ? *sm : SmSpec{};
}

TEST(Occupancy, EveryComputeCapability) {
  std::ifstream file(kFolder + "occupancy.txt");
  std::vector<std::string> capabilities;
  size_t cases = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    if (capabilities.empty()) {
      for (std::string word; words >> word;) capabilities.push_back(word);
      capabilities.erase(capabilities.begin(), capabilities.begin() + 3);
      continue;
    }
    BlockNeeds needs;
    words >> needs.threads >> needs.registers >> needs.shared_bytes;
    for (const std::string& capability : capabilities) {
      uint32_t blocks = 99;
      words >> blocks;
      EXPECT_EQ(occupancy(sm_of(capability), needs).blocks, blocks) << capability << ": " << line;
      cases++;
    }
  }
  EXPECT_EQ(cases, 16u * 18u);
}

TEST(Occupancy, LimitsOfAnH200AsNsightComputeNamesThem) {
  const auto gpu = find_gpu("h200");
  ASSERT_TRUE(gpu);
  const auto rows = test::read_csv(kFolder + "h200/occupancy_limits.csv");
  ASSERT_GE(rows.size(), 40u);
  for (size_t i = 1; i < rows.size(); ++i) {
    const auto number = [&](size_t column) { return static_cast<uint32_t>(std::stoul(rows[i][column])); };
    BlockNeeds needs;
    needs.threads = number(0), needs.registers = number(2), needs.shared_bytes = number(3) + number(4);
    needs.shared_split = number(5);
    const Occupancy o = occupancy(*gpu, needs);
    EXPECT_EQ(o.shared_bytes_per_block, number(6)) << i;
    EXPECT_EQ(o.limit(Resource::Warps), number(7)) << i;
    EXPECT_EQ(o.limit(Resource::Blocks), number(8)) << i;
    EXPECT_EQ(o.limit(Resource::Registers), number(9)) << i;
    EXPECT_EQ(o.limit(Resource::SharedMemory), number(10)) << i;
    EXPECT_NEAR(waves(*gpu, o, number(1)), std::stod(rows[i][11]), 0.006) << i;
  }
}

// What the two inverse functions say holds, and one more does not.
TEST(Occupancy, TheMostThatABlockMayHave) {
  for (const std::string& name : compute_capability_names()) {
    const SmSpec sm = sm_of(name);
    for (uint32_t threads = 1; threads <= kMaxThreadsPerBlock; threads += 31)
      for (uint32_t blocks = 1; blocks * ((threads + 31) / 32) <= sm.max_warps_per_sm && blocks <= sm.max_blocks_per_sm;
           ++blocks) {
        BlockNeeds needs;
        needs.threads = threads;
        const auto registers = registers_for(sm, needs, blocks);
        ASSERT_TRUE(registers) << name << ' ' << threads << ' ' << blocks;
        needs.registers = *registers;
        EXPECT_GE(occupancy(sm, needs).blocks, blocks) << name << ' ' << threads << ' ' << *registers;
        needs.registers++;
        EXPECT_LT(occupancy(sm, needs).blocks, blocks) << name << ' ' << threads << ' ' << needs.registers;
        needs.registers = 0;
        const auto shared = shared_bytes_for(sm, needs, blocks);
        ASSERT_TRUE(shared);
        needs.shared_bytes = *shared;
        EXPECT_GE(occupancy(sm, needs).blocks, blocks) << name << ' ' << threads << ' ' << *shared;
        needs.shared_bytes++;
        EXPECT_LT(occupancy(sm, needs).blocks, blocks) << name << ' ' << threads << ' ' << *shared;
      }
  }
}

TEST(Occupancy, OneBlockMore) {
  const SmSpec sm = sm_of("9.0");
  const auto step = next_step(sm, {256, 16384, 40});
  ASSERT_TRUE(step);
  EXPECT_EQ(step->blocks, 7u);
  EXPECT_EQ(step->registers, 32u);
  EXPECT_FALSE(step->shared_bytes);
  const auto both = next_step(sm, {256, 40000, 48});  // 5 blocks by both
  ASSERT_TRUE(both);
  EXPECT_EQ(both->blocks, 6u);
  EXPECT_EQ(both->registers, 40u);
  EXPECT_EQ(both->shared_bytes, 37888u);      // 233472 / 6, rounded down to 128, less 1024
  EXPECT_FALSE(next_step(sm, {256, 0, 32}));  // all warps
  EXPECT_FALSE(next_step(sm, {32, 0, 32}));   // all blocks
  const auto refused = next_step(sm, {1024, 0, 80});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->blocks, 1u);
  EXPECT_EQ(refused->registers, 64u);
}

TEST(Occupancy, WhatIsRefused) {
  const SmSpec sm = sm_of("9.0");
  EXPECT_EQ(occupancy(sm, {1025, 0, 32}).refusal, Refusal::Threads);
  EXPECT_EQ(occupancy(sm, {0, 0, 32}).refusal, Refusal::Threads);
  EXPECT_EQ(occupancy(sm, {32, 0, 256}).refusal, Refusal::RegistersOfThread);
  EXPECT_EQ(occupancy(sm, {1024, 0, 65}).refusal, Refusal::RegistersOfBlock);
  EXPECT_EQ(occupancy(sm, {32, 232449, 32}).refusal, Refusal::SharedMemory);
  EXPECT_EQ(occupancy(sm, {32, 232448, 32}).blocks, 1u);
  EXPECT_EQ(occupancy(sm_of("6.1"), {32, 49153, 32}).refusal, Refusal::SharedMemory);
}

TEST(Occupancy, BestBlock) {
  const SmSpec hopper = sm_of("9.0");
  EXPECT_EQ(best_block(hopper, {0, 0, 32}), 256u);
  EXPECT_EQ(best_block(hopper, {0, 0, 32}, 128), 128u);
  EXPECT_EQ(best_block(hopper, {0, 100000, 32}), 1024u);  // 2 blocks, so large ones
  EXPECT_EQ(best_block(sm_of("8.6"), {0, 0, 32}), 256u);
}

TEST(Occupancy, NamesOfComputeCapabilities) {
  EXPECT_EQ(sm_of("sm_86").compute_minor, 6u);
  EXPECT_EQ(sm_of("compute_100").compute_major, 10u);
  EXPECT_EQ(sm_of("sm_90a").compute_major, 9u);
  EXPECT_EQ(sm_of("12.1").compute_minor, 1u);
  for (const char* wrong : {"", "sm_", "9", "sm_90x", "sm_91", "h200", "123456"})
    EXPECT_FALSE(find_sm_by_name(wrong)) << wrong;
  EXPECT_EQ(compute_capability_names().front(), "5.0");
  EXPECT_EQ(compute_capability_names().back(), "12.1");
  EXPECT_EQ(compute_capability_names().size(), 19u);
}

}  // namespace
}  // namespace warplens::model
