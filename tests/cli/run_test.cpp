// What a user sees of `warplens run` when all is well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "cli/command.h"

namespace warplens::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Run, LeavesStdoutToTheProgramAndReportsOnStderr) {
  CommandResult run = run_program("hello.cu");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, "2 510\n");
  EXPECT_THAT(run.err, HasSubstr("program's own stderr"));
  EXPECT_THAT(run.err, HasSubstr("twice"));
  EXPECT_THAT(run.err, HasSubstr("out[i] = 2 * in[i];"));
}

TEST(Run, PassesArgumentsUntouchedAndGivesTheProgramsExitCode) {
  CommandResult run = run_program("hello.cu", {"42", "--json", "x y", "", "--", "[a,b]"});
  EXPECT_EQ(run.exit_code, 42);
  EXPECT_EQ(run.out, "2 510\n<42>\n<--json>\n<x y>\n<>\n<-->\n<[a,b]>\n");
}

// As with time, perf and valgrind: from the program on, every word is the program's.
TEST(Run, TakesArgumentsWithAndWithoutDashes) {
  const std::string hello = program_path("hello.cu");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"run", hello, "3", "-x", "--help"},
                                                {"run", hello, "--", "3", "-x", "--help"},
                                                {"run", "--width", "80", "--", hello, "3", "-x", "--help"}}) {
    CommandResult run = warplens(words);
    EXPECT_EQ(run.exit_code, 3) << run.err;
    EXPECT_EQ(run.out, "2 510\n<3>\n<-x>\n<--help>\n");
  }
  EXPECT_EQ(warplens({"run", hello, "3", "--", "4"}).out, "2 510\n<3>\n<-->\n<4>\n");
  EXPECT_THAT(warplens({"run", hello, "3", "--json", "out.json"}).err,
              HasSubstr("note: '--json' goes to the program; options of warplens stand before " + hello));
  EXPECT_EQ(warplens({"run", "sh", "-c", "exit 7"}).exit_code, 7);
}

TEST(Run, RunsAProgramBuiltBefore) {
  Folder folder;
  std::filesystem::path program = compile("hello.cu", folder);
  ASSERT_TRUE(std::filesystem::exists(program));
  CommandResult run = run_program(program.string(), {"5"});
  EXPECT_EQ(run.exit_code, 5);
  EXPECT_EQ(run.out, "2 510\n<5>\n");
  ASSERT_EQ(run.json["launches"].size(), 1u);
}

TEST(Run, WritesTheReportToAFileInstead) {
  Folder folder;
  CommandResult run = run_program("hello.cu", {}, {"--out", (folder / "report.txt").string()});
  EXPECT_EQ(run.err, "program's own stderr\n");
  EXPECT_THAT(text_of(folder / "report.txt"), HasSubstr("out[i] = 2 * in[i];"));
}

TEST(Run, CountsExactly) {
  CommandResult run = run_program("hello.cu");
  ASSERT_EQ(run.json["launches"].size(), 1u);
  const auto& metrics = run.json["launches"][0]["metrics"];
  // 256 threads read and write 4 bytes each, in order: 8 warps of 4 sectors, twice.
  EXPECT_THAT(metrics.dump(), HasSubstr("memory_l2_theoretical_sectors_global"));
  EXPECT_EQ(metrics["memory_l2_theoretical_sectors_global"].dump().find("64") != std::string::npos, true)
      << metrics.dump();
}

TEST(Run, GivesTheSameReportForAnyNumberOfThreads) {
  CommandResult one = run_program("hello.cu", {}, {"--threads", "1"});
  CommandResult two = run_program("hello.cu", {}, {"--threads", "2"});
  ASSERT_EQ(one.json["launches"].size(), 1u);
  for (auto* run : {&one, &two})
    for (const char* key : {"seconds", "compile_seconds", "from_cache"}) run->json["launches"][0].erase(key);
  EXPECT_EQ(one.json["launches"].dump(), two.json["launches"].dump());
}

