#include "observe/site_stats.h"

#include <algorithm>
#include <bit>

namespace warplens::observe {

namespace {

std::string range_words(const model::LanePattern& low, const model::LanePattern& high) {
  using model::PatternClass;
  if (low.shape != high.shape) return "mixed";
  // The block's rows where lanes are missing at its edges: one pattern, and its parameters lead the key, so that every
  // key between the two has them as well.
  if (low.count == high.count && low.length == high.length && low.stride == high.stride)
    return model::words({low.shape, model::MaskShape::Run, 0, low.count, low.length, low.stride}) + ", various lanes";
  switch (low.shape) {
    case PatternClass::Strided:
      return "various lane strides";
    case PatternClass::Rows:
    case PatternClass::StridedRows:
    case PatternClass::StridedCopies:
      return "various rows";
    case PatternClass::Groups:
      return "various groups that share an address";
    default:
      return model::words({low.shape}) + ", various lanes";
  }
}

}  // namespace

void PatternTally::merge(const PatternTally& other) {
  for (uint32_t rest = other.used_; rest != 0; rest &= rest - 1) {
    const int b = std::countr_zero(rest);
    const Bucket& theirs = other.buckets_[b];
    Bucket& mine = buckets_[b];
    if (!(used_ >> b & 1)) {
      mine = theirs;
      continue;
    }
    mine.count += theirs.count;
    mine.min_key = std::min(mine.min_key, theirs.min_key);
    mine.max_key = std::max(mine.max_key, theirs.max_key);
  }
  used_ |= other.used_;
}

uint64_t PatternTally::total() const {
  uint64_t sum = 0;
  for (uint32_t rest = used_; rest != 0; rest &= rest - 1) sum += buckets_[std::countr_zero(rest)].count;
  return sum;
}

std::vector<PatternTally::Entry> PatternTally::entries() const {
  std::vector<Entry> out;
  for (uint32_t rest = used_; rest != 0; rest &= rest - 1) {
    const Bucket& bucket = buckets_[std::countr_zero(rest)];
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
  executed += other.executed;
  executed_lanes += other.executed_lanes;
}

}  // namespace warplens::observe
