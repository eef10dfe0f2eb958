// Tables of readings beside the tests.
#pragma once
#include <string>
#include <vector>

#include "base/file.h"
#include "compare/csv.h"

namespace warplens::test {

// Its rows; none where the file cannot be read.
inline std::vector<compare::CsvRow> read_csv(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return {};
  auto rows = compare::parse_csv(*text);
  return rows ? std::move(*rows) : std::vector<compare::CsvRow>{};
}

}  // namespace warplens::test
