#include "findings/bound.h"

#include <fmt/format.h>

#include <algorithm>

namespace warplens::findings {
namespace {

constexpr double kSectorBytes = 32, kL2BytesPerCycle = 64, kIssuePerCycle = 4;
// What a launch takes before and after its work, and to fill the GPU: on an H200, kernels that copy a megabyte and less
// take 2.7 to 3.2 microseconds (examples/demo.cu), whatever they do.
constexpr double kLaunchSeconds = 2.2e-6;
constexpr double kNothing = 1.05;  // less than that drowns in what differs from run to run

struct Work {
  double launches = 0, instructions = 0, sectors = 0, tag_requests = 0, wavefronts = 0;
};
Work work_of(const Group& group) {
  Work w;
  w.launches = static_cast<double>(group.launches.size());
  for (const report::Launch* launch : group.launches) w.instructions += static_cast<double>(launch->instructions);
  for (const Access& a : group.accesses) {
    w.sectors += static_cast<double>(a.counts.sectors);
    w.tag_requests += static_cast<double>(std::max(a.counts.tag_requests, a.counts.sectors / 4));
    w.wavefronts += static_cast<double>(a.counts.wavefronts);
  }
  return w;
}
Bound bound_of(const Work& w, const model::GpuSpec& gpu) {
  const double sms = std::max(1u, gpu.sm_count), hertz = std::max(1u, gpu.clock_khz) * 1e3;
  const double memory = gpu.memory_bytes_per_second ? static_cast<double>(gpu.memory_bytes_per_second) : 1e12;
  return {w.instructions / (kIssuePerCycle * sms), (w.tag_requests + w.wavefronts) / sms,
          w.sectors * kSectorBytes / (kL2BytesPerCycle * sms), w.sectors * kSectorBytes / memory * hertz,
          w.launches * kLaunchSeconds * hertz};
}
double without_dram(const Bound& b) { return b.start + std::max({b.issue, b.l1, b.l2}); }
double with_dram(const Bound& b) { return b.start + std::max({b.issue, b.l1, b.l2, b.dram}); }

}  // namespace

Bound bound_of(const Group& group, const model::GpuSpec& gpu) { return bound_of(work_of(group), gpu); }

std::string expected_gain(const Group& group, const model::GpuSpec& gpu, const Saved& saved) {
  const Work now = work_of(group);
  Work then = now;
  then.sectors -= std::min(then.sectors, static_cast<double>(saved.sectors));
  then.tag_requests -= std::min(then.tag_requests, static_cast<double>(saved.tag_requests));
  then.wavefronts -= std::min(then.wavefronts, static_cast<double>(saved.wavefronts));
  const Bound before = bound_of(now, gpu), after = bound_of(then, gpu);
  const double a = without_dram(before) / std::max(1.0, without_dram(after));
  const double b = with_dram(before) / std::max(1.0, with_dram(after));
  const double least = std::max(1.0, std::min(a, b)), most = std::max({1.0, a, b});
  if (most < kNothing)
    return fmt::format("no gain expected: bound by {} [estimated]",
                       before.start >= std::max({before.issue, before.l1, before.l2}) ? "the launch itself"
                       : before.issue >= before.l1 && before.issue >= before.l2       ? "instructions"
                                                                                      : "other accesses");
  const std::string low = fmt::format("{:.1f}", least), high = fmt::format("{:.1f}", most);
  return (low == high ? "up to " + high : low + " to " + high) + " times as fast, for this kernel [estimated]";
}

}  // namespace warplens::findings
