// Whatever is wrong, the user is told what, where, and what to do; and the exit code tells scripts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "cli/command.h"

namespace warplens::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

void expect_refused(const CommandResult& run, int exit_code, const std::string& what, const std::string& hint) {
  EXPECT_EQ(run.exit_code, exit_code);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, StartsWith("warplens: error: "));
  EXPECT_THAT(run.err, HasSubstr(what));
  EXPECT_THAT(run.err, HasSubstr("hint: "));
  EXPECT_THAT(run.err, HasSubstr(hint));
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void write(const std::filesystem::path& path, const std::string& bytes, bool executable) {
  std::ofstream(path, std::ios::binary) << bytes;
  if (executable) std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

// ---- the command line

TEST(Usage, UnknownThings) {
  expect_refused(warplens({"frobnicate"}), 125, "unknown command 'frobnicate'", "warplens help");
  expect_refused(warplens({"--frobnicate", "run", "x.cu"}), 125, "unknown option '--frobnicate'", "warplens help");
  expect_refused(warplens({"run"}), 125, "PROGRAM", "warplens run --help");
  expect_refused(warplens({"run", ""}), 127, "empty", "name a .cu file");
  expect_refused(warplens({"run", "--frobnicate", "3", "x.cu"}), 125, "unknown option '--frobnicate'",
                 "warplens run --help");
  expect_refused(warplens({"run", "--gpu", "voodoo2", "x.cu"}), 125, "voodoo2", "h200");
  expect_refused(warplens({"run", "--timeout", "soon", "x.cu"}), 125, "soon", "warplens run --help");
  expect_refused(warplens({"run", "--color", "blue", "x.cu"}), 125, "blue", "warplens run --help");
  expect_refused(warplens({"run", "--json", "/no/such/folder/x.json", program_path("hello.cu")}), 125,
                 "/no/such/folder/x.json", "folder");
}

// LLVM knows the processors, and only the program's own process has LLVM.
TEST(Usage, UnknownProcessor) {
  if (!has_nvcc() && !has_clang()) GTEST_SKIP() << "no compiler for .cu files";
  CommandResult run = run_program("hello.cu", {}, {"--cpu", "foo"});
  EXPECT_THAT(run.err, HasSubstr("error: unknown processor 'foo'"));
  EXPECT_THAT(run.err, HasSubstr("haswell"));
  EXPECT_THAT(run.err, Not(HasSubstr("not a recognized processor")));
}

// A script that finds the file would take it for a report.
TEST(Usage, NoReportNoFile) {
  Folder folder;
  EXPECT_EQ(warplens({"run", "--json", folder / "x.json", "--out", folder / "x.txt", "/no/such.cu"}).exit_code, 127);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Usage, AFileWithoutTheCommand) {
  expect_refused(warplens({program_path("hello.cu")}), 125, "unknown command",
                 "warplens run " + program_path("hello.cu"));
}

// ---- files

TEST(Files, NoSuchFile) {
  expect_refused(warplens({"run", "/no/such/file.cu"}), 127, "no such file: '/no/such/file.cu'", "check");
  expect_refused(warplens({"run", "no_such_program"}), 127, "no_such_program", "check");
}

TEST(Files, AFolder) { expect_refused(warplens({"run", "/usr"}), 126, "'/usr' is a folder", "name the program"); }

// It might start a CUDA program, so it runs; that none was started is said at the end.
TEST(Files, NotACudaProgram) {
  CommandResult run = run_program("/bin/echo", {"hello"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, "hello\n");
  EXPECT_THAT(run.err, HasSubstr("neither the program nor one that it started used CUDA"));
}

TEST(Files, TextAndScripts) {
  Folder folder;
  write(folder / "notes.txt", "nothing to run\n", false);
  expect_refused(warplens({"run", folder / "notes.txt"}), 126, "is no program at all", ".cu file");
  write(folder / "script", "#!/bin/sh\necho hello\n", false);
  expect_refused(warplens({"run", folder / "script"}), 126, "not executable", "chmod +x");
  std::filesystem::permissions(folder / "script", std::filesystem::perms::owner_all);
  CommandResult run = warplens({"run", folder / "script"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, "hello\n");
}

TEST(Files, KernelsWithoutAProgram) {
  Folder folder;
  write(folder / "kernels.ptx", ".version 8.3\n.target sm_90\n", false);
  expect_refused(warplens({"run", folder / "kernels.ptx"}), 126, "no program that launches them", ".cu file");
}

TEST(Files, ADamagedProgram) {
  Folder folder;
  std::string bytes = bytes_of("/bin/ls");
  write(folder / "cut", bytes.substr(0, 200), true);
  expect_refused(warplens({"run", folder / "cut"}), 126, "is damaged", "build it again");
  write(folder / "short", bytes.substr(0, bytes.size() / 2), true);
  expect_refused(warplens({"run", folder / "short"}), 126, "is damaged", "build it again");
  bytes[18] = 40;  // e_machine: another processor
  write(folder / "arm", bytes, true);
  expect_refused(warplens({"run", folder / "arm"}), 126, "another kind of processor", "for this one");
}

TEST(Files, NotExecutable) {
  Folder folder;
  write(folder / "program", bytes_of("/bin/ls"), false);
  expect_refused(warplens({"run", folder / "program"}), 126, "not executable", "chmod +x");
}

// ---- compiling

TEST(Compiling, NoSuchCompiler) {
  expect_refused(warplens({"run", "--nvcc", "/no/such/nvcc", program_path("hello.cu")}), 125, "/no/such/nvcc", "check");
}

// The compiler's words, and nothing of ours around them.
TEST(Compiling, ErrorsAreTheCompilersOwn) {
  for (const char* compiler : {"nvcc", "clang"}) {
    if (std::strcmp(compiler, "nvcc") == 0 ? !has_nvcc() : !has_clang()) continue;
    CommandResult run = warplens({"run", "--compiler", compiler, program_path("does_not_compile.cu")});
    EXPECT_EQ(run.exit_code, std::strcmp(compiler, "nvcc") == 0 ? 2 : 1) << compiler;
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, StartsWith(program_path("does_not_compile.cu")));
    EXPECT_THAT(run.err, AllOf(HasSubstr("undeclared_name"), ::testing::Not(HasSubstr("warplens: "))));
  }
}

// ---- device code

// Turns every PTX image of the program's fat binaries into one that claims to be machine code.
void make_sass_only(const std::filesystem::path& program) {
  std::string bytes = bytes_of(program);
  const std::string magic = "\x50\xed\x55\xba";
  for (size_t at = bytes.find(magic); at != bytes.npos; at = bytes.find(magic, at + 4)) {
    uint64_t size = 0, payload = 0;
    uint32_t header = 0;
    std::memcpy(&size, &bytes[at + 8], 8);
    for (size_t entry = at + 16; entry + 64 <= at + 16 + size; entry += header + payload) {
      if (bytes[entry] == 1) bytes[entry] = 2;
      std::memcpy(&header, &bytes[entry + 4], 4);
      std::memcpy(&payload, &bytes[entry + 8], 8);
    }
  }
  std::ofstream(program, std::ios::binary) << bytes;
}

TEST(DeviceCode, MachineCodeOnly) {
  Folder folder;
  std::filesystem::path program = compile("hello.cu", folder);
  make_sass_only(program);
  CommandResult run = run_program(program.string());
  EXPECT_EQ(run.exit_code, 0);  // the program does not look at its errors
  EXPECT_THAT(run.err, HasSubstr("PTX"));
  EXPECT_THAT(run.err, HasSubstr("-gencode arch="));  // how to rebuild
  EXPECT_EQ(run.json["launches"].size(), 0u);
}

TEST(DeviceCode, UnsupportedInstruction) {
  CommandResult run = run_program("unsupported.cu");
  EXPECT_EQ(run.out, "cudaSuccess\nrefused\n");
  EXPECT_THAT(run.err, HasSubstr("barrier.cluster.arrive is not supported yet"));
  EXPECT_THAT(run.err, HasSubstr("exotic"));
  EXPECT_THAT(run.err, HasSubstr("unsupported.cu:8"));
  EXPECT_THAT(run.err, HasSubstr("good"));
}

nlohmann::ordered_json only_fault(CommandResult run) {
  EXPECT_EQ(run.json["faults"].size(), 1u);
  return run.json["faults"].size() == 1 ? run.json["faults"][0] : nlohmann::ordered_json::object();
}

TEST(DeviceCode, OutOfBounds) {
  CommandResult run = run_program("out_of_bounds.cu");
  EXPECT_EQ(run.out, "cudaErrorIllegalAddress\n");
  EXPECT_EQ(run.exit_code, 7);
  for (const char* part : {"fill", "out_of_bounds.cu:6", "block (2, 0, 0)", "thread (44, 0, 0)", "1200"})
    EXPECT_THAT(run.err, HasSubstr(part));
  EXPECT_EQ(only_fault(run).value("verdict", ""), "program");
  ASSERT_EQ(run.json["launches"].size(), 2u);  // the counts until then are there
  EXPECT_EQ(run.json["launches"][0].value("complete", false), true);
  EXPECT_EQ(run.json["launches"][1].value("complete", true), false);
}

TEST(DeviceCode, Misaligned) {
  CommandResult run = run_program("misaligned.cu");
  EXPECT_EQ(run.out, "cudaErrorMisalignedAddress\n");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_THAT(run.err, AllOf(HasSubstr("isaligned"), HasSubstr("misaligned.cu:6"), HasSubstr("16")));
}

TEST(DeviceCode, MemoryExhausted) {
  CommandResult run = run_program("exhausted.cu");
  EXPECT_EQ(run.out, "cudaErrorMemoryAllocation\n");
  EXPECT_EQ(run.exit_code, 9);
}

}  // namespace
}  // namespace warplens::test
