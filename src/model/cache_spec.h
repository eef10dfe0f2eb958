// What the model of the caches knows of a GPU beside its sizes: the table [caches] of data/gpus/*.toml, where each
// number has its source.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace warplens::model {

struct CacheSpec {
  std::string basis;                // "measured", or what stands for it ("as h200"); "": nothing is known of this GPU
  uint32_t l2_partitions = 1;       // each serves the SMs on its side, and keeps copies of the others' lines
  uint32_t l2_set_lines = 96;       // of L2: lines that compete for the same places
  uint32_t l2_dirty_percent = 100;  // of a set's lines may wait to be written to DRAM
  uint32_t gpcs = 1;                // groups of SMs, each with its own way to L2
  uint32_t merge_reads = 1;         // of a sector, by SMs of a GPC at the same time, that reach L2 as one
  uint32_t merge_turns = 0;         // what is the same time: caches.cpp
  uint32_t active_warps = 16;       // of an SM, that take turns: observe/cache_replay.cpp
  // What every launch asks beside its own accesses: code, parameters.
  uint32_t launch_l2_reads = 0, launch_l2_writes = 0;  // sectors
  uint32_t launch_dram_bytes = 0;                      // read
  uint32_t launch_dirty_bytes = 0;  // in L2 when it begins, of what ran before; written when their place is needed
};

// Of a GPU that model::find_gpu knows. Without a table [caches]: one L2, all of which is used, and no `basis`.
Result<CacheSpec> find_cache_spec(std::string_view gpu);

}  // namespace warplens::model
