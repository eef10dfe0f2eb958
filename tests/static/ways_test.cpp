// A program does the same, to the last count, whichever way its CUDA runtime is linked; and built by clang, where no
// toolkit is to be seen, it prints the same and its memory accesses count the same.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <utility>

#include "nosdk/clang.h"
#include "static/ways.h"

namespace warplens::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string without_times(const std::string& text) {
  return std::regex_replace(text, std::regex("[0-9]+\\.[0-9]+( ms| GB/s| GFLOPS|x)"), "TIME$1");
}

// What does not depend on the compiler's choice of instructions. Lines do: an access that two branches share may count
// to either's line.
Json memory_of(const Json& launch) {
  Json memory;
  for (const char* key : {"name", "grid", "block", "complete", "warps"}) memory[key] = launch.at(key);
  for (const auto& [name, metric] : launch.at("metrics").items()) {
    // Rounded for each instruction of the text, of which the compilers make different ones.
    if (name == "derived__memory_l1_conflicts_shared_nway") continue;
    // Zeros are left out: whether a kernel has a figure at all follows from its text.
    if (metric.at("fidelity") != "estimated" && metric.at("value") != 0) memory[name] = metric.at("value");
  }
  return memory;
}

void expect_same_memory(const CommandResult& clang, const CommandResult& nvcc) {
  const std::vector<Json> theirs = launches_without_times(nvcc), ours = launches_without_times(clang);
  ASSERT_EQ(ours.size(), theirs.size()) << clang.err;
  for (size_t i = 0; i < ours.size(); ++i)
    EXPECT_EQ(memory_of(ours[i]), memory_of(theirs[i])) << "launch " << i << " " << theirs[i]["name"];
}

CommandResult run_without_toolkit(const fs::path& source, const std::vector<std::string>& arguments) {
  const std::vector<std::string> hide = hiding_the_toolkit();
  if (!hide.empty()) return run_program(source, arguments, {}, hide);
  fmt::print("the toolkit is not hidden: that needs root, and unshare\n");
  return run_program(source, arguments, {"--compiler", "clang"});
}

void expect_same_each_way(const fs::path& source, const std::vector<std::string>& arguments = {}) {
  Folder folder;
  CommandResult shared;
  for (Way way : kWays) {
    SCOPED_TRACE(source.filename().string() + ", " + name_of(way));
    CommandResult run = run_program(build_way(way, source, folder), arguments);
    if (way == Way::Shared) {
      shared = run;
      EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
      EXPECT_FALSE(launches_without_times(run).empty()) << run.err;
      continue;
    }
    EXPECT_EQ(run.exit_code, shared.exit_code) << run.err;
    EXPECT_EQ(without_times(run.out), without_times(shared.out)) << run.err;
    EXPECT_EQ(launches_without_times(run), launches_without_times(shared));
  }
  if (!has_clang()) return;
  SCOPED_TRACE(source.filename().string() + ", clang");
  CommandResult run = run_without_toolkit(source, arguments);
  EXPECT_EQ(run.exit_code, shared.exit_code) << run.err;
  EXPECT_EQ(without_times(run.out), without_times(shared.out)) << run.err;
  expect_same_memory(run, shared);
}

TEST(WaysIn, OfTheSeeds) {
  WL_NEEDS_NVCC();
  if (seeds().empty()) GTEST_SKIP() << "no ../shared/seeds here";
  for (const fs::path& seed : seeds()) expect_same_each_way(fs::canonical(seed));
}

TEST(WaysIn, OfTheProbes) {
  WL_NEEDS_NVCC();
  if (probes().empty()) GTEST_SKIP() << "no ../shared/probes here";
  expect_same_each_way(fs::canonical(probes()), {"all", "16"});
}

TEST(WaysIn, OfTheExample) {
  WL_NEEDS_NVCC();
  expect_same_each_way(fs::path(WARPLENS_SOURCE_DIR) / "examples/demo.cu");
}

}  // namespace
}  // namespace warplens::test
