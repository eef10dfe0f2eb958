// When are two figures equal? A whole number that was printed whole must be the same number. A ratio, and a figure that
// was rounded or scaled ("4.19 Mbyte"), must be within what rounding can take away. Nothing else is equal.
#include "compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compare/join.h"
#include "report/metrics.h"
#include "report/text.h"

namespace warplens::compare {
namespace {

using report::Kernel;
using report::Launch;
using report::Metric;
using report::Site;

bool equal(const Metric& ours, const Printed& theirs) {
  if (theirs.exact && ours.per == 0) return ours.value == *theirs.exact;
  constexpr double kNoise = 1e-9;  // of computing in floating point
  const double error = theirs.exact ? 0.5 : theirs.error;
  const double value = report::value_of(ours);
  return std::abs(value - theirs.value) <= error + kNoise * std::max(value, theirs.value);
}

// Addresses of a source page are where the code was loaded, those of an excerpt count from its start.
uint64_t code_start(const NcuLaunch& theirs) {
  constexpr uint64_t kLongestKernel = 1 << 24;
  uint64_t first = ~uint64_t{0};
  for (const NcuRow& row : theirs.instructions) first = std::min(first, *row.address);
  return first < kLongestKernel ? 0 : first;
}

// "@P0   LDG.E R2, [R4] ;" -> "LDG.E": sites have no more, and places in the code are told in different ways.
std::string_view opcode_of(std::string_view text) {
  const auto skip_spaces = [&] { text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size())); };
  skip_spaces();
  if (text.starts_with('@')) {
    text.remove_prefix(std::min(text.find(' '), text.size()));
    skip_spaces();
  }
  return text.substr(0, text.find_first_of(" \t;"));
}

// A kernel's instructions and sites by their offset.
struct Code {
  struct At {
    std::vector<size_t> sites, instructions;
    const std::string* text = nullptr;
  };
  std::map<uint64_t, At> at;

  explicit Code(const Kernel& kernel) {
    for (size_t i = 0; i < kernel.instructions.size(); ++i) {
      At& here = at[kernel.instructions[i].offset];
      here.instructions.push_back(i);
      here.text = &kernel.instructions[i].text;
    }
    for (size_t i = 0; i < kernel.sites.size(); ++i) {
      if (!kernel.sites[i].machine_offset) continue;
      At& here = at[*kernel.sites[i].machine_offset];
      here.sites.push_back(i);
      if (!here.text) here.text = &kernel.sites[i].opcode;
    }
  }
};

bool is_other_code(const Code& code, const Kernel& kernel, const NcuLaunch& theirs) {
  const uint64_t start = code_start(theirs);
  for (const NcuRow& row : theirs.instructions) {
    const auto here = code.at.find(*row.address - start);
    if (here == code.at.end() ? !kernel.instructions.empty() : opcode_of(*here->second.text) != opcode_of(row.text))
      return true;
  }
  return false;
}

bool waits(const Kernel& kernel) {
  return std::any_of(kernel.sites.begin(), kernel.sites.end(), [](const Site& site) {
    return site.kind == report::AccessKind::Atomic || site.kind == report::AccessKind::Reduction;
  });
}

// Compares what is in one launch; knows why its figures may differ.
class PairOf {
 public:
  PairOf(Pair& pair, const NcuLaunch& theirs) : pair_(pair), theirs_(theirs) {}

  void figures() {
    for (const report::MetricKind& kind : report::metric_kinds()) {
      const auto theirs = theirs_.metrics.find(std::string(kind.name));
      if (theirs == theirs_.metrics.end()) continue;
      const auto ours = std::find_if(pair_.launch->metrics.begin(), pair_.launch->metrics.end(),
                                     [&](const Metric& m) { return m.name == kind.name; });
      if (ours != pair_.launch->metrics.end())
        pair_.figures.push_back(figure(*ours, theirs->second));
      else if (is_zero_here(kind))
        pair_.figures.push_back(figure(none(kind), theirs->second));
    }
  }

