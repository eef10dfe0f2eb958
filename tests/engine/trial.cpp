#include "engine/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <regex>

#include "ir/verify.h"
#include "lower/lower.h"
#include "observe/observer.h"
#include "passes/passes.h"
#include "ptx/parse.h"

namespace warplens::engine_test {

namespace {

// How often each pattern was seen; without distances of rows: what is left of its words.
std::map<std::string, uint64_t> words_of(const observe::PatternTally& patterns, bool without_distances) {
  static const std::regex apart(", -?[0-9]+ B apart"), stride("lane stride -?[0-9]+ B");
  std::map<std::string, uint64_t> counts;
  for (const auto& entry : patterns.entries()) {
    std::string words = entry.words;
    if (without_distances) words = std::regex_replace(std::regex_replace(words, apart, ""), stride, "irregular");
    counts[words] += entry.count;
  }
  return counts;
}

// What is common to the patterns that PatternTally may put under one name: which those are depends on distances too.
std::string kind_of(const std::string& words) {
  const auto has = [&](const char* part) { return words.find(part) != std::string::npos; };
  if (has("share an address")) return "groups";
  if (has("rows")) return "rows";
  if (has("lane stride") || has("irregular")) return "irregular";
  return words.substr(0, words.find(", "));  // whichever lanes
}

// The same number of each kind, but for those that stand under "mixed" on the other side.
bool same_kinds(const std::map<std::string, uint64_t>& is, const std::map<std::string, uint64_t>& should) {
  std::map<std::string, int64_t> more;
  const auto mixed = [](const std::map<std::string, uint64_t>& all) {
    const auto found = all.find("mixed");
    return found == all.end() ? int64_t{0} : static_cast<int64_t>(found->second);
  };
  for (const auto& [words, count] : is)
    if (words != "mixed") more[kind_of(words)] += static_cast<int64_t>(count);
  for (const auto& [words, count] : should)
    if (words != "mixed") more[kind_of(words)] -= static_cast<int64_t>(count);
  int64_t too_many = 0, too_few = 0;
  for (const auto& [kind, by] : more) (by > 0 ? too_many : too_few) += std::abs(by);
  return too_many <= mixed(should) && too_few <= mixed(is) && too_many + mixed(is) == too_few + mixed(should);
}

bool has_common_name(const std::map<std::string, uint64_t>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [](const auto& entry) {
    return entry.first == "mixed" || entry.first.find("various") != std::string::npos;
  });
}

// Names of the numbers of a SiteStats, so that a difference says what it is.
std::string differences(const observe::SiteStats& is, const observe::SiteStats& should, bool windowed) {
  std::string text;
  const auto check = [&](const char* name, uint64_t a, uint64_t b) {
    if (a != b) text += fmt::format(" {} is {}, should be {};", name, a, b);
  };
  check("requests", is.requests, should.requests);
  check("lanes", is.lanes, should.lanes);
  check("branch executed", is.branch_executed, should.branch_executed);
  check("branch divergent", is.branch_divergent, should.branch_divergent);
  check("branch lanes", is.branch_lanes, should.branch_lanes);
  if (windowed) return text;  // where shared and local memory lie as generic addresses is nobody's business
  check("sectors", is.sectors, should.sectors);
  check("sectors_ideal", is.sectors_ideal, should.sectors_ideal);
  check("tag_requests", is.tag_requests, should.tag_requests);
  check("wavefronts", is.wavefronts, should.wavefronts);
  check("wavefronts_ideal", is.wavefronts_ideal, should.wavefronts_ideal);
  check("bytes_used", is.bytes_used, should.bytes_used);
  if (!same_patterns(is.patterns, should.patterns))
    text += fmt::format(" patterns are \"{}\", should be \"{}\";", is.patterns.summary(), should.patterns.summary());
  return text;
}

// Variables stay for as long as the memory does.
std::vector<uint64_t> place_symbols(const ir::Module& module, exec::DeviceMemory& memory) {
  std::vector<uint64_t> addresses;
  for (const ir::Symbol& s : module.symbols) {
    const bool in_memory = (s.space == ir::Space::Global || s.space == ir::Space::Const) && !s.external;
    addresses.push_back(in_memory ? *memory.allocate(std::max<uint64_t>(s.bytes, 1), exec::Allocation::Kind::Symbol)
                                  : 0);
    if (in_memory && !s.initial.empty())
      std::memcpy(reinterpret_cast<void*>(addresses.back()), s.initial.data(), s.initial.size());
  }
  return addresses;
}

uint32_t line_of(const Program& program, size_t site) {
  const uint32_t location = program.canonical.sites[site].location;
  return location == ir::kNone ? 0 : program.canonical.locations[location].ptx_line;
}

}  // namespace

bool same_patterns(const observe::PatternTally& is, const observe::PatternTally& should) {
  if (words_of(is, false) == words_of(should, false)) return true;
  const auto a = words_of(is, true), b = words_of(should, true);
  return a == b || ((has_common_name(a) || has_common_name(b)) && same_kinds(a, b));
}

void Region::reset() const { std::memcpy(reinterpret_cast<void*>(base), initial.data(), initial.size()); }

std::vector<uint8_t> Region::now() const {
  const auto* at = reinterpret_cast<const uint8_t*>(base);
  return {at, at + initial.size()};
}

