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
    needs.shared_split = number(6);
    if (!rows[i][5].empty()) needs.barriers = number(5);  // Nsight Compute tells of barriers on request only
    const Occupancy o = occupancy(*gpu, needs);
    EXPECT_EQ(o.shared_bytes_per_block, number(7)) << i;
    EXPECT_EQ(o.limit(Resource::Warps), number(8)) << i;
    EXPECT_EQ(o.limit(Resource::Blocks), number(9)) << i;
    EXPECT_EQ(o.limit(Resource::Registers), number(10)) << i;
    EXPECT_EQ(o.limit(Resource::SharedMemory), number(11)) << i;
    if (needs.barriers) {
      EXPECT_EQ(std::min(*o.limit(Resource::Barriers), gpu->max_blocks_per_sm), number(12)) << i;
    }
    EXPECT_NEAR(waves(*gpu, o, number(1)), std::stod(rows[i][13]), 0.006) << i;
  }
}

// The pairs of "threads:value" that a field holds.
std::vector<std::pair<uint32_t, int64_t>> pairs(const std::string& field) {
  std::vector<std::pair<uint32_t, int64_t>> out;
  std::istringstream words(field);
  char colon = 0;
  for (std::pair<uint32_t, int64_t> pair; words >> pair.first >> colon >> pair.second;) out.push_back(pair);
  return out;
}

TEST(Occupancy, AnswersOfAnH200) {
  const SmSpec sm = sm_of("9.0");
  const auto rows = test::read_csv(kFolder + "h200/occupancy.csv");
  size_t answers = 0;
  for (size_t i = 1; i < rows.size(); ++i) {
    const auto number = [&](size_t column) { return std::stoi(rows[i][column]); };
    BlockNeeds needs;
    needs.registers = static_cast<uint32_t>(number(0)), needs.barriers = static_cast<uint32_t>(number(2));
    needs.shared_bytes = static_cast<uint64_t>(number(1) + number(5));
    needs.shared_split = shared_split(sm, number(4), needs.shared_bytes);
    const bool allowed = number(3) || needs.shared_bytes <= sm.shared_bytes_per_block;
    for (const auto& [threads, blocks] : pairs(rows[i][6])) {
      needs.threads = threads;
      EXPECT_EQ(allowed ? occupancy(sm, needs).blocks : 0, blocks) << "line " << i + 1 << ", " << threads << " threads";
      answers++;
    }
  }
  EXPECT_EQ(answers, 10496u);
}

TEST(Occupancy, LaunchesThatAnH200Refuses) {
  const SmSpec sm = sm_of("9.0");
  size_t refused = 0;
  const auto rows = test::read_csv(kFolder + "h200/occupancy_launches.csv");
  for (size_t i = 1; i < rows.size(); ++i) {
    const auto number = [&](size_t column) { return static_cast<uint32_t>(std::stoul(rows[i][column])); };
    EXPECT_EQ(occupancy(sm, {number(1), 0, number(0)}).refusal, Refusal::None) << i;
    if (rows[i][2].empty()) continue;
    EXPECT_EQ(occupancy(sm, {number(2), 0, number(0)}).refusal, Refusal::RegistersOfBlock) << i;
    refused++;
  }
  EXPECT_GT(refused, 50u);
}

TEST(Occupancy, DynamicSharedMemoryThatAnH200SaysIsAvailable) {
  const SmSpec sm = sm_of("9.0");
  const auto rows = test::read_csv(kFolder + "h200/occupancy_available.csv");
  ASSERT_GT(rows.size(), 100u);
  for (size_t i = 1; i < rows.size(); ++i) {
    const auto number = [&](size_t column) { return static_cast<uint32_t>(std::stoul(rows[i][column])); };
    for (const auto& [threads, bytes] : pairs(rows[i][3])) {
      const auto available = available_dynamic_shared(sm, {threads, number(1), number(0)}, number(2));
      EXPECT_EQ(available ? static_cast<int64_t>(*available) : -1, bytes) << "line " << i + 1 << ", " << threads;
    }
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
