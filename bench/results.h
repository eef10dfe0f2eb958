// Tables and files of what was measured.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "machine.h"
#include "measure.h"

namespace warplens::bench {

struct Summary {
  Machine machine;
  std::string date, engine_cpu;
  std::string host_cpu;  // what the engine would have chosen
  unsigned threads = 0;
  double start_ms = 0;
  std::vector<std::string> natives;  // compilers and -march= of the C++
  Row empty;                         // a launch of one block that does nothing
  std::vector<Row> rows;
  std::vector<LargeKernel> large;

  double geomean(Comparison Row::* mode) const;
  double lowest(Comparison Row::* mode) const;
  double median_compile_ms() const;
  double median_cached_ms() const;
};

std::string header_line();
std::string row_line(const Row& row);
std::string to_markdown(const Summary& summary);
// Writes <folder>/<cpu>-<date>.json and .md, or <cpu>-as-<engine's cpu>-... where that was forced; gives the first's
// name.
Result<std::string> write(const Summary& summary, const std::string& folder);

}  // namespace warplens::bench
