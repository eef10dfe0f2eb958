// L1, L2 and DRAM: what becomes of a launch's requests behind the coalescer. The rules, their sources and their limits:
// caches.cpp.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/cache_spec.h"
#include "model/gpu_spec.h"
#include "model/sector_cache.h"

namespace warplens::model {

enum class CacheOp : uint8_t { Load, LoadPastL1, Store, Reduce };  // Reduce: atomics too

// What one request asks of one 128-byte line.
struct LineAccess {
  uint64_t line = 0;    // address / 128
  uint8_t sectors = 0;  // bit s: sector s of the line
  uint8_t whole = 0;    // of a store: sectors of which every byte is written
  uint8_t words = 8;    // of 8: how much is written of the others
  CacheOp op = CacheOp::Load;
};

// Sectors; `lookups` at the L2 partition that an SM asks first.
struct CacheFigures {
  uint64_t l1_sectors = 0, l1_hits = 0;  // loads
  uint64_t l2_lookups = 0, l2_hits = 0, l2_misses = 0;
  uint64_t l2_reads = 0, l2_writes = 0;          // lookups of loads, and of stores
  uint64_t fabric_reads = 0, fabric_writes = 0;  // passed on to the other partition
  uint64_t dram_read = 0, dram_write = 0;
  uint64_t fills = 0;  // read from DRAM, and written to L2, because a sector that leaves was written in part
};

// The caches of one GPU, empty at first. Deterministic: a function of the sequence of calls.
class Caches {
 public:
  // `shared_bytes`: of the unified L1, what the launch gives to shared memory. `sampled`: only every 2^sampled-th line
  // is told; the caches are smaller by as much.
  Caches(const GpuSpec& gpu, const CacheSpec& spec, uint32_t shared_bytes, unsigned sampled = 0);

  // One request's share of a line, by a warp of `sm`; SMs of a GPC have neighbouring numbers. `turn` does not decrease:
  // the requests of a turn are made at once.
  void access(uint32_t sm, uint64_t turn, const LineAccess& access, CacheFigures& figures);

 private:
  // A read on its way to L2, which others may join.
  struct Flight {
    uint64_t line = ~uint64_t{0}, turn = 0;
    uint8_t sectors = 0;
    uint32_t reads = 0;
  };
  void load(uint32_t sm, uint64_t turn, const LineAccess&, CacheFigures&);
  void store(uint32_t sm, const LineAccess&, CacheFigures&);
  void reduce(uint32_t sm, const LineAccess&, CacheFigures&);
  void read_l2(uint32_t sm, uint64_t line, uint8_t sectors, CacheFigures&);
  uint8_t read_home(SectorCache& home, uint64_t line, uint8_t sectors, CacheFigures&);
  static SectorCache::Line& in_l2(SectorCache& l2, uint64_t line, CacheFigures&);
  void written(SectorCache& l2, SectorCache::Line& line, uint8_t sectors, CacheFigures&);
  static void write_back(SectorCache::Line& line, CacheFigures&);
  uint8_t not_merged(uint32_t sm, uint64_t turn, uint64_t line, uint8_t sectors);
  SectorCache& l1(uint32_t sm);
  uint32_t gpc_of(uint32_t sm) const { return sm * spec_.gpcs / sms_; }
  SectorCache& home_of(uint64_t line);
  SectorCache& side_of(uint32_t sm) { return l2_[gpc_of(sm) % l2_.size()]; }

  CacheSpec spec_;
  uint32_t sms_;
  uint64_t l1_lines_, most_dirty_;                // of L1; of a set of L2
  std::vector<std::unique_ptr<SectorCache>> l1_;  // by SM, made when it is needed
  std::vector<SectorCache> l2_;
  static constexpr uint32_t kFlights = 2048;
  std::vector<std::vector<Flight>> flights_;  // by GPC
};

}  // namespace warplens::model
