// Which launches a GPU refuses before running anything.
#pragma once
#include <optional>

#include "exec/launch.h"
#include "ir/ir.h"
#include "model/gpu_spec.h"
#include "session/session.h"

namespace warplens::session {

// Nothing if the launch may run. `dynamic_shared_limit` 0: the GPU's default, less the kernel's static shared memory.
std::optional<LaunchReport> check_launch(const model::GpuSpec& gpu, const ir::Function& kernel,
                                         const exec::LaunchConfig& config, uint32_t dynamic_shared_limit);

}  // namespace warplens::session
