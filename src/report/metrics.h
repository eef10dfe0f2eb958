// A launch's totals under Nsight Compute's names.
#pragma once
#include <vector>

#include "report/report.h"

namespace warplens::report {

// From the launch's own totals and its sites' counts, in a fixed order. `kernel` is the launch's.
std::vector<Metric> metrics(const Kernel& kernel, const Launch& launch);

}  // namespace warplens::report
