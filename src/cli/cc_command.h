// warplens cc: nvcc's options are taken as they come, so they do not go through the parser of the other commands.
#pragma once
#include <string>
#include <vector>

#include "base/environment.h"

namespace warplens::cli {

int cc_command(const std::vector<std::string>& arguments, const Environment& environment);

}  // namespace warplens::cli
