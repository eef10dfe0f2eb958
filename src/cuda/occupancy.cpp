#include "cuda/occupancy.h"

#include <algorithm>

#include "base/dim3.h"

namespace warplens::cuda {
namespace {

// The shared memory of an SM under the kernel's preference: the smallest carveout that is at least what it asks for and
// holds one block.
uint64_t carveout(const model::GpuSpec& gpu, const BlockNeeds& needs, uint64_t block_bytes) {
  if (!needs.prefers_l1 && needs.carveout_percent < 0) return gpu.shared_bytes_per_sm;
  uint64_t wanted = needs.prefers_l1 ? 0 : uint64_t{gpu.shared_bytes_per_sm} * needs.carveout_percent / 100;
  for (uint64_t bytes : gpu.shared_carveouts) {
    if (bytes >= wanted && bytes >= block_bytes) return bytes;
  }
  return gpu.shared_bytes_per_sm;
}

}  // namespace

uint32_t blocks_per_sm(const model::GpuSpec& gpu, const BlockNeeds& needs) {
  constexpr uint32_t kMaxThreadsPerBlock = 1024;
  if (needs.threads == 0 || needs.threads > kMaxThreadsPerBlock) return 0;
  uint32_t warps = (needs.threads + kWarpSize - 1) / kWarpSize;
  uint64_t granularity = std::max(1u, gpu.shared_granularity);
  uint64_t asked = (needs.shared_bytes + granularity - 1) / granularity * granularity;
  uint64_t block_bytes = asked + gpu.shared_bytes_reserved;
  uint32_t blocks = std::min(gpu.max_blocks_per_sm, gpu.max_warps_per_sm / warps);
  if (block_bytes == 0) return blocks;
  return static_cast<uint32_t>(std::min<uint64_t>(blocks, carveout(gpu, needs, block_bytes) / block_bytes));
}

}  // namespace warplens::cuda
