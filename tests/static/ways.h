// One source, built in each of the ways in which a CUDA runtime gets into a program.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.h"

namespace warplens::test {

enum class Way { Shared, Static, Stripped, Library };
inline constexpr Way kWays[] = {Way::Shared, Way::Static, Way::Stripped, Way::Library};
const char* name_of(Way way);

// A tool that must succeed; the first word is looked for on PATH.
void run_tool(std::vector<std::string> command);

// nvcc SOURCE FLAGS -o PROGRAM, as a user would; "" if there is no nvcc. A compile error fails the test.
void build(const std::filesystem::path& source, const std::filesystem::path& program,
           const std::vector<std::string>& flags = {});

// The program in `folder` to run. Library: a program without CUDA that opens the source's main() in a library.
std::filesystem::path build_way(Way way, const std::filesystem::path& source, const Folder& folder);

// Every launch of the report without what differs from run to run.
std::vector<nlohmann::ordered_json> launches_without_times(const CommandResult& run);

std::string static_program_path(const std::string& name);  // of tests/static/programs

}  // namespace warplens::test

#define WL_NEEDS_NVCC() \
  if (!warplens::test::has_nvcc()) GTEST_SKIP() << "no nvcc on this machine"
