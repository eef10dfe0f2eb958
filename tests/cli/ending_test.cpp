// Programs that end early, and programs that must be ended: what was counted until then is reported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

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

// Runs with more and more time, until the launches that it takes were there when it was up: how long a machine needs to
// get that far is not our business.
CommandResult stop_after(size_t launches, const std::function<CommandResult(const std::string& seconds)>& run) {
  for (int seconds = 1;; seconds *= 4) {
    CommandResult result = run(std::to_string(seconds));
    if (seconds > 200 || (result.json.is_object() && result.json["launches"].size() >= launches)) return result;
  }
}

std::vector<std::string> timeout_sending(const std::string& signal, const std::string& seconds) {
  return {"timeout", "--preserve-status", "-s", signal, seconds};
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
  CommandResult run = stop_after(2, [](auto seconds) { return run_program("endless.cu", {}, {"--timeout", seconds}); });
  expect_ending(run, 124, "timed out");
  expect_stopped_kernel(run);
}

TEST(Stopping, InterruptInAKernel) {
  CommandResult run =
      stop_after(2, [](auto seconds) { return run_program("endless.cu", {}, {}, timeout_sending("INT", seconds)); });
  expect_ending(run, 128 + 2, "interrupted");
  expect_stopped_kernel(run);
}

TEST(Stopping, TimeoutInHostCode) {
  CommandResult run =
      stop_after(1, [](auto seconds) { return run_program("ends_early.cu", {"sleep"}, {"--timeout", seconds}); });
  expect_ending(run, 124, "timed out");
}

TEST(Stopping, TerminateInHostCode) {
  CommandResult run = stop_after(
      1, [](auto seconds) { return run_program("ends_early.cu", {"sleep"}, {}, timeout_sending("TERM", seconds)); });
  expect_ending(run, 128 + 15, "interrupted");
}

// Standard input is the program's.
TEST(Ending, InputReachesTheProgram) {
  CommandResult run = run_program("reads_input.cu", {}, {}, {"sh", "-c", "echo typed | \"$0\" \"$@\""});
  EXPECT_EQ(run.out, "typed\n");
}

}  // namespace
}  // namespace warplens::test
