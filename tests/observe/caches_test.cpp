// The trail of a launch and its replay: from events, as a launch's workers hand them over.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "observe/cache_replay.h"
#include "observe/cache_trace.h"

namespace warplens::observe {
namespace {

const model::GpuSpec& gpu() {
  static const model::GpuSpec h200 = *model::find_gpu("h200");
  return h200;
}

ir::Site site(ir::SiteKind kind, ir::Space space, uint8_t width, const char* opcode) {
  ir::Site s;
  s.kind = kind;
  s.space = space;
  s.bytes_per_lane = width;
  s.opcode = opcode;
  return s;
}
std::vector<ir::Site> sites() {
  return {site(ir::SiteKind::Load, ir::Space::Global, 4, "ld.global.f32"),
          site(ir::SiteKind::Store, ir::Space::Global, 4, "st.global.f32"),
          site(ir::SiteKind::Load, ir::Space::Shared, 4, "ld.shared.f32"),
          site(ir::SiteKind::Store, ir::Space::Local, 4, "st.local.f32"),
          site(ir::SiteKind::Load, ir::Space::Local, 4, "ld.local.f32"),
          site(ir::SiteKind::Reduction, ir::Space::Global, 4, "red.global.add.u32"),
          site(ir::SiteKind::Load, ir::Space::Global, 4, "ld.volatile.global.f32")};
}

event::Access access(uint32_t site, uint32_t block, uint32_t warp, uint64_t base, uint64_t stride) {
  event::Access a{};
  a.site = site;
  a.mask = ~0u;
  a.block[0] = block;
  a.warp = warp;
  for (uint64_t l = 0; l < 32; ++l) a.address[l] = base + l * stride;
  return a;
}

struct Replayed {
  CacheTotals totals;
  unsigned sampled = 0;
};

// Each block's events go to one worker, in order; blocks to workers by chance.
Replayed replay(const std::vector<std::vector<event::Access>>& blocks, unsigned workers, unsigned seed,
                uint64_t most = 1 << 20, const model::CacheSpec& spec = *model::find_cache_spec("h200")) {
  const std::vector<ir::Site> all = sites();
  CacheTrace trace(all, Dim3{uint32_t(blocks.size()), 1, 1}, workers, most);
  std::mt19937 random(seed);
  std::vector<size_t> order(blocks.size());
  for (size_t b = 0; b < order.size(); ++b) order[b] = b;
  std::shuffle(order.begin(), order.end(), random);
  for (size_t b : order) {
    event::Sink* sink = trace.sink(random() % workers, nullptr);
    const std::span<const event::Access> events = blocks[b];
    for (size_t at = 0; at < events.size(); at += 32)
      sink->accesses(events.subspan(at, std::min<size_t>(32, events.size() - at)));
  }
  const CacheTrail trail = trace.finish();
  return {replay_caches(gpu(), spec, {Dim3{256, 1, 1}, 0, 0}, trail), trail.sampled};
}

// As figures without what every launch adds.
model::CacheSpec plain() {
  model::CacheSpec spec;
  spec.active_warps = 16;
  return spec;
}

TEST(CacheTrail, ACopyByHand) {
  std::vector<std::vector<event::Access>> blocks(2);
  for (uint32_t b = 0; b < 2; ++b)
    for (uint32_t w = 0; w < 8; ++w) {
      const uint64_t at = (b * 8 + w) * 128;
      blocks[b].push_back(access(0, b, w, at, 4));
      blocks[b].push_back(access(2, b, w, at, 4));  // shared memory: not here
      blocks[b].push_back(access(1, b, w, 1 << 20 | at, 4));
    }
  const CacheTotals t = replay(blocks, 1, 1, 1 << 20, plain()).totals;
  EXPECT_EQ(t.l1_sectors, 64u);
  EXPECT_EQ(t.l1_hits, 0u);
  EXPECT_EQ(t.l2_tex_reads, 64u);
  EXPECT_EQ(t.l2_reads, 64u);
  EXPECT_EQ(t.l2_writes, 64u);
  EXPECT_EQ(t.l2_hits, 64u);
  EXPECT_EQ(t.l2_misses, 64u);
  EXPECT_EQ(t.dram_read_bytes, 64u * 32);
  EXPECT_EQ(t.dram_write_bytes, 0u);
}

TEST(CacheTrail, LocalMemoryIsInterleavedAndAWarpsOwn) {
  std::vector<std::vector<event::Access>> blocks(1);
  for (uint32_t w = 0; w < 2; ++w) {
    blocks[0].push_back(access(3, 0, w, 16, 0));  // all lanes at one word: 4 sectors
    blocks[0].push_back(access(4, 0, w, 16, 0));
    blocks[0].push_back(access(4, 0, w, 32, 4));  // each lane at another: 32 lines, nothing there yet
  }
  const CacheTotals t = replay(blocks, 1, 1, 1 << 20, plain()).totals;
  EXPECT_EQ(t.l1_local_sectors, 2u * 36);
  EXPECT_EQ(t.l1_local_hits, 2u * 4);
  EXPECT_EQ(t.l1_sectors, 0u);
  EXPECT_EQ(t.l2_writes, 8u);
  EXPECT_EQ(t.l2_tex_reads, 64u);
}

TEST(CacheTrail, VolatileLoadsPassL1) {
  std::vector<std::vector<event::Access>> blocks(1);
  for (int n = 0; n < 3; ++n) blocks[0].push_back(access(6, 0, 0, 0, 4));
  const CacheTotals t = replay(blocks, 1, 1, 1 << 20, plain()).totals;
  EXPECT_EQ(t.l1_hits, 0u);
  EXPECT_EQ(t.l2_tex_reads, 12u);
  EXPECT_EQ(t.l2_misses, 4u);
}

// A request whose lanes follow the one before has lines of its own all the same.
TEST(CacheTrail, BasesMove) {
  std::vector<std::vector<event::Access>> blocks(1);
  for (uint64_t base : {1000 * 128, 1002 * 128, 990 * 128, 990 * 128 + 4})
    blocks[0].push_back(access(0, 0, 0, base, 4));
  blocks[0].push_back(access(0, 0, 0, 2000 * 128, 8));
  blocks[0].push_back(access(0, 0, 0, 2001 * 128, 8));
  blocks[0].back().mask = 0xffff;
  const CacheTotals t = replay(blocks, 1, 1, 1 << 20, plain()).totals;
  EXPECT_EQ(t.l1_sectors, 4u + 4 + 4 + 5 + 8 + 4);
  EXPECT_EQ(t.l1_hits, 4u + 4);
  EXPECT_EQ(t.dram_read_bytes, 32u * (4 + 4 + 4 + 2 + 8));
}

std::vector<std::vector<event::Access>> some_launch(size_t count) {
  std::mt19937_64 random(5);
  std::vector<std::vector<event::Access>> blocks(count);
  for (uint32_t b = 0; b < count; ++b)
    for (int n = 0; n < 6; ++n)
      for (uint32_t w = 0; w < 8; ++w) {
        const uint32_t s = uint32_t(random() % 7);
        const uint64_t place = s == 3 || s == 4 ? random() % 16 * 4 : random() % (1 << 22) * 4;
        blocks[b].push_back(access(s, b, w, place, random() % 3 * 4));
      }
  return blocks;
}

void expect_equal(const CacheTotals& a, const CacheTotals& b) {
  EXPECT_EQ(a.l1_sectors, b.l1_sectors);
  EXPECT_EQ(a.l1_hits, b.l1_hits);
  EXPECT_EQ(a.l1_local_hits, b.l1_local_hits);
  EXPECT_EQ(a.l2_reads, b.l2_reads);
  EXPECT_EQ(a.l2_writes, b.l2_writes);
  EXPECT_EQ(a.l2_tex_reads, b.l2_tex_reads);
  EXPECT_EQ(a.l2_hits, b.l2_hits);
  EXPECT_EQ(a.l2_misses, b.l2_misses);
  EXPECT_EQ(a.dram_read_bytes, b.dram_read_bytes);
  EXPECT_EQ(a.dram_write_bytes, b.dram_write_bytes);
}

TEST(CacheTrail, IsTheSameHoweverBlocksWereSpread) {
  const auto blocks = some_launch(600);
  for (uint64_t most : {uint64_t{1} << 20, uint64_t{2000}}) {
    const Replayed one = replay(blocks, 1, 1, most);
    EXPECT_EQ(one.sampled != 0, most == 2000);
    for (unsigned seed = 2; seed < 6; ++seed) {
      const Replayed other = replay(blocks, seed, seed, most);
      EXPECT_EQ(one.sampled, other.sampled);
      expect_equal(one.totals, other.totals);
    }
  }
}

// Of a launch that streams through memory, a sample tells as much as the whole.
TEST(CacheTrail, ASampleIsScaled) {
  std::vector<std::vector<event::Access>> blocks(3000);
  for (uint32_t b = 0; b < blocks.size(); ++b)
    for (uint32_t w = 0; w < 8; ++w) {
      const uint64_t at = uint64_t{b * 8 + w} * 128;
      blocks[b].push_back(access(0, b, w, at, 4));
      blocks[b].push_back(access(0, b, w, at + 4, 4));
      blocks[b].push_back(access(1, b, w, (1 << 26) + at, 4));
    }
  const Replayed whole = replay(blocks, 2, 1), sample = replay(blocks, 2, 1, 8000);
  EXPECT_EQ(whole.sampled, 0u);
  EXPECT_GE(sample.sampled, 3u);
  const auto near = [](uint64_t a, uint64_t b) { EXPECT_NEAR(double(a), double(b), 0.05 * double(b) + 1); };
  near(sample.totals.l1_hits, whole.totals.l1_hits);
  near(sample.totals.l2_reads, whole.totals.l2_reads);
  near(sample.totals.l2_writes, whole.totals.l2_writes);
  near(sample.totals.dram_read_bytes, whole.totals.dram_read_bytes);
}

// Of few lines of each warp a sample must not make more warps that share L1 at a time than there are.
TEST(CacheTrail, ASampleKeepsWhatAWarpReadsAgain) {
  std::vector<std::vector<event::Access>> blocks(800);
  for (uint32_t b = 0; b < blocks.size(); ++b)
    for (uint32_t w = 0; w < 8; ++w)
      for (uint64_t sector = 0; sector < 4; ++sector)
        blocks[b].push_back(access(0, b, w, uint64_t{b * 8 + w} * 4096 + sector * 32, 128));
  const Replayed whole = replay(blocks, 2, 1, 4 << 20), sample = replay(blocks, 2, 1, 2000);
  EXPECT_EQ(whole.sampled, 0u);
  EXPECT_GE(sample.sampled, 8u);
  // Of each pair of sectors DRAM is read once; L1 has none of them before it is asked.
  EXPECT_EQ(whole.totals.l1_hits, 0u);
  EXPECT_EQ(sample.totals.l1_hits, 0u);
  for (auto& block : blocks) {
    const auto once = block;
    block.insert(block.end(), once.begin(), once.end());
    std::stable_sort(block.begin(), block.end(), [](const auto& a, const auto& b) { return a.warp < b.warp; });
  }
  const Replayed twice = replay(blocks, 2, 1, 8 << 20), some = replay(blocks, 2, 1, 2000);
  EXPECT_EQ(twice.totals.l1_hits * 2, twice.totals.l1_sectors);
  EXPECT_NEAR(double(some.totals.l1_hits), double(twice.totals.l1_hits), 0.05 * double(twice.totals.l1_hits));
}

}  // namespace
}  // namespace warplens::observe
