// However a program ends, each launch that was finished is in the spool, and the program's way of ending is its own.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "base/stop_page.h"
#include "support/cuda_program.h"

namespace warplens {
namespace {

using testing::ProgramResult;

ProgramResult end_by(const std::string& how, std::function<void(int)> meanwhile = {}) {
  return testing::run(testing::compile("tests/programs/endings.cu"),
                      {.arguments = {how}, .meanwhile = std::move(meanwhile)});
}

void expect_one_whole_launch(const ProgramResult& result) {
  EXPECT_EQ(result.output, "data 1\n");
  ASSERT_EQ(result.report.launches.size(), 1u);
  EXPECT_TRUE(result.report.launches[0].complete);
  EXPECT_EQ(result.report.launches[0].warps, 8u);
  ASSERT_EQ(result.report.kernels.size(), 1u);
  EXPECT_NE(result.report.kernels[0].name.find("add_one"), std::string::npos);
  EXPECT_TRUE(result.report.faults.empty());
}

void expect_exit(const std::string& how, int code) {
  ProgramResult result = end_by(how);
  EXPECT_EQ(result.exit_code, code) << how;
  expect_one_whole_launch(result);
}

void expect_signal(const std::string& how, int signal) {
  ProgramResult result = end_by(how);
  EXPECT_EQ(result.signal, signal) << how;
  expect_one_whole_launch(result);
}

TEST(Endings, Return) {
  WL_NEEDS_NVCC();
  expect_exit("return", 0);
}
TEST(Endings, Exit) {
  WL_NEEDS_NVCC();
  expect_exit("exit", 3);
}
TEST(Endings, UnderscoreExit) {
  WL_NEEDS_NVCC();
  expect_exit("_exit", 4);
}
TEST(Endings, Reset) {
  WL_NEEDS_NVCC();
  expect_exit("reset", 0);
}
TEST(Endings, Abort) {
  WL_NEEDS_NVCC();
  expect_signal("abort", SIGABRT);
}
TEST(Endings, UncaughtException) {
  WL_NEEDS_NVCC();
  expect_signal("throw", SIGABRT);
}
TEST(Endings, Segfault) {
  WL_NEEDS_NVCC();
  expect_signal("segfault", SIGSEGV);
}
TEST(Endings, Kill) {
  WL_NEEDS_NVCC();
  expect_signal("kill", SIGKILL);
}

// A child that starts CUDA by itself records beside its parent; one that inherits a context gets none of it.
TEST(Endings, ForkBeforeCuda) {
  WL_NEEDS_NVCC();
  ProgramResult result = end_by("fork");
  EXPECT_EQ(result.output, "child 1\ndata 1\n");
  EXPECT_EQ(result.report.launches.size(), 2u);
  EXPECT_EQ(result.report.kernels.size(), 2u);  // one a process
}
TEST(Endings, ForkAfterCuda) {
  WL_NEEDS_NVCC();
  ProgramResult result = end_by("fork-late");
  EXPECT_EQ(result.output, "child -1\ndata 1\n");
  EXPECT_EQ(result.report.launches.size(), 2u);  // the parent's two
  EXPECT_EQ(result.exit_code, 0);
}

// After main: objects older than the first CUDA call outlive everything that this call made.
void expect_late_launches(const std::string& how) {
  ProgramResult result = end_by(how);
  EXPECT_EQ(result.output, "data 1\n" + how + " 1 31\n");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.report.launches.size(), 3u);
}
TEST(Endings, AtExitHandler) {
  WL_NEEDS_NVCC();
  expect_late_launches("atexit");
}
TEST(Endings, DestructorOfAStaticObject) {
  WL_NEEDS_NVCC();
  expect_late_launches("destructor");
}

TEST(Endings, EnvironmentClearedBeforeCuda) {
  WL_NEEDS_NVCC();
  expect_exit("clearenv", 0);
}
TEST(Endings, DescriptorsClosedAndUsedAgain) {
  WL_NEEDS_NVCC();
  ProgramResult result = end_by("close");
  EXPECT_EQ(result.output, "data 1\nafter closing 1, in my file 0\n");
  EXPECT_EQ(result.report.launches.size(), 2u);
}

ProgramResult stop_after_start(const std::string& how) {
  const std::string path = ::testing::TempDir() + "/stop-" + std::to_string(getpid());
  auto page = StopPage::open(path);
  EXPECT_TRUE(page);
  ProgramResult result =
      testing::run(testing::compile("tests/programs/endings.cu"),
                   {.arguments = {how}, .environment = {{"WARPLENS_STOP", path}}, .meanwhile = [&](int) {
                      // One that has run for a second is the endless one, at work.
                      for (int i = 0, busy = 0; i < 1000 && busy < 100; i++, usleep(10'000))
                        busy = page->launches() ? busy + 1 : 0;
                      page->stop() = true;
                    }});
  unlink(path.c_str());
  return result;
}
void expect_stopped_kernel(const ProgramResult& result) {
  EXPECT_LT(result.seconds, 10);
  EXPECT_EQ(result.output, "data 1\n");
  ASSERT_EQ(result.report.launches.size(), 2u);
  EXPECT_TRUE(result.report.launches[0].complete);
  EXPECT_FALSE(result.report.launches[1].complete);
  EXPECT_GT(result.report.launches[1].instructions, 1000u);
  ASSERT_EQ(result.report.faults.size(), 1u);
  EXPECT_EQ(result.report.faults[0].verdict, "stopped");
}

TEST(Endings, StopDuringAKernelKeepsItsCounts) {
  WL_NEEDS_NVCC();
  ProgramResult result = stop_after_start("forever");
  expect_stopped_kernel(result);
  EXPECT_EQ(result.signal, SIGTERM);
}
// What looks like a hang of the program's may be ours: the report says where it waits, and why.
TEST(Endings, StoppedWaitIsExplained) {
  WL_NEEDS_NVCC();
  ProgramResult result = stop_after_start("waits");
  ASSERT_EQ(result.report.faults.size(), 1u);
  const report::Fault& fault = result.report.faults[0];
  EXPECT_NE(fault.message.find("nobody wrote what it waits for"), std::string::npos) << fault.message;
  ASSERT_TRUE(fault.site);
  const report::Site& site = result.report.kernels.at(fault.kernel).sites.at(*fault.site);
  ASSERT_FALSE(site.frames.empty());
  const std::string source = testing::read_file(std::string(WARPLENS_SOURCE_DIR) + "/tests/programs/endings.cu");
  const size_t line = 1 + std::count(source.begin(), source.begin() + source.find("// waits for nobody"), '\n');
  EXPECT_EQ(site.frames[0].line, line);
}
TEST(Endings, StopReachesAProgramThatBlocksAllSignals) {
  WL_NEEDS_NVCC();
  ProgramResult result = stop_after_start("blocked");
  expect_stopped_kernel(result);
  EXPECT_EQ(result.signal, SIGTERM);
}
TEST(Endings, StoppedProgramCleansUpInItsOwnHandler) {
  WL_NEEDS_NVCC();
  ProgramResult result = stop_after_start("handled");
  expect_stopped_kernel(result);
  EXPECT_EQ(result.exit_code, 12);
}

}  // namespace
}  // namespace warplens
