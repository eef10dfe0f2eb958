// Where a CUDA toolkit is installed, its own calculation (cuda_occupancy.h) beside ours: every compute capability,
// number of registers, and block sizes and shared memory about where something changes.
#include <cuda_occupancy.h>
#include <gtest/gtest.h>

#include "model/occupancy.h"

namespace warplens::model {
namespace {

int blocks_by_toolkit(const SmSpec& sm, const BlockNeeds& needs) {
  cudaOccDeviceProp device{};
  device.computeMajor = static_cast<int>(sm.compute_major), device.computeMinor = static_cast<int>(sm.compute_minor);
  device.maxThreadsPerBlock = kMaxThreadsPerBlock, device.warpSize = 32, device.numSms = 1;
  device.maxThreadsPerMultiprocessor = static_cast<int>(sm.max_threads_per_sm);
  device.regsPerBlock = static_cast<int>(sm.registers_per_block);
  device.regsPerMultiprocessor = static_cast<int>(sm.registers_per_sm);
  device.sharedMemPerBlock = sm.shared_bytes_per_block, device.sharedMemPerMultiprocessor = sm.shared_bytes_per_sm;
  device.sharedMemPerBlockOptin = sm.shared_bytes_per_block_optin;
  device.reservedSharedMemPerBlock = sm.shared_bytes_reserved;
  cudaOccFuncAttributes kernel{};
  kernel.maxThreadsPerBlock = kMaxThreadsPerBlock, kernel.numRegs = static_cast<int>(needs.registers);
  kernel.partitionedGCConfig = PARTITIONED_GC_OFF, kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.maxDynamicSharedSizeBytes = sm.shared_bytes_per_block_optin, kernel.numBlockBarriers = 1;
  cudaOccDeviceState state{};
  state.carveoutConfig = -1;
  cudaOccResult result{};
  const auto error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state,
                                                             static_cast<int>(needs.threads), needs.shared_bytes);
  return error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1;
}

TEST(Occupancy, IsTheToolkits) {
  for (const std::string& name : compute_capability_names()) {
    const auto sm = find_sm_by_name(name);
    ASSERT_TRUE(sm);
    uint64_t different = 0;
    for (uint32_t registers = 1; registers <= sm->max_registers_per_thread; ++registers)
      for (uint32_t threads = 1; threads <= kMaxThreadsPerBlock; threads += 13)
        for (uint64_t shared : {0, 100, 4224, 16384, 49152, 65536, 166000, 232448}) {
          const BlockNeeds needs{threads, shared, registers};
          if (int(occupancy(*sm, needs).blocks) != blocks_by_toolkit(*sm, needs) && different++ == 0)
            ADD_FAILURE() << name << ": " << threads << " threads, " << registers << " registers, " << shared << " B";
        }
    EXPECT_EQ(different, 0u) << name;
  }
}

}  // namespace
}  // namespace warplens::model
