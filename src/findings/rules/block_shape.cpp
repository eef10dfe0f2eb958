// WL401: threads that a warp has and the block does not use, or blocks of so few warps that an SM cannot be filled.
#include <fmt/format.h>

#include <algorithm>

#include "findings/bound.h"
#include "findings/findings.h"

namespace warplens::findings {

void block_shape(const Context& context) {
  const report::Launch& launch = *context.group.launches.front();
  const uint64_t threads = launch.block.count(), warps = (threads + 31) / 32, idle = warps * 32 - threads;
  // One thread alone is meant so; what a launch takes anyway hides a short kernel's lanes.
  const Bound bound = bound_of(context.group, context.gpu);
  const bool is_short = bound.start > std::max({bound.issue, bound.l1, bound.l2});
  if (idle != 0 && launch.grid.count() * threads > 1) {
    report::Finding f = about(context.group, "WL401", 10 * idle >= warps * 32 && !is_short ? "warning" : "note");
    f.title = fmt::format("blocks of {} thread{} leave {} lanes of their last warp idle", threads,
                          threads == 1 ? "" : "s", idle);
    f.what = fmt::format("A block takes {} warp{} of 32 lanes: {:.1f} % of the lanes never do anything.", warps,
                         warps == 1 ? "" : "s", 100.0 * static_cast<double>(idle) / static_cast<double>(warps * 32));
    f.change = threads < 32 ? "Use blocks of 32 threads or a multiple of that."
                            : fmt::format("Use a multiple of 32 threads: {} or {}.", threads / 32 * 32, warps * 32);
    f.gain = is_short ? "no gain expected: bound by the launch itself [estimated]"
                      : fmt::format("up to {:.2f} times as fast [estimated]",
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
