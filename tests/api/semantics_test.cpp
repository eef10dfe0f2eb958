// What a program sees of the runtime, against what the same program saw on an H200.
#include <gtest/gtest.h>

#include <sstream>

#include "support/cuda_program.h"

namespace warplens {
namespace {

std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> out;
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

void expect_same_lines(const std::string& ours, const std::string& golden_file, size_t at_least = 51) {
  std::vector<std::string> got = lines(ours);
  std::vector<std::string> want =
      lines(testing::read_file(std::string(WARPLENS_SOURCE_DIR "/tests/api/") + golden_file));
  ASSERT_GE(want.size(), at_least);
  std::string section;
  for (size_t i = 0; i < std::max(got.size(), want.size()); i++) {
    std::string a = i < got.size() ? got[i] : "(nothing)", b = i < want.size() ? want[i] : "(nothing)";
    if (b.starts_with("==")) section = b;
    EXPECT_EQ(a, b) << section << ", line " << i + 1 << " of " << golden_file;
  }
}

TEST(Semantics, ErrorsAreThoseOfAnH200) {
  WL_NEEDS_NVCC();
  testing::ProgramResult result = testing::run(testing::compile("tests/api/error_semantics.cu"), {.record = false});
  EXPECT_EQ(result.exit_code, 0);
  expect_same_lines(result.output, "error_semantics.h200.txt");
}

// Built for CUDA 12.6 there; here the same program is linked with our libcudart.so.12.
TEST(Semantics, ErrorsOfCuda12AreThoseOfAnH200) {
  WL_NEEDS_NVCC();
  std::string program =
      testing::compile("tests/api/error_semantics.cu",
                       {"-arch=sm_80", "-cudart none", "-L" WARPLENS_BINARY_DIR "/lib", "-Xlinker -l:libcudart.so.12"});
  testing::ProgramResult result = testing::run(program, {.record = false});
  EXPECT_EQ(result.exit_code, 0);
  expect_same_lines(result.output, "error_semantics.h200.cuda12.txt");
}

TEST(Semantics, DeviceFactsAreThoseOfAnH200) {
  WL_NEEDS_NVCC();
  testing::ProgramResult result = testing::run(testing::compile("tests/api/device_facts.cu"), {.record = false});
  EXPECT_EQ(result.exit_code, 0);
  expect_same_lines(result.output, "device_facts.h200.txt");
  EXPECT_EQ(result.errors, "");
}

// As machine code, which says how many registers a thread has.
TEST(Semantics, OccupancyIsThatOfAnH200) {
  WL_NEEDS_NVCC();
  testing::ProgramResult result = testing::run(testing::compile("tests/api/occupancy.cu", {"-arch=sm_90"}),
                                               {.environment = {{"WARPLENS_CODE", "sass"}}, .record = false});
  EXPECT_EQ(result.exit_code, 0);
  expect_same_lines(result.output, "occupancy.h200.txt", 9);
}

TEST(Semantics, ArraysAreThoseOfAnH200) {
  WL_NEEDS_NVCC();
  testing::ProgramResult result = testing::run(testing::compile("tests/api/arrays.cu"), {.record = false});
  EXPECT_EQ(result.exit_code, 0);
  expect_same_lines(result.output, "arrays.h200.txt");
  EXPECT_EQ(result.errors, "");
}

TEST(Semantics, TexturesAreThoseOfAnH200) {
  WL_NEEDS_NVCC();
  testing::ProgramResult result =
      testing::run(testing::compile("tests/api/textures.cu", {"-arch=sm_80", "-Xlinker --no-as-needed", "-lcuda"}),
                   {.record = false});
  EXPECT_EQ(result.exit_code, 0);
  expect_same_lines(result.output, "textures.h200.txt");
  EXPECT_EQ(result.errors, "");
}

// Programs built so call the functions whose names end in _ptsz and _ptds.
TEST(Semantics, OneDefaultStreamAThreadChangesNoAnswer) {
  WL_NEEDS_NVCC();
  std::string program = testing::compile("tests/api/arrays.cu", {"-arch=sm_80", "--default-stream per-thread"});
  testing::ProgramResult result = testing::run(program, {.record = false});
  EXPECT_EQ(result.exit_code, 0);
  expect_same_lines(result.output, "arrays.h200.txt");
}

TEST(Semantics, GraphsAreThoseOfAnH200) {
  WL_NEEDS_NVCC();
  testing::ProgramResult result = testing::run(testing::compile("tests/api/graphs.cu"), {.record = false});
  EXPECT_EQ(result.exit_code, 0);
  expect_same_lines(result.output, "graphs.h200.txt");
  EXPECT_EQ(result.errors, "");
}

TEST(Semantics, CaptureIsAsDocumented) {
  WL_NEEDS_NVCC();
  testing::ProgramResult result = testing::run(testing::compile("tests/api/capture.cu"), {.record = false});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, "");
}

TEST(Semantics, LibrariesAndEntryPointsAreAsDocumented) {
  WL_NEEDS_NVCC();
  testing::ProgramResult result = testing::run(testing::compile("tests/api/library.cu"), {.record = false});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, "");
}

// Which is the one thing about events that a reader cannot see.
TEST(Semantics, TheReportSaysWhatTimesOfEventsAre) {
  WL_NEEDS_NVCC();
  testing::ProgramResult result = testing::run(testing::compile("tests/api/devices.cu"), {.arguments = {"times"}});
  EXPECT_EQ(result.exit_code, 0);
  ASSERT_EQ(result.report.notes.size(), 1u);
  EXPECT_EQ(result.report.notes[0].message, "times between CUDA events are wall time on this machine, not a GPU's");
}

// No machine of two GPUs was at hand: the expected answers are what NVIDIA documents.
TEST(Semantics, TwoDevicesAnswerAsDocumented) {
  WL_NEEDS_NVCC();
  testing::ProgramResult result = testing::run(testing::compile("tests/api/devices.cu"),
                                               {.environment = {{"WARPLENS_GPUS", "2"}}, .record = false});
  EXPECT_EQ(result.exit_code, 0);
  expect_same_lines(result.output, "devices.txt");
}

}  // namespace
}  // namespace warplens
