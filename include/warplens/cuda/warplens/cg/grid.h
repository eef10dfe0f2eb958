// grid_group, and cluster_group for the compute capabilities that have it.
#pragma once
#pragma GCC system_header
#include "warplens/cg/thread_group.h"

namespace cooperative_groups {
namespace __v1 {

// The barrier across the blocks of a cooperative launch. %envreg1 and 2 say where its counter lies, in the second word.
// Block 0 adds what makes the sum of all arrivals 2^31, so the counter's top bit turns over when the last one is there.
namespace warplens {
WARPLENS_DEVICE_MEMBER unsigned int* grid_workspace() {
  unsigned int high, low;
  asm("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm("mov.u32 %0, %%envreg2;" : "=r"(low));
  return reinterpret_cast<unsigned int*>(static_cast<unsigned long long>(high) << 32 | low);
}
WARPLENS_DEVICE_MEMBER unsigned int grid_arrive() {
  unsigned int* counter = grid_workspace();
  if (!counter) __trap();  // not a cooperative launch
  __syncthreads();
  unsigned int before = 0;
  if (block_rank() == 0) {
    const unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;
    const bool first = blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0;
    const unsigned int by = first ? 0x80000000u - (blocks - 1) : 1;
    asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;" : "=r"(before) : "l"(counter + 1), "r"(by) : "memory");
  }
  return before;
}
WARPLENS_DEVICE_MEMBER void grid_wait(unsigned int before) {
  if (block_rank() == 0) {
    const unsigned int* counter = grid_workspace() + 1;
    unsigned int now;
    do asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
    while (((before ^ now) & 0x80000000u) == 0);
  }
  __syncthreads();
}
}  // namespace warplens

class grid_group {
 public:
  struct arrival_token {
    unsigned int before;
  };

  WARPLENS_DEVICE_MEMBER bool is_valid() const { return warplens::grid_workspace() != nullptr; }
  WARPLENS_DEVICE_MEMBER void sync() const { warplens::grid_wait(warplens::grid_arrive()); }
  WARPLENS_DEVICE_MEMBER arrival_token barrier_arrive() const { return {warplens::grid_arrive()}; }
  WARPLENS_DEVICE_MEMBER void barrier_wait(arrival_token&& token) const { warplens::grid_wait(token.before); }
  static WARPLENS_DEVICE_MEMBER unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static WARPLENS_DEVICE_MEMBER unsigned long long num_threads() { return num_blocks() * warplens::block_size(); }
  static WARPLENS_DEVICE_MEMBER unsigned long long size() { return num_threads(); }
  static WARPLENS_DEVICE_MEMBER unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static WARPLENS_DEVICE_MEMBER unsigned long long thread_rank() {
    return block_rank() * warplens::block_size() + warplens::block_rank();
  }
  static WARPLENS_DEVICE_MEMBER dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static WARPLENS_DEVICE_MEMBER dim3 dim_blocks() { return group_dim(); }
  static WARPLENS_DEVICE_MEMBER dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  // Without clusters a block is a cluster of its own.
  static WARPLENS_DEVICE_MEMBER dim3 dim_clusters() { return dim_blocks(); }
  static WARPLENS_DEVICE_MEMBER dim3 cluster_index() { return block_index(); }
  static WARPLENS_DEVICE_MEMBER unsigned long long num_clusters() { return num_blocks(); }
  static WARPLENS_DEVICE_MEMBER unsigned long long cluster_rank() { return block_rank(); }
};

WARPLENS_DEVICE_MEMBER grid_group this_grid() { return {}; }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// Launches with clusters of several blocks are refused, so a cluster is one block here.
class cluster_group {
 public:
  struct arrival_token {};

  static WARPLENS_DEVICE_MEMBER void sync() { __syncthreads(); }
  static WARPLENS_DEVICE_MEMBER arrival_token barrier_arrive() { return {}; }
  static WARPLENS_DEVICE_MEMBER void barrier_wait() { __syncthreads(); }
  static WARPLENS_DEVICE_MEMBER void barrier_wait(arrival_token&&) { __syncthreads(); }
  static WARPLENS_DEVICE_MEMBER unsigned int num_threads() { return warplens::block_size(); }
  static WARPLENS_DEVICE_MEMBER unsigned int size() { return warplens::block_size(); }
  static WARPLENS_DEVICE_MEMBER unsigned int thread_rank() { return warplens::block_rank(); }
  static WARPLENS_DEVICE_MEMBER unsigned int num_blocks() { return 1; }
  static WARPLENS_DEVICE_MEMBER unsigned int block_rank() { return 0; }
  static WARPLENS_DEVICE_MEMBER dim3 dim_blocks() { return dim3(1, 1, 1); }
  static WARPLENS_DEVICE_MEMBER dim3 block_index() { return dim3(0, 0, 0); }
  static WARPLENS_DEVICE_MEMBER dim3 dim_threads() { return thread_block::dim_threads(); }
  static WARPLENS_DEVICE_MEMBER unsigned int query_shared_rank(const void*) { return 0; }
  template <typename T>
  static WARPLENS_DEVICE_MEMBER T* map_shared_rank(T* address, int) {
    return address;
  }
};
WARPLENS_DEVICE_MEMBER cluster_group this_cluster() { return {}; }
#endif

}  // namespace __v1
}  // namespace cooperative_groups
