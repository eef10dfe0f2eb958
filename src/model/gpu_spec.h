// What Warplens knows of a GPU: the numbers in data/, each with its source there. Built into the program.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warplens::model {

// An SM, which is the same in all GPUs of a compute capability: data/compute_capabilities.toml.
struct SmSpec {
  uint32_t compute_major = 0, compute_minor = 0;
  uint32_t l1_shared_bytes = 0;  // L1 and shared memory, which are one from 7.0 on
  uint32_t max_threads_per_sm = 0;
  uint32_t max_warps_per_sm = 0;
  uint32_t max_blocks_per_sm = 0;
  uint32_t registers_per_sm = 0;
  uint32_t registers_per_block = 0;
  uint32_t max_registers_per_thread = 0;
  uint32_t register_granularity = 0;  // registers, per warp
  uint32_t sub_partitions = 0;        // of an SM
  uint32_t shared_bytes_per_sm = 0;
  uint32_t shared_bytes_per_block = 0;  // without opting in
  uint32_t shared_bytes_per_block_optin = 0;
  uint32_t shared_bytes_reserved = 0;      // taken by the system, per block
  uint32_t shared_granularity = 0;         // bytes
  uint32_t barriers_per_sm = 0;            // named barriers; 0: not known
  std::vector<uint32_t> shared_carveouts;  // bytes, ascending
};

// Vendor's peaks, 10^9 operations a second; nothing where no public source has one.
struct PeakRates {
  std::optional<uint32_t> fp32_gflops, fp64_gflops;
  std::optional<uint32_t> tensor_fp16_gflops;  // without sparsity, sums in FP32
};

struct GpuSpec : SmSpec {
  std::string id;    // "h200": what --gpu takes
  std::string name;  // "NVIDIA H200": what cudaGetDeviceProperties says
  uint32_t sm_count = 0;
  uint32_t clock_khz = 0;  // boost clock of an SM
  uint64_t memory_bytes = 0;
  uint32_t memory_clock_khz = 0;
  uint32_t memory_bus_bits = 0;
  uint64_t memory_bytes_per_second = 0;  // vendor's peak
  uint64_t l2_bytes = 0;
  PeakRates rates;
};

// Reads one data/gpus file. `file` is only named in the error.
Result<GpuSpec> parse_gpu_spec(std::string_view text, const std::string& file);

std::vector<std::string> gpu_ids();             // sorted
Result<GpuSpec> find_gpu(std::string_view id);  // case does not matter; the error lists what there is

std::vector<std::string> compute_capability_names();     // "5.0", "5.2", ...: ascending
Result<SmSpec> find_sm(uint32_t major, uint32_t minor);  // the error lists what there is
Result<SmSpec> find_sm_by_name(std::string_view name);   // "9.0", "sm_90", "compute_90" or "sm_90a"

}  // namespace warplens::model
