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
    uint64_t count, min_key, max_key;
  };

  PatternTally() {}  // by hand, so that nobody zeroes the buckets first; SiteStats too
  PatternTally(const PatternTally& other) { merge(other); }
  PatternTally& operator=(const PatternTally& other) {
    used_ = 0;
    merge(other);
    return *this;
  }
  void add(uint64_t key, uint64_t count) {
    const uint32_t b = bucket_of(key);
    Bucket& bucket = buckets_[b];
    if (!(used_ >> b & 1)) {
      used_ |= 1u << b;
      bucket = {count, key, key};
      return;
    }
    bucket.count += count;
    if (key < bucket.min_key) bucket.min_key = key;
    if (key > bucket.max_key) bucket.max_key = key;
  }
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
  // Patterns without parameters have small keys and a bucket each; the others share what is left.
  static constexpr uint32_t kOwnBuckets = 16;
  static uint32_t bucket_of(uint64_t key) {
    if (key < kOwnBuckets) return uint32_t(key);
    return kOwnBuckets + uint32_t((key * 0x9e3779b97f4a7c15ull >> 32) % (kBuckets - kOwnBuckets));
  }
  uint32_t used_ = 0;  // a bit a bucket; the others are not initialized, as most launches need one or two
  std::array<Bucket, kBuckets> buckets_;
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
  uint64_t executed = 0;        // by warps, whatever the guards said
  uint64_t executed_lanes = 0;  // active lanes of those
  // branches
  uint64_t branch_executed = 0;   // by warps
  uint64_t branch_divergent = 0;  // warps whose active lanes went both ways
  uint64_t branch_lanes = 0;      // active lanes, summed

  SiteStats() {}
  void merge(const SiteStats& other);
};

}  // namespace warplens::observe
