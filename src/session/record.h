// What the pipeline's stages know, as the report's plain data.
#pragma once
#include <span>
#include <string>

#include "base/diagnostic.h"
#include "exec/launch.h"
#include "ir/ir.h"
#include "law/law.h"
#include "observe/cache_replay.h"
#include "observe/site_stats.h"
#include "report/report.h"

namespace warplens::session {

report::Kernel record_kernel(const ir::Module& module, const ir::Kernel& kernel, const law::KernelLaws& laws,
                             uint32_t id);
// All but the index.
report::Launch record_launch(uint32_t id, const ir::Function& function,
                             const std::vector<law::UsedParameter>& parameters, std::span<const uint8_t> buffer,
                             const exec::LaunchConfig& config, const exec::LaunchResult& result,
                             std::span<const observe::SiteStats> sites);
report::Caches record_caches(const observe::CacheTotals& totals);
report::Fault record_fault(const ir::Module& module, const ir::Function& function, uint32_t kernel, uint64_t launch,
                           const exec::Fault& fault);
// For a launch that was stopped: if it seems to wait in a loop for what another thread writes, the fault says where,
// and why such a wait may never end here.
void explain_endless_wait(const ir::Function& function, std::span<const observe::SiteStats> sites,
                          report::Fault& fault);
report::Note record_note(const Diagnostic& diagnostic);

// One sentence: "matmul: out of bounds: 4 bytes at 0x..., 16 bytes past ..., block (1, 0, 0), thread (5, 0, 0),
// a.cu:12".
std::string describe_fault(const ir::Module& module, const ir::Function& function, const exec::Fault& fault);

}  // namespace warplens::session
