// A kernel that fails: the program sees the code that a GPU gives, the spool says what, where and near what.
#include <gtest/gtest.h>

#include <sstream>

#include "support/cuda_program.h"

namespace warplens {
namespace {

using testing::ProgramResult;

// The line of faults.cu that has the comment "// fault: <what>".
uint32_t line_of(const std::string& what) {
  std::istringstream file(testing::read_file(WARPLENS_SOURCE_DIR "/tests/programs/faults.cu"));
  uint32_t number = 1;
  for (std::string line; std::getline(file, line); number++) {
    if (line.ends_with("// fault: " + what)) return number;
  }
  ADD_FAILURE() << what;
  return 0;
}

struct Failed {
  ProgramResult result;
  report::Fault fault;
  uint32_t line = 0;  // of the fault's site
};

Failed fail(const std::string& how, const std::string& code) {
  Failed failed{testing::run(testing::compile("tests/programs/faults.cu"), {.arguments = {how}}), {}, 0};
  const ProgramResult& result = failed.result;
  EXPECT_EQ(result.output, "launch: cudaSuccess\nsynchronize: " + code + "\nafterwards: " + code + "\n")
      << result.errors;
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.report.launches.size(), 1u);
  EXPECT_EQ(result.report.faults.size(), 1u);
  if (result.report.faults.size() != 1 || result.report.launches.size() != 1) return failed;
  EXPECT_FALSE(result.report.launches[0].complete);
  failed.fault = result.report.faults[0];
  const report::Kernel& kernel = result.report.kernels[failed.fault.kernel];
  EXPECT_NE(kernel.name.find(how), std::string::npos);
  if (failed.fault.site && *failed.fault.site < kernel.sites.size() &&
      !kernel.sites[*failed.fault.site].frames.empty()) {
    failed.line = kernel.sites[*failed.fault.site].frames.front().line;
  }
  return failed;
}

TEST(Faults, OutOfBounds) {
  WL_NEEDS_NVCC();
  Failed failed = fail("out_of_bounds", "cudaErrorIllegalAddress");
  EXPECT_EQ(failed.fault.kind, "out of bounds");
  EXPECT_EQ(failed.fault.verdict, "program");
  EXPECT_EQ(failed.line, line_of("out of bounds"));
  // 8 blocks of 128 threads write 1000 floats: thread 104 of block 7 is the first that has none.
  EXPECT_EQ(failed.fault.block.x, 7u);
  EXPECT_EQ(failed.fault.thread.x, 104u);
  EXPECT_EQ(failed.fault.bytes, 4u);
  EXPECT_TRUE(failed.fault.nearest.starts_with("right after the end of the 4000-byte allocation"))
      << failed.fault.nearest;
}

TEST(Faults, Misaligned) {
  WL_NEEDS_NVCC();
  Failed failed = fail("misaligned", "cudaErrorMisalignedAddress");
  EXPECT_EQ(failed.fault.kind, "misaligned");
  EXPECT_EQ(failed.line, line_of("misaligned"));
  EXPECT_EQ(failed.fault.thread.x, 1u);
  EXPECT_EQ(failed.fault.address % 4, 2u);
}

TEST(Faults, NullRead) {
  WL_NEEDS_NVCC();
  Failed failed = fail("null_read", "cudaErrorIllegalAddress");
  EXPECT_EQ(failed.line, line_of("null read"));
  EXPECT_EQ(failed.fault.address, 0u);
  EXPECT_EQ(failed.fault.thread.x, 0u);
}

TEST(Faults, UseAfterFree) {
  WL_NEEDS_NVCC();
  EXPECT_EQ(fail("freed", "cudaErrorIllegalAddress").line, line_of("freed"));
}

TEST(Faults, Trap) {
  WL_NEEDS_NVCC();
  Failed failed = fail("traps", "cudaErrorLaunchFailure");
  EXPECT_EQ(failed.fault.kind, "trap");
  EXPECT_EQ(failed.fault.thread.x, 37u);
}

TEST(Faults, Assert) {
  WL_NEEDS_NVCC();
  Failed failed = fail("asserts", "cudaErrorAssert");
  EXPECT_EQ(failed.fault.thread.x, 37u);
}

TEST(Faults, Shared) {
  WL_NEEDS_NVCC();
  Failed failed = fail("shared_past_end", "cudaErrorIllegalAddress");
  EXPECT_EQ(failed.fault.kind, "out of bounds in shared memory");
  EXPECT_EQ(failed.line, line_of("shared"));
}

TEST(Faults, Heap) {
  WL_NEEDS_NVCC();
  Failed failed = fail("heap_past_end", "cudaErrorIllegalAddress");
  EXPECT_EQ(failed.line, line_of("heap"));
  EXPECT_EQ(failed.fault.thread.x, 4u);
  EXPECT_TRUE(failed.fault.nearest.starts_with("right after the end of the 16-byte allocation"))
      << failed.fault.nearest;
}

TEST(Faults, FreesTwice) {
  WL_NEEDS_NVCC();
  Failed failed = fail("frees_twice", "cudaErrorLaunchFailure");
  EXPECT_EQ(failed.fault.kind, "trap");
  EXPECT_NE(failed.fault.message.find("freed before"), std::string::npos);
  EXPECT_NE(failed.fault.message.find("faults.cu:" + std::to_string(line_of("free"))), std::string::npos)
      << failed.fault.message;
}

TEST(Faults, Deadlock) {
  WL_NEEDS_NVCC();
  Failed failed = fail("never_told", "cudaErrorLaunchTimeout");
  EXPECT_EQ(failed.fault.kind, "deadlock");
  EXPECT_EQ(failed.fault.verdict, "program");
  EXPECT_EQ(failed.line, line_of("deadlock"));
  EXPECT_EQ(failed.fault.block.x, 0u);
  EXPECT_EQ(failed.fault.thread.x, 3u);
  EXPECT_EQ(
      failed.fault.message,
      "1 of the block's 2 warps wait in loops for what no other thread will write, 1 of the block's 2 warps wait at "
      "barriers that no other thread will reach");
}

// On a GPU the host would end this wait.
TEST(Faults, WaitForTheHost) {
  WL_NEEDS_NVCC();
  Failed failed{
      testing::run(testing::compile("tests/programs/faults.cu"), {.arguments = {"never_told_by_the_host"}}), {}, 0};
  ASSERT_EQ(failed.result.report.faults.size(), 1u);
  EXPECT_EQ(failed.result.report.faults[0].verdict, "warplens");
  EXPECT_NE(failed.result.report.faults[0].message.find("the host"), std::string::npos)
      << failed.result.report.faults[0].message;
}

TEST(Faults, AreSaidOnStderrWhereNothingIsRecorded) {
  WL_NEEDS_NVCC();
  ProgramResult result =
      testing::run(testing::compile("tests/programs/faults.cu"), {.arguments = {"misaligned"}, .record = false});
  EXPECT_NE(result.errors.find("warplens: "), std::string::npos);
  EXPECT_NE(result.errors.find("faults.cu:" + std::to_string(line_of("misaligned"))), std::string::npos)
      << result.errors;
}

TEST(Faults, NoTexture) {
  WL_NEEDS_NVCC();
  Failed failed = fail("no_texture", "cudaErrorIllegalAddress");
  EXPECT_EQ(failed.fault.kind, "no such texture or surface");
  EXPECT_EQ(failed.fault.verdict, "program");
  EXPECT_EQ(failed.line, line_of("no texture"));
  EXPECT_NE(failed.fault.message.find("is no texture object, or one that was destroyed"), std::string::npos);
}

TEST(Faults, TextureOfFreedMemory) {
  WL_NEEDS_NVCC();
  Failed failed = fail("texture_freed", "cudaErrorIllegalAddress");
  EXPECT_EQ(failed.fault.kind, "out of bounds");
  EXPECT_EQ(failed.line, line_of("texture freed"));
  EXPECT_EQ(failed.fault.bytes, 4u);
}

TEST(Faults, SurfaceOutside) {
  WL_NEEDS_NVCC();
  Failed failed = fail("surface_outside", "cudaErrorIllegalAddress");
  EXPECT_EQ(failed.fault.kind, "out of bounds");
  EXPECT_EQ(failed.line, line_of("surface outside"));
  EXPECT_EQ(failed.fault.thread.x, 16u);
  EXPECT_NE(failed.fault.message.find("x = 64 bytes, y = 3"), std::string::npos) << failed.fault.message;
}

}  // namespace
}  // namespace warplens
