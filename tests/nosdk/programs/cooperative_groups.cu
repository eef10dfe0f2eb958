// Every kind of group prints what its members see; the same for each compiler.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>

namespace cg = cooperative_groups;

struct Wide {
  double a;
  int b;
  short c;
};

// What all threads see at one line of one phase, as one number; the order of the threads does not matter.
constexpr int kLines = 200, kPhases = 16;
struct Mix {
  unsigned long long* to;
  int phase = 0;
  template <typename T>
  __device__ void operator()(int line, T v) {
    unsigned long long h = 0;
    memcpy(&h, &v, sizeof v);
    h = (h ^ (blockIdx.x * 64 + threadIdx.x)) * 0x9E3779B97F4A7C15ull;
    h = (h ^ h >> 29) * 0xBF58476D1CE4E5B9ull;
    atomicAdd(to + phase * kLines + line, h ^ h >> 32);
  }
};
#define mix(v) mix_(__LINE__, v)

__device__ float third(int i) { return 1.0f / (3 + i); }  // sums of these depend on their order

__device__ int sum_of(cg::thread_group group, int value) {
  __shared__ int total[8];
  int slot = threadIdx.x / 32;
  if (group.thread_rank() == 0) total[slot] = 0;
  group.sync();
  atomicAdd(&total[slot], value);
  group.sync();
  return total[slot] + static_cast<int>(group.size());
}

template <int kSize>
__device__ void tiles(Mix& mix_) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<kSize>(block);
  int r = block.thread_rank();
  mix(tile.thread_rank());
  mix(tile.size());
  mix(tile.num_threads());
  mix(tile.meta_group_rank());
  mix(tile.meta_group_size());
  mix(tile.shfl(r, 1));
  mix(tile.shfl_down(r * 1.5, 1));
  mix(tile.shfl_up(static_cast<short>(r), 1));
  mix(tile.shfl_xor(third(r), kSize / 2));
  Wide wide = tile.shfl(Wide{r * .5, r, static_cast<short>(r)}, kSize - 1);
  mix(wide.a);
  mix(wide.b);
  mix(wide.c);
  mix(tile.any(r == 5));
  mix(tile.all(r != 5));
  mix(tile.ballot(r % 3 == 0));
  mix(tile.match_any(r / 3));
  int same = 7;
  mix(tile.match_all(r / 16, same));
  mix(same);
  mix(cg::reduce(tile, r, cg::plus<int>()));
  mix(cg::reduce(tile, third(r), cg::plus<float>()));
  mix(cg::reduce(tile, -third(r), cg::less<float>()));
  mix(cg::reduce(tile, r, cg::greater<int>()));
  mix(cg::reduce(tile, 1u << (r & 31), cg::bit_or<unsigned>()));
  mix(cg::reduce(tile, 0.1 * r, [](double a, double b) { return a + b * 1.25; }));
  mix(cg::inclusive_scan(tile, third(r)));
  mix(cg::exclusive_scan(tile, r));
  mix(cg::inclusive_scan(tile, r, cg::greater<int>()));
  auto ordered = [](unsigned a, unsigned b) { return a * 31 + b * 7 + 1; };
  mix(cg::reduce(tile, static_cast<unsigned>(r), ordered));
  mix(cg::inclusive_scan(tile, static_cast<unsigned>(r), ordered));
  if constexpr (kSize >= 4) {
    auto inner = cg::tiled_partition<kSize / 2>(tile);
    mix(inner.meta_group_rank());
    mix(inner.meta_group_size());
    mix(inner.shfl(r, 0));
    cg::thread_block_tile<kSize / 2> plain = inner;
    mix(plain.meta_group_rank());
    mix(plain.ballot(r & 1));
  }
  auto halves = cg::binary_partition(tile, r % 3 == 1);
  mix(halves.thread_rank());
  mix(halves.size());
  mix(halves.meta_group_rank());
  mix(halves.meta_group_size());
}

