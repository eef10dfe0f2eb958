// An inspection for people and for programs.
#pragma once
#include <string>

#include "inspect/inspect.h"

namespace warplens::inspect {

// `kernels`: how many are listed in all; the rest are only counted.
std::string render_text(const Inspection& inspection, size_t kernels = 40);

// One object: file, kind, runs, cuda (how it gets at CUDA), units (PTX with its kernels, machine code), remarks.
std::string render_json(const Inspection& inspection);

}  // namespace warplens::inspect
