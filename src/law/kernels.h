// Kernels as a report has them, from PTX alone: their accesses with their laws, nothing of a run.
#pragma once
#include <vector>

#include "base/result.h"
#include "elf/view.h"
#include "ir/ir.h"
#include "report/report.h"

namespace warplens::law {

report::Site site_of(const ir::Module& module, const ir::Function& function, const ir::Site& site);

// Of the PTX in a program, library, object, fat binary, or PTX text. Error: it holds none, or cannot be read.
Result<std::vector<report::Kernel>> kernels_of(elf::Bytes file, const std::string& name);

}  // namespace warplens::law
