// WL401: threads that a warp has and the block does not use, or blocks of so few warps that an SM cannot be filled.
#include <fmt/format.h>

#include <algorithm>

#include "findings/findings.h"

namespace warplens::findings {

void block_shape(const Context& context) {
  const report::Launch& launch = *context.group.launches.front();
  const uint64_t threads = launch.block.count(), warps = (threads + 31) / 32, idle = warps * 32 - threads;
  if (idle != 0) {
    report::Finding f = about(context.group, "WL401", 10 * idle >= warps * 32 ? "warning" : "note");
    f.title = fmt::format("blocks of {} threads leave {} lanes of their last warp idle", threads, idle);
    f.what = fmt::format("A block of {} threads takes {} warps of 32 lanes: {:.1f} % of the lanes never do anything.",
                         threads, warps, 100.0 * static_cast<double>(idle) / static_cast<double>(warps * 32));
    f.change =
        fmt::format("Use a multiple of 32 threads: {} or {}.", std::max<uint64_t>(32, threads / 32 * 32), warps * 32);
    f.gain = fmt::format("up to {:.2f} times as fast [estimated]",
                         static_cast<double>(warps * 32) / static_cast<double>(threads));
    f.weight = idle * launch.grid.count();
    context.findings.push_back(std::move(f));
  }
  const uint64_t most = std::min<uint64_t>(context.gpu.max_warps_per_sm, warps * context.gpu.max_blocks_per_sm);
  if (2 * most <= context.gpu.max_warps_per_sm && launch.grid.count() > context.gpu.sm_count) {
    report::Finding f = about(context.group, "WL401", "note");
    f.title = fmt::format("blocks of {} threads fill an SM to {} of {} warps at most", threads, most,
                          context.gpu.max_warps_per_sm);
    f.what = fmt::format(
        "An SM holds at most {} blocks at a time. Blocks of {} warp{} therefore leave it with {} warps, few to hide "
        "the latency of memory behind.",
        context.gpu.max_blocks_per_sm, warps, warps == 1 ? "" : "s", most);
    f.change = "Use blocks of 128 to 256 threads.";
    f.gain = "depends on how much the kernel waits for memory [estimated]";
    f.weight = launch.grid.count();
    context.findings.push_back(std::move(f));
  }
}

}  // namespace warplens::findings
