#include "model/caches.h"

#include <gtest/gtest.h>

#include "model/residency.h"

namespace warplens::model {
namespace {

// `sms` SMs with an L1 of two lines and an L2 of `l2_lines`.
GpuSpec small_gpu(uint32_t sms, uint64_t l2_lines) {
  GpuSpec gpu;
  gpu.sm_count = sms;
  gpu.l1_shared_bytes = 2 * kLineBytes + 1024;
  gpu.l2_bytes = l2_lines * kLineBytes;
  return gpu;
}
constexpr uint32_t kShared = 1024;

LineAccess load(uint64_t line, uint8_t sectors) { return {line, sectors, 0, 8, CacheOp::Load}; }
LineAccess store(uint64_t line, uint8_t sectors) { return {line, sectors, sectors, 8, CacheOp::Store}; }
LineAccess store_words(uint64_t line, uint8_t sectors, uint8_t words) {
  return {line, sectors, 0, words, CacheOp::Store};
}

TEST(SectorCache, TheLineThatWasNotUsedForLongestLeaves) {
  SectorCache cache(2);
  SectorCache::Line left, *line = nullptr;
  EXPECT_FALSE(cache.insert(7, &line, &left));
  line->present = 5;
  EXPECT_FALSE(cache.insert(8, &line, &left));
  ASSERT_NE(cache.find(7), nullptr);
  EXPECT_EQ(cache.find(7)->present, 5);
  EXPECT_TRUE(cache.insert(9, &line, &left));
  EXPECT_EQ(left.number, 8u);
  EXPECT_EQ(cache.find(8), nullptr);
  EXPECT_TRUE(cache.insert(10, &line, &left));
  EXPECT_EQ(left.number, 7u);
}

TEST(SectorCache, LinesCompeteInTheirSetAlone) {
  constexpr uint64_t kWays = 4, kSets = 16;
  SectorCache cache(kWays, kSets);
  SectorCache::Line left, *line = nullptr;
  uint64_t kept = 0;
  for (uint64_t k = 0; k < kWays * kSets; ++k) kept += !cache.insert(k, &line, &left);
  EXPECT_LT(kept, kWays * kSets);  // some sets overflow, others are not full
  EXPECT_GT(kept, kWays * kSets / 2);
  for (uint64_t k = 64; k < 1000; ++k) cache.insert(k, &line, &left);
  uint64_t there = 0;
  for (uint64_t k = 0; k < 1000; ++k) there += cache.find(k) != nullptr;
  EXPECT_EQ(there, kWays * kSets);
}

TEST(SectorCache, DirtyLinesAreKnownInTheirOrder) {
  SectorCache cache(3);
  SectorCache::Line left, *line = nullptr;
  for (uint64_t k : {1, 2, 3}) {
    cache.insert(k, &line, &left);
    cache.written(*line, 1);
  }
  cache.written(*cache.find(1), 2);  // dirty already
  EXPECT_EQ(cache.dirty_lines(*line), 3u);
  EXPECT_EQ(cache.first_dirty(*line).number, 1u);
  EXPECT_EQ(cache.first_dirty(*line).dirty, 3);
  cache.cleaned(cache.first_dirty(*line));
  EXPECT_EQ(cache.first_dirty(*line).number, 2u);
  cache.insert(4, &line, &left);  // 2 leaves
  EXPECT_EQ(left.dirty, 1);
  EXPECT_EQ(cache.dirty_lines(*line), 1u);
  EXPECT_EQ(cache.first_dirty(*line).number, 3u);
}

TEST(SectorCache, ManyLines) {
  SectorCache cache(1000);
  SectorCache::Line left, *line = nullptr;
  for (uint64_t k = 0; k < 5000; ++k) EXPECT_EQ(cache.insert(k * 64, &line, &left), k >= 1000);
  for (uint64_t k = 0; k < 5000; ++k) EXPECT_EQ(cache.find(k * 64) != nullptr, k >= 4000) << k;
}

TEST(Caches, SectorsAreLoadedOneByOneAndReadFromDramInPairs) {
  const GpuSpec gpu = small_gpu(1, 100);
  Caches caches(gpu, CacheSpec{}, kShared);
  CacheFigures f;
  caches.access(0, 0, load(3, 0b0011), f);  // cold
  EXPECT_EQ(f.l1_hits, 0u);
  EXPECT_EQ(f.l2_reads, 2u);
  EXPECT_EQ(f.dram_read, 2u);
  caches.access(0, 1, load(3, 0b0111), f);  // sector 2 brings 3 to L2
  EXPECT_EQ(f.l1_hits, 2u);
  EXPECT_EQ(f.l2_reads, 3u);
  EXPECT_EQ(f.l2_misses, 4u);
  EXPECT_EQ(f.dram_read, 4u);
  caches.access(0, 2, load(3, 0b1000), f);  // which L1 has not
  EXPECT_EQ(f.l1_sectors, 6u);
  EXPECT_EQ(f.l1_hits, 2u);
  EXPECT_EQ(f.l2_hits, 1u);
  EXPECT_EQ(f.dram_read, 4u);
}

TEST(Caches, L1HasRoomForItsLines) {
  const GpuSpec gpu = small_gpu(2, 100);
  Caches caches(gpu, CacheSpec{}, kShared);
  CacheFigures f;
  for (uint64_t line : {1, 2, 3, 1}) caches.access(0, 0, load(line, 0b1111), f);  // 3 takes the place of 1
  EXPECT_EQ(f.l1_hits, 0u);
  EXPECT_EQ(f.dram_read, 12u);
  caches.access(1, 0, load(1, 0b1111), f);  // another SM, another L1
  EXPECT_EQ(f.l1_hits, 0u);
  EXPECT_EQ(f.l2_hits, 8u);
  caches.access(1, 0, {1, 0b1111, 0, 8, CacheOp::LoadPastL1}, f);
  EXPECT_EQ(f.l1_hits, 0u);
  EXPECT_EQ(f.l2_hits, 12u);
}

TEST(Caches, AStoreLeavesWholeSectorsInL1AndPartsOnlyInL2) {
  const GpuSpec gpu = small_gpu(1, 100);
  Caches caches(gpu, CacheSpec{}, kShared);
  CacheFigures f;
  caches.access(0, 0, store(5, 0b0001), f);
  caches.access(0, 0, load(5, 0b0001), f);
  EXPECT_EQ(f.l1_hits, 1u);
  EXPECT_EQ(f.l2_writes, 1u);
  EXPECT_EQ(f.l2_reads, 0u);
  caches.access(0, 0, store_words(6, 0b0001, 1), f);
  caches.access(0, 0, load(6, 0b0001), f);  // what was not written is in DRAM only
  EXPECT_EQ(f.l1_hits, 1u);
  EXPECT_EQ(f.l2_reads, 1u);
  EXPECT_EQ(f.dram_read, 2u);
  EXPECT_EQ(f.dram_write, 0u);
}

TEST(Caches, WrittenSectorsGoToDramWhenTheirLineLeaves) {
  const GpuSpec gpu = small_gpu(1, 1);
  Caches caches(gpu, CacheSpec{}, kShared);
  CacheFigures f;
  caches.access(0, 0, store(1, 0b0111), f);
  EXPECT_EQ(f.dram_write, 0u);
  caches.access(0, 0, store_words(2, 0b0011, 2), f);
  EXPECT_EQ(f.dram_write, 3u);
  EXPECT_EQ(f.fills, 0u);
  caches.access(0, 0, store_words(2, 0b0001, 6), f);  // sector 0 is whole now, sector 1 is not
  caches.access(0, 0, load(3, 0b0001), f);
  EXPECT_EQ(f.dram_write, 5u);
  EXPECT_EQ(f.fills, 1u);
}

TEST(Caches, SoMuchMayWaitToBeWritten) {
  const GpuSpec gpu = small_gpu(1, 10);
  CacheSpec spec;
  spec.l2_dirty_percent = 50;
  Caches caches(gpu, spec, kShared);
  CacheFigures f;
  for (uint64_t line = 0; line < 7; ++line) caches.access(0, 0, store(line, 0b1111), f);
  EXPECT_EQ(f.dram_write, 8u);
  caches.access(0, 0, load(0, 0b1111), f);  // written, but still there
  EXPECT_EQ(f.dram_read, 0u);
}

TEST(Caches, WhatWasWrittenBeforeGoesToDramWhenItsPlaceIsNeeded) {
  const GpuSpec gpu = small_gpu(1, 10);
  CacheSpec spec;
  spec.launch_dirty_bytes = 3 * kLineBytes;
  Caches caches(gpu, spec, kShared);
  CacheFigures f;
  for (uint64_t line = 0; line < 7; ++line) caches.access(0, 0, load(line, 0b1111), f);
  EXPECT_EQ(f.dram_write, 0u);
  for (uint64_t line = 7; line < 30; ++line) caches.access(0, 0, load(line, 0b1111), f);
  EXPECT_EQ(f.dram_write, 12u);
}

TEST(Caches, EachPartitionKeepsACopyOfWhatItsSideReads) {
  const GpuSpec gpu = small_gpu(2, 200);
  CacheSpec spec;
  spec.l2_partitions = spec.gpcs = 2;
  uint64_t misses = 0;
  for (uint32_t first : {0u, 1u}) {
    Caches caches(gpu, spec, kShared);
    CacheFigures f;
    for (uint32_t sm : {first, 1 - first}) caches.access(sm, 0, load(9, 0b1111), f);
    EXPECT_EQ(f.l2_reads, 8u);
    EXPECT_EQ(f.fabric_reads, 4u);  // by the SM on the other side
    EXPECT_EQ(f.dram_read, 4u);
    EXPECT_EQ(f.l2_hits + f.l2_misses, 8u);
    misses += f.l2_misses;
  }
  EXPECT_EQ(misses, 12u);  // 8 if the near SM comes first, 4 if the far one does, which brings the line home too
}

TEST(Caches, ReadsOfAGpcAtTheSameTimeAreOne) {
  const GpuSpec gpu = small_gpu(12, 100);
  CacheSpec spec;
  spec.gpcs = 2;
  spec.merge_reads = 4;
  spec.merge_turns = 3;
  Caches caches(gpu, spec, kShared);
  CacheFigures f;
  for (uint32_t sm = 0; sm < 4; ++sm) caches.access(sm, 10, load(1, 0b0011), f);
  EXPECT_EQ(f.l2_reads, 2u);
  caches.access(4, 10, load(1, 0b0011), f);  // four were joined
  EXPECT_EQ(f.l2_reads, 4u);
  caches.access(6, 10, load(1, 0b0011), f);  // another GPC
  EXPECT_EQ(f.l2_reads, 6u);
  caches.access(5, 12, load(1, 0b0111), f);  // not what SM 4 asked for
  EXPECT_EQ(f.l2_reads, 9u);
  caches.access(7, 13, load(1, 0b0011), f);  // too late to join SM 6
  EXPECT_EQ(f.l2_reads, 11u);
}

TEST(Caches, AnAtomicIsDoneAtHome) {
  const GpuSpec gpu = small_gpu(1, 1);
  Caches caches(gpu, CacheSpec{}, kShared);
  CacheFigures f;
  for (int n = 0; n < 3; ++n) caches.access(0, 0, {4, 0b0001, 0, 8, CacheOp::Reduce}, f);
  EXPECT_EQ(f.l2_misses, 1u);
  EXPECT_EQ(f.l2_hits, 2u);
  EXPECT_EQ(f.dram_read, 2u);
  caches.access(0, 0, load(5, 0b0001), f);
  EXPECT_EQ(f.dram_write, 1u);
  EXPECT_EQ(f.fills, 0u);
}

TEST(Caches, ASampleHasSmallerCaches) {
  const GpuSpec gpu = small_gpu(1, 8);
  Caches caches(gpu, CacheSpec{}, kShared, 2);  // 2 lines of L2
  CacheFigures f;
  for (uint64_t line : {1, 2, 3, 1}) caches.access(0, 0, load(line, 0b1111), f);
  EXPECT_EQ(f.dram_read, 16u);
}

TEST(Residency, BlocksOfAnH200) {
  const auto gpu = find_gpu("h200");
  ASSERT_TRUE(gpu);
  // Limits as Nsight Compute names them for the probes: warps, blocks, registers, shared memory.
  const auto blocks = [&](BlockNeeds needs) { return residency(*gpu, needs).blocks; };
  EXPECT_EQ(blocks({256, 0, 16}), 8u);
  EXPECT_EQ(blocks({32, 0, 16}), 32u);
  EXPECT_EQ(blocks({100, 0, 0}), 16u);
  EXPECT_EQ(blocks({1024, 8192, 0}), 2u);
  EXPECT_EQ(blocks({256, 0, 40}), 6u);
  EXPECT_EQ(blocks({256, 49152, 0}), 4u);
  EXPECT_EQ(residency(*gpu, {256, 0, 16}).shared_carveout, 32768u);
  EXPECT_EQ(residency(*gpu, {256, 16384, 16}).shared_carveout, 167936u);
}

TEST(CacheSpec, EveryGpuHasOne) {
  for (const std::string& id : gpu_ids()) EXPECT_TRUE(find_cache_spec(id)) << id;
  EXPECT_EQ(find_cache_spec("h200")->basis, "measured");
  EXPECT_EQ(find_cache_spec("p100")->basis, "");  // nothing is known
  EXPECT_EQ(find_cache_spec("p100")->l2_partitions, 1u);
  EXPECT_EQ(find_cache_spec("h200")->l2_partitions, 2u);
  EXPECT_FALSE(find_cache_spec("h999"));
}

}  // namespace
}  // namespace warplens::model
