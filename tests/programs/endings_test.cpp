// However a program ends, each launch that was finished is in the spool, and the program's way of ending is its own.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

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

TEST(Endings, StopDuringAKernelKeepsItsCounts) {
  WL_NEEDS_NVCC();
  ProgramResult result = end_by("forever", [](int pid) {
    usleep(1'500'000);
    kill(pid, SIGUSR1);
  });
  EXPECT_EQ(result.signal, SIGUSR1);
  EXPECT_LT(result.seconds, 5);
  EXPECT_EQ(result.output, "data 1\n");
  ASSERT_EQ(result.report.launches.size(), 2u);
  EXPECT_TRUE(result.report.launches[0].complete);
  EXPECT_FALSE(result.report.launches[1].complete);
  EXPECT_GT(result.report.launches[1].instructions, 1000u);
  ASSERT_EQ(result.report.faults.size(), 1u);
  EXPECT_EQ(result.report.faults[0].verdict, "stopped");
}

TEST(Endings, StopOutsideAKernelEndsAtOnce) {
  WL_NEEDS_NVCC();
  ProgramResult result = end_by("sleep", [](int pid) {
    usleep(1'500'000);
    kill(pid, SIGUSR1);
  });
  EXPECT_EQ(result.signal, SIGUSR1);
  EXPECT_LT(result.seconds, 5);
  EXPECT_EQ(result.report.launches.size(), 1u);
}

}  // namespace
}  // namespace warplens
