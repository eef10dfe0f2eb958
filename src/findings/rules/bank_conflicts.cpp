// WL201: lanes of a warp ask for different words of one bank, so that the request takes several passes.
#include <fmt/format.h>

#include <cstdlib>

#include "findings/bound.h"
#include "findings/findings.h"
#include "findings/padding.h"
#include "findings/words.h"

namespace warplens::findings {
namespace {

constexpr double kMuch = 1.2, kShare = 0.1;

bool is_width(uint32_t bytes) { return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16; }

}  // namespace

void bank_conflicts(const Context& context) {
  uint64_t all = 0;
  for (const Access& a : context.group.accesses) all += a.counts.wavefronts;
  for (const Access& a : context.group.accesses) {
    const report::SiteCounts& c = a.counts;
    if (a.site->space != report::Space::Shared || !is_width(a.site->bytes_per_lane)) continue;
    if (static_cast<double>(c.wavefronts) < kMuch * static_cast<double>(c.wavefronts_ideal) ||
        c.wavefronts == c.wavefronts_ideal)
      continue;
    const uint64_t excess = c.wavefronts - c.wavefronts_ideal;
    report::Finding f =
        about(a, "WL201", static_cast<double>(excess) >= kShare * static_cast<double>(all) ? "warning" : "note");
    const double now = per(c.wavefronts, c.requests), ideal = per(c.wavefronts_ideal, c.requests);
    f.title = fmt::format("{:.1f} passes over shared memory's banks where {:.1f} would do", now, ideal);
    const int axis = lane_axis(a.launch->block);
    const Step& step = a.law.axis(axis);
    uint64_t then = c.wavefronts_ideal;
    f.change =
        "Change the layout such that lanes of a warp fall into different banks: pad rows by an element, or swizzle "
        "the column with the row (column ^ row).";
    if (a.law.known) {
      f.what = fmt::format(
          "Adjacent lanes {} words that are {} apart, because `{}` is multiplied by {}. Banks are 4 bytes wide "
          "and repeat every 128 bytes, so lanes meet in a bank and wait for each other.",
          verb(a), bytes(step.bytes), axis_name(axis), step.factor);
      const LaneLaw wider = padded(a.law, a.site->bytes_per_lane);
      const uint32_t before = passes(a.law, a), after = passes(wider, a);
      if (after < before && std::abs(step.bytes) > a.site->bytes_per_lane && before > 0) {
        const int64_t row = std::abs(step.bytes) / a.site->bytes_per_lane;
        f.change = fmt::format(
            "Pad each row by one element, {} instead of {} (such as `tile[{}][{}]`): lanes then fall into "
            "different banks.",
            row + 1, row, row, row + 1);
        then = std::max<uint64_t>(c.wavefronts_ideal, c.wavefronts * after / before);
      }
    } else {
      f.what =
          fmt::format("Lanes of a warp {} different words of the same bank and wait for each other; the address is {}.",
                      verb(a), report::law_text(a.site->law, a.kernel->parameters));
    }
    f.effect = fewer("wavefronts", c.wavefronts, then, "modelled");
    f.gain = expected_gain(context.group, context.gpu, {0, 0, c.wavefronts - then});
    f.weight = excess;
    context.findings.push_back(std::move(f));
  }
}

}  // namespace warplens::findings
