// __managed__ variables in code that clang compiles.
#pragma once
#include <string>

namespace warplens::frontend {

// clang knows no __managed__ in CUDA. Our headers (crt/host_defines.h) put such a variable into the section
// "warplens_managed", which tells it from other __device__ variables. In device IR, as text: the mark that makes the
// back end write ".attribute(.managed)", in place of the section. The host's copy of the variable then is the variable
// (cuda/registry.cpp).
std::string mark_managed(std::string ir);

}  // namespace warplens::frontend
