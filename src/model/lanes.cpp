#include "model/lanes.h"

#include <algorithm>

namespace warplens::model {

bool gather_plain(const uint64_t* address, uint32_t mask, Lanes& lanes) {
  if (mask == 0) return false;
  const uint64_t first = address[std::countr_zero(mask)];
  const uint64_t base = (first & ~uint64_t{127}) - (uint64_t{1} << 29);
  uint64_t high = 0;
  for (int l = 0; l < 32; ++l) {
    const uint64_t offset = (mask >> l & 1 ? address[l] : first) - base;
    high |= offset >> 30;
    lanes.offset[l] = uint32_t(offset);
  }
  lanes.mask = mask;
  return high == 0;
}

LaneCounts count_plain(const Lanes& lanes) {
  LaneCounts counts;
  for (int l = 0; l < 32; ++l) {
    uint32_t nearest = ~0u;  // smallest difference, as xor, to a lane before this one
    for (int k = 0; k < l; ++k) nearest = std::min(nearest, lanes.offset[k] ^ lanes.offset[l]);
    counts.addresses += nearest != 0;
    counts.words += nearest >= 4;
    counts.sectors += nearest >= 32;
    counts.lines += nearest >= 128;
    counts.first_word |= uint32_t{nearest >= 4} << l;
  }
  return counts;
}

PackedCounts count_close_plain(const uint64_t* address, uint32_t mask) {
  Lanes lanes;
  if (!gather_plain(address, mask, lanes)) return {};
  const LaneCounts counts = count_plain(lanes);
  return PackedCounts::of(counts.addresses, counts.sectors, counts.lines, uint32_t(std::popcount(mask)));
}

bool all_lines_differ_plain(const Lanes& lanes) { return count_plain(lanes).lines == 32; }

bool has_pattern_plain(const uint64_t* address, uint64_t base, const int64_t* pattern, uint32_t mask) {
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int l = std::countr_zero(rest);
    if (address[l] != base + uint64_t(pattern[l])) return false;
  }
  return true;
}

PackedCounts count_sets_plain(const PatternSets& sets, uint32_t mask) {
  const auto lanes = uint32_t(std::popcount(mask));
  const auto touched = [&](const LaneSets& s) {
    if (s.blocks == 0) return lanes;
    uint32_t n = 0;
    for (uint32_t k = 0; k < 8 * s.blocks; ++k) n += (s.lanes[k] & mask) != 0;
    return n;
  };
  return PackedCounts::of(touched(sets.addresses), touched(sets.sectors), touched(sets.lines), lanes);
}

bool has_no_runs_plain(const uint64_t* address, uint32_t width) {
  const uint64_t step = address[1] - address[0];
  if (address[2] - address[1] == step) return false;
  int same = 0, units = 0;
  bool bends = false;
  for (int l = 0; l + 1 < 32; ++l) {
    const uint64_t distance = address[l + 1] - address[l];
    same += distance == 0;
    units += distance == width;
    bends |= distance != step;
  }
  return bends && same < 16 && units < 16;
}

}  // namespace warplens::model
