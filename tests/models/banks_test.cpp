#include "model/banks.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <sstream>

using warplens::model::banks;
using warplens::model::SharedOp;

namespace {

using Addresses = std::array<uint64_t, 32>;

template <typename F>
Addresses each_lane(F f) {
  Addresses a;
  for (uint64_t l = 0; l < 32; ++l) a[l] = f(l);
  return a;
}

struct Row {
  const char* what;
  Addresses address;
  uint32_t mask, width;
  SharedOp op;
  uint32_t wavefronts, ideal;
};

TEST(Banks, Table) {
  const uint32_t all = ~0u;
  const Row rows[] = {
      {"unit stride", each_lane([](auto l) { return 4 * l; }), all, 4, SharedOp::Load, 1, 1},
      {"stride 2", each_lane([](auto l) { return 8 * l; }), all, 4, SharedOp::Load, 2, 1},
      {"column of [32][32]", each_lane([](auto l) { return 128 * l; }), all, 4, SharedOp::Load, 32, 1},
      {"column of [32][33]", each_lane([](auto l) { return 132 * l; }), all, 4, SharedOp::Load, 1, 1},
      {"broadcast", each_lane([](auto) { return 64; }), all, 4, SharedOp::Load, 1, 1},
      {"bytes, four a word", each_lane([](auto l) { return l; }), all, 1, SharedOp::Load, 1, 1},
      {"bytes 128 apart", each_lane([](auto l) { return 128 * l; }), all, 1, SharedOp::Load, 32, 1},
      {"stores to one word", each_lane([](auto) { return 64; }), all, 4, SharedOp::Store, 1, 1},
      {"atomics on one word", each_lane([](auto) { return 64; }), all, 4, SharedOp::Atomic, 32, 1},
      {"increments of one word", each_lane([](auto) { return 64; }), all, 4, SharedOp::Increment, 1, 1},
      {"cas on one word", each_lane([](auto) { return 64; }), 0x7, 4, SharedOp::CompareAndSwap, 6, 2},
      {"double", each_lane([](auto l) { return 8 * l; }), all, 8, SharedOp::Load, 2, 2},
      {"double, pairs share", each_lane([](auto l) { return 8 * (l / 2); }), all, 8, SharedOp::Load, 1, 1},
      {"double, halves share", each_lane([](auto l) { return 8 * (l % 16); }), all, 8, SharedOp::Load, 2, 2},
      {"double stored, pairs share", each_lane([](auto l) { return 8 * (l / 2); }), all, 8, SharedOp::Store, 2, 2},
      {"float4", each_lane([](auto l) { return 16 * l; }), all, 16, SharedOp::Load, 4, 4},
      {"float4, stride 2", each_lane([](auto l) { return 32 * l; }), all, 16, SharedOp::Load, 8, 4},
      {"float4, pairs share", each_lane([](auto l) { return 16 * (l / 2); }), all, 16, SharedOp::Load, 2, 2},
      {"float4, broadcast", each_lane([](auto) { return 16; }), all, 16, SharedOp::Load, 2, 2},
      {"float4, broadcast to 16", each_lane([](auto) { return 16; }), 0xffff, 16, SharedOp::Load, 1, 1},
      {"one lane", each_lane([](auto l) { return 128 * l; }), 1u << 9, 4, SharedOp::Load, 1, 1},
      {"none", each_lane([](auto l) { return 128 * l; }), 0, 4, SharedOp::Load, 0, 0},
  };
  for (const Row& row : rows) {
    const auto cost = banks(row.address.data(), row.mask, row.width, row.op);
    EXPECT_EQ(cost.wavefronts, row.wavefronts) << row.what;
    EXPECT_EQ(cost.wavefronts_ideal, row.ideal) << row.what;
  }
}

// What an H200 counted: see h200/banks_probe.cu.
TEST(Banks, EveryMeasuredRequest) {
  struct Kind {
    uint32_t width;
    SharedOp op;
  };
  const std::map<std::string, Kind> kinds = {
      {"ld1", {1, SharedOp::Load}},
      {"ld2", {2, SharedOp::Load}},
      {"ld4", {4, SharedOp::Load}},
      {"ld8", {8, SharedOp::Load}},
      {"ld16", {16, SharedOp::Load}},
      {"st1", {1, SharedOp::Store}},
      {"st2", {2, SharedOp::Store}},
      {"st4", {4, SharedOp::Store}},
      {"st8", {8, SharedOp::Store}},
      {"st16", {16, SharedOp::Store}},
      {"add4", {4, SharedOp::Atomic}},
      {"red4", {4, SharedOp::Atomic}},
      {"exch4", {4, SharedOp::Atomic}},
      {"min4", {4, SharedOp::Atomic}},
      {"exch8", {8, SharedOp::Atomic}},
      {"cas4", {4, SharedOp::CompareAndSwap}},
      {"cas8", {8, SharedOp::CompareAndSwap}},
      {"inc4", {4, SharedOp::Increment}},
  };
  std::ifstream file(WARPLENS_SOURCE_DIR "/tests/models/h200/banks.csv");
  ASSERT_TRUE(file);
  std::string line;
  std::getline(file, line);
  int rows = 0;
  while (std::getline(file, line)) {
    std::istringstream in(line);
    std::string op, mask, units, wavefronts, ideal;
    std::getline(in, op, ','), std::getline(in, mask, ','), std::getline(in, units, ','),
        std::getline(in, wavefronts, ',');
    std::getline(in, ideal);
    const Kind kind = kinds.at(op);
    Addresses address;
    std::istringstream list(units);
    list >> std::hex;
    for (auto& a : address) list >> a, a *= kind.width;
    ASSERT_TRUE(list) << line;
    const auto cost = banks(address.data(), uint32_t(std::stoul(mask, nullptr, 16)), kind.width, kind.op);
    ASSERT_EQ(cost.wavefronts, std::stoul(wavefronts)) << line;
    ASSERT_EQ(cost.wavefronts_ideal, std::stoul(ideal)) << line;
    // Only the base modulo 128 matters.
    int64_t pattern[32];
    for (int l = 0; l < 32; ++l) pattern[l] = int64_t(address[l]) - int64_t(address[0]);
    ASSERT_EQ(banks(pattern, uint32_t(std::stoul(mask, nullptr, 16)), address[0] % 128, kind.width, kind.op), cost)
        << line;
    ++rows;
  }
  EXPECT_EQ(rows, 4992);
}

}  // namespace
