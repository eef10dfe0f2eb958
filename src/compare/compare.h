// A run of Warplens beside what Nsight Compute counted for the same program on a GPU.
#pragma once
#include <string>
#include <vector>

#include "compare/ncu.h"
#include "report/report.h"

namespace warplens::compare {

// A figure of a launch, a source line or an instruction.
struct Figure {
  std::string name;  // of the metric, or of the source page's column
  report::Metric ours;
  Printed theirs;
  bool equal = false;  // to the last digit that was printed
  std::string cause;   // why they differ, where it is known
};

// A source line or an instruction.
struct Place {
  std::string where;  // "demo.cu:42", "0x110 LDG.E R2, desc[UR4][R2.64]"
  std::vector<Figure> figures;
};

struct Pair {
  const report::Launch* launch = nullptr;
  const report::Kernel* kernel = nullptr;
  std::string name;             // the launch's own, in an excerpt of Nsight Compute's table
  bool other_code = false;      // the instructions are not the same ones
  std::vector<Figure> figures;  // of the launch
  std::vector<Place> places;
};

// Launches of one kernel and shape that have no partner.
struct Unpaired {
  std::string kernel;
  std::string why;
  size_t launches = 0;
};

struct Tally {
  size_t equal = 0, different = 0;
  size_t counted_different = 0;  // of the different ones, those that Warplens says it counted
};

struct Comparison {
  std::vector<Pair> pairs;  // in the order of the run
  std::vector<Unpaired> only_in_run, only_in_profile;
  std::vector<std::string> warnings;
  Tally tally() const;
  // Is every figure that was counted equal, and has every launch of the profile its partner?
  bool agrees() const;
};

// Launches are joined by kernel, shape and order: the profile may hold a part of the run's. Several exports of one
// profile (its raw and its source page) are joined one by one. `report` must outlive the result.
Comparison compare(const report::Report& report, const std::vector<NcuExport>& exports);

}  // namespace warplens::compare
