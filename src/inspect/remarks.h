// What a user should know about a file before running it, and what to rebuild.
#pragma once
#include "inspect/inspect.h"

namespace warplens::inspect {

// Whether a file of that linkage can be started with our CUDA, as far as the file itself tells. Nothing: it can.
std::optional<Remark> linkage_problem(const Linkage& linkage);

void add_remarks(Inspection& inspection);

}  // namespace warplens::inspect
