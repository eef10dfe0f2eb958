// A program does the same, to the last count, whichever way its CUDA runtime is linked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "nosdk/clang.h"
#include "static/ways.h"

namespace warplens::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string without_times(const std::string& text) {
  return std::regex_replace(text, std::regex("[0-9]+\\.[0-9]+( ms| GB/s| GFLOPS|x)"), "TIME$1");
}

void expect_same_each_way(const fs::path& source, const std::vector<std::string>& arguments = {}) {
  Folder folder;
  CommandResult shared;
  for (Way way : kWays) {
    SCOPED_TRACE(source.filename().string() + ", " + name_of(way));
    CommandResult run = run_program(build_way(way, source, folder), arguments);
    if (way == Way::Shared) {
      shared = run;
      EXPECT_FALSE(launches_without_times(run).empty()) << run.err;
      continue;
    }
    EXPECT_EQ(run.exit_code, shared.exit_code) << run.err;
    EXPECT_EQ(without_times(run.out), without_times(shared.out)) << run.err;
    EXPECT_EQ(launches_without_times(run), launches_without_times(shared));
  }
}

TEST(WaysIn, OfTheSeeds) {
  WL_NEEDS_NVCC();
  if (seeds().empty()) GTEST_SKIP() << "no ../shared/seeds here";
  for (const fs::path& seed : seeds()) expect_same_each_way(fs::canonical(seed));
}

TEST(WaysIn, OfTheProbes) {
  WL_NEEDS_NVCC();
  if (probes().empty()) GTEST_SKIP() << "no ../shared/probes here";
  expect_same_each_way(fs::canonical(probes()), {"all", "14"});
}

TEST(WaysIn, OfTheExample) {
  WL_NEEDS_NVCC();
  expect_same_each_way(fs::path(WARPLENS_SOURCE_DIR) / "examples/demo.cu");
}

}  // namespace
}  // namespace warplens::test
