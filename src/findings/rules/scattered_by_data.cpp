// WL103: which address a lane takes depends on something that was loaded.
#include <fmt/format.h>

#include "findings/rules/global.h"
#include "findings/words.h"

namespace warplens::findings {

void scattered_by_data(const Context& context) {
  for (const Spread& s : spread_accesses(context.group)) {
    const Access& a = s.access;
    if (!a.law.by_data) continue;
    report::Finding f = about(a, "WL103", severity_of(context.group, s.excess()));
    f.title = fmt::format("lanes {} where data leads them", verb(a));
    f.what = fmt::format(
        "The address is {}: it depends on what was loaded. In this run a request touched {:.1f} sectors of 32 bytes on "
        "average, for data that would fit in {:.1f}.",
        report::law_text(a.site->law, a.kernel->parameters), s.sectors, s.ideal);
    f.change =
        "If the indices can be sorted or grouped (by bucket, by row), lanes of a warp meet in the same sectors. A "
        "small "
        "table belongs in shared memory; elements of 16 bytes make better use of each sector.";
    fill_effect(context, s, f);
    context.findings.push_back(std::move(f));
  }
}

}  // namespace warplens::findings
