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

// Around the limits of what fits 15 bits by address and by sector, where the way of counting changes.
TEST(Lanes, CloseCountsEqualBruteForce) {
  Generator g;
  int close = 0, far = 0;
  for (int n = 0; n < 200000; ++n) {
    g.next(n);
    if (n % 3 == 0) {
      const uint64_t base = (uint64_t{1} << 40) + g.random() % 4096 * g.width, pool = uint64_t{1} << (g.random() % 19);
      for (uint64_t& a : g.address) a = base + g.random() % pool * g.width;
    }
    if (n % 97 == 0) {  // exactly at the edge
      const uint64_t edge = (uint64_t{n % 2 ? 1u << 19 : (1u << 14) * g.width}) - (g.random() % 3) * g.width;
      g.address[g.random() % 32] = g.address[std::countr_zero(g.mask | 1u << 31)] / 128 * 128 + edge;
      g.address[g.random() % 32] = g.address[std::countr_zero(g.mask | 1u << 31)] / 128 * 128 - edge;
    }
    for (uint64_t& a : g.address) a = a / g.width * g.width;
    std::set<uint64_t> addresses, sectors, lines;
    for (int l = 0; l < 32; ++l)
      if (g.mask >> l & 1)
        addresses.insert(g.address[l]), sectors.insert(g.address[l] / 32), lines.insert(g.address[l] / 128);
    const auto expect_right = [&](PackedCounts c) {
      EXPECT_EQ(c.addresses(), addresses.size()) << n;
      EXPECT_EQ(c.sectors(), sectors.size()) << n;
      EXPECT_EQ(c.lines(), lines.size()) << n;
      EXPECT_EQ(c.lanes(), uint32_t(std::popcount(g.mask))) << n;
    };
    const PackedCounts quick = count_close(g.address, g.mask, g.width), plain = count_close_plain(g.address, g.mask);
    ++(quick.bits != 0 ? close : far);
    if (quick.bits != 0) expect_right(quick);
    if (plain.bits != 0) expect_right(plain);
  }
  EXPECT_GT(close, 50000);
  EXPECT_GT(far, 10000);
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
