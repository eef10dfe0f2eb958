// What each figure means here, and how sure it is.
//
// Requests, sectors, lines: sums over accesses of what their addresses demand; Nsight Compute's per-instruction
// counters are the same function of the addresses. Counted. Of PTX they differ from a GPU's only where the assembler
// joins, splits or drops accesses. Wavefronts: the bank rule of model/banks.cpp applied to the same addresses.
// Modelled. Of PTX: which variables live in local memory, and how, is the assembler's choice, and it makes more or
// fewer machine instructions of PTX ones. Estimated. So is the split of atomics into those that return a value (atom)
// and those that do not (red): the assembler turns one into the other where the value is not used.
#include "report/metrics.h"

#include <algorithm>
#include <numeric>

namespace warplens::report {
namespace {

constexpr Fidelity Counted = Fidelity::Counted, Modelled = Fidelity::Modelled, Estimated = Fidelity::Estimated;

struct Sum {
  uint64_t requests = 0, executed = 0, sectors = 0, sectors_ideal = 0, tag_requests = 0, wavefronts = 0,
           wavefronts_ideal = 0;
  uint64_t bytes = 0;  // distinct ones that lanes asked for, a request
};

// Of one space, by kind of access.
struct Sums {
  Sum all, load, store, atomic, reduction;
};

// Of what belongs to a launch, a line or an instruction.
struct Part {
  Sums global, shared, local;
  uint64_t copies = 0;  // asynchronous, from global to shared memory: a load and a store at once
  uint64_t copied_bytes = 0, copied_sectors = 0;  // by their loads
  uint64_t shared_ways = 0;                       // see add_site
  InstructionCounts instructions;
  BranchTargets branches;
};

void add(Sum& to, const SiteCounts& from) {
  to.requests += from.requests;
  to.executed += from.warps();
  to.sectors += from.sectors;
  to.sectors_ideal += std::min(from.sectors, from.sectors_ideal);
  to.tag_requests += from.tag_requests;
  to.wavefronts += from.wavefronts;
  to.wavefronts_ideal += std::min(from.wavefronts, from.wavefronts_ideal);
  to.bytes += from.bytes_used;
}

Sum* of_kind(Sums& sums, AccessKind kind) {
  switch (kind) {
    case AccessKind::Load:
      return &sums.load;
    case AccessKind::Store:
      return &sums.store;
    case AccessKind::Atomic:
      return &sums.atomic;
    case AccessKind::Reduction:
      return &sums.reduction;
    default:
      return nullptr;
  }
}

Sums* of_space(Part& part, Space space) {
  switch (space) {
    case Space::Global:
    case Space::Generic:
      return &part.global;
    case Space::Shared:
      return &part.shared;
    case Space::Local:
      return &part.local;
    default:
      return nullptr;
  }
}

bool is_copy(const Site& site) {
  return site.opcode.starts_with("cp.async") || site.opcode.find("LDGSTS") != std::string::npos;
}

// The L1 takes a request for each word of an access to local memory (model/local.cpp).
uint64_t local_words(const Site& site) { return std::max(site.bytes_per_lane / 4, 1u); }

void add_site(Part& part, const Site& site, const SiteCounts& counts) {
  Sums* const space = of_space(part, site.space);
  Sum* const kind = space ? of_kind(*space, site.kind) : nullptr;
  if (!kind) return;
  add(space->all, counts);
  add(*kind, counts);
  if (site.space == Space::Local) kind->requests += counts.requests * (local_words(site) - 1);
  // Rows of a matrix are no loads by name (an H200: smsp__inst_executed_op_ldsm has them).
  if (site.opcode.starts_with("LDSM") || site.opcode.starts_with("ldmatrix")) kind->executed -= counts.warps();
  if (site.kind == AccessKind::Load && is_copy(site)) {
    part.copies += counts.warps();
    part.copied_bytes += counts.bytes_used;
    part.copied_sectors += counts.sectors;
  }
  // As an integer for each instruction: what Nsight Compute adds up for a launch.
  if (site.space == Space::Shared && counts.warps() != 0) part.shared_ways += counts.wavefronts / counts.warps();
}

// A launch gives a thread at least 16 (an H200: kernels that need 8 to 14 all have 16, those of 18 to 48 what they
// need).
uint64_t launched_registers(const Kernel& kernel) { return std::max(kernel.registers.value_or(0), 16u); }

// Which figures a kernel has.
struct Present {
  bool always = true, local = false, shared = false, copies = false, machine = false, registers = false;
};

Present present(const Kernel& kernel) {
  Present out;
  const auto any = [&](auto belongs) { return std::any_of(kernel.sites.begin(), kernel.sites.end(), belongs); };
  out.local = any([](const Site& s) { return s.space == Space::Local; });
  out.shared = any([](const Site& s) { return s.space == Space::Shared; });
  out.copies = any(is_copy);
  out.machine = kernel.code == Code::Sass;
  out.registers = kernel.registers.has_value();
  return out;
}

enum class When { Always, Local, Shared, Copies, Machine, Registers };

bool is_there(const Present& present, When when) {
  const bool there[] = {present.always, present.local,   present.shared,
                        present.copies, present.machine, present.registers};
  return there[size_t(when)];
}

void put_part(const Kernel& kernel, const Part& part, std::vector<Metric>& out) {
  const Present there = present(kernel);
  const bool as_ptx = kernel.code == Code::Ptx;
#define METRIC(when, name, column, sass, ptx, value, words) \
  if (is_there(there, When::when)) out.push_back({name, value, 0, as_ptx ? ptx : sass, as_ptx});
#define RATIO(when, name, column, sass, ptx, value, per, words) \
  if (is_there(there, When::when))                              \
    out.push_back({name, value, std::max<uint64_t>(per, 1), as_ptx ? ptx : sass, as_ptx});
#include "report/metrics.def"
}

Part part_of(const Kernel& kernel, const Launch& launch, std::span<const size_t> sites,
             std::span<const size_t> instructions) {
  Part part;
  for (size_t i : sites)
    if (i < kernel.sites.size() && i < launch.sites.size()) add_site(part, kernel.sites[i], launch.sites[i]);
  for (size_t i : instructions) {
    if (i >= launch.instruction_counts.size()) continue;
    const InstructionCounts& counts = launch.instruction_counts[i];
    part.instructions.executed += counts.executed;
    part.instructions.threads += counts.threads;
    part.instructions.threads_pred_on += counts.threads_pred_on;
  }
  return part;
}

bool has_column(std::string_view name) {
  const std::span<const MetricKind> kinds = metric_kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const MetricKind& k) { return k.name == name; });
  return kind != kinds.end() && !kind->column.empty();
}

}  // namespace

