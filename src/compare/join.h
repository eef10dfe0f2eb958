// Which launch of a run is which launch of a profile.
#pragma once
#include <cstdint>
#include <vector>

#include "compare/ncu.h"
#include "report/report.h"

namespace warplens::compare {

inline constexpr size_t kNoLaunch = ~size_t{0}, kNoKernel = kNoLaunch - 1;

// For each launch of the profile its partner's index in report.launches; kNoKernel where the run has no such kernel,
// kNoLaunch where it has, and no launch of this shape is left.
//
// A kernel's launches come in the same order in both, but a profile may leave some out (ncu -c, --launch-skip): each
// takes the next one that has its grid and block.
std::vector<size_t> join(const report::Report& report, const NcuExport& profile);

}  // namespace warplens::compare