  void instructions() {
    if (pair_.kernel->code != report::Code::Sass || theirs_.instructions.empty()) return;
    const Code code(*pair_.kernel);
    const uint64_t start = code_start(theirs_);
    for (const NcuRow& row : theirs_.instructions) {
      const auto here = code.at.find(*row.address - start);
      const Code::At none{};
      const Code::At& at = here == code.at.end() ? none : here->second;
      place(fmt::format("{:#x} {}", *row.address - start, report::printable(row.text)), row,
            report::part_metrics(*pair_.kernel, *pair_.launch, at.sites, at.instructions));
    }
  }

  void lines() {
    for (const NcuRow& row : theirs_.lines) {
      if (row.line == 0) continue;
      std::vector<size_t> sites, instructions;
      for (size_t i = 0; i < pair_.kernel->sites.size(); ++i)
        if (is_at(pair_.kernel->sites[i].frames, row)) sites.push_back(i);
      for (size_t i = 0; i < pair_.kernel->instructions.size(); ++i)
        if (is_at(pair_.kernel->instructions[i].frames, row)) instructions.push_back(i);
      place(fmt::format("{}:{}", row.file.empty() ? "line" : base_name(row.file), row.line), row,
            report::part_metrics(*pair_.kernel, *pair_.launch, sites, instructions));
    }
  }

 private:
  static std::string base_name(const std::string& path) { return path.substr(path.find_last_of("/\\") + 1); }

  static bool is_at(const std::vector<report::Frame>& frames, const NcuRow& row) {
    return !frames.empty() && frames[0].line == row.line &&
           (row.file.empty() || base_name(frames[0].file) == base_name(row.file));
  }

  // What a kernel has no access of is nothing. Of PTX, branch instructions and registers are not known.
  bool is_zero_here(const report::MetricKind& kind) const {
    return !kind.name.starts_with("smsp__sass_branch") && !kind.name.starts_with("launch__");
  }
  Metric none(const report::MetricKind& kind) const {
    const bool as_ptx = pair_.kernel->code == report::Code::Ptx;
    return {std::string(kind.name), 0, 0, as_ptx ? kind.ptx : kind.sass, as_ptx};
  }

  void place(const std::string& where, const NcuRow& row, const std::vector<Metric>& ours) {
    Place place{where, {}};
    for (const Metric& metric : ours) {
      const std::string column = column_of(metric.name);
      if (const auto theirs = row.figures.find(column); theirs != row.figures.end()) {
        place.figures.push_back(figure(metric, theirs->second));
        place.figures.back().name = column;
      }
    }
    if (!place.figures.empty()) pair_.places.push_back(std::move(place));
  }

  static std::string column_of(const std::string& name) {
    for (const report::MetricKind& kind : report::metric_kinds())
      if (kind.name == name) return std::string(kind.column);
    return "";
  }

  Figure figure(const Metric& ours, const Printed& theirs) const {
    Figure out{ours.name, ours, theirs, equal(ours, theirs), ""};
    if (!out.equal) out.cause = cause(ours);
    return out;
  }

  std::string cause(const Metric& ours) const {
    const Kernel& kernel = *pair_.kernel;
    if (!pair_.launch->complete) return "the launch did not come to its end";
    if (ours.name.starts_with("launch__") && ours.fidelity == report::Fidelity::Counted) return "";
    if (kernel.code == report::Code::Ptx)
      return "the kernel ran as PTX, before ptxas joined, moved or dropped accesses";
    if (pair_.other_code) return "other machine code";
    if (const std::string theirs = target(theirs_.compute_capability); !theirs.empty() && theirs != kernel.target)
      return fmt::format("machine code of {}, and the GPU was {}", kernel.target, theirs);
    if (ours.fidelity == report::Fidelity::Modelled) return "modelled";
    if (ours.name == "smsp__inst_executed_op_shared_ld.sum" && has("smsp__inst_executed_op_ldgsts.sum"))
      return "the hardware counts parts of asynchronous copies here";
    if (waits(kernel) && ours.name.starts_with("smsp__"))
      return "threads that wait for one another make it differ from run to run";
    return "";
  }

  // "9.0": "sm_90".
  static std::string target(std::string_view compute_capability) {
    std::string digits;
    for (char c : compute_capability)
      if (c >= '0' && c <= '9') digits += c;
    return digits.empty() ? "" : "sm_" + digits;
  }

  bool has(std::string_view name) const {
    return std::any_of(pair_.launch->metrics.begin(), pair_.launch->metrics.end(),
                       [&](const Metric& m) { return m.name == name && m.value != 0; });
  }