std::span<const MetricKind> metric_kinds() {
  static constexpr MetricKind kKinds[] = {
#define FACT(name, value, words) {name, "", Counted, Counted, true, words},
#define METRIC(when, name, column, sass, ptx, value, words) {name, column, sass, ptx, false, words},
#define RATIO(when, name, column, sass, ptx, value, per, words) {name, column, sass, ptx, false, words},
#include "report/metrics.def"
  };
  return kKinds;
}

std::vector<Metric> metrics(const Kernel& kernel, const Launch& launch) {
  std::vector<size_t> sites(kernel.sites.size());
  std::iota(sites.begin(), sites.end(), size_t{0});
  Part part = part_of(kernel, launch, sites, {});
  part.instructions = {launch.instructions, launch.thread_instructions, launch.thread_instructions_pred_on};
  part.branches = launch.branch_targets.value_or(BranchTargets{});
  std::vector<Metric> out;
#define FACT(name, value, words) out.push_back({name, value, 0, Counted, false});
#include "report/metrics.def"
  put_part(kernel, part, out);
  if (launch.caches) {
    const Caches& c = *launch.caches;
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, uint64_t>>{
             {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", c.l1_hits},
             {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum", c.l1_local_hits},
             {"lts__t_sectors_op_read.sum", c.l2_reads},
             {"lts__t_sectors_op_write.sum", c.l2_writes},
             {"lts__t_sectors_srcunit_tex_op_read.sum", c.l2_tex_reads},
             {"lts__t_sectors_srcunit_tex_lookup_hit.sum", c.l2_hits},
             {"lts__t_sectors_srcunit_tex_lookup_miss.sum", c.l2_misses},
             {"dram__bytes_read.sum", c.dram_read_bytes},
             {"dram__bytes_write.sum", c.dram_write_bytes}})
      out.push_back({name, value, 0, Modelled, false});
  }
  return out;
}

std::vector<Metric> part_metrics(const Kernel& kernel, const Launch& launch, std::span<const size_t> sites,
                                 std::span<const size_t> instructions) {
  std::vector<Metric> out;
  put_part(kernel, part_of(kernel, launch, sites, instructions), out);
  std::erase_if(out, [&](const Metric& metric) {
    const bool of_instructions = metric.name.find("inst_executed.sum") != std::string::npos ||
                                 metric.name.find("inst_executed_pred_on") != std::string::npos;
    return !has_column(metric.name) || (of_instructions && launch.instruction_counts.empty());
  });
  return out;
}

double value_of(const Metric& metric) {
  return metric.per == 0 ? double(metric.value) : double(metric.value) / double(metric.per);
}

}  // namespace warplens::report
