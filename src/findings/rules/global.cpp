#include "findings/rules/global.h"

#include <fmt/format.h>

#include <algorithm>

#include "findings/bound.h"
#include "findings/words.h"

namespace warplens::findings {

namespace {
constexpr double kMuch = 1.5, kShare = 0.1;
}

bool is_global(const Access& a) {
  return a.site->space == report::Space::Global || a.site->space == report::Space::Generic;
}

std::vector<Spread> spread_accesses(const Group& group) {
  std::vector<Spread> out;
  for (const Access& a : group.accesses) {
    if (!is_global(a) || a.counts.requests == 0) continue;
    Spread s{a, per(a.counts.sectors, a.counts.requests), per(a.counts.sectors_ideal, a.counts.requests), 0,
             lane_axis(a.launch->block)};
    if (s.sectors < kMuch * s.ideal) continue;
    if (const auto offsets = lane_offsets(a.law, a.launch->block); offsets && offsets->size() > 1)
      s.apart = (*offsets)[1] - (*offsets)[0];
    out.push_back(s);
  }
  return out;
}

const char* severity_of(const Group& group, uint64_t excess_sectors) {
  uint64_t all = 0;
  for (const Access& a : group.accesses) all += a.counts.sectors;
  return static_cast<double>(excess_sectors) >= kShare * static_cast<double>(all) ? "warning" : "note";
}

std::string because(const Spread& s) {
  const Step& step = s.access.law.axis(s.axis);
  return fmt::format("`{}` is multiplied by {}", axis_name(s.axis), step.factor);
}

void fill_effect(const Context& context, const Spread& s, report::Finding& f) {
  const report::SiteCounts& c = s.access.counts;
  f.effect = fewer("sectors", c.sectors, c.sectors_ideal, "counted; the second is what its data needs");
  const uint64_t lines = std::min(c.tag_requests, std::max<uint64_t>(c.requests, c.sectors_ideal / 4));
  f.gain = expected_gain(context.group, context.gpu, {s.excess(), c.tag_requests - lines, 0});
  f.weight = s.excess();
}

}  // namespace warplens::findings
