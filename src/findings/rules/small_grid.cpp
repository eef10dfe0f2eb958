// WL402: SMs that get no block.
#include <fmt/format.h>

#include "findings/findings.h"

namespace warplens::findings {
namespace {
constexpr uint64_t kShort = 1000;  // warp instructions a block: below, a launch takes longer than its kernel
}

void small_grid(const Context& context) {
  const report::Launch& launch = *context.group.launches.front();
  const uint64_t blocks = launch.grid.count(), sms = context.gpu.sm_count;
  if (blocks == 0 || blocks >= sms || launch.instructions / blocks < kShort) return;
  report::Finding f = about(context.group, "WL402", 2 * blocks < sms ? "warning" : "note");
  f.title = fmt::format("{} block{} for {} SMs", blocks, blocks == 1 ? "" : "s", sms);
  f.what = fmt::format("{} has {} SMs, and a block runs on one: {} of them get nothing to do.", context.gpu.name, sms,
                       sms - blocks);
  f.change =
      fmt::format("Give each thread less to do, so that there are at least {} blocks, or several times that.", sms);
  f.gain = fmt::format("1.0 to {:.1f} times as fast, for this kernel [estimated]",
                       static_cast<double>(sms) / static_cast<double>(blocks));
  f.weight = launch.instructions;
  context.findings.push_back(std::move(f));
}

}  // namespace warplens::findings
