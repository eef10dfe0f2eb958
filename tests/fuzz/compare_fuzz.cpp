// Any bytes as a table of Nsight Compute, compared with a run, and as a run's report. A profile of one kernel by a name
// in the text, so that launches find partners.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "compare/compare.h"
#include "compare/names.h"
#include "compare/render.h"
#include "report/json.h"
#include "report/metrics.h"

using namespace warplens;

namespace {

report::Report small_report(std::string_view text) {
  report::Report report;
  report::Kernel& kernel = report.kernels.emplace_back();
  kernel.demangled = "f(int*)";
  kernel.code = text.size() % 2 ? report::Code::Sass : report::Code::Ptx;
  kernel.sites.resize(2);
  kernel.sites[0].machine_offset = 0;
  kernel.sites[1].frames = {{"f.cu", 3, 1, "f"}};
  report::Launch& launch = report.launches.emplace_back();
  launch.sites.resize(2);
  launch.sites[0].requests = launch.sites[0].sectors = 7;
  launch.metrics = report::metrics(kernel, launch);
  return report;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  report::Report run = small_report(text);
  if (auto profile = compare::read_ncu(text)) {
    if (profile->launches.empty()) std::abort();
    for (compare::NcuLaunch& launch : profile->launches)
      if (launch.kernel.size() % 3 == 0) launch.kernel = "f(int *)";
    const compare::Comparison comparison = compare::compare(run, {*profile});
    if (comparison.pairs.size() > run.launches.size()) std::abort();
    if (compare::render_text(comparison, {.all = true}).empty() || compare::render_json(comparison).empty())
      std::abort();
  }
  if (compare::closeness(compare::kernel_name(text), compare::kernel_name(text)) > compare::kNameForms) std::abort();
  if (auto report = report::read_json(text)) {
    // What was read is written and read again as the same.
    const std::string once = report::render_json(*report);
    auto again = report::read_json(once);
    if (!again || report::render_json(*again) != once) std::abort();
  }
  return 0;
}
