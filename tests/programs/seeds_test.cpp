// The programs that Warplens started from print what an H200 prints for them.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/cuda_program.h"

namespace warplens {
namespace {

using testing::compile;
using testing::ProgramResult;
using testing::run;

// The seed programs lie beside the repository; a copy without them skips.
#define WL_NEEDS_SEEDS() \
  if (!std::filesystem::exists(WARPLENS_SOURCE_DIR "/../shared/seeds")) GTEST_SKIP() << "no ../shared/seeds"

ProgramResult run_seed(const std::string& name) {
  ProgramResult result = run(compile("../shared/seeds/" + name + ".cu", {"-O3", "-arch=sm_80"}));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  EXPECT_TRUE(result.report.faults.empty());
  return result;
}

TEST(Seeds, VectorAdd) {
  WL_NEEDS_NVCC();
  WL_NEEDS_SEEDS();
  ProgramResult result = run_seed("vector_add");
  EXPECT_EQ(result.output, "c[0] = 1.000000 (期望 3.0)\n");  // its own bug: it copies d_a back
  ASSERT_EQ(result.report.launches.size(), 1u);
  EXPECT_EQ(result.report.launches[0].grid.x, 4096u);
  EXPECT_EQ(result.report.launches[0].block.x, 256u);
}

TEST(Seeds, Relu) {
  WL_NEEDS_NVCC();
  WL_NEEDS_SEEDS();
  EXPECT_NE(run_seed("task1_relu").output.find("错误: 0 / 16777216\n"), std::string::npos);
}

TEST(Seeds, Matmul) {
  WL_NEEDS_NVCC();
  WL_NEEDS_SEEDS();
  ProgramResult result = run_seed("task2_matmul");
  EXPECT_NE(result.output.find("加速比:"), std::string::npos);
  EXPECT_EQ(result.report.launches.size(), 20u);
  EXPECT_EQ(result.report.kernels.size(), 2u);
}

TEST(Seeds, Divergence) {
  WL_NEEDS_NVCC();
  WL_NEEDS_SEEDS();
  EXPECT_EQ(run_seed("task3_divergence").report.launches.size(), 200u);
}

}  // namespace
}  // namespace warplens
