// What the rules about global memory share.
#pragma once
#include "findings/findings.h"

namespace warplens::findings {

struct Spread {
  const Access& access;
  double sectors = 0, ideal = 0;  // a request
  int64_t apart = 0;              // bytes from lane 0 to lane 1, where the law is known
  int axis = 0;                   // of threadIdx, in which they differ
  uint64_t excess() const { return access.counts.sectors - access.counts.sectors_ideal; }
};
// The accesses of a group to global memory that touch at least half as many sectors again as their data needs.
std::vector<Spread> spread_accesses(const Group& group);

bool is_global(const Access& access);
// A warning where it costs a tenth of what the kernel moves, else a note.
const char* severity_of(const Group& group, uint64_t excess_sectors);
// "as `threadIdx.x` is multiplied by n (1024)"
std::string because(const Spread& spread);
// Fills title's companions: effect, gain and weight, for sectors that come down to the ideal.
void fill_effect(const Context& context, const Spread& spread, report::Finding& finding);

}  // namespace warplens::findings
