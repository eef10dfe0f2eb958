// What Nsight Compute counted on an H200: one row a launch, in the order of the launches.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace warplens::test {

struct GpuLaunch {
  std::string name;                         // of the probe, or "program#launch"
  std::string kernel;                       // as Nsight Compute writes it: "void k<16>(const float *, int)"
  std::string grid, block;                  // "(16, 16, 1)"
  uint64_t offset = 0;                      // of a machine instruction, where the row is one's
  std::map<std::string, uint64_t> metrics;  // those that are whole numbers
};

// Empty where the file cannot be read.
std::vector<GpuLaunch> read_counters(const std::filesystem::path& csv);

}  // namespace warplens::test