  Pair& pair_;
  const NcuLaunch& theirs_;
};

std::string shape_words(const std::string& kernel, const std::optional<Dim3>& grid, const std::optional<Dim3>& block) {
  std::string text = report::printable(kernel);
  if (grid) text += fmt::format(", grid ({}, {}, {})", grid->x, grid->y, grid->z);
  if (block) text += fmt::format(", block ({}, {}, {})", block->x, block->y, block->z);
  return text;
}

void add_unpaired(std::vector<Unpaired>& list, const std::string& kernel, const std::string& why) {
  const auto known =
      std::find_if(list.begin(), list.end(), [&](const Unpaired& u) { return u.kernel == kernel && u.why == why; });
  if (known == list.end())
    list.push_back({kernel, why, 1});
  else
    ++known->launches;
}

constexpr const char* kNoInstructions =
    "the profile's instructions have no counterpart where a kernel ran as PTX; lines have: ncu --page source "
    "--print-source cuda,sass";

bool has_instructions_only(const NcuExport& profile) {
  return std::all_of(profile.launches.begin(), profile.launches.end(),
                     [](const NcuLaunch& launch) { return !launch.instructions.empty() && launch.lines.empty(); });
}

void add_to(Tally& tally, const Figure& figure) {
  ++(figure.equal ? tally.equal : tally.different);
  tally.counted_different += !figure.equal && figure.ours.fidelity == report::Fidelity::Counted;
}

}  // namespace

Tally Comparison::tally() const {
  Tally out;
  for (const Pair& pair : pairs) {
    for (const Figure& figure : pair.figures) add_to(out, figure);
    for (const Place& place : pair.places)
      for (const Figure& figure : place.figures) add_to(out, figure);
  }
  return out;
}

bool Comparison::agrees() const { return tally().counted_different == 0 && only_in_profile.empty(); }

Comparison compare(const report::Report& report, const std::vector<NcuExport>& exports) {
  Comparison out;
  std::map<size_t, Pair> pairs;  // by the launch's index
  std::vector<std::vector<size_t>> joined;
  for (const NcuExport& profile : exports) {
    out.warnings.insert(out.warnings.end(), profile.warnings.begin(), profile.warnings.end());
    const std::vector<size_t>& partners = joined.emplace_back(join(report, profile));
    for (size_t i = 0; i < partners.size(); ++i) {
      const NcuLaunch& theirs = profile.launches[i];
      if (partners[i] >= report.launches.size()) {
        add_unpaired(out.only_in_profile, shape_words(theirs.kernel, theirs.grid, theirs.block),
                     partners[i] == kNoKernel ? "the run has no such kernel" : "the run has no such launch left");
        continue;
      }
      Pair& pair = pairs[partners[i]];
      pair.launch = &report.launches[partners[i]];
      pair.kernel = &report.kernels[pair.launch->kernel];
      if (pair.name.empty()) pair.name = theirs.name;
      if (pair.kernel->code == report::Code::Sass)
        pair.other_code |= is_other_code(Code(*pair.kernel), *pair.kernel, theirs);
    }
  }
  for (size_t file = 0; file < exports.size(); ++file) {
    for (size_t i = 0; i < joined[file].size(); ++i) {
      if (joined[file][i] >= report.launches.size()) continue;
      PairOf pair(pairs[joined[file][i]], exports[file].launches[i]);
      pair.figures();
      pair.instructions();
      pair.lines();
    }
  }
  if (std::any_of(exports.begin(), exports.end(), has_instructions_only) &&
      std::any_of(pairs.begin(), pairs.end(), [](auto& p) { return p.second.kernel->code == report::Code::Ptx; }))
    out.warnings.emplace_back(kNoInstructions);
  for (size_t i = 0; i < report.launches.size(); ++i) {
    const Launch& launch = report.launches[i];
    if (pairs.contains(i) || launch.kernel >= report.kernels.size()) continue;
    add_unpaired(out.only_in_run, shape_words(report.kernels[launch.kernel].demangled, launch.grid, launch.block), "");
  }
  for (auto& [index, pair] : pairs) out.pairs.push_back(std::move(pair));
  return out;
}

}  // namespace warplens::compare
