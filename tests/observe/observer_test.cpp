#include "observe/observer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <random>

#include "model/banks.h"
#include "model/coalesce.h"
#include "model/local.h"

namespace warplens::observe {
namespace {

ir::Site site(ir::SiteKind kind, ir::Space space, uint8_t width, std::string opcode = "") {
  ir::Site s;
  s.kind = kind;
  s.space = space;
  s.bytes_per_lane = width;
  s.opcode = std::move(opcode);
  return s;
}

std::vector<ir::Site> example_sites() {
  ir::Site increment = site(ir::SiteKind::Atomic, ir::Space::Shared, 4, "atom.shared.add.u32");
  increment.unit_increment = true;
  return {site(ir::SiteKind::Load, ir::Space::Global, 4),
          site(ir::SiteKind::Store, ir::Space::Global, 16),
          site(ir::SiteKind::Load, ir::Space::Shared, 4),
          site(ir::SiteKind::Load, ir::Space::Shared, 16),
          site(ir::SiteKind::Store, ir::Space::Shared, 8),
          site(ir::SiteKind::Atomic, ir::Space::Shared, 4, "atom.shared.add.u32"),
          site(ir::SiteKind::Atomic, ir::Space::Shared, 4, "atom.shared.cas.b32"),
          site(ir::SiteKind::Load, ir::Space::Local, 4),
          site(ir::SiteKind::Load, ir::Space::Global, 1),
          site(ir::SiteKind::Load, ir::Space::Shared, 16, "ldmatrix.sync.aligned.m8n8.x4.shared.b16"),
          increment};
}

// A stream such as programs make: long stretches of one pattern with a moving base, and data-dependent stretches.
std::vector<event::Access> stream(size_t count) {
  std::mt19937_64 random(11);
  const auto sites = example_sites();
  std::vector<event::Access> out;
  while (out.size() < count) {
    event::Access a{};
    a.site = uint32_t(random() % sites.size());
    const uint64_t width = sites[a.site].bytes_per_lane;
    const bool shared = sites[a.site].space == ir::Space::Shared;
    a.mask = random() % 3 ? ~0u : uint32_t(random());
    uint64_t base = (shared ? 0 : uint64_t{1} << 40) + random() % 1024 * width;
    const uint64_t stride = random() % 5 * width, step = random() % 40 * width;
    const bool irregular = random() % 4 == 0;
    for (size_t n = random() % 20 + 1; n > 0 && out.size() < count; --n, base += step) {
      for (uint64_t l = 0; l < 32; ++l) a.address[l] = irregular ? base + random() % 256 * width : base + l * stride;
      out.push_back(a);
    }
  }
  return out;
}

std::vector<SiteStats> observe(const std::vector<event::Access>& accesses, unsigned workers, unsigned seed) {
  Observer observer(example_sites(), workers);
  std::mt19937 random(seed);
  for (size_t at = 0; at < accesses.size();) {
    const size_t n = std::min<size_t>(accesses.size() - at, 1 + random() % 64);
    observer.sink(random() % workers)->accesses(std::span(accesses).subspan(at, n));
    at += n;
  }
  return observer.finish();
}

void expect_equal_counts(const SiteStats& a, const SiteStats& b) {
  EXPECT_EQ(a.requests, b.requests);
  EXPECT_EQ(a.lanes, b.lanes);
  EXPECT_EQ(a.sectors, b.sectors);
  EXPECT_EQ(a.sectors_ideal, b.sectors_ideal);
  EXPECT_EQ(a.tag_requests, b.tag_requests);
  EXPECT_EQ(a.wavefronts, b.wavefronts);
  EXPECT_EQ(a.wavefronts_ideal, b.wavefronts_ideal);
  EXPECT_EQ(a.bytes_used, b.bytes_used);
}

void expect_equal(const SiteStats& a, const SiteStats& b) {
  expect_equal_counts(a, b);
  EXPECT_EQ(a.patterns.summary(), b.patterns.summary());
  const auto x = a.patterns.entries(), y = b.patterns.entries();
  ASSERT_EQ(x.size(), y.size());
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(x[i].words, y[i].words);
    EXPECT_EQ(x[i].count, y[i].count);
  }
}

TEST(Observer, EqualsTheModelRequestByRequest) {
  const auto accesses = stream(100000);
  const auto stats = observe(accesses, 1, 1);
  const auto sites = example_sites();
  std::vector<SiteStats> expected(sites.size());
  for (const event::Access& a : accesses) {
    if (a.mask == 0) continue;
    const ir::Site& s = sites[a.site];
    SiteStats& e = expected[a.site];
    ++e.requests;
    e.lanes += uint64_t(std::popcount(a.mask));
    int64_t pattern[32];
    for (int l = 0; l < 32; ++l) pattern[l] = int64_t(a.address[l]);
    if (s.space == ir::Space::Local) {
      const auto c = model::local_memory(a.address, a.mask, s.bytes_per_lane);
      e.sectors += c.sectors, e.sectors_ideal += c.sectors_ideal, e.tag_requests += c.tag_requests;
      e.bytes_used += c.bytes_used;
      uint64_t interleaved[32];
      model::interleave(a.address, s.bytes_per_lane, interleaved);
      for (int l = 0; l < 32; ++l) pattern[l] = int64_t(interleaved[l]);
    }
    e.patterns.add(model::pack(model::classify(pattern, a.mask, s.bytes_per_lane)), 1);
    if (s.space == ir::Space::Global) {
      const auto c = model::coalesce(a.address, a.mask, s.bytes_per_lane);
      e.sectors += c.sectors, e.sectors_ideal += c.sectors_ideal, e.tag_requests += c.tag_requests;
      e.bytes_used += c.bytes_used;
    } else if (s.space == ir::Space::Shared) {
      const auto op = s.opcode.starts_with("ldmatrix")             ? model::SharedOp::MatrixRows
                      : s.opcode.find(".cas") != std::string::npos ? model::SharedOp::CompareAndSwap
                      : s.unit_increment                           ? model::SharedOp::Increment
                      : s.kind == ir::SiteKind::Atomic             ? model::SharedOp::Atomic
                      : s.kind == ir::SiteKind::Store              ? model::SharedOp::Store
                                                                   : model::SharedOp::Load;
      const auto c = model::banks(a.address, a.mask, s.bytes_per_lane, op);
      e.wavefronts += c.wavefronts, e.wavefronts_ideal += c.wavefronts_ideal, e.bytes_used += c.bytes_used;
    }
  }
  for (size_t i = 0; i < sites.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_GT(stats[i].requests, 5000u);
    expect_equal(stats[i], expected[i]);
  }
}

TEST(Observer, DoesNotDependOnWorkersOrOrder) {
  auto accesses = stream(30000);
  const auto one = observe(accesses, 1, 1);
  for (unsigned workers : {2u, 7u}) {
    std::shuffle(accesses.begin(), accesses.end(), std::mt19937(workers));
    const auto many = observe(accesses, workers, workers);
    for (size_t i = 0; i < one.size(); ++i) expect_equal(one[i], many[i]);
  }
}

// Requests told address by address and as a pattern cost the same. The words too for whole warps; of a partial warp,
// the pattern's words are those of the whole pattern, which the addresses of some lanes need not show.
void patterns_equal_accesses(bool whole_warps) {
  const auto sites = example_sites();
  std::mt19937_64 random(2);
  Observer by_access(sites, 1), by_pattern(sites, 1);
  std::deque<std::array<int64_t, 32>> patterns;  // each stays where it is, as event.h asks
  for (int n = 0; n < 2000; ++n) {
    event::Access a{};
    a.site = uint32_t(random() % sites.size());
    a.mask = whole_warps ? ~0u : uint32_t(random());
    const uint64_t width = sites[a.site].bytes_per_lane, base = (uint64_t{1} << 20) + random() % 128 / width * width;
    auto& pattern = patterns.emplace_back();
    for (int64_t l = 0; l < 32; ++l) {
      pattern[size_t(l)] = int64_t(random() % 2048 * width) - int64_t(1024 * width);
      a.address[l] = base + uint64_t(pattern[size_t(l)]);
    }
    const uint64_t count = random() % 5;
    for (uint64_t i = 0; i < count; ++i) by_access.sink(0)->accesses({&a, 1});
    const event::Pattern p{a.site, a.mask, uint32_t(base % 128), count, pattern.data()};
    by_pattern.sink(0)->patterns({&p, 1});
  }
  const auto x = by_access.finish(), y = by_pattern.finish();
  for (size_t i = 0; i < x.size(); ++i) whole_warps ? expect_equal(x[i], y[i]) : expect_equal_counts(x[i], y[i]);
}

TEST(Observer, PatternsEqualAccessesOfWholeWarps) { patterns_equal_accesses(true); }
TEST(Observer, PatternsEqualAccessesOfPartialWarps) { patterns_equal_accesses(false); }

// However a request is reported, what it is called depends on the lanes that are active.
TEST(Observer, PartialPatternsAreNamedByTheirLanes) {
  const auto sites = example_sites();
  Observer by_access(sites, 1), by_pattern(sites, 1);
  int64_t pattern[32];
  for (int64_t l = 0; l < 32; ++l) pattern[l] = 4 * l;
  for (const uint32_t mask : {~0u, 1u, 0x55555555u, 0xffffu, 1u << 20, 0x12345678u, 3u, 1u}) {
    const event::Pattern p{0, mask, 0, 3, pattern};
    by_pattern.sink(0)->patterns({&p, 1});
    event::Access a{};
    a.mask = mask;
    for (uint64_t l = 0; l < 32; ++l) a.address[l] = 4096 + 4 * l;
    for (int k = 0; k < 3; ++k) by_access.sink(0)->accesses({&a, 1});
  }
  expect_equal(by_access.finish()[0], by_pattern.finish()[0]);
}

TEST(Observer, Branches) {
  Observer observer(example_sites(), 2);
  event::Branch b{};
  b.site = 3, b.executed = 10, b.divergent = 4, b.lanes = 300;
  observer.add_branches({&b, 1});
  observer.add_branches({&b, 1});
  const auto stats = observer.finish();
  EXPECT_EQ(stats[3].branch_executed, 20u);
  EXPECT_EQ(stats[3].branch_divergent, 8u);
  EXPECT_EQ(stats[3].branch_lanes, 600u);
  EXPECT_EQ(stats[2].branch_executed, 0u);
}

TEST(PatternTally, SummaryAndCollisions) {
  using model::LanePattern, model::PatternClass;
  PatternTally tally;
  EXPECT_EQ(tally.summary(), "");
  tally.add(pack(LanePattern{PatternClass::UnitStride}), 97);
  EXPECT_EQ(tally.summary(), "unit stride");
  tally.add(pack(LanePattern{PatternClass::Irregular}), 3);
  EXPECT_EQ(tally.summary(), "unit stride 97 %");
  tally.add(pack(LanePattern{PatternClass::UnitStride}), 1000000);
  EXPECT_EQ(tally.summary(), "unit stride 99 %");
  PatternTally strides;
  for (int64_t s = 1; s <= 1000; ++s) {
    LanePattern p{PatternClass::Strided};
    p.stride = 4 * s;
    strides.add(pack(p), 1);
  }
  EXPECT_EQ(strides.total(), 1000u);
  ASSERT_EQ(strides.entries().size(), 1u);
  EXPECT_EQ(strides.entries()[0].words, "various lane strides");
}

// More masks than buckets: what is the same in all of them is still said.
TEST(PatternTally, OneShapeUnderManyMasks) {
  using model::LanePattern, model::MaskShape, model::PatternClass;
  PatternTally tally;
  for (uint8_t step = 2; step < 32; ++step)
    for (MaskShape mask : {MaskShape::Run, MaskShape::Every, MaskShape::Scattered})
      tally.add(pack(LanePattern{PatternClass::Rows, mask, uint8_t(mask == MaskShape::Every ? step : 0), 2, 16, 256}),
                1);
  EXPECT_EQ(tally.total(), 90u);
  uint64_t various = 0;
  for (const auto& entry : tally.entries()) {
    EXPECT_EQ(entry.words.find("2 rows of 16, 256 B apart"), 0u) << entry.words;
    if (entry.words == "2 rows of 16, 256 B apart, various lanes") various = entry.count;
  }
  EXPECT_GT(various, 0u);
}

// Of an asynchronous copy the store tells requests, lanes and bytes, the copy what it takes of the banks.
TEST(Observer, CopiesTakeTheWavefrontsOfBothEnds) {
  const std::vector<ir::Site> sites = {site(ir::SiteKind::Store, ir::Space::Shared, 4, "LDGSTS.E [R5], [R2.64]"),
                                       site(ir::SiteKind::Store, ir::Space::Shared, 4, "st.shared.u32")};
  Observer observer(sites, 1);
  event::Copy copy{0, ~0u, ~0u, {}, {}};
  event::Access store{};
  store.mask = ~0u;
  for (uint64_t l = 0; l < 32; ++l) copy.shared[l] = store.address[l] = 4 * l, copy.global[l] = 1024 + 128 * l;
  observer.sink(0)->accesses({&store, 1});
  observer.sink(0)->copy(copy);
  copy.reads = 0xff;  // the other lanes' places are filled with zeros
  observer.sink(0)->accesses({&store, 1});
  observer.sink(0)->copy(copy);
  store.site = 1;
  observer.sink(0)->accesses({&store, 1});
  const std::vector<SiteStats> stats = observer.finish();
  EXPECT_EQ(stats[0].requests, 2u);
  EXPECT_EQ(stats[0].bytes_used, 256u);
  EXPECT_EQ(stats[0].wavefronts, 32u + 8u);
  EXPECT_EQ(stats[0].wavefronts_ideal, 2u);
  EXPECT_EQ(stats[1].wavefronts, 1u);
}

}  // namespace
}  // namespace warplens::observe
