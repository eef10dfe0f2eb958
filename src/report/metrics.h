// Figures under Nsight Compute's names: of a launch, a source line or an instruction. metrics.def lists them.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace warplens::report {

// Of a launch, in a fixed order. `kernel` is the launch's.
std::vector<Metric> metrics(const Kernel& kernel, const Launch& launch);

// Of a part of a launch: these of the kernel's sites and of its instructions (indices; others are left out). Facts of
// the launch and what is counted of the whole only are not among them.
std::vector<Metric> part_metrics(const Kernel& kernel, const Launch& launch, std::span<const size_t> sites,
                                 std::span<const size_t> instructions);

// The value of a ratio, or of a count.
double value_of(const Metric& metric);

// A line of metrics.def, for documents and for those who read Nsight Compute's tables.
struct MetricKind {
  std::string_view name;
  std::string_view column;  // of Nsight Compute's source page; "" where it has none
  Fidelity sass, ptx;
  bool fact = false;  // of the launch, which ptxas does not change
  std::string_view words;
};
std::span<const MetricKind> metric_kinds();

}  // namespace warplens::report
