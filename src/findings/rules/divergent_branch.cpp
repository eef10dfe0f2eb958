// WL301: lanes of a warp go both ways at a branch, and wait while the others' way is run.
#include <fmt/format.h>

#include "findings/findings.h"
#include "findings/words.h"
#include "report/text.h"

namespace warplens::findings {
namespace {
constexpr double kOften = 0.1, kMostly = 0.5, kShare = 0.01, kFewLanes = 24;
}

void divergent_branch(const Context& context) {
  uint64_t instructions = 0;
  for (const report::Launch* launch : context.group.launches) instructions += launch->instructions;
  for (const Access& branch : context.group.branches) {
    const report::SiteCounts& c = branch.counts;
    const double lanes = per(c.branch_lanes, c.branch_executed), share = per(c.branch_divergent, c.branch_executed);
    if (share < kOften || static_cast<double>(c.branch_divergent) < kShare * static_cast<double>(instructions))
      continue;
    report::Finding f = about(branch, "WL301", share >= kMostly || lanes < kFewLanes ? "warning" : "note");
    f.title = fmt::format("{:.0f} % of the times, lanes of one warp go both ways", 100 * share);
    f.what = fmt::format(
        "A warp runs both ways of this branch one after the other, with the lanes of the other way idle: {} of "
        "{} times; on average {:.1f} lanes come here together [counted].",
        report::grouped(c.branch_divergent), report::grouped(c.branch_executed), lanes);
    f.change =
        "If the condition depends on the lane (`threadIdx.x % 2`, a lane's own data), let whole warps decide: use "
        "`threadIdx.x / 32`, or sort the work by kind. Short ways can be computed both, and one result selected.";
    f.effect = fmt::format("{} divergent branches [counted]", report::grouped(c.branch_divergent));
    f.gain = "up to 2 times as fast where both ways are equally long; none where one is a few instructions [estimated]";
    f.weight = c.branch_divergent;
    context.findings.push_back(std::move(f));
  }
}

}  // namespace warplens::findings
