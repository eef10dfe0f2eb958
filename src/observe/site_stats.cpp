#include "observe/site_stats.h"

#include <algorithm>

namespace warplens::observe {

namespace {

// Buckets 0..15 belong to patterns that have no parameter and whose lanes are neighbours, one each by class; the others
// share what is left.
constexpr size_t kOwnBuckets = 16;

std::string range_words(const model::LanePattern& low, const model::LanePattern& high) {
  using model::PatternClass;
  if (low.shape != high.shape) return "mixed";
  switch (low.shape) {
    case PatternClass::Strided:
      return "various lane strides";
    case PatternClass::Rows:
      return "various rows";
    case PatternClass::Groups:
      return "various groups that share an address";
    default:
      return model::words({low.shape}) + ", various lanes";
  }
}

}  // namespace

size_t PatternTally::bucket_of(uint64_t key) {
  if (key < kOwnBuckets) return key;
  return kOwnBuckets + (key * 0x9e3779b97f4a7c15ull >> 32) % (kBuckets - kOwnBuckets);
}

void PatternTally::merge(const PatternTally& other) {
  for (size_t i = 0; i < kBuckets; ++i) {
    if (other.buckets_[i].count == 0) continue;
    buckets_[i].count += other.buckets_[i].count;
    buckets_[i].min_key = std::min(buckets_[i].min_key, other.buckets_[i].min_key);
    buckets_[i].max_key = std::max(buckets_[i].max_key, other.buckets_[i].max_key);
  }
}

uint64_t PatternTally::total() const {
  uint64_t sum = 0;
  for (const Cell& bucket : buckets_) sum += bucket.count;
  return sum;
}

std::vector<PatternTally::Entry> PatternTally::entries() const {
  std::vector<Entry> out;
  for (const Cell& bucket : buckets_) {
    if (bucket.count == 0) continue;
    const model::LanePattern low = model::unpack(bucket.min_key), high = model::unpack(bucket.max_key);
    const std::string words = bucket.min_key == bucket.max_key ? model::words(low) : range_words(low, high);
    const auto same = std::find_if(out.begin(), out.end(), [&](const Entry& e) { return e.words == words; });
    if (same == out.end())
      out.push_back({words, bucket.count});
    else
      same->count += bucket.count;
  }
  std::sort(out.begin(), out.end(),
            [](const Entry& a, const Entry& b) { return a.count != b.count ? a.count > b.count : a.words < b.words; });
  return out;
}

std::string PatternTally::summary() const {
  const std::vector<Entry> all = entries();
  if (all.empty()) return "";
  if (all.size() == 1) return all[0].words;
  // Rounded down: 100 % would deny that there are others.
  return all[0].words + " " + std::to_string(all[0].count * 100 / total()) + " %";
}

void SiteStats::merge(const SiteStats& other) {
  requests += other.requests;
  lanes += other.lanes;
  sectors += other.sectors;
  sectors_ideal += other.sectors_ideal;
  tag_requests += other.tag_requests;
  wavefronts += other.wavefronts;
  wavefronts_ideal += other.wavefronts_ideal;
  bytes_used += other.bytes_used;
  patterns.merge(other.patterns);
  branch_executed += other.branch_executed;
  branch_divergent += other.branch_divergent;
  branch_lanes += other.branch_lanes;
}

}  // namespace warplens::observe
