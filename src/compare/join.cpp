#include "compare/join.h"

#include <algorithm>
#include <map>

#include "compare/names.h"

namespace warplens::compare {
namespace {

// The run's kernels by that name, as exactly as it can be told.
std::vector<bool> kernels_named(const report::Report& report, const std::vector<KernelName>& names,
                                const std::string& wanted) {
  const KernelName name = kernel_name(wanted);
  std::vector<size_t> distance(names.size(), kNameForms);
  for (size_t i = 0; i < names.size(); ++i)
    distance[i] = report.kernels[i].name == wanted ? 0 : closeness(names[i], name);
  const size_t best = distance.empty() ? kNameForms : *std::min_element(distance.begin(), distance.end());
  std::vector<bool> out(names.size());
  for (size_t i = 0; i < names.size(); ++i) out[i] = best < kNameForms && distance[i] == best;
  return out;
}

// The run's launches of kernels with one name, and how far they have been given away.
struct Candidates {
  std::vector<size_t> launches;
  size_t next = 0;
  bool any_kernel = false;
};

bool same_shape(const report::Launch& ours, const NcuLaunch& theirs) {
  return theirs.grid.value_or(ours.grid) == ours.grid && theirs.block.value_or(ours.block) == ours.block;
}

}  // namespace

std::vector<size_t> join(const report::Report& report, const NcuExport& profile) {
  std::vector<KernelName> names;
  for (const report::Kernel& kernel : report.kernels) names.push_back(kernel_name(kernel.demangled));
  std::map<std::string, Candidates> by_name;
  std::vector<size_t> partners;
  for (const NcuLaunch& theirs : profile.launches) {
    const auto [known, is_new] = by_name.try_emplace(theirs.kernel);
    Candidates& candidates = known->second;
    if (is_new) {
      const std::vector<bool> named = kernels_named(report, names, theirs.kernel);
      for (size_t i = 0; i < report.launches.size(); ++i)
        if (report.launches[i].kernel < named.size() && named[report.launches[i].kernel])
          candidates.launches.push_back(i);
      candidates.any_kernel = !candidates.launches.empty();
    }
    size_t at = candidates.next;
    while (at < candidates.launches.size() && !same_shape(report.launches[candidates.launches[at]], theirs)) ++at;
    if (at == candidates.launches.size()) {
      partners.push_back(candidates.any_kernel ? kNoLaunch : kNoKernel);
      continue;
    }
    partners.push_back(candidates.launches[at]);
    candidates.next = at + 1;
  }
  return partners;
}

}  // namespace warplens::compare
