// cooperative_groups::reduce over tiles and coalesced groups, and the operations for it. A warp's 32-bit integers are
// reduced by one instruction, everything else by exchange: in tiles and whole warps at halving distances, in other groups at
// doubling ones, so that sums of floats come in a fixed order.
#pragma once
#pragma GCC system_header
#include "cooperative_groups.h"

#if defined(__CUDA__) && defined(__cplusplus)
namespace cooperative_groups {
namespace __v1 {

#define WARPLENS_CG_OPERATION(name, value)                                              \
  template <typename T = void>                                                          \
  struct name {                                                                         \
    WARPLENS_MEMBER T operator()(T a, T b) const { return static_cast<T>(value); }      \
  };                                                                                    \
  template <>                                                                           \
  struct name<void> {                                                                   \
    template <typename T>                                                               \
    WARPLENS_MEMBER T operator()(T a, T b) const { return static_cast<T>(value); }      \
  };
WARPLENS_CG_OPERATION(plus, a + b)
WARPLENS_CG_OPERATION(less, b < a ? b : a)
WARPLENS_CG_OPERATION(greater, a < b ? b : a)
WARPLENS_CG_OPERATION(bit_and, a & b)
WARPLENS_CG_OPERATION(bit_or, a | b)
WARPLENS_CG_OPERATION(bit_xor, a ^ b)
#undef WARPLENS_CG_OPERATION

namespace warplens {

// Whether one instruction reduces values of T by Op, and which.
template <typename Op, typename T>
struct Instruction {
  static constexpr bool exists = false;
};
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define WARPLENS_CG_INSTRUCTION(op, type, intrinsic)                                                                  \
  template <>                                                                                                         \
  struct Instruction<op<type>, type> {                                                                                \
    static constexpr bool exists = true;                                                                              \
    static WARPLENS_DEVICE_MEMBER type reduce(unsigned int mask, type v) { return intrinsic(mask, v); }               \
  };                                                                                                                  \
  template <>                                                                                                         \
  struct Instruction<op<void>, type> : Instruction<op<type>, type> {};
WARPLENS_CG_INSTRUCTION(plus, int, __reduce_add_sync)
WARPLENS_CG_INSTRUCTION(plus, unsigned int, __reduce_add_sync)
WARPLENS_CG_INSTRUCTION(less, int, __reduce_min_sync)
WARPLENS_CG_INSTRUCTION(less, unsigned int, __reduce_min_sync)
WARPLENS_CG_INSTRUCTION(greater, int, __reduce_max_sync)
WARPLENS_CG_INSTRUCTION(greater, unsigned int, __reduce_max_sync)
WARPLENS_CG_INSTRUCTION(bit_and, int, __reduce_and_sync)
WARPLENS_CG_INSTRUCTION(bit_and, unsigned int, __reduce_and_sync)
WARPLENS_CG_INSTRUCTION(bit_or, int, __reduce_or_sync)
WARPLENS_CG_INSTRUCTION(bit_or, unsigned int, __reduce_or_sync)
WARPLENS_CG_INSTRUCTION(bit_xor, int, __reduce_xor_sync)
WARPLENS_CG_INSTRUCTION(bit_xor, unsigned int, __reduce_xor_sync)
#undef WARPLENS_CG_INSTRUCTION
#endif

template <unsigned int Size, typename T, typename Op>
WARPLENS_DEVICE T reduce_tile(const LaneTile<Size>& tile, T value, Op& op) {
  if constexpr (Instruction<plain<Op>, T>::exists) {
    return Instruction<plain<Op>, T>::reduce(tile.mask(), value);
  } else {
#pragma unroll
    for (unsigned int lanes = Size / 2; lanes; lanes /= 2) value = op(value, tile.shfl_xor(value, lanes));
    return value;
  }
}

template <unsigned int Size, typename T, typename Op>
WARPLENS_DEVICE T reduce_tile(const WarpsTile<Size>& tile, T value, Op& op) {
  const thread_block_tile<32, thread_block> warp = tiled_partition<32>(this_thread_block());
  return tile.reduce(reduce_tile(static_cast<const LaneTile<32>&>(warp), value, op), op);
}

template <typename T, typename Op>
WARPLENS_DEVICE T reduce_lanes(const coalesced_group& group, T value, Op& op) {
  if constexpr (Instruction<plain<Op>, T>::exists) {
    return Instruction<plain<Op>, T>::reduce(group.mask(), value);
  } else {
    if (group.mask() == 0xffffffffu) {
#pragma unroll
      for (unsigned int lanes = 16; lanes; lanes /= 2)
        value = op(value, shuffle<Shuffle::Xor, T>(0xffffffffu, value, lanes, 32));
      return value;
    }
    const unsigned int size = static_cast<unsigned int>(group.size()), rank = static_cast<unsigned int>(group.thread_rank());
    for (unsigned int stride = 1; stride < size; stride *= 2) {
      const T before = group.shfl_up(value, stride);
      if (rank >= stride) value = op(value, before);
    }
    return group.shfl(value, size - 1);
  }
}

}  // namespace warplens

template <unsigned int Size, typename Parent, typename T, typename Op>
WARPLENS_DEVICE_MEMBER auto reduce(const thread_block_tile<Size, Parent>& group, T&& value, Op&& op)
    -> warplens::plain<decltype(op(value, value))> {
  typedef warplens::plain<decltype(op(value, value))> Result;
  return warplens::reduce_tile(static_cast<const warplens::Tile<Size>&>(group), static_cast<Result>(value), op);
}
template <typename T, typename Op>
WARPLENS_DEVICE_MEMBER auto reduce(const coalesced_group& group, T&& value, Op&& op)
    -> warplens::plain<decltype(op(value, value))> {
  typedef warplens::plain<decltype(op(value, value))> Result;
  return warplens::reduce_lanes(group, static_cast<Result>(value), op);
}

// The group's result into memory, through a cuda::atomic; nobody waits for it.
template <typename Group, typename Atomic, typename T>
WARPLENS_DEVICE_MEMBER void reduce_update_async(const Group& group, Atomic& target, T&& value,
                                                plus<warplens::plain<T>> op) {
  const auto result = reduce(group, value, op);
  if (group.thread_rank() == 0) target.fetch_add(result);
}
template <typename Group, typename Atomic, typename T>
WARPLENS_DEVICE_MEMBER void reduce_update_async(const Group& group, Atomic& target, T&& value,
                                                less<warplens::plain<T>> op) {
  const auto result = reduce(group, value, op);
  if (group.thread_rank() == 0) target.fetch_min(result);
}
template <typename Group, typename Atomic, typename T>
WARPLENS_DEVICE_MEMBER void reduce_update_async(const Group& group, Atomic& target, T&& value,
                                                greater<warplens::plain<T>> op) {
  const auto result = reduce(group, value, op);
  if (group.thread_rank() == 0) target.fetch_max(result);
}
template <typename Group, typename Atomic, typename T, typename Op>
WARPLENS_DEVICE_MEMBER void reduce_store_async(const Group& group, Atomic& target, T&& value, Op&& op) {
  const auto result = reduce(group, value, op);
  if (group.thread_rank() == 0) target.store(result);
}

}  // namespace __v1
}  // namespace cooperative_groups
#endif