TEST(Run, HasAsManyGpusAsAskedAndNamesThem) {
  CommandResult two = run_program("two_devices.cu", {}, {"--gpus", "2"});
  EXPECT_EQ(two.out, "2 cudaSuccess\n");
  EXPECT_THAT(two.err, HasSubstr("as on 2 x NVIDIA H200"));
  EXPECT_THAT(two.err, HasSubstr("2 launches, summed, grid (1, 1, 1), block (32, 1, 1), as PTX, on devices 0, 1"));
  EXPECT_THAT(two.err, HasSubstr("1 launch, grid (1, 1, 1), block (32, 1, 1), as PTX, on device 1"));
  EXPECT_EQ(two.json["run"]["gpus"], 2);
  ASSERT_EQ(two.json["launches"].size(), 3u);
  EXPECT_EQ(two.json["kernels"].size(), 2u);
  EXPECT_EQ(two.json["launches"][0]["device"], 0);
  EXPECT_EQ(two.json["launches"][2]["device"], 1);

  CommandResult one = run_program("two_devices.cu");
  EXPECT_EQ(one.out, "1 cudaSuccess\n");
  EXPECT_THAT(one.err, Not(HasSubstr("on device")));
}

TEST(Run, ColorsOnlyWhenAsked) {
  EXPECT_THAT(run_program("hello.cu").err, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(run_program("hello.cu", {}, {"--color", "always"}).err, HasSubstr("\x1b["));
}

TEST(Run, KeepsWithinTheWidth) {
  auto columns = [](const std::string& line) {  // of UTF-8
    return std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; });
  };
  for (const CommandResult& run :
       {run_program("hello.cu", {}, {"--width", "60"}), run_program("hello.cu", {}, {}, {"env", "COLUMNS=60"})}) {
    std::istringstream lines(run.err);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), 60) << line;
  }
}

TEST(Run, CallsTheProgramWhatTheUserCalledIt) {
  EXPECT_EQ(run_program("hello.cu").json["run"]["program"], program_path("hello.cu"));
}

TEST(Run, LeavesTheProgramWhereAsked) {
  Folder folder;
  run_program("hello.cu", {}, {"--keep", folder.path().string()});
  EXPECT_TRUE(std::filesystem::exists(folder / "hello"));
}

TEST(Run, HandsFlagsToTheCompiler) {
  Folder folder;
  std::ofstream(folder / "flag.cu") << "#include <cstdio>\nint main() { std::printf(\"%d\\n\", VALUE); }\n";
  CommandResult run = run_program((folder / "flag.cu").string(), {}, {"--cc-flag=-DVALUE=17"});
  EXPECT_EQ(run.out, "17\n");
}

TEST(Run, SeesAChangeOfTheSourceOrOfWhatItIncludes) {
  Folder folder;
  std::string source = (folder / "main.cu").string();
  std::ofstream(source) << "#include <cstdio>\n#include \"value.h\"\nint main() { std::printf(\"%d\\n\", VALUE); }\n";
  std::ofstream(folder / "value.h") << "#define VALUE 1\n";
  EXPECT_EQ(run_program(source).out, "1\n");
  EXPECT_EQ(run_program(source).out, "1\n");
  std::ofstream(folder / "value.h") << "#define VALUE 2\n";
  EXPECT_EQ(run_program(source).out, "2\n");
}

TEST(Run, FindsAProgramThatPrefersAnotherRuntime) {
  if (!has_nvcc()) GTEST_SKIP() << "no nvcc on this machine";
  Folder folder;
  run_program("hello.cu", {},
              {"--compiler", "nvcc", "--keep", folder.path().string(), "--cc-flag=-Xlinker",
               "--cc-flag=--disable-new-dtags,-rpath,/usr/local/cuda/lib64"});
  CommandResult run = run_program((folder / "hello").string());
  EXPECT_EQ(run.out, "2 510\n");
  EXPECT_EQ(run.json["launches"].size(), 1u);
}

TEST(Command, PrintsItsVersionAndHelp) {
  EXPECT_THAT(warplens({"--version"}).out, ::testing::MatchesRegex("warplens [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  for (const auto& arguments : std::vector<std::vector<std::string>>{{}, {"help"}, {"--help"}, {"help", "run"}}) {
    CommandResult help = warplens(arguments);
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, HasSubstr("warplens run matmul.cu"));
  }
  EXPECT_THAT(warplens({"run", "--help"}).out, HasSubstr("--timeout"));
}

}  // namespace
}  // namespace warplens::test
