// Nsight Compute's files.
#pragma once
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "compare/ncu.h"

namespace warplens::compare {

// The tables of a file: of a .csv its own; a .ncu-rep is exported by the ncu of PATH, its raw and its source page.
// Error: it cannot be read, there is no table in it, or there is no ncu, with the command that exports it elsewhere.
Result<std::vector<NcuExport>> load(const std::string& path, const Environment& environment);

}  // namespace warplens::compare
