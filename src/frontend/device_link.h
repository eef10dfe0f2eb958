// Linking device code across files (-rdc=true). Each object holds its PTX and calls, as it is loaded, a function of its
// own name (__cudaRegisterLinkedBinary...) that the linker of device code has to supply. NVIDIA's links machine code;
// ours hands the runtime all the PTX in one list, and that links it when a kernel is first used.
#pragma once
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"

namespace warplens::frontend {

// The functions that the objects and archives among the linker's words (files, -l, -L) call and none of them has.
Result<std::vector<std::string>> missing_registrations(const std::vector<std::string>& words, const Environment&);

// C source of them.
std::string registration_source(const std::vector<std::string>& functions);

}  // namespace warplens::frontend
