// Kernels whose lanes part, as machine code, beside what an H200 counted for each of their instructions
// (tests/sass/divergence/README.md).
#include <gtest/gtest.h>

#include <map>

#include "cli/command.h"
#include "nosdk/clang.h"
#include "probes/counters.h"

namespace warplens::test {
namespace {

// Which groups of lanes meet by chance before their barrier is a matter of timing there (model/branches.cpp); in the
// first two, by how jumps of several ways are run here: more groups.
const std::map<std::string, double> kMayDiffer = {{"jump_table", 2.5},      {"break_and_continue", 0.11},
                                                  {"loop_by_data", 0.003},  {"loops_nested", 0.003},
                                                  {"short_circuit", 0.003}, {"irreducible", 0.003}};

TEST(Divergence, LanesOfMachineCodeAreCountedAsOnAnH200) {
  if (!has_nvcc()) GTEST_SKIP() << "no nvcc on this machine, whose ptxas makes the machine code";
  const std::filesystem::path folder = WARPLENS_DIVERGENCE;
  std::map<std::string, std::map<std::string, uint64_t>> gpu;  // by kernel and column
  for (const GpuLaunch& row : read_counters(folder / "divergence.csv"))
    for (const auto& [column, value] : row.metrics) gpu[row.kernel][column] += value;
  ASSERT_GT(gpu.size(), 20u);
  const CommandResult run = run_program((folder / "divergence.cu").string(), {}, {"--code", "sass"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  size_t compared = 0;
  for (const auto& launch : run.json.at("launches")) {
    const auto& kernel = run.json.at("kernels").at(launch.at("kernel").get<size_t>());
    const std::string demangled = kernel.at("demangled"), name = demangled.substr(0, demangled.find('('));
    if (kernel.at("code") != "sass" || !gpu.contains(name)) continue;
    SCOPED_TRACE(name);
    ++compared;
    const auto& counted = gpu.at(name);
    EXPECT_EQ(launch.at("thread_instructions"), counted.at("thread_inst_executed"));
    EXPECT_EQ(launch.at("thread_instructions_pred_on"), counted.at("thread_inst_executed_true"));
    const auto executed = static_cast<double>(counted.at("inst_executed"));
    const auto differs = kMayDiffer.find(name);
    EXPECT_NEAR(launch.at("instructions").get<double>(), executed,
                differs == kMayDiffer.end() ? 0 : differs->second * executed);
  }
  EXPECT_GT(compared, 15u);
}

}  // namespace
}  // namespace warplens::test
