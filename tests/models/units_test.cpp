// Single requests to the constant cache and the texture unit, as h200/units_probe.cu measured them on an H200: see
// h200/README.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "model/constants.h"
#include "model/texture.h"
#include "models/h200/unit_tables.h"
#include "support/csv.h"

namespace warplens::model {
namespace {

TEST(Constants, Table) {
  uint64_t one[32], each[32], pairs[32];
  for (uint64_t l = 0; l < 32; ++l) one[l] = 8, each[l] = 4 * l, pairs[l] = l / 2;
  EXPECT_EQ(constant_load(one, ~0u), (ConstantCost{32, 1}));
  EXPECT_EQ(constant_load(each, ~0u), (ConstantCost{32, 32}));
  EXPECT_EQ(constant_load(each, 0xf0), (ConstantCost{4, 4}));
  EXPECT_EQ(constant_load(pairs, ~0u).replays(), 15u);
  EXPECT_EQ(constant_load(pairs, 0), ConstantCost{});
  EXPECT_EQ(constant_load(pairs, 0).replays(), 0u);
}

TEST(Texture, Table) {
  uint64_t element[32];
  float along[32], still[32] = {};
  for (int l = 0; l < 32; ++l) element[l] = uint64_t(l), along[l] = float(l) + 0.5f;
  EXPECT_EQ(texture_fetch(element, ~0u, 4), (TextureCost{32, 4, 4, 4}));
  EXPECT_EQ(texture_fetch(element, ~0u, 16), (TextureCost{32, 4, 8, 16}));
  EXPECT_EQ(texture_fetch(element, 0x100, 4), (TextureCost{1, 1, 1, 1}));
  EXPECT_EQ(texture_fetch(element, 0, 4), TextureCost{});
  Texture2D array{256, 256, 4, 0, false}, rows{256, 256, 4, 1024, false};
  EXPECT_EQ(texture_2d(array, along, still, ~0u), (TextureCost{32, 8, 8, 8}));
  EXPECT_EQ(texture_2d(array, still, along, ~0u), (TextureCost{32, 8, 8, 16}));
  EXPECT_EQ(texture_2d(rows, still, along, ~0u), (TextureCost{32, 8, 8, 32}));
  array.texel_bytes = rows.texel_bytes = 16;
  EXPECT_EQ(texture_2d(array, along, still, ~0u), (TextureCost{32, 8, 8, 32}));
  EXPECT_EQ(texture_2d(rows, along, still, ~0u), (TextureCost{32, 8, 8, 16}));
  array.texel_bytes = 8, array.linear = true;
  EXPECT_FALSE(texture_2d(array, along, still, ~0u));
}

using Counters = std::map<std::string, uint32_t>;

Counters constants_of(const units::Lanes& lanes) {
  uint64_t address[32];
  for (int l = 0; l < 32; ++l) address[l] = lanes.x[l];
  const ConstantCost cost = constant_load(address, lanes.mask);
  return {{"idc__requests", cost.requests},
          {"sm__idc_divergent_instructions", cost.replays() != 0},
          {"sm__idc_divergent_instruction_replays", cost.replays()}};
}

Counters counters_of(const TextureCost& cost) {
  return {{"l1tex__texin_requests", cost.requests},
          {"l1tex__t_requests_pipe_tex", cost.tag_requests},
          {"l1tex__t_sectors_pipe_tex", cost.sectors}};
}

Counters texture_of(int kind, const units::Lanes& lanes) {
  const bool wide = kind == units::Fetch4 || kind == units::Point4 || kind == units::Linear4;
  if (kind == units::Fetch1 || kind == units::Fetch4) {
    uint64_t element[32];
    for (int l = 0; l < 32; ++l) element[l] = lanes.x[l];
    return counters_of(texture_fetch(element, lanes.mask, wide ? 16 : 4));
  }
  Texture2D texture{256, 256, wide ? 16u : 4u, 0, false};
  if (kind == units::PitchPoint || kind == units::PitchLinear) texture.pitch = 1024;
  texture.linear = kind == units::Linear || kind == units::Linear4 || kind == units::PitchLinear;
  float x[32], y[32];
  for (int l = 0; l < 32; ++l) x[l] = float(lanes.x[l]) / 4, y[l] = float(lanes.y[l]) / 4;
  const auto cost = texture_2d(texture, x, y, lanes.mask);
  return cost ? counters_of(*cost) : Counters{};
}

TEST(Units, EveryMeasuredRequest) {
  std::map<std::pair<int, int>, Counters> measured;
  bool head = true;
  for (const auto& row : test::read_csv(WARPLENS_SOURCE_DIR "/tests/models/h200/units.csv")) {
    if (std::exchange(head, false)) continue;
    const auto name = std::find(std::begin(units::kNames), std::end(units::kNames), row.at(0));
    ASSERT_NE(name, std::end(units::kNames)) << row[0];
    measured[{int(name - units::kNames), std::stoi(row[1])}][row[2]] = uint32_t(std::stoul(row[3]));
  }
  std::map<std::string, int> compared;
  for (auto& [launch, counters] : measured) {
    const auto& [kind, pattern] = launch;
    units::Lanes lanes;
    units::make(lanes, pattern, kind);
    for (const auto& [name, value] : kind <= units::Const8 ? constants_of(lanes) : texture_of(kind, lanes)) {
      EXPECT_EQ(value, counters.at(name)) << units::kNames[kind] << ", pattern " << pattern << ": " << name;
      ++compared[units::kNames[kind]];
    }
  }
  EXPECT_EQ(compared, (std::map<std::string, int>{{"const1", 120},
                                                  {"const4", 117},
                                                  {"const8", 117},
                                                  {"fetch1", 84},
                                                  {"fetch4", 84},
                                                  {"point", 84},
                                                  {"point4", 84},
                                                  {"linear", 84},
                                                  {"linear4", 84},
                                                  {"pitch_point", 84},
                                                  {"pitch_linear", 18}}));
}

}  // namespace
}  // namespace warplens::model
