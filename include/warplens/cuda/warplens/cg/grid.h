// grid_group, and cluster_group for the compute capabilities that have it.
#pragma once
#pragma GCC system_header
#include "warplens/cg/thread_group.h"

namespace cooperative_groups {
namespace __v1 {

// A barrier across all blocks: a function that Warplens refuses by this name when a kernel reaches it.
extern "C" __device__ void __warplens_grid_sync();

class grid_group {
 public:
  struct arrival_token {};

  WARPLENS_DEVICE_MEMBER bool is_valid() const { return true; }
  WARPLENS_DEVICE_MEMBER void sync() const { __warplens_grid_sync(); }
  WARPLENS_DEVICE_MEMBER arrival_token barrier_arrive() const { return {}; }
  WARPLENS_DEVICE_MEMBER void barrier_wait(arrival_token&&) const { __warplens_grid_sync(); }
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
