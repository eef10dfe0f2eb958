// What is known of one access or branch of a kernel after a launch. Plain counters: merging is addition, in any order.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/lane_pattern.h"

namespace warplens::observe {

// How often each lane pattern was seen, in fixed memory. A bucket adds the patterns that fall into it and remembers the
// smallest and the largest key, so that merging does not depend on order; min == max says that it holds one pattern.
// Patterns without parameters have a bucket each; "lane stride n" and the like share the rest by hash.
class PatternTally {
 public:
  static constexpr size_t kBuckets = 32;
  struct Bucket {
    uint64_t count = 0, min_key = ~uint64_t{0}, max_key = 0;
  };

  void add(uint64_t key, uint64_t count) { buckets_[bucket_of(key)].add(key, count); }
  void merge(const PatternTally& other);
  uint64_t total() const;

  struct Entry {
    std::string words;
    uint64_t count;
  };
  // Most frequent first, ties by words. Several patterns of one bucket are one entry that names their range.
  std::vector<Entry> entries() const;
  // "unit stride", or "unit stride 97 %" where other patterns occur too; "" if there were no requests.
  std::string summary() const;

 private:
  struct Cell : Bucket {
    void add(uint64_t key, uint64_t n) {
      count += n;
      if (key < min_key) min_key = key;
      if (key > max_key) max_key = key;
    }
  };
  static size_t bucket_of(uint64_t key);
  std::array<Cell, kBuckets> buckets_{};
};

struct SiteStats {
  // accesses
  uint64_t requests = 0;  // warp requests with at least one active lane
  uint64_t lanes = 0;     // active lanes, summed over requests
  uint64_t sectors = 0;   // all but shared and const: distinct 32-byte sectors per request, summed
  uint64_t sectors_ideal = 0;
  uint64_t tag_requests = 0;  // distinct 128-byte lines per request, summed
  uint64_t wavefronts = 0;    // shared
  uint64_t wavefronts_ideal = 0;
  uint64_t bytes_used = 0;  // distinct bytes per request, summed
  PatternTally patterns;
  // branches
  uint64_t branch_executed = 0;   // by warps
  uint64_t branch_divergent = 0;  // warps whose active lanes went both ways
  uint64_t branch_lanes = 0;      // active lanes, summed

  void merge(const SiteStats& other);
};

}  // namespace warplens::observe
