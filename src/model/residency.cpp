// Blocks of an SM: the least of what its warps, blocks, registers and shared memory allow.
//
// Rule.    A block takes whole warps; registers in units of `register_granularity` a warp; shared memory in units of
//          `shared_granularity`, and `shared_bytes_reserved` more. Of the unified L1 the launch gives to shared memory
//          the least of the splits there are that holds the resident blocks, but not less than kLeastSplit.
// Example. 256 threads, 4096 bytes shared: 8 blocks (2048 threads); they take 8 * 5120 = 40960 bytes, so 65536.
// Source.  CUDA C++ Programming Guide, "Hardware Implementation"; occupancy limits as Nsight Compute shows them for the
//          probes. The split is the driver's choice and not documented: an H200 gave 32 KB to blocks of up to 256
//          threads without shared memory, and now and then one step more than its blocks need.
// Not here. What a program asks for with cudaFuncAttributePreferredSharedMemoryCarveout.
#include "model/residency.h"

#include <algorithm>

namespace warplens::model {

namespace {
constexpr uint32_t kLeastSplit = 32 << 10;
uint32_t round_up(uint32_t n, uint32_t to) { return to == 0 ? n : (n + to - 1) / to * to; }
}  // namespace

Residency residency(const GpuSpec& gpu, const BlockNeeds& needs) {
  const uint32_t warps = std::max(1u, (needs.threads + 31) / 32);
  const uint32_t shared = round_up(needs.shared_bytes + gpu.shared_bytes_reserved, gpu.shared_granularity);
  uint32_t blocks = std::min(gpu.max_blocks_per_sm, gpu.max_warps_per_sm / warps);
  if (shared != 0) blocks = std::min(blocks, gpu.shared_bytes_per_sm / shared);
  if (needs.registers != 0 && gpu.sub_partitions != 0) {
    // Each sub-partition has its own share of the registers, and holds whole warps.
    const uint32_t a_warp = round_up(needs.registers * 32, gpu.register_granularity);
    blocks = std::min(blocks, gpu.registers_per_sm / gpu.sub_partitions / a_warp * gpu.sub_partitions / warps);
  }
  Residency out;
  out.blocks = std::max(1u, blocks);
  const uint32_t needed = std::max(kLeastSplit, out.blocks * shared);
  out.shared_carveout = gpu.shared_bytes_per_sm;
  for (uint32_t split : gpu.shared_carveouts)
    if (split >= needed) {
      out.shared_carveout = split;
      break;
    }
  return out;
}

}  // namespace warplens::model
