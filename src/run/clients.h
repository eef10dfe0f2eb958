#pragma once
#include <filesystem>

#include "base/environment.h"

namespace warplens::run {

// Tells programs that would compile their kernels down to machine code to leave them as PTX, each by the variable that
// it documents for that. What the user set stays.
void keep_ptx(Environment& environment, const std::filesystem::path& libraries);

}  // namespace warplens::run
