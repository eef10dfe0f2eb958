#include "findings/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace warplens::findings {
namespace {

using report::Law;
using report::LawTerm;

constexpr const char* kAxes[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z"};

// "n (1024)", "2 * n (1024)", "32": a coefficient in elements of `size` bytes.
std::string multiplier(const LawTerm& term, size_t axis, int64_t bytes, uint32_t size, const report::Kernel& kernel) {
  std::string names;
  const int64_t constant = size != 0 && term.coefficient % size == 0 ? term.coefficient / size : term.coefficient;
  bool left_out = false;
  for (const std::string& factor : term.factors) {
    if (factor == kAxes[axis] && !left_out) {
      left_out = true;
      continue;
    }
    names += (names.empty() ? "" : " * ") + report::factor_text(factor, kernel.parameters);
  }
  const int64_t value = size != 0 && bytes % size == 0 ? bytes / size : bytes;
  if (names.empty()) return fmt::format("{}", value);
  if (constant != 1) names = fmt::format("{} * {}", constant, names);
  return fmt::format("{} ({})", names, value);
}

LaneLaw lane_law(const Law& law, const report::Site& site, const report::Kernel& kernel, const report::Launch& launch) {
  LaneLaw out;
  out.known = !law.empty();
  const report::LawValues values{launch.grid, launch.block, launch.parameters};
  const uint32_t size = site.bytes_per_lane;
  for (const LawTerm& term : law) {
    out.by_data |= term.depends.data;
    if (term.factors.size() == 1 && term.coefficient == 1 && !term.depends.thread && !term.depends.block &&
        !term.depends.loop && !term.depends.data && out.base.empty())
      out.base = report::factor_text(term.factors[0], kernel.parameters);
    if (!term.depends.thread) continue;
    std::vector<std::string> rest;
    const int64_t bytes = report::coefficient_of(term, values, &rest);
    const auto axis = std::find(std::begin(kAxes), std::end(kAxes), rest.size() == 1 ? rest[0] : "");
    if (axis == std::end(kAxes)) {
      out.known = false;
      continue;
    }
    const auto index = static_cast<size_t>(axis - std::begin(kAxes));
    Step& step = index == 0 ? out.x : index == 1 ? out.y : out.z;
    step.factor = step.bytes == 0
                      ? multiplier(term, index, bytes, size, kernel)
                      : fmt::format("{}", size && (step.bytes + bytes) % size == 0 ? (step.bytes + bytes) / size
                                                                                   : step.bytes + bytes);
    step.bytes += bytes;
  }
  if (out.by_data) out.known = false;
  return out;
}

uint64_t excess(const report::SiteCounts& c) {
  return (c.sectors - std::min(c.sectors, c.sectors_ideal)) +
         (c.wavefronts - std::min(c.wavefronts, c.wavefronts_ideal)) + c.branch_divergent;
}

// A line, or without line information the instruction; and what its lanes do: `a[i] + b[j]` are two accesses.
using Key = std::tuple<std::string, uint32_t, report::AccessKind, report::Space, uint32_t, std::string, int64_t,
                       int64_t, int64_t>;
Key key_of(const report::Site& site, const LaneLaw& law) {
  const bool lines = !site.frames.empty();
  return {lines ? site.frames[0].file : site.opcode,
          lines ? site.frames[0].line : site.machine_offset.value_or(site.ptx_line),
          site.kind,
          site.space,
          site.bytes_per_lane,
          law.base,
          law.x.bytes,
          law.y.bytes,
          law.z.bytes};
}

void add_launch(Group& group, const report::Launch& launch, std::map<Key, size_t>& access_of,
                std::map<Key, uint64_t>& most) {
  for (uint32_t s = 0; s < launch.sites.size(); ++s) {
    const report::SiteCounts& counts = launch.sites[s];
    if (counts.empty()) continue;
    const report::Site& site = group.kernel->sites[s];
    if (site.kind == report::AccessKind::Barrier) continue;
    auto& list = site.kind == report::AccessKind::Branch ? group.branches : group.accesses;
    const LaneLaw law = lane_law(site.law, site, *group.kernel, launch);
    const Key key = key_of(site, law);
    const auto [it, is_new] = access_of.try_emplace(key, list.size());
    if (is_new) {
      list.emplace_back();
      list.back().kernel = group.kernel;
      list.back().launch = &launch;
    }
    Access& access = list[it->second];
    report::SiteCounts plain = counts;
    plain.patterns.clear();
    access.counts.add(plain);
    if (std::find(access.sites.begin(), access.sites.end(), s) == access.sites.end()) access.sites.push_back(s);
    if (access.launches.empty() || access.launches.back() != launch.index) access.launches.push_back(launch.index);
    if (!access.site || excess(counts) > most[key]) {
      access.site = &site;
      most[key] = excess(counts);
      access.law = law;
    }
  }
}

}  // namespace

std::vector<Group> groups_of(const report::Report& report) {
  std::vector<Group> groups;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, size_t> group_of;
  std::vector<std::map<Key, size_t>> accesses;
  std::vector<std::map<Key, uint64_t>> most;
  for (const report::Launch& launch : report.launches) {
    if (launch.kernel >= report.kernels.size()) continue;
    const Dim3& b = launch.block;
    const auto key =
        std::tuple(launch.kernel, static_cast<uint32_t>(b.x), static_cast<uint32_t>(b.y), static_cast<uint32_t>(b.z));
    const auto [it, is_new] = group_of.try_emplace(key, groups.size());
    if (is_new) {
      groups.push_back({&report.kernels[launch.kernel], {}, {}, {}});
      accesses.emplace_back();
      most.emplace_back();
    }
    groups[it->second].launches.push_back(&launch);
    add_launch(groups[it->second], launch, accesses[it->second], most[it->second]);
  }
  return groups;
}

int lane_axis(const Dim3& block) { return block.x > 1 ? 0 : block.y > 1 ? 1 : 2; }
const char* axis_name(int axis) { return kAxes[axis]; }

std::optional<std::vector<int64_t>> lane_offsets(const LaneLaw& law, const Dim3& block) {
  if (!law.known) return std::nullopt;
  std::vector<int64_t> out;
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  for (uint64_t t = 0; t < 32 && t < threads; ++t) {
    const uint64_t x = t % block.x, y = t / block.x % block.y, z = t / block.x / block.y;
    out.push_back(law.x.bytes * static_cast<int64_t>(x) + law.y.bytes * static_cast<int64_t>(y) +
                  law.z.bytes * static_cast<int64_t>(z));
  }
  return out;
}

}  // namespace warplens::findings
