// Tiles of several warps, copies by a group, and a barrier across the grid, which is refused.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_pipeline.h>

#include <cstdio>

namespace cg = cooperative_groups;

constexpr int kThreads = 512;

template <int kSize>
__global__ void tiles(int* bad) {
  __shared__ cg::block_tile_memory<kThreads> memory;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<kSize>(block);
  const int r = block.thread_rank(), own = r % kSize, place = r / kSize;
  int wrong = tile.thread_rank() != own || tile.meta_group_rank() != place || tile.size() != kSize;
  wrong |= (tile.shfl(r, 3) != place * kSize + 3) << 1;
  wrong |= (cg::reduce(tile, own, cg::plus<int>()) != kSize * (kSize - 1) / 2) << 2;
  wrong |= (cg::inclusive_scan(tile, 1) != own + 1) << 3;
  wrong |= (cg::exclusive_scan(tile, 1) != own) << 4;
  wrong |= (tile.any(r == 70) != (place == 70 / kSize)) << 5;
  wrong |= (tile.all(r != 70) != (place != 70 / kSize)) << 6;
  tile.sync();
  atomicOr(bad, wrong);
}

__global__ void copies(const int* in, int* out) {
  __shared__ int all[256], own[256];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, all, in, sizeof all);
  cg::wait(block);
  __pipeline_memcpy_async(&own[threadIdx.x * 4], &in[threadIdx.x * 4], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  block.sync();
  out[threadIdx.x] = all[255 - threadIdx.x] + own[200 - threadIdx.x];
}

__global__ void whole_grid(int* out) {
  cg::this_grid().sync();
  *out = 1;
}

int main() {
  int* data;
  cudaMallocManaged(&data, 4096);
  tiles<64><<<1, kThreads>>>(data);
  tiles<128><<<1, kThreads>>>(data);
  tiles<256><<<1, kThreads>>>(data);
  tiles<512><<<1, kThreads>>>(data);
  cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s, wrong: %d\n", cudaGetErrorString(error), data[0]);
  for (int i = 0; i < 512; ++i) data[i] = i;
  copies<<<1, 64>>>(data, data + 512);
  error = cudaDeviceSynchronize();
  std::printf("%s, %d %d\n", cudaGetErrorString(error), data[512], data[512 + 63]);
  void* arguments[] = {&data};
  cudaLaunchCooperativeKernel(whole_grid, 1, 32, arguments, 0, 0);
  error = cudaDeviceSynchronize();
  std::printf("%s %d\n", cudaGetErrorString(error), data[0]);
}
