// Checks the invariants of ir.h. A violation is a bug in Warplens; a caller turns it into a report or a WL_CHECK.
#pragma once
#include <string>
#include <vector>

#include "ir/ir.h"

namespace warplens::ir {

// One line for each violation ("kernel foo, b3, %17 add: argument 1 has type f32, expected i32"), empty where all
// holds.
std::vector<std::string> verify(const Module& module, const Kernel& kernel);
std::vector<std::string> verify(const Module& module);

}  // namespace warplens::ir
