#include "model/lane_pattern.h"

#include <gtest/gtest.h>

#include <random>

#include "model/lanes.h"

namespace warplens::model {
namespace {

template <typename F>
std::string text(F f, uint32_t mask = ~0u, uint32_t width = 4) {
  int64_t pattern[32];
  for (int64_t l = 0; l < 32; ++l) pattern[l] = 1000 + f(l);
  const LanePattern p = classify(pattern, mask, width);
  EXPECT_EQ(unpack(pack(p)), p);
  return words(p);
}

TEST(LanePattern, Words) {
  using L = int64_t;
  EXPECT_EQ(text([](L l) { return 4 * l; }), "unit stride");
  EXPECT_EQ(text([](L l) { return 16 * l; }, ~0u, 16), "unit stride");
  EXPECT_EQ(text([](L l) { return 16 * l; }), "lane stride 16 B");
  EXPECT_EQ(text([](L l) { return 4096 * l; }), "lane stride 4096 B");
  EXPECT_EQ(text([](L l) { return -4096 * l; }), "lane stride -4096 B");
  EXPECT_EQ(text([](L l) { return -4 * l; }), "reversed");
  EXPECT_EQ(text([](L) { return 0; }), "broadcast");
  EXPECT_EQ(text([](L l) { return l / 16 * 4096 + l % 16 * 4; }), "2 rows of 16, 4096 B apart");
  EXPECT_EQ(text([](L l) { return l / 8 * 4096 + l % 8 * 4; }), "4 rows of 8, 4096 B apart");
  EXPECT_EQ(text([](L l) { return l % 16 * 4; }), "2 rows of 16 at the same addresses");
  EXPECT_EQ(text([](L l) { return l / 8 * l / 8 * 256 + l % 8 * 4; }), "irregular");
  EXPECT_EQ(text([](L l) { return (l / 8) * (l / 8) * 256 + l % 8 * 4; }), "4 rows of 8");
  EXPECT_EQ(text([](L l) { return l / 20 * 4096 + l % 20 * 4; }), "2 rows");
  EXPECT_EQ(text([](L l) { return (l + 5) / 10 * 4096 + (l + 5) % 10 * 4; }), "4 rows");
  EXPECT_EQ(text([](L l) { return l / 16 * 4096; }), "2 groups of 16 lanes share an address, 4096 B apart");
  EXPECT_EQ(text([](L l) { return l / 2 * 4; }), "16 groups of 2 lanes share an address, 4 B apart");
  EXPECT_EQ(text([](L l) { return l % 16 * 1024 + l / 16 * 4; }), "2 rows of 16, lane stride 1024 B");
  EXPECT_EQ(text([](L l) { return l % 16 * 1024; }), "2 rows of 16 at the same addresses, lane stride 1024 B");
  EXPECT_EQ(text([](L l) { return l % 8 * 8 + l / 8 * 256; }), "4 rows of 8, lane stride 8 B");
  EXPECT_EQ(text([](L l) { return l % 4 * -4 + l / 4 * 256; }), "8 rows of 4, lane stride -4 B");
  EXPECT_EQ(text([](L l) { return l % 16 * (l < 16 ? 8 : 12); }), "irregular");
  EXPECT_EQ(text([](L l) { return l * l * 4; }), "irregular");
  EXPECT_EQ(text([](L l) { return (l ^ 1) * 4; }), "irregular");
  EXPECT_EQ(text([](L l) { return l == 7 ? 0 : 4 * l; }), "irregular");
  // Farther apart than any memory is large: a distance that is not known.
  EXPECT_EQ(text([](L l) { return l << 45; }), "irregular");
  EXPECT_EQ(text([](L l) { return ((l / 16) << 60) + l % 16 * 4; }), "2 rows of 16");
  EXPECT_EQ(text([](L l) { return (l / 8) << 60; }), "4 groups of 8 lanes share an address");
}

TEST(LanePattern, NoRunsMeansIrregular) {
  std::mt19937_64 random(5);
  int irregular = 0, found = 0;
  for (int n = 0; n < 50000; ++n) {
    uint64_t address[32];
    int64_t pattern[32];
    const uint64_t pool = 1 + random() % 6, run = 1 + random() % 16;
    for (uint64_t l = 0; l < 32; ++l) {
      address[l] = 1024 + (n % 4 == 3   ? l % run * 64 + l / run * 4
                           : n % 3 == 0 ? random() % pool * 4
                                        : l / run * 4096 + l % run * (n % 3 == 1 ? 4 : 0));
      if (random() % 40 == 0) address[l] += 4;
      pattern[l] = int64_t(address[l]);
    }
    const bool is = classify(pattern, ~0u, 4).shape == PatternClass::Irregular;
    irregular += is;
    for (const bool no_runs : {has_no_runs(address, 4), has_no_runs_plain(address, 4)}) {
      EXPECT_TRUE(is || !no_runs);
      found += no_runs;
    }
  }
  EXPECT_GT(found, irregular / 2);  // two variants: it finds a good part even of patterns that are nearly rows
}

TEST(LanePattern, Masks) {
  const auto unit = [](int64_t l) { return 4 * l; };
  EXPECT_EQ(text(unit, 0x1f), "unit stride");
  EXPECT_EQ(text(unit, 0xff00), "unit stride");
  EXPECT_EQ(text(unit, 0x55555555), "unit stride, every 2nd lane");
  EXPECT_EQ(text(unit, 0x49249249), "unit stride, every 3rd lane");
  EXPECT_EQ(text(unit, 0x11111111), "unit stride, every 4th lane");
  EXPECT_EQ(text(unit, 0xf0f), "unit stride, scattered lanes");
  EXPECT_EQ(text(unit, 1u << 31), "one lane");
  EXPECT_EQ(text([](int64_t l) { return l * l * 4; }, 0x55555555), "irregular, every 2nd lane");
  EXPECT_EQ(text([](int64_t l) { return l / 16 * 4096 + l % 16 * 4; }, 0xffff), "unit stride");
  EXPECT_EQ(text([](int64_t l) { return l / 16 * 4096 + l % 16 * 4; }, 0xff00ff),
            "2 rows of 16, 4096 B apart, scattered lanes");
  // The left edge of a stencil: no lane 0, no lane 16. Its right edge and upper edge.
  const auto rows = [](int64_t l) { return l / 16 * 256 + l % 16 * 4; };
  EXPECT_EQ(text(rows, 0xfffefffe), "2 rows of 16, 256 B apart, scattered lanes");
  EXPECT_EQ(text(rows, 0x7fff7fff), "2 rows of 16, 256 B apart, scattered lanes");
  EXPECT_EQ(text(rows, 0xfffe0000), "unit stride");
  EXPECT_EQ(text([](int64_t l) { return l / 16 * 256; }, 0xfffefffe),
            "2 groups of 16 lanes share an address, 256 B apart, scattered lanes");
  EXPECT_EQ(text([](int64_t l) { return l % 16 * 256 + l / 16 * 4; }, 0xff00ff),
            "2 rows of 16, lane stride 256 B, scattered lanes");
  EXPECT_EQ(text(rows, 0x10003), "irregular, scattered lanes");  // three lanes would fit many things
  EXPECT_EQ(text([](int64_t l) { return l * l * 4; }, 0xfffefffe), "irregular, scattered lanes");
}

TEST(LanePattern, SomeLanesOfALinearPattern) {
  std::mt19937 random(3);
  for (int64_t stride : {0, 4, -4, 12, -4096})
    for (int n = 0; n < 500; ++n) {
      int64_t pattern[32];
      for (int64_t l = 0; l < 32; ++l) pattern[l] = 64 + stride * l;
      const uint32_t mask = (n % 2 ? random() : random() & random() & random()) | 1u << (random() % 32);
      const LanePattern whole = classify(pattern, ~0u, 4);
      ASSERT_TRUE(is_linear(whole));
      EXPECT_EQ(unpack(key_of_some(pack(whole), mask)), classify(pattern, mask, 4)) << stride << " " << mask;
    }
}

}  // namespace
}  // namespace warplens::model
