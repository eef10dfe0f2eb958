// Plays a launch's requests to a model of the caches, in an order that a GPU might have. The order, and what is made of
// a sample: cache_replay.cpp.
#pragma once
#include <cstdint>

#include "base/dim3.h"
#include "model/cache_spec.h"
#include "model/gpu_spec.h"
#include "observe/cache_entry.h"

namespace warplens::observe {

// Of one launch. Sectors of 32 bytes, and bytes where the name says so. Modelled.
struct CacheTotals {
  uint64_t l1_sectors = 0, l1_hits = 0;              // loads from global memory
  uint64_t l1_local_sectors = 0, l1_local_hits = 0;  // and from local memory
  uint64_t l2_reads = 0, l2_writes = 0;              // all that L2 is asked, between its partitions too
  uint64_t l2_tex_reads = 0;                         // by the SMs' loads
  uint64_t l2_hits = 0, l2_misses = 0;               // of what the SMs ask
  uint64_t dram_read_bytes = 0, dram_write_bytes = 0;
};

struct CacheLaunch {
  Dim3 block;
  uint32_t shared_bytes = 0;  // of a block
  uint32_t registers = 0;     // of a thread; 0: not known, and taken for few enough
};

// A function of its arguments; pieces of one block must stand in the order in which they were made.
CacheTotals replay_caches(const model::GpuSpec& gpu, const model::CacheSpec& spec, const CacheLaunch& launch,
                          const CacheTrail& trail);

}  // namespace warplens::observe
