// Asynchronous copies of machine code, of which the rule of model/banks.h (2,048 requests of an H200) says what they
// take.
#include <gtest/gtest.h>

#include "cli/command.h"

namespace warplens::test {
namespace {

TEST(Copies, OfMachineCodeClashAtTheirSources) {
  if (!has_nvcc()) GTEST_SKIP() << "no nvcc on this machine, whose ptxas makes the machine code";
  const CommandResult run = run_program(WARPLENS_SOURCE_DIR "/tests/probes/copies.cu", {}, {"--code", "sass"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto& launches = run.json.at("launches");
  ASSERT_EQ(launches.size(), 3u);
  const uint64_t wavefronts[] = {1, 32, 32};
  for (size_t i = 0; i < 3; ++i) {
    const auto& metrics = launches[i].at("metrics");
    EXPECT_EQ(metrics.at("smsp__inst_executed_op_ldgsts.sum").at("value"), 1);
    EXPECT_EQ(metrics.at("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio").at("value"), 0);
    // The load of what was copied takes one more.
    EXPECT_EQ(metrics.at("memory_l1_wavefronts_shared").at("value"), wavefronts[i] + 1) << i;
  }
}

}  // namespace
}  // namespace warplens::test
