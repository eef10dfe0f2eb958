#include "session/record.h"

#include <fmt/format.h>

#include "law/kernels.h"
#include "report/text.h"

namespace warplens::session {
namespace {

struct FaultWords {
  const char* kind;
  const char* verdict;
};
FaultWords words(exec::FaultKind kind) {
  switch (kind) {
    case exec::FaultKind::OutOfBounds:
      return {"out of bounds", "program"};
    case exec::FaultKind::Misaligned:
      return {"misaligned", "program"};
    case exec::FaultKind::SharedOutOfBounds:
      return {"out of bounds in shared memory", "program"};
    case exec::FaultKind::LocalOutOfBounds:
      return {"out of bounds in local memory", "program"};
    case exec::FaultKind::BadTexture:
      return {"no such texture or surface", "program"};
    case exec::FaultKind::Trap:
      return {"trap", "program"};
    case exec::FaultKind::StackOverflow:
      return {"stack overflow", "program"};
    case exec::FaultKind::NoFunction:
      return {"call of no function", "program"};
    case exec::FaultKind::Assert:
      return {"assertion failed", "program"};
    case exec::FaultKind::Unsupported:
      return {"unsupported instruction", "warplens"};
    case exec::FaultKind::Deadlock:
      return {"deadlock", "program"};
    case exec::FaultKind::Stopped:
      break;
  }
  return {"stopped", "stopped"};
}

report::SiteCounts record_counts(const observe::SiteStats& stats) {
  report::SiteCounts out;
  out.requests = stats.requests;
  out.lanes = stats.lanes;
  out.sectors = stats.sectors;
  out.sectors_ideal = stats.sectors_ideal;
  out.tag_requests = stats.tag_requests;
  out.wavefronts = stats.wavefronts;
  out.wavefronts_ideal = stats.wavefronts_ideal;
  out.bytes_used = stats.bytes_used;
  out.executed = stats.executed;
  out.executed_lanes = stats.executed_lanes;
  out.branch_executed = stats.branch_executed;
  out.branch_divergent = stats.branch_divergent;
  out.branch_lanes = stats.branch_lanes;
  for (const auto& entry : stats.patterns.entries()) out.patterns.push_back({entry.words, entry.count});
  return out;
}

std::string text(const Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }

}  // namespace

report::Kernel record_kernel(const ir::Module& module, const ir::Kernel& kernel, const law::KernelLaws& laws,
                             uint32_t id) {
  report::Kernel out;
  out.id = id;
  out.name = kernel.function.name;
  out.target = module.target;
  if (kernel.function.machine_sm) {
    out.code = report::Code::Sass;
    out.target = fmt::format("sm_{}", kernel.function.machine_sm);
    out.registers = kernel.function.registers;
  }
  out.static_shared_bytes = kernel.function.own_shared_bytes();
  out.local_bytes = kernel.function.local_bytes;
  for (const ir::Site& site : kernel.function.sites) out.sites.push_back(law::site_of(module, kernel.function, site));
  for (size_t i = 0; i < laws.sites.size(); ++i) out.sites[i].law = laws.sites[i];
  out.parameters = law::parameters_of(kernel);
  return out;
}

namespace {

// Of machine code: smsp__sass_branch_targets_threads_uniform and ..._divergent (model/branches.h).
report::BranchTargets branch_targets(const ir::Function& function, std::span<const observe::SiteStats> sites) {
  report::BranchTargets out;
  for (size_t i = 0; i < sites.size(); ++i) {
    if (function.sites[i].kind != ir::SiteKind::Branch) continue;
    out.divergent += sites[i].branch_divergent;
    out.uniform += sites[i].branch_executed - sites[i].branch_divergent;
  }
  return out;
}

}  // namespace

report::Launch record_launch(uint32_t id, const ir::Function& function,
                             const std::vector<law::UsedParameter>& parameters, std::span<const uint8_t> buffer,
                             const exec::LaunchConfig& config, const exec::LaunchResult& result,
                             std::span<const observe::SiteStats> sites) {
  report::Launch out;
  out.kernel = id;
  out.parameters = law::values_of(parameters, buffer);
  out.grid = config.grid;
  out.block = config.block;
  out.dynamic_shared_bytes = config.dynamic_shared_bytes;
  out.warps = result.counts.warps;
  out.instructions = result.counts.instructions;
  out.thread_instructions = result.counts.thread_instructions;
  out.thread_instructions_pred_on = result.counts.thread_instructions_pred_on;
  out.seconds = result.seconds;
  out.compile_seconds = result.compile_seconds;
  out.from_cache = result.from_cache;
  out.complete = !result.fault.has_value();
  for (const observe::SiteStats& stats : sites) out.sites.push_back(record_counts(stats));
  if (function.machine_sm) out.branch_targets = branch_targets(function, sites);
  return out;
}

report::Caches record_caches(const observe::CacheTotals& t) {
  report::Caches out;
  out.l1_sectors = t.l1_sectors, out.l1_hits = t.l1_hits;
  out.l1_local_sectors = t.l1_local_sectors, out.l1_local_hits = t.l1_local_hits;
  out.l2_reads = t.l2_reads, out.l2_writes = t.l2_writes, out.l2_tex_reads = t.l2_tex_reads;
  out.l2_hits = t.l2_hits, out.l2_misses = t.l2_misses;
  out.dram_read_bytes = t.dram_read_bytes, out.dram_write_bytes = t.dram_write_bytes;
  return out;
}

namespace {

// "x.cu:18", or "PTX line 80"; "" where nothing is known.
std::string place(const ir::Module& module, const ir::Function& function, uint32_t index) {
  if (index >= function.locations.size()) return "";
  const ir::Location& location = function.locations[index];
  if (location.frames.empty()) return fmt::format("PTX line {}", location.ptx_line);
  const ir::Frame& frame = location.frames.front();
  return fmt::format("{}:{}", frame.file < module.files.size() ? module.files[frame.file] : "?", frame.pos.line);
}

}  // namespace

report::Fault record_fault(const ir::Module& module, const ir::Function& function, uint32_t kernel, uint64_t launch,
                           const exec::Fault& fault) {
  report::Fault out;
  out.kind = words(fault.kind).kind;
  out.verdict = words(fault.kind).verdict;
  out.kernel = kernel;
  out.launch = launch;
  out.block = fault.block;
  out.thread = fault.thread;
  if (fault.site != ir::kNone) out.site = fault.site;
  out.address = fault.address;
  out.bytes = fault.bytes;
  out.nearest = fault.nearest;
  out.message = fault.message;
  // What has no site of its own, a trap or a call, says in words where it stands.
  std::string where = fault.site == ir::kNone ? place(module, function, fault.location) : "";
  if (!where.empty()) out.message += (out.message.empty() ? "" : ", ") + where;
  return out;
}

namespace {

// Does it ask memory for what another thread writes?
bool polls(const ir::Site& site) {
  const std::string& op = site.opcode;
  auto has = [&](const char* word) { return op.find(word) != std::string::npos; };
  return op.starts_with("atom.") || (op.starts_with("ld.") && (has(".volatile") || has(".relaxed") || has(".acquire")));
}

}  // namespace

void explain_endless_wait(const ir::Function& function, std::span<const observe::SiteStats> sites,
                          report::Fault& fault) {
  constexpr uint64_t kMany = 100'000;  // more than a wait that ends takes
  size_t most = sites.size();
  for (size_t i = 0; i < sites.size(); i++) {
    if (sites[i].requests < kMany || !polls(function.sites[i])) continue;
    if (most == sites.size() || sites[i].requests > sites[most].requests) most = i;
  }
  if (most == sites.size()) return;
  fault.site = static_cast<uint32_t>(most);
  fault.message =
      "this access was repeated " + std::to_string(sites[most].requests) +
      " times: if it waits, nobody wrote what it waits for. Only this kernel's threads can: launches come one "
      "after the other here, and end before the program goes on";
}

report::Note record_note(const Diagnostic& diagnostic) {
  const char* kinds[] = {"note", "warning", "error"};
  return {kinds[static_cast<int>(diagnostic.severity)],
          diagnostic.message,
          diagnostic.hint,
          diagnostic.file,
          diagnostic.pos.line,
          1};
}

std::string describe_fault(const ir::Module& module, const ir::Function& function, const exec::Fault& fault) {
  const char* kind = words(fault.kind).kind;
  std::string out = fmt::format("{}: {}", report::demangled(function.name), kind);
  if (fault.bytes) out += fmt::format(": {} bytes at {:#x}", fault.bytes, fault.address);
  if (!fault.nearest.empty()) out += ", " + fault.nearest;
  if (!fault.message.empty() && !fault.message.ends_with(kind)) out += ": " + fault.message;
  if (fault.kind != exec::FaultKind::Stopped) out += ", block " + text(fault.block) + ", thread " + text(fault.thread);
  const bool has_site = fault.site < function.sites.size();
  std::string where = place(module, function, has_site ? function.sites[fault.site].location : fault.location);
  if (where.empty()) return out;
  return out + (has_site ? fmt::format(", {} in {}", function.sites[fault.site].opcode, where) : ", in " + where);
}

}  // namespace warplens::session
