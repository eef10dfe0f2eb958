// coalesced_group: any lanes of a warp, in the order of their numbers; and the partitions that make such groups.
#pragma once
#pragma GCC system_header
#include "warplens/cg/tile.h"

namespace cooperative_groups {
namespace __v1 {

class coalesced_group : public thread_group {
 public:
  WARPLENS_DEVICE_MEMBER unsigned long long num_threads() const { return __popc(mask_); }
  WARPLENS_DEVICE_MEMBER unsigned long long size() const { return __popc(mask_); }
  WARPLENS_DEVICE_MEMBER unsigned long long thread_rank() const { return __popc(mask_ & warplens::lanes_below()); }
  WARPLENS_DEVICE_MEMBER unsigned int meta_group_rank() const { return meta_rank_; }
  WARPLENS_DEVICE_MEMBER unsigned int meta_group_size() const { return meta_size_; }
  WARPLENS_DEVICE_MEMBER void sync() const { __syncwarp(mask_); }
  WARPLENS_DEVICE_MEMBER unsigned int mask() const { return mask_; }

  template <typename T>
  WARPLENS_DEVICE_MEMBER warplens::plain<T> shfl(T&& value, unsigned int rank) const {
    using warplens::Shuffle;
    const unsigned int from = mask_ == 0xffffffffu ? rank : warplens::lane_of_rank(mask_, rank);
    return warplens::shuffle<Shuffle::From, warplens::plain<T>>(mask_, value, from, 32);
  }
  // Ranks past the end keep their own value, as the instruction does for lanes past the end.
  template <typename T>
  WARPLENS_DEVICE_MEMBER warplens::plain<T> shfl_down(T&& value, unsigned int delta) const {
    using warplens::Shuffle;
    if (mask_ == 0xffffffffu) return warplens::shuffle<Shuffle::Down, warplens::plain<T>>(mask_, value, delta, 32);
    const unsigned int from = warplens::lane_of_rank(mask_, static_cast<unsigned int>(thread_rank()) + delta);
    return warplens::shuffle<Shuffle::From, warplens::plain<T>>(mask_, value, from < 32 ? from : warplens::lane(), 32);
  }
  template <typename T>
  WARPLENS_DEVICE_MEMBER warplens::plain<T> shfl_up(T&& value, unsigned int delta) const {
    using warplens::Shuffle;
    if (mask_ == 0xffffffffu) return warplens::shuffle<Shuffle::Up, warplens::plain<T>>(mask_, value, delta, 32);
    const unsigned int rank = static_cast<unsigned int>(thread_rank());
    const unsigned int from = rank >= delta ? warplens::lane_of_rank(mask_, rank - delta) : warplens::lane();
    return warplens::shuffle<Shuffle::From, warplens::plain<T>>(mask_, value, from, 32);
  }
  WARPLENS_DEVICE_MEMBER int any(int predicate) const { return (__ballot_sync(mask_, predicate) & mask_) != 0; }
  WARPLENS_DEVICE_MEMBER int all(int predicate) const { return (__ballot_sync(mask_, predicate) & mask_) == mask_; }
  WARPLENS_DEVICE_MEMBER unsigned int ballot(int predicate) const {
    return warplens::packed(__ballot_sync(mask_, predicate), mask_);
  }
  template <typename T>
  WARPLENS_DEVICE_MEMBER unsigned int match_any(T&& value) const {
    return warplens::packed(__match_any_sync(mask_, value), mask_);
  }
  template <typename T>
  WARPLENS_DEVICE_MEMBER unsigned int match_all(T&& value, int& same) const {
    return warplens::packed(__match_all_sync(mask_, value, &same), mask_);
  }

  // A tile within a warp is a group of lanes as well.
  template <unsigned int Size>
  WARPLENS_DEVICE_MEMBER coalesced_group(const warplens::LaneTile<Size>& tile)
      : thread_group(Kind::Lanes, tile.mask(), 0, tile.meta_group_rank(), tile.meta_group_size()) {}

 private:
  WARPLENS_DEVICE_MEMBER explicit coalesced_group(unsigned int mask, unsigned int meta_rank = 0,
                                                  unsigned int meta_size = 1)
      : thread_group(Kind::Lanes, mask, 0, meta_rank, meta_size) {}
  friend WARPLENS_DEVICE_MEMBER coalesced_group coalesced_threads();
  friend WARPLENS_DEVICE_MEMBER coalesced_group tiled_partition(const coalesced_group& parent, unsigned int size);
  friend WARPLENS_DEVICE_MEMBER coalesced_group binary_partition(const coalesced_group& parent, bool predicate);
  template <typename Label>
  friend WARPLENS_DEVICE_MEMBER coalesced_group labeled_partition(const coalesced_group& parent, Label label);
};

WARPLENS_DEVICE_MEMBER coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

WARPLENS_DEVICE_MEMBER coalesced_group tiled_partition(const coalesced_group& parent, unsigned int size) {
  const thread_group tile = tiled_partition(static_cast<const thread_group&>(parent), size);
  return coalesced_group(tile.mask_, tile.meta_rank_, tile.meta_size_);
}

// Those for which the predicate has the same value: two groups, or one if all agree.
WARPLENS_DEVICE_MEMBER coalesced_group binary_partition(const coalesced_group& parent, bool predicate) {
  const unsigned int yes = __ballot_sync(parent.mask(), predicate) & parent.mask();
  if (yes == 0 || yes == parent.mask()) return coalesced_group(parent.mask());
  return coalesced_group(predicate ? yes : parent.mask() ^ yes, predicate, 2);
}

// Those with the same label; the groups are counted in the order of their first lanes.
template <typename Label>
WARPLENS_DEVICE_MEMBER coalesced_group labeled_partition(const coalesced_group& parent, Label label) {
  const unsigned int same = __match_any_sync(parent.mask(), label) & parent.mask();
  const unsigned int first = __ffs(same) - 1;
  const unsigned int leaders = __ballot_sync(parent.mask(), warplens::lane() == first) & parent.mask();
  return coalesced_group(same, __popc(leaders & ((1u << first) - 1)), __popc(leaders));
}
template <typename Label, unsigned int Size, typename Parent>
WARPLENS_DEVICE_MEMBER coalesced_group labeled_partition(const thread_block_tile<Size, Parent>& parent, Label label) {
  return labeled_partition(coalesced_group(parent), label);
}
template <unsigned int Size, typename Parent>
WARPLENS_DEVICE_MEMBER coalesced_group binary_partition(const thread_block_tile<Size, Parent>& parent, bool predicate) {
  return binary_partition(coalesced_group(parent), predicate);
}

}  // namespace __v1
}  // namespace cooperative_groups
