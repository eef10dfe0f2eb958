// How many blocks of a kernel an SM holds at once, and what keeps it from holding more. Rule, source: occupancy.cpp.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/gpu_spec.h"

namespace warplens::model {

inline constexpr uint32_t kMaxThreadsPerBlock = 1024;  // on every GPU of compute capability 2.0 and later

struct BlockNeeds {
  uint32_t threads = 1;
  uint64_t shared_bytes = 0;  // static and dynamic
  uint32_t registers = 0;     // of a thread; 0: not known, and taken for few enough
  uint32_t barriers = 0;      // named barriers
  uint32_t shared_split = 0;  // bytes of an SM that are given to shared memory; 0: as many as there can be
};

// What an SM has a limited number of. Nsight Compute's launch__occupancy_limit_* are of the same names.
enum class Resource : uint8_t { Warps, Blocks, Registers, SharedMemory, Barriers };
inline constexpr Resource kResources[] = {Resource::Warps, Resource::Blocks, Resource::Registers,
                                          Resource::SharedMemory, Resource::Barriers};
std::string_view resource_name(Resource resource);  // "shared memory"

// Why no block of a kernel runs at all.
enum class Refusal : uint8_t {
  None,
  Threads,            // none, or more than kMaxThreadsPerBlock
  RegistersOfThread,  // more than a thread can have
  RegistersOfBlock,   // more than a block can have: "too many resources requested for launch"
  SharedMemory,       // more than a block can have, with cudaFuncAttributeMaxDynamicSharedMemorySize
};

struct Occupancy {
  Refusal refusal = Refusal::None;
  uint32_t blocks = 0;  // of an SM; 0 where a launch is refused
  // Blocks that each resource alone allows, by Resource. Nothing: it does not limit, as none of it is used.
  std::optional<uint32_t> limits[5];
  uint32_t warps_per_block = 0;
  uint32_t registers_per_warp = 0;      // that are set aside
  uint64_t shared_bytes_per_block = 0;  // that are set aside, with the system's

  std::optional<uint32_t> limit(Resource resource) const { return limits[static_cast<int>(resource)]; }
  bool limited_by(Resource resource) const { return limit(resource) == blocks; }
  uint32_t warps() const { return blocks * warps_per_block; }
};

Occupancy occupancy(const SmSpec& sm, const BlockNeeds& needs);

// The part of an SM's warps that it holds, 0 to 1.
double fraction(const SmSpec& sm, const Occupancy& occupancy);

// The most registers of a thread, or bytes of shared memory of a block, with which an SM holds `blocks` blocks,
// whatever else limits. Nothing: not even with the fewest.
std::optional<uint32_t> registers_for(const SmSpec& sm, const BlockNeeds& needs, uint32_t blocks);
std::optional<uint64_t> shared_bytes_for(const SmSpec& sm, const BlockNeeds& needs, uint32_t blocks);

// The dynamic shared memory, in bytes, that cudaOccupancyAvailableDynamicSMemPerBlock says a block can have where an SM
// holds `blocks`; `needs` are its static ones. As an H200 answers, what the system reserves a block is not taken off,
// so that with the answer fewer blocks may fit. Nothing: not so many fit even without any.
std::optional<uint64_t> available_dynamic_shared(const SmSpec& sm, const BlockNeeds& needs, uint32_t blocks);

// What one block more takes: fewer registers, less shared memory, or both.
struct NextStep {
  uint32_t blocks = 0;
  std::optional<uint32_t> registers;     // at most so many; nothing: they may stay
  std::optional<uint64_t> shared_bytes;  // likewise
};
// Nothing: warps, blocks or barriers limit, so that only another block size helps; or no launch is possible.
std::optional<NextStep> next_step(const SmSpec& sm, const BlockNeeds& needs);

// The block size of whole warps, up to `most`, with which an SM holds most warps; of equals the one that is nearest to
// 256, a size that suits most kernels. Shared memory and registers as in `needs`.
uint32_t best_block(const SmSpec& sm, BlockNeeds needs, uint32_t most = kMaxThreadsPerBlock);

// How often a grid fills all SMs. Nsight Compute: launch__waves_per_multiprocessor.
double waves(const GpuSpec& gpu, const Occupancy& occupancy, uint64_t grid_blocks);

// The bytes of an SM that a kernel's preference gives to shared memory: the smallest split there is that has `percent`
// of the largest and holds one block (CUDA C++ Programming Guide, cudaFuncAttributePreferredSharedMemoryCarveout).
// percent -1: no preference, 0: as much L1 as can be.
uint32_t shared_split(const SmSpec& sm, int percent, uint64_t shared_bytes);

}  // namespace warplens::model
