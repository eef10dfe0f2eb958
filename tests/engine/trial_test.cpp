// When a trial takes patterns for the same.
#include "engine/trial.h"

#include <gtest/gtest.h>

#include "model/lane_pattern.h"

namespace warplens::engine_test {
namespace {

using model::LanePattern;
using model::PatternClass;
using observe::PatternTally;

constexpr LanePattern groups(int64_t apart) { return {PatternClass::Groups, model::MaskShape::Run, 0, 2, 16, apart}; }

PatternTally tally(std::initializer_list<std::pair<LanePattern, uint64_t>> patterns) {
  PatternTally all;
  for (const auto& [pattern, count] : patterns) all.add(model::pack(pattern), count);
  return all;
}

// A distance whose groups PatternTally puts under one name with those 88 bytes apart.
int64_t distance_of_another() {
  for (int64_t apart = 4;; apart += 4)
    if (tally({{groups(-88), 7}, {groups(apart), 1}}).entries().size() == 1) return apart;
}

TEST(SamePatterns, DistancesMayNotBeKnown) {
  const auto known = tally({{groups(-88), 7}}), unknown = tally({{groups(LanePattern::kVaried), 7}});
  EXPECT_TRUE(same_patterns(known, known));
  EXPECT_TRUE(same_patterns(unknown, known));
  EXPECT_FALSE(same_patterns(tally({{groups(-88), 6}}), known));
  EXPECT_FALSE(same_patterns(tally({{LanePattern{PatternClass::UnitStride}, 7}}), known));
}

TEST(SamePatterns, NamesOfSeveral) {
  const auto several = tally({{groups(-88), 7}, {groups(distance_of_another()), 1}});
  ASSERT_EQ(several.summary(), "various groups that share an address");
  EXPECT_TRUE(same_patterns(tally({{groups(-88), 7}, {groups(LanePattern::kVaried), 1}}), several));
  EXPECT_FALSE(same_patterns(tally({{groups(-88), 7}}), several));
  EXPECT_FALSE(same_patterns(tally({{groups(-88), 7}, {LanePattern{PatternClass::UnitStride}, 1}}), several));
}

TEST(SamePatterns, MixedOnes) {
  const LanePattern strided{PatternClass::Strided, model::MaskShape::Run, 0, 0, 0, 1024};
  PatternTally mixed;
  for (int64_t apart = 4; mixed.summary() != "mixed"; apart += 4) mixed = tally({{strided, 2}, {groups(apart), 3}});
  EXPECT_TRUE(same_patterns(tally({{strided, 2}, {groups(LanePattern::kVaried), 3}}), mixed));
  EXPECT_TRUE(same_patterns(mixed, tally({{strided, 2}, {groups(LanePattern::kVaried), 3}})));
  EXPECT_FALSE(same_patterns(tally({{strided, 2}, {groups(LanePattern::kVaried), 4}}), mixed));
}

}  // namespace
}  // namespace warplens::engine_test
