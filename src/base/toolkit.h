// Where NVIDIA's tools lie on a machine.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/environment.h"

namespace warplens {

// Folders of toolkits in /usr/local that are there: cuda first, then the versions from the newest on.
std::vector<std::filesystem::path> installed_toolkits(const std::filesystem::path& root = "/usr/local");

// Every program of that name that can be executed: in CUDA_PATH, on PATH, in the installed toolkits, and in the Python
// packages (nvidia-cuda-nvcc..., triton) that belong to VIRTUAL_ENV, to a folder of PATH or to the user. Each once.
std::vector<std::string> toolkit_programs(const std::string& name, const Environment& environment,
                                          const std::filesystem::path& root = "/usr/local");

}  // namespace warplens
