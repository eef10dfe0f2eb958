// What Nsight Compute counted, from the tables that it exports with --csv:
//   --page raw        a row a launch, a column a metric, and a row of units;
//   --page details    and what is printed while a program runs: a row a launch and metric;
//   --page source     per launch a table of instructions (--print-source sass), of source lines (cuda) or of both;
// and the excerpts of these that its users keep: a row a launch or an instruction, without units, with the columns
// name, kernel, grid, block or offset. Around a table there may be lines of other programs.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dim3.h"
#include "base/result.h"

namespace warplens::compare {

// A figure as it was printed.
struct Printed {
  double value = 0;               // in base units: bytes, nanoseconds, ...
  std::optional<uint64_t> exact;  // where it is a whole number and nothing was rounded
  double error = 0;               // the most that rounding took away
};

// An instruction, or a line of source, with the figures of its columns.
struct NcuRow {
  std::optional<uint64_t> address;  // of an instruction; of some tables absolute, of others from the kernel's start
  uint32_t line = 0;                // of source; 0: an instruction
  std::string file;                 // of source, where it is said
  std::string text;
  std::map<std::string, Printed> figures;  // by column title
};

struct NcuLaunch {
  std::string name;    // the user's, in an excerpt
  std::string kernel;  // demangled, mangled or the function alone, as exported
  std::optional<Dim3> grid, block;
  std::string compute_capability;           // "9.0", or ""
  std::map<std::string, Printed> metrics;   // by name
  std::vector<NcuRow> instructions, lines;  // of source pages
};

struct NcuExport {
  std::vector<NcuLaunch> launches;    // in the order of the file, which is the order in which they were profiled
  std::vector<std::string> warnings;  // what was not understood and left out
};

// Error: no such table in the text.
Result<NcuExport> read_ncu(std::string_view text);

// Of a metric's text and unit: "1,048,576", "4.19" of "Mbyte", "12,5"; `comma` says which of the two is the decimal
// point. nullopt: no number ("n/a", "nan", a text).
std::optional<Printed> printed_number(std::string_view text, std::string_view unit, bool comma);

}  // namespace warplens::compare
