#include "model/lanes.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace warplens::model {
namespace {

// Requests of every shape: regular, reversed, clustered, far apart; full and partial masks.
struct Generator {
  std::mt19937_64 random{7};
  uint64_t address[32];
  uint32_t mask, width;

  void next(int n) {
    width = 1u << (random() % 6);
    const uint64_t base = (random() >> 20) / width * width;
    const uint64_t pool = uint64_t{1} << (random() % 24);
    const int64_t stride = int64_t(random() % 300) - 150;
    for (int l = 0; l < 32; ++l) switch (n % 6) {
        case 0:
          address[l] = base + uint64_t(stride * l * int64_t(width));
          break;
        case 1:
          address[l] = base + random() % pool * width;
          break;
        case 2:
          address[l] = base + (l / 8) * pool + (l % 8) * width;
          break;
        case 3:
          address[l] = base + (31 - l) * uint64_t{width} / width * width;
          break;
        case 4:
          address[l] = (random() >> 16) / width * width;
          break;  // too far apart for Lanes
        default:
          address[l] = base + random() % 3 * width;
          break;
      }
    switch (random() % 4) {
      case 0:
        mask = uint32_t(random());
        break;
      case 1:
        mask = ~0u >> (random() % 32);
        break;
      default:
        mask = ~0u;
        break;
    }
  }
};

TEST(Lanes, FastPathEqualsBruteForceOn200000Requests) {
  Generator g;
  int near = 0;
  for (int n = 0; n < 200000; ++n) {
    g.next(n);
    Lanes fast, plain;
    const bool ok = gather(g.address, g.mask, fast);
    ASSERT_EQ(ok, gather_plain(g.address, g.mask, plain)) << n;
    if (!ok) continue;
    ++near;
    std::set<uint64_t> addresses, words, sectors, lines;
    uint32_t first_word = 0;
    const int leader = std::countr_zero(g.mask);
    for (int l = 0; l < 32; ++l) {
      const uint64_t a = g.mask >> l & 1 ? g.address[l] : g.address[leader];
      addresses.insert(a), sectors.insert(a / 32), lines.insert(a / 128);
      if (words.insert(a / 4).second) first_word |= 1u << l;
    }
    ASSERT_EQ(all_lines_differ(fast), lines.size() == 32) << n;
    ASSERT_EQ(all_lines_differ_plain(plain), lines.size() == 32) << n;
    for (const LaneCounts& c : {count(fast), count_plain(plain)}) {
      ASSERT_EQ(c.addresses, addresses.size()) << n;
      ASSERT_EQ(c.words, words.size()) << n;
      ASSERT_EQ(c.sectors, sectors.size()) << n;
      ASSERT_EQ(c.lines, lines.size()) << n;
      ASSERT_EQ(c.first_word, first_word) << n;
    }
  }
  EXPECT_GT(near, 100000);
}

TEST(Lanes, HasPattern) {
  Generator g;
  for (int n = 0; n < 20000; ++n) {
    g.next(n);
    int64_t pattern[32];
    for (int l = 0; l < 32; ++l) pattern[l] = int64_t(g.address[l] - 4096);
    EXPECT_TRUE(has_pattern(g.address, 4096, pattern, g.mask));
    const int l = int(g.random() % 32);
    ++pattern[l];
    EXPECT_EQ(has_pattern(g.address, 4096, pattern, g.mask), !(g.mask >> l & 1));
  }
}

}  // namespace
}  // namespace warplens::model
