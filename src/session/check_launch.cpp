#include "session/check_launch.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/occupancy.h"

namespace warplens::session {
namespace {

// The same on every GPU of compute capability 5.0 and later (CUDA C++ Programming Guide, technical specifications).
constexpr Dim3 kMaxGrid{2147483647, 65535, 65535};
constexpr Dim3 kMaxBlock{1024, 1024, 64};

bool within(const Dim3& value, const Dim3& most) {
  return value.x >= 1 && value.y >= 1 && value.z >= 1 && value.x <= most.x && value.y <= most.y && value.z <= most.z;
}

std::string text(const Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }

LaunchReport refuse(Outcome outcome, std::string message) { return {outcome, std::move(message), std::nullopt}; }

}  // namespace

std::optional<LaunchReport> check_launch(const model::GpuSpec& gpu, const ir::Function& kernel,
                                         const exec::LaunchConfig& config, uint32_t dynamic_shared_limit) {
  if (!within(config.grid, kMaxGrid)) {
    return refuse(Outcome::InvalidConfiguration,
                  "a grid of " + text(config.grid) + "; (1, 1, 1) to " + text(kMaxGrid) + " are possible");
  }
  if (!within(config.block, kMaxBlock)) {
    return refuse(Outcome::InvalidConfiguration,
                  "a block of " + text(config.block) + "; (1, 1, 1) to " + text(kMaxBlock) + " are possible");
  }
  uint64_t threads = config.block.count();
  if (threads > model::kMaxThreadsPerBlock) {
    return refuse(Outcome::InvalidConfiguration,
                  fmt::format("a block of {} threads; {} is the most", threads, model::kMaxThreadsPerBlock));
  }
  const uint32_t* ntid = kernel.max_ntid;
  uint64_t most = uint64_t{ntid[0]} * std::max(1u, ntid[1]) * std::max(1u, ntid[2]);
  if (most && threads > most) {
    return refuse(Outcome::OutOfResources,
                  fmt::format("a block of {} threads; the kernel was compiled for {}", threads, most));
  }
  if (most && kernel.requires_ntid && threads != most) {
    return refuse(Outcome::OutOfResources, fmt::format("a block of {} threads; the kernel requires {}", threads, most));
  }
  // Of a kernel that runs as PTX, registers are not known.
  const model::BlockNeeds needs{static_cast<uint32_t>(threads), 0, kernel.registers};
  if (model::occupancy(gpu, needs).refusal == model::Refusal::RegistersOfBlock) {
    return refuse(
        Outcome::TooManyRegisters,
        fmt::format("a block of {} threads of {} registers, which are more than the {} that a block can have; "
                    "with __launch_bounds__({}) the compiler uses {} at most",
                    threads, kernel.registers, gpu.registers_per_block, threads,
                    model::registers_for(gpu, needs, 1).value_or(0)));
  }
  uint32_t left = gpu.shared_bytes_per_block - std::min(gpu.shared_bytes_per_block, kernel.own_shared_bytes());
  uint32_t limit = dynamic_shared_limit ? dynamic_shared_limit : left;
  if (config.dynamic_shared_bytes > limit) {
    const uint32_t most =
        gpu.shared_bytes_per_block_optin - std::min(gpu.shared_bytes_per_block_optin, kernel.own_shared_bytes());
    std::string text =
        fmt::format("{} bytes of dynamic shared memory; this kernel may have {}", config.dynamic_shared_bytes, limit);
    if (limit < most)
      text += fmt::format(", and {} after cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize)", most);
    return refuse(Outcome::InvalidValue, std::move(text));
  }
  return std::nullopt;
}

}  // namespace warplens::session
