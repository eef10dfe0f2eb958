// Where this copy of Warplens keeps what it needs, found from where its executable is.
#pragma once
#include <filesystem>

#include "base/result.h"

namespace warplens::run {

struct Install {
  std::filesystem::path libraries;  // libcudart.so.*: build/lib, or ../lib/warplens of an installed copy
  std::filesystem::path headers;    // the CUDA headers for clang
  std::filesystem::path toolkit;    // what looks like NVIDIA's toolkit (cmake/toolkit.cmake); empty if it is not there
};

Result<Install> find_install();

}  // namespace warplens::run
