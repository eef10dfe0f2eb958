// Launches beside what a GPU counted for them: which figures must be equal, which are known to differ and why, and the
// table of both.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "probes/counters.h"

namespace warplens::test {

class Comparison {
 public:
  // `launch`: one of a report's. Fails the test where a figure differs that is not known to.
  void add(const nlohmann::ordered_json& launch, const GpuLaunch& gpu);

  // Prints the table, and fails the test if a known difference among `launches` was not met.
  void finish(const std::vector<GpuLaunch>& launches);

 private:
  struct Row {
    std::string name, last, kernel;  // `last`: of several launches of one kernel with the same figures
    std::vector<std::string> cells;
    std::string verdict;
    size_t launches = 1;
  };
  void add_row(Row row);

  std::vector<Row> rows_;
  std::set<size_t> met_;  // of the known differences
  size_t equal_ = 0, different_ = 0;
};

}  // namespace warplens::test
