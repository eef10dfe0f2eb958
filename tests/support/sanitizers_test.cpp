#include "support/sanitizers.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "support/cuda_program.h"

namespace warplens::testing {
namespace {

void run_bug(const char* kind) {
  run(WARPLENS_BINARY_DIR "/tests/support/planted_bug", {.arguments = {kind}, .record = false});
}

#ifdef __SANITIZE_ADDRESS__
TEST(Sanitizers, SeeABadAddressInAProcessThatATestStarted) {
  EXPECT_NONFATAL_FAILURE(run_bug("address"), "heap-buffer-overflow");
}
TEST(Sanitizers, SeeUndefinedBehaviourInAProcessThatATestStarted) {
  EXPECT_NONFATAL_FAILURE(run_bug("undefined"), "signed integer overflow");
}
#else
TEST(Sanitizers, SeeARaceInAProcessThatATestStarted) { EXPECT_NONFATAL_FAILURE(run_bug("thread"), "data race"); }
#endif

TEST(Sanitizers, SayNothingOfAProcessWithoutBugs) { run_bug("none"); }

// The runtime is in programs that were built without it, for our libraries there.
TEST(Sanitizers, AreInAnyProgram) {
  const ProgramResult result = run("/bin/cat", {.arguments = {"/proc/self/maps"}, .record = false});
  EXPECT_NE(result.output.find("san.so"), std::string::npos) << result.output;
}

}  // namespace
}  // namespace warplens::testing
