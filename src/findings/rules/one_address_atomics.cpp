// WL501: atomics of several lanes to one address are done one after the other.
#include <fmt/format.h>

#include "findings/findings.h"
#include "findings/words.h"

namespace warplens::findings {
namespace {
constexpr double kMany = 4;
}

void one_address_atomics(const Context& context) {
  for (const Access& a : context.group.accesses) {
    const bool atomic = a.site->kind == report::AccessKind::Atomic || a.site->kind == report::AccessKind::Reduction;
    if (!atomic || a.site->bytes_per_lane == 0) continue;
    const report::SiteCounts& c = a.counts;
    const double addresses = per(c.bytes_used, c.requests * a.site->bytes_per_lane), lanes = per(c.lanes, c.requests);
    if (addresses <= 0 || lanes < kMany * addresses) continue;
    report::Finding f = about(a, "WL501", "warning");
    f.title = fmt::format("{:.1f} lanes of a warp update each address", lanes / addresses);
    f.what = fmt::format(
        "Of {:.1f} lanes that update {} together, only {:.1f} addresses are different, and updates of one address "
        "are done one after the other, also those of other warps.",
        lanes, name(a), addresses);
    f.change =
        a.site->space == report::Space::Shared
            ? "Add up in registers or by shuffles (`__reduce_add_sync`) first, and let one lane update; or keep a copy "
              "for each warp."
            : "Add up within the warp first (`__reduce_add_sync`, cooperative groups' `reduce`), or within the block "
              "in "
              "shared memory, and let one lane update global memory.";
    f.effect =
        fewer("lane updates", c.lanes, static_cast<uint64_t>(addresses * static_cast<double>(c.requests)), "counted");
    f.gain = "1.0 to " + fmt::format("{:.0f}", lanes / addresses) +
             " times as fast, where atomics are what it waits for [estimated]";
    f.weight = c.lanes;
    context.findings.push_back(std::move(f));
  }
}

}  // namespace warplens::findings
