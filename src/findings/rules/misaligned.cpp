// WL102: a warp's row is contiguous and begins inside a sector.
#include <fmt/format.h>

#include <cstdlib>

#include "findings/bound.h"
#include "findings/rules/global.h"
#include "findings/words.h"

namespace warplens::findings {

void misaligned(const Context& context) {
  for (const Access& a : context.group.accesses) {
    if (!is_global(a) || !a.law.known || a.counts.sectors <= a.counts.sectors_ideal) continue;
    const double sectors = per(a.counts.sectors, a.counts.requests),
                 ideal = per(a.counts.sectors_ideal, a.counts.requests);
    const int axis = lane_axis(a.launch->block);
    if (sectors >= 1.5 * ideal || sectors < 1.02 * ideal || a.launch->block.x % 32 != 0) continue;
    if (std::abs(a.law.axis(axis).bytes) != a.site->bytes_per_lane) continue;
    report::Finding f = about(a, "WL102", "note");
    const uint64_t excess = a.counts.sectors - a.counts.sectors_ideal;
    f.title =
        fmt::format("{:.0f} % more sectors: rows begin inside a sector", 100 * per(excess, a.counts.sectors_ideal));
    f.what = fmt::format(
        "A warp {}s {} in one row, but most rows begin inside a sector of 32 bytes, so that a request touches "
        "{:.2f} sectors where {:.2f} would do. The address: {}.",
        verb(a), name(a), sectors, ideal, report::law_text(a.site->law, a.kernel->parameters));
    f.change =
        "Where it can be had, let rows begin at a multiple of 32 bytes: pad the rows (cudaMallocPitch), or shift the "
        "index by a constant.";
    f.effect = fewer("sectors", a.counts.sectors, a.counts.sectors_ideal, "counted; the second is what its data needs");
    f.gain = a.site->kind == report::AccessKind::Load
                 ? "little expected: the neighbouring warp needs the rest of the sector, and finds it in L1 [estimated]"
                 : expected_gain(context.group, context.gpu, {excess, 0, 0});
    f.weight = excess;
    context.findings.push_back(std::move(f));
  }
}

}  // namespace warplens::findings