Result<Program> compile(const std::string& text, exec::DeviceMemory& memory) {
  const auto first_error = [](const Diagnostics& diagnostics) -> std::string {
    for (const Diagnostic& d : diagnostics)
      if (d.severity == Severity::Error) return to_string(d);
    return "";
  };
  const auto parsed = ptx::parse(text, "test.ptx");
  if (auto e = first_error(parsed.diagnostics); !e.empty()) return Error{e, ""};
  auto lowered = lower::lower(parsed.module, "test.ptx");
  if (auto e = first_error(lowered.diagnostics); !e.empty()) return Error{e, ""};
  if (const auto broken = ir::verify(lowered.module); !broken.empty()) return Error{"lowered: " + broken[0], ""};
  Program program;
  program.canonical = lowered.module.kernels.at(0).function;
  passes::prepare(program.canonical);
  ir::Kernel prepared = lowered.module.kernels[0];
  prepared.function = program.canonical;
  if (const auto broken = ir::verify(lowered.module, prepared); !broken.empty())
    return Error{"prepared: " + broken[0], ""};
  program.symbols = place_symbols(lowered.module, memory);
  program.module = std::make_shared<const ir::Module>(std::move(lowered.module));
  return program;
}

Result<Expected> expect(const Program& program, const exec::LaunchConfig& config, const std::vector<uint8_t>& params,
                        const std::vector<Region>& regions) {
  reference::Launch launch;
  launch.grid = config.grid;
  launch.block = config.block;
  launch.dynamic_shared_bytes = config.dynamic_shared_bytes;
  launch.params = params;
  launch.symbols = program.symbols;
  for (const Region& r : regions) r.reset();
  Replay replay(program.canonical, config.block);
  const reference::Outcome outcome = reference::run(program.canonical, launch, &replay);
  if (outcome.stop) return Error{"the reference stopped: " + outcome.stop->message, ""};
  Expected expected;
  for (const Region& r : regions) expected.memory.push_back(r.now());
  expected.thread_instructions = outcome.thread_instructions;
  expected.counts = replay.take();
  observe::Observer observer(program.canonical.sites, 1);
  observer.sink(0)->accesses(expected.counts.accesses);
  observer.add_branches(expected.counts.branches);
  expected.stats = observer.finish();
  expected.counts.accesses.clear();
  // The kernel as it was lowered must do the same as its canonical form.
  for (const Region& r : regions) r.reset();
  const reference::Outcome original = reference::run(program.module->kernels[0].function, launch);
  if (original.stop || original.thread_instructions != outcome.thread_instructions)
    return Error{"the canonical form counts other instructions", ""};
  for (size_t k = 0; k < regions.size(); ++k)
    if (regions[k].now() != expected.memory[k]) return Error{"the canonical form gives another result", ""};
  return expected;
}

std::string describe_fault(const exec::Fault& f) {
  return fmt::format("fault {} at site {} block ({},{},{}) thread ({},{},{}) address {:#x}: {} {}",
                     static_cast<int>(f.kind), f.site, f.block.x, f.block.y, f.block.z, f.thread.x, f.thread.y,
                     f.thread.z, f.address, f.nearest, f.message);
}

std::string compare(jit::Engine& engine, const jit::Engine::KernelHandle& kernel, const Program& program,
                    const exec::LaunchConfig& config, const std::vector<uint8_t>& params,
                    const std::vector<Region>& regions, const Expected& expected, bool counts_too) {
  for (const Region& r : regions) r.reset();
  observe::Observer observer(program.canonical.sites, engine.threads());
  const std::atomic<bool> stop{false};
  const exec::LaunchResult result =
      engine.launch(kernel, config, params, [&](unsigned worker) { return observer.sink(worker); }, stop);
  if (result.fault) {
    const uint32_t site = result.fault->site;
    return describe_fault(*result.fault) +
           (site < program.canonical.sites.size() ? " in line " + std::to_string(line_of(program, site)) : "");
  }
  for (size_t k = 0; k < regions.size(); ++k) {
    const auto now = regions[k].now();
    if (now == expected.memory[k]) continue;
    const auto at =
        static_cast<size_t>(std::mismatch(now.begin(), now.end(), expected.memory[k].begin()).first - now.begin());
    size_t wrong = 0;
    for (size_t i = 0; i < now.size(); ++i) wrong += now[i] != expected.memory[k][i];
    return fmt::format("region {} differs in {} bytes, first at {}: is {:#x}, should be {:#x}", k, wrong, at, now[at],
                       expected.memory[k][at]);
  }
  if (!counts_too) return "";
  std::string text;
  const ExpectedCounts& counts = expected.counts;
  for (size_t b = 0; b < counts.blocks.size(); ++b) {
    const event::BlockCount &is = result.counts.blocks[b], &should = counts.blocks[b];
    if (is.warps != should.warps || is.lanes != should.lanes)
      text += fmt::format("basic block {}: {} warps, {} lanes, should be {} and {}\n", b, is.warps, is.lanes,
                          should.warps, should.lanes);
  }
  observer.add_branches(result.counts.branches);
  const auto stats = observer.finish();
  for (size_t s = 0; s < stats.size(); ++s)
    if (const auto d = differences(stats[s], expected.stats[s], counts.windowed[s]); !d.empty()) {
      text += fmt::format("site {} ({}, line {}):{}\n", s, program.canonical.sites[s].opcode, line_of(program, s), d);
    }
  if (result.counts.instructions != counts.instructions)
    text += fmt::format("warp instructions: {}, should be {}\n", result.counts.instructions, counts.instructions);
  if (result.counts.thread_instructions != expected.thread_instructions)
    text += fmt::format("thread instructions: {}, should be {}\n", result.counts.thread_instructions,
                        expected.thread_instructions);
  if (result.counts.thread_instructions_pred_on != expected.thread_instructions - counts.guarded_off)
    text += fmt::format("thread instructions not switched off: {}, should be {}\n",
                        result.counts.thread_instructions_pred_on, expected.thread_instructions - counts.guarded_off);
  return text;
}

}  // namespace warplens::engine_test