__device__ void lanes(Mix& mix_) {
  int r = threadIdx.x;
  cg::coalesced_group group = cg::coalesced_threads();
  mix(group.size());
  mix(group.thread_rank());
  mix(group.shfl(r, 1));
  mix(group.shfl_down(r, 2));
  mix(group.shfl_up(third(r), 1));
  mix(group.any(r == 9));
  mix(group.all(r < 60));
  mix(group.ballot(r % 5 == 0));
  mix(group.match_any(r % 2));
  int same = 3;
  mix(group.match_all(group.size(), same));
  mix(same);
  mix(cg::reduce(group, r, cg::plus<int>()));
  mix(cg::reduce(group, third(r), cg::plus<float>()));
  mix(cg::reduce(group, r * 0.3, cg::less<double>()));
  auto ordered = [](unsigned a, unsigned b) { return a * 31 + b * 7 + 1; };
  mix(cg::reduce(group, static_cast<unsigned>(r), ordered));
  mix(cg::inclusive_scan(group, static_cast<unsigned>(r), ordered));
  mix(cg::inclusive_scan(group, third(r)));
  mix(cg::exclusive_scan(group, r));
  mix(sum_of(group, r));
  auto labels = cg::labeled_partition(group, r % 4);
  mix(labels.size());
  mix(labels.thread_rank());
  mix(labels.meta_group_rank());
  mix(labels.meta_group_size());
  mix(cg::reduce(labels, third(r), cg::plus<float>()));
  auto two = cg::binary_partition(group, r % 3 == 0);
  mix(two.size());
  mix(two.thread_rank());
  mix(two.meta_group_rank());
  mix(two.meta_group_size());
  auto fours = cg::tiled_partition(group, 4);
  mix(fours.size());
  mix(fours.thread_rank());
  mix(fours.meta_group_rank());
  mix(fours.meta_group_size());
  group.sync();
}

__global__ void all(unsigned long long* out) {
  Mix mix_{out};
  cg::thread_block block = cg::this_thread_block();
  cg::grid_group grid = cg::this_grid();
  mix(block.thread_rank());
  mix(block.size());
  mix(block.num_threads());
  mix(block.group_index().x);
  mix(block.thread_index().y);
  mix(block.group_dim().x);
  mix(block.dim_threads().y);
  mix(grid.thread_rank());
  mix(grid.size());
  mix(grid.num_threads());
  mix(grid.block_rank());
  mix(grid.num_blocks());
  mix(grid.block_index().x);
  mix(grid.dim_blocks().x);
  mix(grid.group_dim().x);
  ++mix_.phase;
  tiles<1>(mix_);
  ++mix_.phase;
  tiles<2>(mix_);
  ++mix_.phase;
  tiles<4>(mix_);
  ++mix_.phase;
  tiles<8>(mix_);
  ++mix_.phase;
  ++mix_.phase;
  tiles<16>(mix_);
  ++mix_.phase;
  tiles<32>(mix_);
  ++mix_.phase;
  ++mix_.phase;
  cg::sync(block);
  auto token = block.barrier_arrive();
  block.barrier_wait(std::move(token));
  mix(sum_of(cg::tiled_partition(block, 8), threadIdx.x));
  mix(sum_of(cg::tiled_partition(block, 32), threadIdx.x));
  mix(cg::thread_rank(block));
  mix(cg::group_size(block));
  ++mix_.phase;
  lanes(mix_);
  ++mix_.phase;
  if (threadIdx.x % 3) lanes(mix_);
  ++mix_.phase;
  if (threadIdx.x % 7 == 0 || threadIdx.x == 4) lanes(mix_);
  ++mix_.phase;
  auto warp = cg::tiled_partition<32>(block);
  cg::invoke_one(warp, [&] { mix(42); });
  mix(cg::invoke_one_broadcast(warp, [&] { return block.thread_rank() * 3; }));
}

int main() {
  unsigned long long* out;
  cudaMallocManaged(&out, kLines * kPhases * sizeof *out);
  all<<<2, dim3(64, 1)>>>(out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  for (int i = 0; i < kLines * kPhases; ++i)
    if (out[i]) std::printf("phase %d line %d: %016llx\n", i / kLines, i % kLines, out[i]);
}
