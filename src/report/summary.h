// A Report added up for people: launches by kernel, sites by source line and kind of access, worst first.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "report/report.h"

namespace warplens::report {

// Accesses of one kind that a source line makes: unrolled copies are one row.
struct AccessRow {
  AccessKind kind = AccessKind::Load;
  Space space = Space::Global;
  uint32_t bytes_per_lane = 0, components = 1;
  std::string operand;  // in the program's words: "in", "argument 2", "tile"; "" where it has no name
  uint32_t sites = 0;   // instructions in PTX
  SiteCounts counts;
};

// A line's share that was inlined into one place.
struct Callers {
  std::vector<Frame> frames;  // innermost first; empty where nothing was inlined
  SiteCounts counts;
};

// Where: a source line, or without line information the PTX line and opcode, or the machine instruction.
struct SourceLine {
  std::string file;                        // "" without line information
  uint32_t line = 0;                       // source line, else PTX line
  std::string opcode;                      // without line information only
  std::optional<uint32_t> machine_offset;  // likewise, of machine code
  std::vector<Callers> callers;            // worst first
  std::vector<AccessRow> rows;             // worst first
};

struct KernelSummary {
  const Kernel* kernel = nullptr;
  std::vector<const Launch*> launches;  // in order
  std::vector<Metric> totals;           // summed over launches; what does not add up (launch__...) is left out
  uint64_t warps = 0, instructions = 0, thread_instructions = 0;
  std::vector<SourceLine> global;    // global and generic; by sectors above ideal, then by sectors
  std::vector<SourceLine> shared;    // by wavefronts above ideal, then by wavefronts
  std::vector<SourceLine> local;     // as global
  std::vector<SourceLine> constant;  // by requests
  std::vector<SourceLine> textures;  // and surfaces, by requests
  std::vector<SourceLine> branches;  // that diverged; by divergent executions
  bool has_lines = false;            // line information for any site
};

// In the order of their first launch; kernels that were never launched are left out.
std::vector<KernelSummary> summarize(const Report& report);

// Counts of all a line's rows.
SiteCounts total(const SourceLine& line);

uint64_t excess_sectors(const SiteCounts& counts);
uint64_t excess_wavefronts(const SiteCounts& counts);

}  // namespace warplens::report
