// However a program ends, and in whichever way its runtime is linked, `warplens run` ends as it does and reports every
// launch that was finished: by itself, from a signal's handler with a kernel at work or without, and after main.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "static/ways.h"
#include "support/sanitizers.h"

namespace warplens::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

// A sanitizer hands a signal on when the thread next calls it, which a kernel's code does not.
#define WL_NEEDS_SIGNALS() \
  if (testing::kSanitized) GTEST_SKIP() << "not with sanitizers"

class Endings : public ::testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    WL_NEEDS_NVCC();
    static Folder folder;
    static std::map<Way, fs::path> programs;
    fs::path& program = programs[GetParam()];
    if (program.empty())
      program = build_way(GetParam(), fs::path(WARPLENS_SOURCE_DIR) / "tests/programs/endings.cu", folder);
    program_ = program;
  }

  // One that ends with `code`, prints `output`, and whose launches were all finished.
  CommandResult expect(const std::vector<std::string>& arguments, int code, const std::string& output,
                       size_t launches) {
    SCOPED_TRACE(::testing::PrintToString(arguments));
    CommandResult run = run_program(program_, arguments, {"--timeout", "300"});
    EXPECT_EQ(run.exit_code, code) << run.err;
    EXPECT_EQ(run.out, output) << run.err;
    if (!run.json.is_object()) {
      ADD_FAILURE() << "no report: " << run.err;
      return run;
    }
    EXPECT_EQ(run.json["launches"].size(), launches);
    for (const auto& launch : run.json["launches"]) EXPECT_EQ(launch["complete"], true);
    EXPECT_TRUE(run.json["faults"].empty());
    return run;
  }

  fs::path program_;
};

TEST_P(Endings, OfEachKind) {
  const std::pair<const char*, int> kKinds[] = {
      {"return", 0},      {"exit", 3},     {"_exit", 4},           {"abort", 128 + 6}, {"reset", 0},
      {"throw", 128 + 6}, {"clearenv", 0}, {"segfault", 128 + 11}, {"kill", 128 + 9}};
  for (const auto& [kind, code] : kKinds) expect({kind}, code, "data 1\n", 1);
}

// Handlers of atexit() and destructors of static objects, which use CUDA and launch a kernel that is new.
TEST_P(Endings, AfterMain) {
  expect({"atexit"}, 0, "data 1\natexit 1 31\n", 3);
  expect({"destructor"}, 0, "data 1\ndestructor 1 31\n", 3);
}

TEST_P(Endings, OfAProgramThatForks) {
  expect({"fork"}, 0, "child 1\ndata 1\n", 2);
  expect({"fork-late"}, 0, "child -1\ndata 1\n", 2);
}

const std::string kUnfinished = "a launch had not ended when its process did";

TEST_P(Endings, InASignalsHandler) {
  WL_NEEDS_SIGNALS();
  const std::pair<const char*, int> kKinds[] = {{"exit", 5}, {"_exit", 6}, {"abort", 128 + 6}};
  for (const char* signal : {"INT", "SEGV"})
    for (const auto& [kind, code] : kKinds) {
      EXPECT_THAT(expect({"handler", signal, kind, "idle"}, code, "data 1\n", 1).err, Not(HasSubstr(kUnfinished)));
      for (const char* thread : {"kernel", "other"})
        EXPECT_THAT(expect({"handler", signal, kind, thread}, code, "data 1\n", 1).err, HasSubstr(kUnfinished));
    }
}

// What it calls while its thread is in the middle of a launch fails, and harms nothing.
TEST_P(Endings, InASignalsHandlerThatUsesCuda) {
  WL_NEEDS_SIGNALS();
  expect({"handler", "INT", "cuda", "idle"}, 7, "data 1\n", 2);
  expect({"handler", "INT", "cuda", "kernel"}, 8, "data 1\n", 1);
}

TEST_P(Endings, NotInASignalsHandler) {
  WL_NEEDS_SIGNALS();
  for (const char* when : {"kernel", "other"})
    expect({"handler", "INT", "return", when}, 0, "data 1\nafter 1 cudaSuccess\n", 3);
}

INSTANTIATE_TEST_SUITE_P(Ways, Endings, ::testing::Values(Way::Shared, Way::Static),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace warplens::test
