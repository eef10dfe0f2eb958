#include "findings/findings.h"

#include <algorithm>

namespace warplens::findings {

const std::vector<Rule>& rules() {
  static const std::vector<Rule> kRules = {
#define WL_RULE(id, name, title) {#id, title, name},
#include "findings/rules.def"
  };
  return kRules;
}

std::vector<report::Finding> find(const report::Report& report, const model::GpuSpec& gpu) {
  std::vector<report::Finding> findings;
  for (const Group& group : groups_of(report))
    for (const Rule& rule : rules()) rule.function({report, gpu, group, findings});
  std::stable_sort(findings.begin(), findings.end(), [](const report::Finding& a, const report::Finding& b) {
    const bool warns = a.severity == "warning", other_warns = b.severity == "warning";
    return warns != other_warns ? warns : a.weight > b.weight;
  });
  return findings;
}

report::Finding about(const Group& group, const char* rule, const char* severity) {
  report::Finding f;
  f.rule = rule;
  f.severity = severity;
  f.kernel = group.kernel->id;
  for (const report::Launch* launch : group.launches) f.launches.push_back(launch->index);
  return f;
}

report::Finding about(const Access& access, const char* rule, const char* severity) {
  report::Finding f;
  f.rule = rule;
  f.severity = severity;
  f.kernel = access.kernel->id;
  f.launches = access.launches;
  f.sites = access.sites;
  if (!access.site->frames.empty()) {
    f.file = access.site->frames[0].file;
    f.line = access.site->frames[0].line;
  }
  return f;
}

}  // namespace warplens::findings
