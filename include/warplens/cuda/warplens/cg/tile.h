// thread_block_tile: 1 to 32 neighbouring threads of a warp, or a number of neighbouring warps.
#pragma once
#pragma GCC system_header
#include "warplens/cg/thread_group.h"

namespace cooperative_groups {
namespace __v1 {

extern "C" __device__ void __warplens_small_tiles_of_a_large_block_are_not_supported();

namespace warplens {

// A tile within a warp. Everything but its place among its neighbours is known from the thread.
template <unsigned int Size>
class LaneTile : public thread_group {
 public:
  static WARPLENS_DEVICE_MEMBER unsigned long long num_threads() { return Size; }
  static WARPLENS_DEVICE_MEMBER unsigned long long size() { return Size; }
  static WARPLENS_DEVICE_MEMBER unsigned long long thread_rank() { return lane() & (Size - 1); }
  WARPLENS_DEVICE_MEMBER unsigned int meta_group_rank() const { return meta_rank_; }
  WARPLENS_DEVICE_MEMBER unsigned int meta_group_size() const { return meta_size_; }
  static WARPLENS_DEVICE_MEMBER void sync() { __syncwarp(mask()); }

  template <typename T>
  WARPLENS_DEVICE_MEMBER plain<T> shfl(T&& value, int rank) const {
    return shuffle<Shuffle::From, plain<T>>(mask(), value, rank, Size);
  }
  template <typename T>
  WARPLENS_DEVICE_MEMBER plain<T> shfl_down(T&& value, unsigned int delta) const {
    return shuffle<Shuffle::Down, plain<T>>(mask(), value, delta, Size);
  }
  template <typename T>
  WARPLENS_DEVICE_MEMBER plain<T> shfl_up(T&& value, unsigned int delta) const {
    return shuffle<Shuffle::Up, plain<T>>(mask(), value, delta, Size);
  }
  template <typename T>
  WARPLENS_DEVICE_MEMBER plain<T> shfl_xor(T&& value, unsigned int lanes) const {
    return shuffle<Shuffle::Xor, plain<T>>(mask(), value, lanes, Size);
  }
  WARPLENS_DEVICE_MEMBER int any(int predicate) const { return (__ballot_sync(mask(), predicate) & mask()) != 0; }
  WARPLENS_DEVICE_MEMBER int all(int predicate) const { return (__ballot_sync(mask(), predicate) & mask()) == mask(); }
  WARPLENS_DEVICE_MEMBER unsigned int ballot(int predicate) const { return ranks(__ballot_sync(mask(), predicate)); }
  template <typename T>
  WARPLENS_DEVICE_MEMBER unsigned int match_any(T&& value) const {
    return ranks(__match_any_sync(mask(), value));
  }
  template <typename T>
  WARPLENS_DEVICE_MEMBER unsigned int match_all(T&& value, int& same) const {
    return ranks(__match_all_sync(mask(), value, &same));
  }

  static WARPLENS_DEVICE_MEMBER unsigned int mask() {
    return Size == 32 ? 0xffffffffu : ((1u << (Size & 31)) - 1) << (lane() & ~(Size - 1));
  }

 protected:
  WARPLENS_DEVICE_MEMBER LaneTile(unsigned int meta_rank, unsigned int meta_size)
      : thread_group(Kind::Lanes, mask(), 0, meta_rank, meta_size) {}
  static WARPLENS_DEVICE_MEMBER unsigned int ranks(unsigned int lanes) {
    return Size == 32 ? lanes : (lanes & mask()) >> (lane() & ~(Size - 1));
  }
};

// A tile of several warps. Its warps meet at one of the 16 barriers of the block; a barrier a size and place, so that tiles
// of several sizes may be used at once: the sizes 512, 256, 128 and 64 have one, two, four and eight of them in a block of
// 512 threads. Larger blocks have no barriers left for tiles of 64.
template <unsigned int Size>
class WarpsTile : public thread_group {
 public:
  static WARPLENS_DEVICE_MEMBER unsigned long long num_threads() { return Size; }
  static WARPLENS_DEVICE_MEMBER unsigned long long size() { return Size; }
  static WARPLENS_DEVICE_MEMBER unsigned long long thread_rank() { return block_rank() & (Size - 1); }
  WARPLENS_DEVICE_MEMBER unsigned int meta_group_rank() const { return meta_rank_; }
  WARPLENS_DEVICE_MEMBER unsigned int meta_group_size() const { return meta_size_; }
  WARPLENS_DEVICE_MEMBER void sync() const { __barrier_sync_count(mask_, Size); }

  template <typename T>
  WARPLENS_DEVICE_MEMBER plain<T> shfl(T&& value, int rank) const {
    static_assert(sizeof(plain<T>) <= 32, "cooperative_groups: values of at most 32 bytes are exchanged");
    if (thread_rank() == (static_cast<unsigned int>(rank) & (Size - 1))) *slot<plain<T>>(block_rank() / Size) = value;
    sync();
    const plain<T> result = *slot<plain<T>>(block_rank() / Size);
    sync();
    return result;
  }
  WARPLENS_DEVICE_MEMBER int any(int predicate) const { return reduce(__any_sync(0xffffffffu, predicate), Or()); }
  WARPLENS_DEVICE_MEMBER int all(int predicate) const { return reduce(__all_sync(0xffffffffu, predicate), And()); }

