// Compiling with clang and our headers alone, as `warplens run` does where no toolkit is installed.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "cli/command.h"
#include "frontend/compile.h"

namespace warplens::test {

// What clang says to `source` and the PTX that it makes of it; `ok` tells whether a program came out.
struct Compiled {
  bool ok = false;
  std::string messages;
  std::string ptx;
  std::vector<std::string> dependencies;
};
Compiled compile_with_clang(const std::filesystem::path& source, const std::vector<std::string>& flags = {});
Compiled compile_text_with_clang(const std::string& source);

// What to start a command with so that it sees neither nvcc nor NVIDIA's headers and libraries: a namespace of mounts
// in which they are covered. Empty where that is not allowed, or there is no `unshare`.
std::vector<std::string> hiding_the_toolkit();

// Files of the reference material beside the repository; empty where it is absent.
std::vector<std::filesystem::path> seeds();
std::filesystem::path probes();

}  // namespace warplens::test
