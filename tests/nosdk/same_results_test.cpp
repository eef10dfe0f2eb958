// The same source gives the same results whether nvcc or clang compiled it: what it prints, and the stacks of its
// accesses. That its launches count the same: tests/static/ways_test.cpp.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "cli/command.h"
#include "nosdk/clang.h"
#include "support/sanitizers.h"

namespace warplens::test {
namespace {

namespace fs = std::filesystem;

CommandResult run_with(const std::string& compiler, const fs::path& source, const std::vector<std::string>& arguments) {
  return run_program(source.string(), arguments, {"--compiler", compiler});
}

class SameResults : public ::testing::Test {
  void SetUp() override {
    if (!has_nvcc() || !has_clang()) GTEST_SKIP() << "needs both nvcc and clang++-19";
  }
};

// "load inlined.cu:9 18 26" of each access: the lines of its stack, innermost first.
std::vector<std::string> stacks_of(const CommandResult& result) {
  std::vector<std::string> stacks;
  for (const auto& site : result.json["kernels"][0]["sites"]) {
    std::string stack = site["kind"].get<std::string>();
    for (const auto& frame : site["frames"])
      stack += fmt::format(" {}:{}", fs::path(frame["file"].get<std::string>()).filename().string(),
                           frame["line"].get<int>());
    if (site["kind"] != "branch") stacks.push_back(stack);
  }
  std::sort(stacks.begin(), stacks.end());  // a compiler may swap accesses
  return stacks;
}

TEST_F(SameResults, InlineStacksAreNvccs) {
  const fs::path source = fs::path(WARPLENS_SOURCE_DIR) / "tests/nosdk/programs/inlined.cu";
  const std::vector<std::string> expected{"load inlined.cu:9 inlined.cu:18 inlined.cu:26",
                                          "load inlined.cu:9 inlined.cu:19 inlined.cu:26",
                                          "store inlined.cu:11 inlined.cu:27"};
  EXPECT_EQ(stacks_of(run_with("nvcc", source, {})), expected);
  EXPECT_EQ(stacks_of(run_with("clang", source, {})), expected);
}

// Programs that print what the functions of a header give, for many arguments: compiled with our headers, they print
// what they print compiled by nvcc with NVIDIA's. That text is stored (./wl bless nosdk makes it again, where nvcc is).
// NVIDIA's headers choose other instructions for other GPUs, some of which are not run yet.
struct HeaderProgram {
  const char* name;
  const char* gpu;
};
class HeaderResults : public ::testing::TestWithParam<HeaderProgram> {};

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void expect_lines(const std::string& expected, const std::string& got) {
  std::istringstream theirs(expected), ours(got);
  std::string their_line, our_line;
  int different = 0;
  while (std::getline(theirs, their_line) && different < 10) {
    if (!std::getline(ours, our_line)) our_line = "(nothing)";
    if (their_line != our_line && ++different) ADD_FAILURE() << "nvcc   " << their_line << "\nclang  " << our_line;
  }
  EXPECT_FALSE(std::getline(ours, our_line) && different == 0) << "only clang: " << our_line;
}

TEST_P(HeaderResults, AreNvidias) {
  // Tables of arithmetic: minutes of translation with sanitizers, and nothing in them for those to see.
  if (testing::kSanitized && std::set<std::string>{"fp16", "bf16", "fp8", "device"}.contains(GetParam().name))
    GTEST_SKIP() << "not with sanitizers";
  if (!has_clang()) GTEST_SKIP() << "needs clang++-19";
  const std::string name = GetParam().name, gpu = GetParam().gpu;
  const fs::path folder = fs::path(WARPLENS_SOURCE_DIR) / "tests/nosdk/programs";
  const fs::path source = folder / (name + ".cu"), stored = folder / fmt::format("{}.{}.nvcc.txt", name, gpu);
  if (std::getenv("WARPLENS_BLESS") && has_nvcc()) {
    CommandResult nvcc = run_program(source, {}, {"--compiler", "nvcc", "--gpu", gpu});
    ASSERT_EQ(nvcc.exit_code, 0) << nvcc.err;
    std::ofstream(stored) << nvcc.out;
  }
  CommandResult clang = run_program(source, {}, {"--compiler", "clang", "--gpu", gpu});
  EXPECT_EQ(clang.exit_code, 0) << clang.err;
  EXPECT_GT(clang.out.size(), 50u);
  EXPECT_EQ(clang.out.find("not supported"), clang.out.npos) << clang.err;
  expect_lines(text_of(stored), clang.out);
}

INSTANTIATE_TEST_SUITE_P(Headers, HeaderResults,
                         ::testing::Values(HeaderProgram{"cooperative_groups", "h200"}, HeaderProgram{"fp16", "h200"},
                                           HeaderProgram{"bf16", "h200"}, HeaderProgram{"bf16", "a100"},
                                           HeaderProgram{"fp8", "a100"}, HeaderProgram{"curand", "h200"},
                                           HeaderProgram{"device", "h200"}),
                         [](const auto& info) { return std::string(info.param.name) + "_" + info.param.gpu; });

void expect_what_an_h200_printed(const std::string& name, const std::vector<std::string>& options, CommandResult* run) {
  const std::string program = std::string(WARPLENS_SOURCE_DIR) + "/tests/nosdk/programs/" + name;
  *run = run_program(program + ".cu", {}, options);
  EXPECT_EQ(run->out, text_of(program + ".h200.txt")) << run->err;
  EXPECT_EQ(run->exit_code, 0);
}

TEST(DeviceCalls, PrintWhatAnH200Prints) {
  if (!has_clang()) GTEST_SKIP() << "needs clang++-19";
  CommandResult run;
  expect_what_an_h200_printed("device_calls", {"--compiler", "clang"}, &run);
  EXPECT_NE(run.err.find("kernels printed 7 bytes that nobody saw"), run.err.npos) << run.err;
}

TEST(Instructions, PrintWhatAnH200Prints) {
  if (!has_clang()) GTEST_SKIP() << "needs clang++-19";
  CommandResult run;
  for (const char* program : {"calls", "video", "small_floats", "managed", "vector_atomics", "texture_offsets"})
    expect_what_an_h200_printed(program, {"--compiler", "clang"}, &run);
}

// With NVIDIA's headers.
TEST(Instructions, PrintWhatAnH200PrintsByNvcc) {
  if (!has_nvcc()) GTEST_SKIP() << "needs nvcc";
  CommandResult run;
  for (const char* program : {"calls", "video", "small_floats", "managed", "device_calls", "surfaces", "waits"})
    expect_what_an_h200_printed(program, {"--compiler", "nvcc"}, &run);
}

// cuda::barrier and its like come with NVIDIA's toolkit.
TEST(Mbarrier, PrintsWhatAnH200Prints) {
  if (!has_nvcc()) GTEST_SKIP() << "needs nvcc";
  CommandResult run;
  for (const char* threads : {"1", "5"})
    expect_what_an_h200_printed("mbarrier", {"--compiler", "nvcc", "--threads", threads}, &run);
}

// Where src/exec/sample.cpp says that an H200 rounds otherwise; everything else is the same bit for bit.
constexpr const char* kOtherRounding =
    "3d f.* linear element 0-1 (wrap|mirror)|mipmap 3d lod .*|mipmap 2d grad .*|mipmap .* u32x4 point linear .";

void expect_textures_of_an_h200(const char* compiler) {
  const std::string program = std::string(WARPLENS_SOURCE_DIR) + "/tests/nosdk/programs/textures";
  std::ifstream expected(program + ".h200.txt");
  CommandResult run = run_program(program + ".cu", {}, {"--compiler", compiler});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  std::istringstream ours(run.out);
  const std::regex other(std::string("(") + kOtherRounding + "): .*");
  int cases = 0, different = 0;
  for (std::string our_line, line; std::getline(expected, line) && different < 10; ++cases) {
    std::getline(ours, our_line);
    if (std::regex_match(line, other) || our_line == line) continue;
    ++different;
    ADD_FAILURE() << "H200 " << line << "\nours " << our_line;
  }
  EXPECT_GT(cases, 3000);
}

TEST(Textures, AreSampledAsOnAnH200) {
  if (!has_clang()) GTEST_SKIP() << "needs clang++-19";
  expect_textures_of_an_h200("clang");
}
TEST(Textures, AreSampledAsOnAnH200ByNvcc) {
  if (!has_nvcc()) GTEST_SKIP() << "needs nvcc";
  expect_textures_of_an_h200("nvcc");
}

TEST(Surfaces, AreReadAndWrittenAsOnAnH200) {
  if (!has_clang()) GTEST_SKIP() << "needs clang++-19";
  CommandResult run;
  expect_what_an_h200_printed("surfaces", {"--compiler", "clang"}, &run);
}

TEST(Waits, EndAsOnAnH200) {
  if (!has_clang()) GTEST_SKIP() << "needs clang++-19";
  CommandResult run;
  for (const char* threads : {"1", "2", "7"})
    expect_what_an_h200_printed("waits", {"--compiler", "clang", "--threads", threads}, &run);
}

TEST(Groups, OfSeveralWarps) {
  if (!has_clang()) GTEST_SKIP() << "needs clang++-19";
  CommandResult run = run_program(std::string(WARPLENS_SOURCE_DIR) + "/tests/nosdk/programs/groups_of_warps.cu", {},
                                  {"--compiler", "clang"});
  EXPECT_EQ(run.out, "no error, wrong: 0\nno error, 455 329\nno error 1\n") << run.err;
}

// CCCL needs nothing of NVIDIA's but itself: its folder holds no other header.
TEST(Cccl, CompilesWithOurHeaders) {
  const fs::path cccl = "/usr/local/cuda/include/cccl";
  if (!has_clang()) GTEST_SKIP() << "needs clang++-19";
  if (!fs::exists(cccl / "thrust/sort.h")) GTEST_SKIP() << "no CCCL in " << cccl;
  // NVIDIA's headers where the compiler looks by itself would be mixed with ours: out of sight with them.
  std::vector<std::string> hide;
  if (fs::exists("/usr/local/include/cuda_fp6.h")) {
    hide = {"unshare", "-m", "sh", "-c", "mount -t tmpfs none /usr/local/include && exec \"$0\" \"$@\""};
    if (geteuid() != 0 || std::system("unshare -m true 2>/dev/null") != 0) GTEST_SKIP() << "needs root for a namespace";
  }
  CommandResult run = run_program(std::string(WARPLENS_SOURCE_DIR) + "/tests/nosdk/programs/cccl.cu", {},
                                  {"--compiler", "clang", "--cc-flag=-I" + cccl.string(), "--cc-flag=-w"}, hide);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "no error\n128 32831 8128 7998000\n919 499500\n0 1 500 999 \n");
}

// With the toolkit out of sight the command finds clang by itself, even past an nvcc on PATH that no longer works.
TEST(HiddenToolkit, ClangTakesOver) {
  if (!has_clang()) GTEST_SKIP() << "needs clang++-19";
  std::vector<std::string> hide = {
      "unshare", "-m", "sh", "-c",
      "mkdir -p /usr/local/cuda && mount -t tmpfs none /usr/local/cuda && exec \"$0\" \"$@\""};
  if (geteuid() != 0 || std::system("unshare -m true 2>/dev/null") != 0) GTEST_SKIP() << "needs root for a namespace";
  Folder folder;
  CommandResult run = run_program("hello.cu", {}, {"--keep", folder.path().string()}, hide);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "2 510\n");
  EXPECT_TRUE(fs::exists(folder / "hello.ptx"));  // what the clang path leaves
}

}  // namespace
}  // namespace warplens::test
