// Releases of the static CUDA runtime that are not in data/cudart_static.txt but lie on this machine: the user's
// toolkit has the archive that their programs are linked with, and the facts about it are as easily had from there.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/environment.h"
#include "elf/runtime_table.h"

namespace warplens::inspect {

// Every libcudart_static.a in the places where toolkits are: $CUDA_HOME, $CUDA_PATH, /usr/local/cuda*, the
// distribution's.
std::vector<std::filesystem::path> find_runtime_archives(const Environment& environment);

// A table (elf/runtime_table.h) of those that `known` does not have; "" if it has all. Release names are those of the
// archives' paths. `cache_dir` keeps what was found of an archive until that changes; empty: no cache.
std::string user_runtime_table(const std::vector<std::filesystem::path>& archives, const elf::RuntimeTable& known,
                               const std::filesystem::path& cache_dir);

}  // namespace warplens::inspect
