#include "model/local.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "model/lane_pattern.h"

namespace warplens::model {
namespace {

TEST(LocalMemory, Table) {
  uint64_t one[32], each[32], pairs[32];
  for (uint64_t l = 0; l < 32; ++l) one[l] = 16, each[l] = 16 * l, pairs[l] = 4 * (l / 2);
  EXPECT_EQ(local_memory(one, ~0u, 4), (GlobalCost{32, 4, 4, 1, 4}));
  EXPECT_EQ(local_memory(one, ~0u, 1), (GlobalCost{32, 4, 1, 1, 1}));
  EXPECT_EQ(local_memory(one, ~0u, 8), (GlobalCost{32, 8, 8, 2, 8}));
  EXPECT_EQ(local_memory(one, ~0u, 16), (GlobalCost{32, 16, 16, 4, 16}));
  EXPECT_EQ(local_memory(each, ~0u, 4), (GlobalCost{32, 32, 4, 32, 128}));
  EXPECT_EQ(local_memory(pairs, ~0u, 4), (GlobalCost{32, 16, 4, 16, 64}));
  EXPECT_EQ(local_memory(one, 1u << 31, 16), (GlobalCost{1, 4, 1, 4, 16}));
  EXPECT_EQ(local_memory(one, 0, 4), GlobalCost{});
}

// The addresses of the rule itself, word by word.
TEST(LocalMemory, RandomAgainstSets) {
  std::mt19937_64 random(9);
  for (int n = 0; n < 20000; ++n) {
    const uint32_t width = 1u << (random() % 6), mask = n % 2 ? ~0u : uint32_t(random());
    const uint64_t pool = 1 + random() % 20;
    uint64_t offset[32];
    std::set<uint64_t> sectors, lines, offsets;
    for (uint64_t l = 0; l < 32; ++l) {
      offset[l] = random() % pool * width;
      if (!(mask >> l & 1)) continue;
      offsets.insert(offset[l]);
      for (uint64_t w = offset[l] / 4; w <= (offset[l] + width - 1) / 4; ++w)
        sectors.insert((128 * w + 4 * l) / 32), lines.insert(w);
    }
    const GlobalCost cost = local_memory(offset, mask, width);
    ASSERT_EQ(cost.sectors, sectors.size());
    ASSERT_EQ(cost.tag_requests, lines.size());
    ASSERT_EQ(cost.bytes_used, offsets.size() * width);
  }
}

TEST(LocalMemory, Words) {
  uint64_t offset[32], address[32];
  for (uint64_t& o : offset) o = 24;
  interleave(offset, 8, address);
  int64_t pattern[32];
  for (int l = 0; l < 32; ++l) pattern[l] = int64_t(address[l]);
  EXPECT_EQ(describe(pattern, ~0u, 8), "unit stride");
}

}  // namespace
}  // namespace warplens::model
