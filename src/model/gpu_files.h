// The texts of data/gpus/*.toml and data/compute_capabilities.toml; defined in a file that cmake/embed_gpus.cmake
// makes.
#pragma once
#include <span>
#include <string_view>

namespace warplens::model {

struct GpuFile {
  std::string_view id;  // the file's name without .toml
  std::string_view text;
};
std::span<const GpuFile> gpu_files();  // sorted by id
std::string_view compute_capabilities();

}  // namespace warplens::model
