// WL601: what a thread keeps for itself lies in memory: spilled registers, or an array that is indexed at run time.
#include <fmt/format.h>

#include "findings/findings.h"
#include "findings/words.h"
#include "report/text.h"

namespace warplens::findings {
namespace {
constexpr double kShare = 0.1;
}

void local_memory(const Context& context) {
  uint64_t local = 0, all = 0;
  const Access* most = nullptr;
  for (const Access& a : context.group.accesses) {
    all += a.counts.sectors;
    if (a.site->space != report::Space::Local) continue;
    local += a.counts.sectors;
    if (!most || a.counts.sectors > most->counts.sectors) most = &a;
  }
  if (!most || static_cast<double>(local) < kShare * static_cast<double>(all)) return;
  report::Finding f = about(*most, "WL601", "warning");
  const report::Kernel& kernel = *context.group.kernel;
  const bool spills = kernel.spill_load_bytes.value_or(0) != 0 || kernel.spill_store_bytes.value_or(0) != 0;
  f.title = fmt::format("{:.0f} % of the sectors are threads' own, in local memory", 100 * per(local, all));
  f.what =
      fmt::format("Each thread keeps {} bytes in local memory, which is memory like any other behind the caches. {}",
                  kernel.local_bytes,
                  spills ? "The kernel needs more registers than a thread may have, so some are spilled."
                         : "An array that is indexed by something known only at run time cannot be in registers.");
  f.change = spills
                 ? "Give threads more registers (`__launch_bounds__`, a higher -maxrregcount), or let them keep less."
                 : "Unroll the loop that indexes the array (`#pragma unroll`), so that all indices are known; a table "
                   "that all "
                   "threads read belongs in constant or shared memory.";
  f.effect = fmt::format("{} sectors of local memory [{}]", report::grouped(local),
                         kernel.code == report::Code::Sass ? "counted" : "estimated");
  f.gain = "depends on what L1 keeps of it [estimated]";
  f.weight = local;
  context.findings.push_back(std::move(f));
}

}  // namespace warplens::findings
