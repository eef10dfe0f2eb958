#include "report/summary.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "report/words.h"

namespace warplens::report {
namespace {

enum class Section { Global, Shared, Local, Constant, Textures, Branches, None };

Section section_of(const Site& site) {
  if (site.kind == AccessKind::Branch) return Section::Branches;
  if (site.kind == AccessKind::Barrier) return Section::None;
  switch (site.space) {
    case Space::Global:
    case Space::Generic:
      return Section::Global;
    case Space::Shared:
      return Section::Shared;
    case Space::Local:
      return Section::Local;
    case Space::Texture:
    case Space::Surface:
      return Section::Textures;
    default:
      return Section::Constant;
  }
}

bool same_place(const SourceLine& line, const Site& site) {
  if (site.frames.empty())
    return line.file.empty() && line.line == site.ptx_line && line.opcode == site.opcode &&
           line.machine_offset == site.machine_offset;
  return line.file == site.frames[0].file && line.line == site.frames[0].line;
}

SourceLine& line_for(std::vector<SourceLine>& lines, const Site& site) {
  const auto known = std::find_if(lines.begin(), lines.end(), [&](const SourceLine& l) { return same_place(l, site); });
  if (known != lines.end()) return *known;
  SourceLine line;
  if (site.frames.empty()) {
    line.line = site.ptx_line;
    line.opcode = site.opcode;
    line.machine_offset = site.machine_offset;
  } else {
    line.file = site.frames[0].file;
    line.line = site.frames[0].line;
  }
  lines.push_back(std::move(line));
  return lines.back();
}

void add_callers(SourceLine& line, const Site& site, const SiteCounts& counts) {
  const std::vector<Frame> frames(site.frames.begin() + !site.frames.empty(), site.frames.end());
  const auto same_line = [](const Frame& a, const Frame& b) { return a.file == b.file && a.line == b.line; };
  const auto known = std::find_if(line.callers.begin(), line.callers.end(), [&](const Callers& c) {
    return std::equal(c.frames.begin(), c.frames.end(), frames.begin(), frames.end(), same_line);
  });
  if (known != line.callers.end())
    known->counts.add(counts);
  else
    line.callers.push_back({frames, counts});
}

void add_row(SourceLine& line, const Site& site, const SiteCounts& counts) {
  add_callers(line, site, counts);
  const auto key = [](const auto& x) { return std::tie(x.kind, x.space, x.bytes_per_lane, x.components, x.operand); };
  const auto known =
      std::find_if(line.rows.begin(), line.rows.end(), [&](const AccessRow& row) { return key(row) == key(site); });
  if (known != line.rows.end()) {
    known->counts.add(counts);
    ++known->sites;
    return;
  }
  line.rows.push_back({site.kind, site.space, site.bytes_per_lane, site.components, site.operand, 1, counts});
}

using Weight = std::function<std::pair<uint64_t, uint64_t>(const SiteCounts&)>;

// Worst first; equals by place, so that the order never depends on anything else.
void sort_worst_first(std::vector<SourceLine>& lines, const Weight& weight) {
  const auto worse = [&](const auto& a, const auto& b) { return weight(a.counts) > weight(b.counts); };
  for (SourceLine& line : lines) {
    std::stable_sort(line.rows.begin(), line.rows.end(), worse);
    std::stable_sort(line.callers.begin(), line.callers.end(), worse);
  }
  std::stable_sort(lines.begin(), lines.end(), [&](const SourceLine& a, const SourceLine& b) {
    const auto x = weight(total(a)), y = weight(total(b));
    if (x != y) return x > y;
    return std::tie(a.file, a.line) < std::tie(b.file, b.line);
  });
}

std::vector<Metric> add_metrics(const std::vector<const Launch*>& launches) {
  std::vector<Metric> out;
  for (const Launch* launch : launches)
    for (const Metric& m : launch->metrics) {
      if (m.name.rfind("launch__", 0) == 0) continue;
      const auto known = std::find_if(out.begin(), out.end(), [&](const Metric& k) { return k.name == m.name; });
      if (known == out.end())
        out.push_back(m);
      else
        known->value += m.value, known->per += m.per;
    }
  return out;
}

void add_sites(KernelSummary& summary) {
  const Kernel& kernel = *summary.kernel;
  for (size_t i = 0; i < kernel.sites.size(); ++i) {
    const Site& site = kernel.sites[i];
    summary.has_lines |= !site.frames.empty();
    SiteCounts counts;
    for (const Launch* launch : summary.launches)
      if (i < launch->sites.size()) counts.add(launch->sites[i]);
    if (counts.empty()) continue;
    switch (section_of(site)) {
      case Section::Global:
        add_row(line_for(summary.global, site), site, counts);
        break;
      case Section::Shared:
        add_row(line_for(summary.shared, site), site, counts);
        break;
      case Section::Local:
        add_row(line_for(summary.local, site), site, counts);
        break;
      case Section::Constant:
        add_row(line_for(summary.constant, site), site, counts);
        break;
      case Section::Textures:
        add_row(line_for(summary.textures, site), site, counts);
        break;
      case Section::Branches:
        if (counts.branch_divergent != 0) add_row(line_for(summary.branches, site), site, counts);
        break;
      case Section::None:
        break;
    }
  }
  for (auto* lines : {&summary.global, &summary.shared, &summary.local, &summary.constant, &summary.textures})
    for (SourceLine& line : *lines)
      for (AccessRow& row : line.rows) row.operand = operand_words(row.operand, kernel.parameters);
  const auto by_sectors = [](const SiteCounts& c) { return std::pair(excess_sectors(c), c.sectors); };
  sort_worst_first(summary.global, by_sectors);
  sort_worst_first(summary.local, by_sectors);
  sort_worst_first(summary.shared, [](const SiteCounts& c) { return std::pair(excess_wavefronts(c), c.wavefronts); });
  const auto by_requests = [](const SiteCounts& c) { return std::pair(c.requests, c.lanes); };
  sort_worst_first(summary.constant, by_requests);
  sort_worst_first(summary.textures, by_requests);
  sort_worst_first(summary.branches,
                   [](const SiteCounts& c) { return std::pair(c.branch_divergent, c.branch_executed); });
}

}  // namespace

SiteCounts total(const SourceLine& line) {
  SiteCounts sum;
  for (const AccessRow& row : line.rows) sum.add(row.counts);
  return sum;
}

uint64_t excess_sectors(const SiteCounts& c) { return c.sectors - std::min(c.sectors, c.sectors_ideal); }
uint64_t excess_wavefronts(const SiteCounts& c) { return c.wavefronts - std::min(c.wavefronts, c.wavefronts_ideal); }

std::vector<KernelSummary> summarize(const Report& report) {
  std::vector<KernelSummary> out;
  for (const Launch& launch : report.launches) {
    if (launch.kernel >= report.kernels.size()) continue;
    const Kernel* kernel = &report.kernels[launch.kernel];
    auto known = std::find_if(out.begin(), out.end(), [&](const KernelSummary& s) { return s.kernel == kernel; });
    if (known == out.end()) {
      out.emplace_back();
      known = out.end() - 1;
      known->kernel = kernel;
    }
    known->launches.push_back(&launch);
    known->warps += launch.warps;
    known->instructions += launch.instructions;
    known->thread_instructions += launch.thread_instructions;
  }
  for (KernelSummary& summary : out) {
    summary.totals = add_metrics(summary.launches);
    add_sites(summary);
  }
  return out;
}

}  // namespace warplens::report
