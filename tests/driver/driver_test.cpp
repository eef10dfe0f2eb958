#include <gtest/gtest.h>

#include <sstream>

#include "support/cuda_program.h"
#include "support/sanitizers.h"

namespace warplens {
namespace {

const std::string kPrograms = WARPLENS_BINARY_DIR "/tests/driver/";

std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> out;
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

TEST(Driver, AnswersAsAnH200Does) {
  testing::ProgramResult result = testing::run(kPrograms + "driver_semantics", {.record = false});
  EXPECT_EQ(result.exit_code, 0);
  std::vector<std::string> got = lines(result.output);
  std::vector<std::string> want = lines(testing::read_file(WARPLENS_SOURCE_DIR "/tests/driver/semantics.h200.txt"));
  ASSERT_GT(want.size(), 500u);
  std::string section;
  for (size_t i = 0; i < std::max(got.size(), want.size()); i++) {
    std::string a = i < got.size() ? got[i] : "(nothing)", b = i < want.size() ? want[i] : "(nothing)";
    if (b.starts_with("==")) section = b;
    EXPECT_EQ(a, b) << section << ", line " << i + 1;
  }
}

TEST(Driver, ArraysAndGraphsAreThoseOfAnH200) {
  testing::ProgramResult result = testing::run(kPrograms + "driver_arrays", {.record = false});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, testing::read_file(WARPLENS_SOURCE_DIR "/tests/driver/arrays.h200.txt"));
}

// Memory, streams, events, kernels and faults are the same ones in both interfaces.
TEST(Driver, SharesItsStateWithTheRuntime) {
  testing::ProgramResult result = testing::run(kPrograms + "driver_shared_state");
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_EQ(result.output, "");
  ASSERT_EQ(result.report.launches.size(), 4u);
  EXPECT_EQ(result.report.kernels.at(0).name, "add_one");
}

TEST(Driver, LinksWhatIsNeededOfALibrary) {
  testing::ProgramResult result = testing::run(kPrograms + "driver_shared_state", {.arguments = {"library"}});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_EQ(result.output, "");
  EXPECT_NE(result.errors.find("the function six is called, and no piece of the link has it"), std::string::npos)
      << result.errors;
}

// What is missing says so by name, once, in the record too, and never pretends.
TEST(Driver, RefusesByName) {
  testing::ProgramResult result = testing::run(kPrograms + "driver_shared_state", {.arguments = {"refused"}});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_NE(
      result.errors.find("warplens: cuImportExternalMemory is not supported; it returns CUDA_ERROR_NOT_SUPPORTED\n"),
      std::string::npos)
      << result.errors;
  std::string notes;
  for (const report::Note& note : result.report.notes) notes += note.kind + ": " + note.message + "\n";
  EXPECT_NE(notes.find("refused: cuImportExternalMemory is not supported\n"), std::string::npos) << notes;
  EXPECT_NE(notes.find("machine code alone"), std::string::npos) << notes;
}

TEST(Examples, VectorAdd) {
#ifdef WL_HAS_VECTOR_ADD
  testing::ProgramResult result = testing::run(kPrograms + "example_vector_add");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output, "1048576 sums are right\n");
  ASSERT_EQ(result.report.launches.size(), 1u);
#else
  GTEST_SKIP() << "no cuda.h on this machine";
#endif
}

// What NVRTC made has the lines of the text that it was given. The library that stands before NVRTC is put there by the
// audit library, as in a run.
TEST(Examples, Nvrtc) {
#ifdef WL_HAS_NVRTC
  if (testing::kSanitized) GTEST_SKIP() << "not with sanitizers";
  const testing::RunOptions audited{.environment = {{"LD_AUDIT", WARPLENS_BINARY_DIR "/lib/libwarplens_audit.so"}}};
  testing::ProgramResult result = testing::run(kPrograms + "example_nvrtc", audited);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output, "65536 elements are right\n");
  EXPECT_EQ(result.errors, "");
  ASSERT_EQ(result.report.kernels.size(), 1u);
  bool found = false;
  for (const report::Site& site : result.report.kernels.front().sites) {
    found |= !site.frames.empty() && site.frames.front().file.ends_with("scale.cu") && site.frames.front().line == 4;
  }
  EXPECT_TRUE(found);
#else
  GTEST_SKIP() << "no NVRTC on this machine";
#endif
}

}  // namespace
}  // namespace warplens
