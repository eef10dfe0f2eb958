// Matrix instructions beside an H200: every bit of what they compute, which lane holds which element, what their
// accesses count. By NVIDIA's headers and by ours.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cli/command.h"
#include "support/sanitizers.h"

namespace warplens::test {
namespace {

const std::string kFolder = std::string(WARPLENS_SOURCE_DIR) + "/tests/gpu/";

class TensorCores : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string(GetParam()) == "nvcc" ? !has_nvcc() : !has_clang()) GTEST_SKIP() << "no " << GetParam();
  }
  // Inline PTX is the same by both compilers, and minutes of translation: where nvcc did it, clang is left what its
  // headers make, the functions of mma.h.
  bool leaves_inline_ptx() const { return std::string(GetParam()) == "clang" && has_nvcc(); }
  CommandResult run(const std::string& program, const std::vector<std::string>& arguments = {}) {
    return run_program(kFolder + program, arguments, {"--compiler", GetParam()});
  }
  void expect_golden(const std::string& name, int least);
};

void TensorCores::expect_golden(const std::string& name, int least) {
  if (testing::kSanitized) GTEST_SKIP() << "minutes of translation with sanitizers";
  const bool part = leaves_inline_ptx();
  const CommandResult result = run(name + ".cu", part ? std::vector<std::string>{"wmma"} : std::vector<std::string>{});
  std::ifstream file(kFolder + name + ".h200.txt");
  std::istringstream ours(result.out);
  std::string expected, line;
  int lines = 0;
  while (std::getline(file, expected)) {
    if (part && !expected.starts_with("wmma")) continue;
    ++lines;
    ASSERT_TRUE(std::getline(ours, line)) << "ends before: " << expected << "\n" << result.err;
    EXPECT_EQ(line, expected);
  }
  EXPECT_GT(lines, least);
  EXPECT_FALSE(std::getline(ours, line)) << line;
}

TEST_P(TensorCores, ComputeWhatAnH200Computes) { expect_golden("tensor_cores", leaves_inline_ptx() ? 400 : 700); }
TEST_P(TensorCores, ComputeSparseProductsLikeAnH200) {
  if (leaves_inline_ptx()) GTEST_SKIP() << "inline PTX alone, which nvcc's run has shown";
  expect_golden("sparse_tensor_cores", 400);
}

TEST_P(TensorCores, CountWhatAnH200Counts) {
  const CommandResult result = run("tensor_counts.cu");
  EXPECT_EQ(result.out, "no error\n") << result.err;
  std::ifstream file(kFolder + "tensor_counts.h200.csv");
  const auto cells = [&] {
    std::vector<std::string> row;
    std::string line, cell;
    std::getline(file, line);
    for (std::istringstream text(line); std::getline(text, cell, ',');) row.push_back(cell);
    return row;
  };
  const std::vector<std::string> metrics = cells();
  const auto& launches = result.json.at("launches");
  ASSERT_EQ(launches.size(), 26u);
  for (const auto& launch : launches) {
    SCOPED_TRACE(launch.at("name"));
    const std::vector<std::string> expected = cells();
    ASSERT_EQ(expected.size(), metrics.size());
    for (size_t k = 0; k < metrics.size(); ++k)
      EXPECT_EQ(launch.at("metrics").at(metrics[k]).at("value").dump(), expected[k]) << metrics[k];
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, TensorCores, ::testing::Values("nvcc", "clang"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace warplens::test
