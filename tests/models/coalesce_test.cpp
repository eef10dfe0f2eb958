#include "model/coalesce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <set>

namespace warplens::model {
namespace {

using Addresses = std::array<uint64_t, 32>;

template <typename F>
Addresses each_lane(F f) {
  Addresses a;
  for (uint64_t l = 0; l < 32; ++l) a[l] = f(l);
  return a;
}

TEST(Coalesce, Table) {
  struct Row {
    const char* what;
    Addresses address;
    uint32_t mask, width;
    GlobalCost cost;  // lanes, sectors, ideal, lines, bytes
  };
  const uint32_t all = ~0u;
  const Row rows[] = {
      {"unit stride", each_lane([](auto l) { return 4096 + 4 * l; }), all, 4, {32, 4, 4, 1, 128}},
      {"unit stride, off by one", each_lane([](auto l) { return 4100 + 4 * l; }), all, 4, {32, 5, 4, 2, 128}},
      {"reversed", each_lane([](auto l) { return 4096 + 4 * (31 - l); }), all, 4, {32, 4, 4, 1, 128}},
      {"column", each_lane([](auto l) { return 4096 * l; }), all, 4, {32, 32, 4, 32, 128}},
      {"broadcast", each_lane([](auto) { return 4096; }), all, 4, {32, 1, 1, 1, 4}},
      {"stride 2", each_lane([](auto l) { return 8 * l; }), all, 4, {32, 8, 4, 2, 128}},
      {"bytes", each_lane([](auto l) { return l; }), all, 1, {32, 1, 1, 1, 32}},
      {"float4", each_lane([](auto l) { return 16 * l; }), all, 16, {32, 16, 16, 4, 512}},
      {"32 bytes a lane", each_lane([](auto l) { return 32 * l; }), all, 32, {32, 32, 32, 8, 1024}},
      {"two rows of 16", each_lane([](auto l) { return 8192 * (l / 16) + 4 * (l % 16); }), all, 4, {32, 4, 4, 2, 128}},
      {"half warps share a line", each_lane([](auto l) { return 4 * (l % 16); }), all, 4, {32, 2, 2, 1, 64}},
      {"tail of 5", each_lane([](auto l) { return 4 * l; }), 0x1f, 4, {5, 1, 1, 1, 20}},
      {"one lane", each_lane([](auto l) { return 4096 * l; }), 1u << 7, 8, {1, 1, 1, 1, 8}},
      {"none", each_lane([](auto l) { return 4096 * l; }), 0, 4, {}},
      {"far apart", each_lane([](auto l) { return l << 40; }), all, 4, {32, 32, 4, 32, 128}},
  };
  for (const Row& row : rows) EXPECT_EQ(coalesce(row.address.data(), row.mask, row.width), row.cost) << row.what;
}

TEST(Coalesce, RandomAgainstSets) {
  std::mt19937_64 random(3);
  for (int n = 0; n < 200000; ++n) {
    const uint32_t width = 1u << (random() % 6), mask = n % 3 ? ~0u : uint32_t(random());
    const uint64_t pool = uint64_t{1} << (random() % 34);
    const uint64_t base = (random() >> 20) / 128 * 128 + random() % 128 / width * width;
    int64_t pattern[32];
    uint64_t address[32];
    std::set<uint64_t> bytes, sectors, lines;
    for (int l = 0; l < 32; ++l) {
      pattern[l] = int64_t(random() % pool * width) - int64_t(pool / 2 * width);
      address[l] = base + uint64_t(pattern[l]);
      if (mask >> l & 1) bytes.insert(address[l]), sectors.insert(address[l] / 32), lines.insert(address[l] / 128);
    }
    const uint32_t lanes = uint32_t(std::popcount(mask)), actual = uint32_t(sectors.size());
    const GlobalCost expected{lanes, actual, std::min(actual, (lanes * width + 31) / 32), uint32_t(lines.size()),
                              uint32_t(bytes.size()) * width};
    ASSERT_EQ(coalesce(address, mask, width), expected) << n;
    ASSERT_EQ(coalesce(pattern, mask, uint32_t(base % 128), width), expected) << n;
  }
}

}  // namespace
}  // namespace warplens::model
