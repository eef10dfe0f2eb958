// thread_group, which stands for any group within a block, and thread_block.
#pragma once
#pragma GCC system_header
#include "warplens/cg/lanes.h"

namespace cooperative_groups {
namespace __v1 {

class coalesced_group;

class thread_group {
 public:
  WARPLENS_DEVICE_MEMBER unsigned long long num_threads() const {
    return kind_ == Kind::Block ? warplens::block_size() : kind_ == Kind::Warps ? count_ : __popc(mask_);
  }
  WARPLENS_DEVICE_MEMBER unsigned long long size() const { return num_threads(); }
  WARPLENS_DEVICE_MEMBER unsigned long long thread_rank() const {
    if (kind_ == Kind::Block) return warplens::block_rank();
    return kind_ == Kind::Warps ? warplens::block_rank() % count_ : __popc(mask_ & warplens::lanes_below());
  }
  WARPLENS_DEVICE_MEMBER void sync() const {
    if (kind_ == Kind::Block)
      __syncthreads();
    else if (kind_ == Kind::Warps)
      __barrier_sync_count(mask_, count_);
    else
      __syncwarp(mask_);
  }
  WARPLENS_DEVICE_MEMBER bool is_valid() const { return true; }

 protected:
  enum class Kind : unsigned int { Block, Lanes, Warps };
  WARPLENS_DEVICE_MEMBER thread_group(Kind kind, unsigned int mask, unsigned int count = 0, unsigned int meta_rank = 0,
                                      unsigned int meta_size = 1)
      : kind_(kind), mask_(mask), count_(count), meta_rank_(meta_rank), meta_size_(meta_size) {}

  Kind kind_;
  unsigned int mask_;   // the lanes; of several warps, their barrier
  unsigned int count_;  // threads, of several warps
  unsigned int meta_rank_, meta_size_;

  friend WARPLENS_DEVICE_MEMBER thread_group tiled_partition(const thread_group& parent, unsigned int size);
  friend class coalesced_group;
  friend WARPLENS_DEVICE_MEMBER coalesced_group tiled_partition(const coalesced_group& parent, unsigned int size);
};

// Shared memory for tiles of more than 32 threads, as programs declare it; ours keep a little of their own.
template <unsigned int MaxBlockSize = 1024>
struct __align__(8) block_tile_memory {
  char bytes[8 * (MaxBlockSize / 32 ? MaxBlockSize / 32 : 1)];
};

class thread_block : public thread_group {
 public:
  struct arrival_token {};

  static WARPLENS_DEVICE_MEMBER void sync() { __syncthreads(); }
  static WARPLENS_DEVICE_MEMBER unsigned int thread_rank() { return warplens::block_rank(); }
  static WARPLENS_DEVICE_MEMBER unsigned int num_threads() { return warplens::block_size(); }
  static WARPLENS_DEVICE_MEMBER unsigned int size() { return warplens::block_size(); }
  static WARPLENS_DEVICE_MEMBER dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static WARPLENS_DEVICE_MEMBER dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static WARPLENS_DEVICE_MEMBER dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static WARPLENS_DEVICE_MEMBER dim3 dim_threads() { return group_dim(); }
  // All wait where they could only arrive: a thread that waits has then seen every other arrive, too.
  static WARPLENS_DEVICE_MEMBER arrival_token barrier_arrive() { return {}; }
  static WARPLENS_DEVICE_MEMBER void barrier_wait(arrival_token&&) { __syncthreads(); }

 private:
  WARPLENS_DEVICE_MEMBER thread_block() : thread_group(Kind::Block, 0) {}
  friend WARPLENS_DEVICE_MEMBER thread_block this_thread_block();
};

WARPLENS_DEVICE_MEMBER thread_block this_thread_block() { return {}; }
template <unsigned int MaxBlockSize>
WARPLENS_DEVICE_MEMBER thread_block this_thread_block(block_tile_memory<MaxBlockSize>&) {
  return this_thread_block();
}

template <typename Group>
WARPLENS_DEVICE_MEMBER void sync(const Group& group) {
  group.sync();
}
template <typename Group>
WARPLENS_DEVICE_MEMBER auto thread_rank(const Group& group) -> decltype(group.thread_rank()) {
  return group.thread_rank();
}
template <typename Group>
WARPLENS_DEVICE_MEMBER auto group_size(const Group& group) -> decltype(group.size()) {
  return group.size();
}

}  // namespace __v1
}  // namespace cooperative_groups
