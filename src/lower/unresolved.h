#pragma once
#include <string>
#include <vector>

#include "ptx/module.h"

namespace warplens::lower {

// Functions that the module calls and that neither it nor the device run-time library has: what a linker would miss.
std::vector<std::string> unresolved_functions(const ptx::Module& module);

}  // namespace warplens::lower
