// Programs that do what they should.
#include <gtest/gtest.h>

#include "support/cuda_program.h"

namespace warplens {
namespace {

using testing::compile;
using testing::ProgramResult;
using testing::run;

TEST(Programs, Features) {
  WL_NEEDS_NVCC();
  ProgramResult result = run(compile("tests/programs/features.cu"));
  EXPECT_EQ(result.output,
            "by value 63.5 15\n"
            "scaled 1 2 3 4 4\n"
            "managed 1 row 20 27\n"
            "mapped 63 0\n"
            "stream 0 63 calls 1 elapsed 1\n"
            "pitched abcd efgh ijkl\n"
            "device NVIDIA H200 9.0 warp 32 blocks 8\n");
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.exit_code, 0);
}

TEST(Programs, Graphs) {
  WL_NEEDS_NVCC();
  ProgramResult result = run(compile("tests/programs/graphs.cu"));
  EXPECT_EQ(result.output,
            "before launch: 0, other stream captured: 1\n"
            "captured: 16 calls 2 nodes 5\n"
            "afterwards: 116\n"
            "by hand: 60\n"
            "updated: 10020\n");
  EXPECT_EQ(result.errors, "");
}

TEST(Programs, AnotherGpu) {
  WL_NEEDS_NVCC();
  ProgramResult result = run(compile("tests/programs/features.cu"), {.environment = {{"WARPLENS_GPU", "a100"}}});
  EXPECT_NE(result.output.find("8.0 warp 32 blocks 8"), std::string::npos) << result.output;
  EXPECT_EQ(result.report.run.gpu, "a100");
}

TEST(Programs, UnknownGpuIsSaid) {
  WL_NEEDS_NVCC();
  ProgramResult result = run(compile("tests/programs/exhaust.cu"), {.environment = {{"WARPLENS_GPU", "riva128"}}});
  EXPECT_NE(result.errors.find("warplens: "), std::string::npos);
  EXPECT_NE(result.errors.find("riva128"), std::string::npos) << result.errors;
}

TEST(Programs, CompiledInPieces) {
  WL_NEEDS_NVCC();
  std::string other = WARPLENS_SOURCE_DIR "/tests/programs/pieces_other.cu";
  ProgramResult result = run(compile("tests/programs/pieces_main.cu", {"-arch=sm_80", "-rdc=true", other}));
  EXPECT_EQ(result.output, "1000 1093 cudaSuccess\n-1 92 cudaSuccess\n") << result.errors;
}

TEST(Programs, MachineCodeAloneIsRefused) {
  WL_NEEDS_NVCC();
  ProgramResult result = run(compile("tests/programs/endings.cu", {"-gencode", "arch=compute_80,code=sm_80"}));
  EXPECT_EQ(result.output, "data 0\n");  // nothing ran: the copy after the launch sees what cudaMemset wrote
  EXPECT_NE(result.errors.find("-gencode arch=compute_80,code=[sm_80,compute_80]"), std::string::npos) << result.errors;
  ASSERT_FALSE(result.report.notes.empty());
  EXPECT_EQ(result.report.notes[0].kind, "error");
}

TEST(Programs, MemoryIsExhausted) {
  WL_NEEDS_NVCC();
  ProgramResult result = run(compile("tests/programs/exhaust.cu"));
  EXPECT_EQ(result.output,
            "cudaErrorMemoryAllocation after 139 GiB\n"
            "last: cudaErrorMemoryAllocation, then: cudaSuccess\n"
            "data 9\n");
}

TEST(Programs, RunUnrecordedAndQuietly) {
  WL_NEEDS_NVCC();
  ProgramResult result = run(compile("tests/programs/endings.cu"), {.record = false});
  EXPECT_EQ(result.output, "data 1\n");
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.exit_code, 0);
}

}  // namespace
}  // namespace warplens