  // Of one value a warp: all warps' values by `op`, in the order of the warps.
  template <typename T, typename Op>
  WARPLENS_DEVICE_MEMBER T reduce(T value, Op&& op) const {
    if (lane() == 0) *slot<T>(block_rank() / 32) = value;
    sync();
    const unsigned int first = block_rank() / Size * (Size / 32);
    T result = *slot<T>(first);
    for (unsigned int warp = 1; warp < Size / 32; ++warp) result = op(result, *slot<T>(first + warp));
    sync();
    return result;
  }
  // Of one value a warp: those of the warps before this one; `any` says whether there are some.
  template <typename T, typename Op>
  WARPLENS_DEVICE_MEMBER T before(T value, Op&& op, bool& any) const {
    if (lane() == 31) *slot<T>(block_rank() / 32) = value;
    sync();
    const unsigned int first = block_rank() / Size * (Size / 32), own = block_rank() / 32;
    any = own != first;
    T result = *slot<T>(first);
    for (unsigned int warp = first + 1; warp < own; ++warp) result = op(result, *slot<T>(warp));
    sync();
    return result;
  }

 protected:
  WARPLENS_DEVICE_MEMBER WarpsTile(unsigned int meta_rank, unsigned int meta_size)
      : thread_group(Kind::Warps, barrier(), Size, meta_rank, meta_size) {}

 private:
  struct Or {
    WARPLENS_DEVICE_MEMBER int operator()(int a, int b) const { return a | b; }
  };
  struct And {
    WARPLENS_DEVICE_MEMBER int operator()(int a, int b) const { return a & b; }
  };
  static WARPLENS_DEVICE_MEMBER unsigned int barrier() {
    const unsigned int place = block_rank() / Size;
    if (block_size() <= 512) return 512 / Size + place;
    if (Size == 1024) return 0;
    if (Size == 64) __warplens_small_tiles_of_a_large_block_are_not_supported();
    return 1024 / Size - 1 + place;
  }
  template <typename T>
  static WARPLENS_DEVICE_MEMBER T* slot(unsigned int index) {
    __shared__ __align__(16) char slots[32 * 32];
    return reinterpret_cast<T*>(slots + 32 * index);
  }
};

template <bool OfWarps, unsigned int Size>
struct TileOf {
  typedef LaneTile<Size> type;
};
template <unsigned int Size>
struct TileOf<true, Size> {
  typedef WarpsTile<Size> type;
};
template <unsigned int Size>
using Tile = typename TileOf<(Size > 32), Size>::type;

}  // namespace warplens

template <unsigned int Size, typename Parent = void>
class thread_block_tile;

// A tile whose parent the type does not say.
template <unsigned int Size>
class thread_block_tile<Size, void> : public warplens::Tile<Size> {
  typedef warplens::Tile<Size> Base;

 public:
  template <typename Parent>
  WARPLENS_DEVICE_MEMBER thread_block_tile(const thread_block_tile<Size, Parent>& other)
      : Base(other.meta_group_rank(), other.meta_group_size()) {}

 protected:
  WARPLENS_DEVICE_MEMBER thread_block_tile(unsigned int meta_rank, unsigned int meta_size)
      : Base(meta_rank, meta_size) {}
};

template <unsigned int Size, typename Parent>
class thread_block_tile : public thread_block_tile<Size, void> {
  static_assert(Size > 0 && Size <= 1024 && (Size & (Size - 1)) == 0, "a tile has a power of two of threads");

 public:
  WARPLENS_DEVICE_MEMBER explicit thread_block_tile(const Parent& parent)
      : thread_block_tile<Size, void>(static_cast<unsigned int>(parent.thread_rank()) / Size,
                                      (static_cast<unsigned int>(parent.size()) + Size - 1) / Size) {}
};

template <unsigned int Size, typename Parent>
WARPLENS_DEVICE_MEMBER thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
  return thread_block_tile<Size, Parent>(parent);
}
template <unsigned int Size>
WARPLENS_DEVICE_MEMBER thread_block_tile<Size, thread_block> tiled_partition(const thread_block& parent) {
  return thread_block_tile<Size, thread_block>(parent);
}

// A tile whose size only the running kernel knows: a power of two up to 32. Any other size is an error of the program.
WARPLENS_DEVICE_MEMBER thread_group tiled_partition(const thread_group& parent, unsigned int size) {
  const unsigned int rank = static_cast<unsigned int>(parent.thread_rank());
  const unsigned int count = static_cast<unsigned int>(parent.num_threads());
  if (size == 0 || size > 32 || (size & (size - 1))) __trap();
  const unsigned int lanes = parent.kind_ == thread_group::Kind::Lanes ? parent.mask_ : 0xffffffffu;
  // A block that ends within a warp has a last tile that is not full.
  const unsigned int first = rank / size * size, last = count - first < size ? count : first + size;
  unsigned int mask;
  if (parent.kind_ == thread_group::Kind::Lanes && lanes != 0xffffffffu) {
    mask = 0;
    for (unsigned int r = first; r < last; ++r) mask |= 1u << warplens::lane_of_rank(lanes, r);
  } else {
    mask = (last - first == 32 ? 0xffffffffu : (1u << (last - first)) - 1) << (first & 31);
  }
  return thread_group(thread_group::Kind::Lanes, mask, 0, rank / size, (count + size - 1) / size);
}
WARPLENS_DEVICE_MEMBER thread_group tiled_partition(const thread_block& parent, unsigned int size) {
  return tiled_partition(static_cast<const thread_group&>(parent), size);
}

}  // namespace __v1
}  // namespace cooperative_groups
