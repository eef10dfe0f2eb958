// How an SM splits its memory for the blocks of a launch.
//
// Rule.    An SM holds as many blocks as occupancy.cpp says. Of the unified L1 the launch gives to shared memory the
// least
//          of the splits there are that holds them, but not less than kLeastSplit.
// Example. H200, 256 threads, 4096 bytes shared: 8 blocks (2048 threads); they take 8 * 5120 = 40960 bytes, so 65536.
// Source.  The split is the driver's choice and not documented: an H200 gave 32 KB to blocks of up to 256 threads
// without
//          shared memory, and now and then one step more than its blocks need.
// Not here. What a program asks for with cudaFuncAttributePreferredSharedMemoryCarveout.
#include "model/residency.h"

#include <algorithm>

namespace warplens::model {

namespace {
constexpr uint64_t kLeastSplit = 32 << 10;
}  // namespace

Residency residency(const GpuSpec& gpu, const BlockNeeds& needs) {
  const Occupancy held = occupancy(gpu, needs);
  Residency out;
  out.blocks = std::max(1u, held.blocks);
  const uint64_t needed = std::max(kLeastSplit, out.blocks * held.shared_bytes_per_block);
  out.shared_carveout = gpu.shared_bytes_per_sm;
  for (uint32_t split : gpu.shared_carveouts)
    if (split >= needed) {
      out.shared_carveout = split;
      break;
    }
  return out;
}

}  // namespace warplens::model
