// Programs that end early, and programs that must be ended: what was counted until then is reported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "cli/command.h"

namespace warplens::test {
namespace {

using ::testing::HasSubstr;

void expect_ending(CommandResult run, int exit_code, const std::string& outcome) {
  EXPECT_EQ(run.exit_code, exit_code);
  ASSERT_TRUE(run.json.is_object()) << run.err;
  EXPECT_EQ(run.json["run"].value("outcome", ""), outcome);
  ASSERT_GE(run.json["launches"].size(), 1u);
  EXPECT_EQ(run.json["launches"][0].value("complete", false), true);
  EXPECT_THAT(run.err, HasSubstr("once"));
}

TEST(Ending, Exit) { expect_ending(run_program("ends_early.cu", {"exit"}), 3, "exited"); }
TEST(Ending, ExitWithoutCleaningUp) { expect_ending(run_program("ends_early.cu", {"_exit"}), 4, "exited"); }

TEST(Ending, Abort) {
  CommandResult run = run_program("ends_early.cu", {"abort"});
  expect_ending(run, 128 + 6, "signalled");
  EXPECT_EQ(run.json["run"].value("signal", 0), 6);
}

TEST(Ending, Crash) {
  CommandResult run = run_program("ends_early.cu", {"crash"});
  expect_ending(run, 128 + 11, "signalled");
  EXPECT_EQ(run.json["run"].value("signal", 0), 11);
}

double seconds_of(const std::function<void()>& action) {
  auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A kernel that never ends: stopped where it is, with what it counted so far.
void expect_stopped_kernel(CommandResult run) {
  EXPECT_EQ(run.out, "");
  ASSERT_EQ(run.json["launches"].size(), 2u);
  EXPECT_EQ(run.json["launches"][1].value("complete", true), false);
  EXPECT_THAT(run.err, HasSubstr("forever"));
  EXPECT_THAT(run.err, HasSubstr("while (*flag == 0)"));
}

TEST(Stopping, TimeoutInAKernel) {
  CommandResult run;
  double seconds = seconds_of([&] { run = run_program("endless.cu", {}, {"--timeout", "1"}); });
  expect_ending(run, 124, "timed out");
  expect_stopped_kernel(run);
  EXPECT_LT(seconds, 15);
}

TEST(Stopping, InterruptInAKernel) {
  run_program("endless.cu", {}, {"--timeout", "0.1"});  // compiles it
  CommandResult run = run_program("endless.cu", {}, {}, {"timeout", "--preserve-status", "-s", "INT", "2"});
  expect_ending(run, 128 + 2, "interrupted");
  expect_stopped_kernel(run);
}

TEST(Stopping, TimeoutInHostCode) {
  expect_ending(run_program("ends_early.cu", {"sleep"}, {"--timeout", "1"}), 124, "timed out");
}

TEST(Stopping, TerminateInHostCode) {
  run_program("ends_early.cu", {"exit"});
  CommandResult run = run_program("ends_early.cu", {"sleep"}, {}, {"timeout", "--preserve-status", "-s", "TERM", "2"});
  expect_ending(run, 128 + 15, "interrupted");
}

// Standard input is the program's.
TEST(Ending, InputReachesTheProgram) {
  CommandResult run = run_program("reads_input.cu", {}, {}, {"sh", "-c", "echo typed | \"$0\" \"$@\""});
  EXPECT_EQ(run.out, "typed\n");
}

}  // namespace
}  // namespace warplens::test
