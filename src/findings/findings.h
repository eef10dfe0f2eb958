// What is slow in a run, why, and what would change it: rules over a Report. Each rule is a file of rules/, a line of
// rules.def and a page of docs/rules/.
#pragma once
#include <string_view>
#include <vector>

#include "findings/access.h"
#include "model/gpu_spec.h"
#include "report/report.h"

namespace warplens::findings {

// Worst first: warnings, then notes, each by what they cost.
std::vector<report::Finding> find(const report::Report& report, const model::GpuSpec& gpu);

struct Context {
  const report::Report& report;
  const model::GpuSpec& gpu;
  const Group& group;
  std::vector<report::Finding>& findings;
};
using RuleFunction = void (*)(const Context&);

struct Rule {
  const char* id;     // "WL101"
  const char* title;  // "lanes of a warp are far apart in global memory"
  RuleFunction function;
};
const std::vector<Rule>& rules();

// For rules: a finding about an access, its place and weight filled.
report::Finding about(const Access& access, const char* rule, const char* severity);
report::Finding about(const Group& group, const char* rule, const char* severity);

#define WL_RULE(id, name, title) void name(const Context& context);
#include "findings/rules.def"

}  // namespace warplens::findings
