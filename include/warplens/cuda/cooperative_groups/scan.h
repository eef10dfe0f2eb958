// cooperative_groups::inclusive_scan and exclusive_scan over tiles and coalesced groups, by doubling strides.
#pragma once
#pragma GCC system_header
#include "cooperative_groups/reduce.h"

#if defined(__CUDA__) && defined(__cplusplus)
namespace cooperative_groups {
namespace __v1 {
namespace warplens {

template <typename Group, typename T, typename Op>
WARPLENS_DEVICE T scan_lanes(const Group& group, T value, Op& op) {
  const unsigned int size = static_cast<unsigned int>(group.size()), rank = static_cast<unsigned int>(group.thread_rank());
  for (unsigned int stride = 1; stride < size; stride *= 2) {
    const T before = group.shfl_up(value, stride);
    if (rank >= stride) value = op(value, before);
  }
  return value;
}
template <unsigned int Size, typename T, typename Op>
WARPLENS_DEVICE T scan_group(const LaneTile<Size>& tile, T value, Op& op) {
  return scan_lanes(tile, value, op);
}
template <typename T, typename Op>
WARPLENS_DEVICE T scan_group(const coalesced_group& group, T value, Op& op) {
  return scan_lanes(group, value, op);
}
template <unsigned int Size, typename T, typename Op>
WARPLENS_DEVICE T scan_group(const WarpsTile<Size>& tile, T value, Op& op) {
  const thread_block_tile<32, thread_block> warp = tiled_partition<32>(this_thread_block());
  value = scan_lanes(static_cast<const LaneTile<32>&>(warp), value, op);
  bool any;
  const T before = tile.before(value, op, any);
  return any ? op(value, before) : value;
}

// The scanned value of the rank before; the first rank's is T(), which the documentation promises for sums only.
template <typename Group, typename T>
WARPLENS_DEVICE T from_rank_before(const Group& group, T scanned) {
  const T before = group.shfl_up(scanned, 1u);
  return group.thread_rank() == 0 ? T() : before;
}
template <unsigned int Size, typename T>
WARPLENS_DEVICE T from_rank_before(const WarpsTile<Size>& tile, T scanned) {
  struct Last {
    WARPLENS_DEVICE_MEMBER T operator()(const T&, const T& b) const { return b; }
  } last;
  const thread_block_tile<32, thread_block> warp = tiled_partition<32>(this_thread_block());
  bool any;
  const T of_warp_before = tile.before(scanned, last, any), before = warp.shfl_up(scanned, 1u);
  return lane() ? before : any ? of_warp_before : T();
}

template <unsigned int Size, typename Parent>
WARPLENS_DEVICE const Tile<Size>& simple(const thread_block_tile<Size, Parent>& tile) {
  return tile;
}
WARPLENS_DEVICE const coalesced_group& simple(const coalesced_group& group) { return group; }

}  // namespace warplens

template <typename Group, typename T, typename Op>
WARPLENS_DEVICE_MEMBER auto inclusive_scan(const Group& group, T&& value, Op&& op)
    -> warplens::plain<decltype(op(value, value))> {
  typedef warplens::plain<decltype(op(value, value))> Result;
  return warplens::scan_group(warplens::simple(group), static_cast<Result>(value), op);
}
template <typename Group, typename T>
WARPLENS_DEVICE_MEMBER warplens::plain<T> inclusive_scan(const Group& group, T&& value) {
  return inclusive_scan(group, value, plus<warplens::plain<T>>());
}
template <typename Group, typename T, typename Op>
WARPLENS_DEVICE_MEMBER auto exclusive_scan(const Group& group, T&& value, Op&& op)
    -> warplens::plain<decltype(op(value, value))> {
  return warplens::from_rank_before(warplens::simple(group), inclusive_scan(group, value, op));
}
template <typename Group, typename T>
WARPLENS_DEVICE_MEMBER warplens::plain<T> exclusive_scan(const Group& group, T&& value) {
  return exclusive_scan(group, value, plus<warplens::plain<T>>());
}

// A place in memory advances by the group's sum, and each rank gets the place where its part begins.
namespace warplens {
template <typename Group, typename Atomic, typename T>
WARPLENS_DEVICE T advance(const Group& group, Atomic& place, const T& own, const T& scanned_to_here, bool inclusive) {
  const unsigned int last = static_cast<unsigned int>(group.size()) - 1;
  T start{};
  if (group.thread_rank() == last) start = place.fetch_add(scanned_to_here);
  start = group.shfl(start, last);
  return inclusive ? start + scanned_to_here : start + scanned_to_here - own;
}
}  // namespace warplens
template <typename Group, typename Atomic, typename T, typename Op>
WARPLENS_DEVICE_MEMBER warplens::plain<T> inclusive_scan_update(const Group& group, Atomic& place, T&& value, Op&& op) {
  return warplens::advance<Group, Atomic, warplens::plain<T>>(group, place, value, inclusive_scan(group, value, op), true);
}
template <typename Group, typename Atomic, typename T, typename Op>
WARPLENS_DEVICE_MEMBER warplens::plain<T> exclusive_scan_update(const Group& group, Atomic& place, T&& value, Op&& op) {
  return warplens::advance<Group, Atomic, warplens::plain<T>>(group, place, value, inclusive_scan(group, value, op), false);
}

}  // namespace __v1
}  // namespace cooperative_groups
#endif
