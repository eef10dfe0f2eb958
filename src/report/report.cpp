#include "report/report.h"

#include <algorithm>

namespace warplens::report {

const char* to_string(Fidelity f) {
  switch (f) {
    case Fidelity::Counted:
      return "counted";
    case Fidelity::Modelled:
      return "modelled";
    case Fidelity::Estimated:
      return "estimated";
  }
  return "";
}

const char* to_string(AccessKind kind) {
  switch (kind) {
    case AccessKind::Load:
      return "load";
    case AccessKind::Store:
      return "store";
    case AccessKind::Atomic:
      return "atomic";
    case AccessKind::Reduction:
      return "reduction";
    case AccessKind::Branch:
      return "branch";
    case AccessKind::Barrier:
      return "barrier";
  }
  return "";
}

const char* to_string(Space space) {
  switch (space) {
    case Space::Global:
      return "global";
    case Space::Shared:
      return "shared";
    case Space::Local:
      return "local";
    case Space::Const:
      return "const";
    case Space::Generic:
      return "generic";
    case Space::Texture:
      return "texture";
    case Space::Surface:
      return "surface";
  }
  return "";
}

const char* to_string(Code code) { return code == Code::Sass ? "sass" : "ptx"; }

void SiteCounts::add(const SiteCounts& other) {
  requests += other.requests;
  lanes += other.lanes;
  sectors += other.sectors;
  sectors_ideal += other.sectors_ideal;
  tag_requests += other.tag_requests;
  wavefronts += other.wavefronts;
  wavefronts_ideal += other.wavefronts_ideal;
  bytes_used += other.bytes_used;
  executed += other.executed;
  executed_lanes += other.executed_lanes;
  branch_executed += other.branch_executed;
  branch_divergent += other.branch_divergent;
  branch_lanes += other.branch_lanes;
  for (const PatternCount& p : other.patterns) {
    const auto same = std::find_if(patterns.begin(), patterns.end(), [&](const auto& q) { return q.words == p.words; });
    if (same == patterns.end())
      patterns.push_back(p);
    else
      same->count += p.count;
  }
  std::sort(patterns.begin(), patterns.end(), [](const PatternCount& a, const PatternCount& b) {
    return a.count != b.count ? a.count > b.count : a.words < b.words;
  });
}

}  // namespace warplens::report
