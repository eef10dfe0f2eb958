// Programs with static runtimes that do more than call it: several runtimes, threads, children, scripts, libraries that
// come and go; and those that must be told why they cannot run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/process.h"
#include "frontend/compile.h"
#include "static/ways.h"

namespace warplens::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> kLibrary = {"-shared", "-Xcompiler", "-fPIC"};

void write_script(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
  fs::permissions(path, fs::perms::owner_all);
}

size_t launches(const CommandResult& run) { return run.json.is_object() ? run.json["launches"].size() : 0; }
size_t processes(const CommandResult& run) { return run.json.is_object() ? run.json["processes"].size() : 0; }

std::string two_kernels(const Folder& folder) {
  build(static_program_path("two_kernels.cu"), folder / "two_kernels");
  return folder / "two_kernels";
}

// Two plug-ins with runtimes of their own, and a program with another, or with the shared one.
TEST(StaticPrograms, ThreeRuntimesAreOneDevice) {
  WL_NEEDS_NVCC();
  Folder folder;
  for (const char* factor : {"2", "3"}) {
    std::vector<std::string> flags = kLibrary;
    flags.push_back(std::string("-DFACTOR=") + factor);
    build(static_program_path("step.cu"), folder / (std::string("step") + factor), flags);
  }
  run_tool({"strip", "-s", folder / "step3"});
  std::string two = folder / "step2", three = folder / "step3";
  for (Way way : {Way::Static, Way::Shared}) {
    SCOPED_TRACE(name_of(way));
    std::string main = build_way(way, static_program_path("two_runtimes.cu"), folder);
    CommandResult run = run_program(main, {two, three});
    EXPECT_EQ(run.out, "cudaSuccess\ncudaSuccess\n4 190 cudaSuccess\n") << run.err;
    EXPECT_EQ(launches(run), 3u);
    // Closed after its call and opened again: each time it is another object, at an address that may be the same.
    run = run_program(main, {two, three, two, two});
    EXPECT_EQ(run.out, "cudaSuccess\ncudaSuccess\ncudaSuccess\ncudaSuccess\n19 763 cudaSuccess\n") << run.err;
    EXPECT_EQ(launches(run), 5u);
  }
}

// The loader's lock is held while a library registers its kernels, and is wanted by who compiles one.
TEST(StaticPrograms, OpenLibrariesWhileAnotherThreadLaunches) {
  WL_NEEDS_NVCC();
  Folder folder;
  std::vector<std::string> flags = kLibrary;
  flags.push_back("-DFACTOR=2");
  build(static_program_path("step.cu"), folder / "step", flags);
  for (Way way : {Way::Static, Way::Shared}) {
    SCOPED_TRACE(name_of(way));
    std::string main = build_way(way, static_program_path("opens_while_busy.cu"), folder);
    for (int round = 0; round < 3; ++round) {
      CommandResult run = run_program(main, {folder / "step"}, {"--timeout", "120"});
      EXPECT_EQ(run.out, "wrong 0 cudaSuccess\n") << run.err;
    }
  }
}

TEST(StaticPrograms, WithoutPie) {
  WL_NEEDS_NVCC();
  Folder folder;
  for (const char* flag : {"-no-pie", "-pie"}) {
    build(static_program_path("two_kernels.cu"), folder / flag, {"-Xcompiler", flag, "-Xlinker", "-z,now,-z,relro"});
    CommandResult run = run_program(folder / flag);
    EXPECT_EQ(run.out, "7 67 no error\n") << flag << run.err;
    EXPECT_EQ(launches(run), 2u);
  }
}

TEST(StaticPrograms, InPieces) {
  WL_NEEDS_NVCC();
  Folder folder;
  std::string source = WARPLENS_SOURCE_DIR "/tests/programs/pieces_";
  build(source + "main.cu", folder / "program", {"-rdc=true", source + "other.cu"});
  for (const char* stripped : {"", "stripped"}) {
    if (*stripped) run_tool({"strip", "-s", folder / "program"});
    CommandResult run = run_program(folder / "program");
    EXPECT_EQ(run.out, "1000 1093 cudaSuccess\n-1 92 cudaSuccess\n") << run.err;
  }
}

TEST(StaticPrograms, SixteenThreads) {
  WL_NEEDS_NVCC();
  Folder folder;
  for (Way way : {Way::Static, Way::Shared}) {
    SCOPED_TRACE(name_of(way));
    std::string program = build_way(way, static_program_path("threads.cu"), folder);
    for (const char* streams : {"", "", "streams", "streams"}) {
      CommandResult run = run_program(program, {streams});
      std::string printed = *streams ? run.out.substr(0, run.out.find("wrong")) : "";
      EXPECT_EQ(run.out.substr(printed.size()), "wrong 0 cudaSuccess\n") << run.err;
      EXPECT_EQ(launches(run), 160u);
      for (const auto& launch : run.json["launches"]) EXPECT_EQ(launch["warps"], 4);
      std::map<std::string, int> lines;
      std::istringstream text(printed);
      for (std::string line; std::getline(text, line);) ++lines[line];
      EXPECT_EQ(lines.size(), *streams ? 16u : 0u) << printed;
      for (const auto& [line, count] : lines) EXPECT_EQ(count, 10) << line;
    }
  }
}

TEST(StaticPrograms, Children) {
  WL_NEEDS_NVCC();
  Folder folder;
  for (Way way : {Way::Static, Way::Shared}) {
    SCOPED_TRACE(name_of(way));
    CommandResult run = run_program(build_way(way, static_program_path("forks.cu"), folder));
    EXPECT_EQ(run.out, "14\n") << run.err;  // four times 2, 1, 3 of the late child, and 2 of the one that execs
    EXPECT_EQ(launches(run), 6u);
    ASSERT_EQ(processes(run), 6u);
    std::map<int, std::string> kernel_of;  // each process has launched one kernel, and the right one
    for (const auto& launch : run.json["launches"]) {
      int process = launch["process"];
      EXPECT_TRUE(kernel_of.emplace(process, launch["name"]).second);
    }
    EXPECT_EQ(std::ranges::count(kernel_of, "in_parent(int*)", [](const auto& entry) { return entry.second; }), 1);
    EXPECT_EQ(std::ranges::count(kernel_of, "in_child(int*)", [](const auto& entry) { return entry.second; }), 5);
    EXPECT_THAT(run.err, HasSubstr("6 processes used CUDA"));
  }
}

TEST(StaticPrograms, ThroughAShellMakeCtestAndPython) {
  WL_NEEDS_NVCC();
  Folder folder;
  std::string program = two_kernels(folder);
  CommandResult run = run_program("/bin/sh", {"-c", program + "; exec " + program});
  EXPECT_EQ(run.out, "7 67 no error\n7 67 no error\n") << run.err;
  EXPECT_EQ(launches(run), 4u);
  EXPECT_EQ(processes(run), 2u);

  write_script(folder / "script", "#!/bin/sh\n" + program + " && exit 5\n");
  run = run_program(folder / "script");
  EXPECT_EQ(run.exit_code, 5);
  EXPECT_EQ(launches(run), 2u);

  Environment environment(environ);
  if (std::string make = environment.find_program("make"); !make.empty()) {
    std::ofstream(folder / "Makefile") << "all: a b\na b:\n\t@" << program << "\n";
    run = run_program(make, {"-s", "-j2", "-C", folder.path()});
    EXPECT_EQ(run.out, "7 67 no error\n7 67 no error\n") << run.err;
    EXPECT_EQ(processes(run), 2u);
  }
  if (std::string ctest = environment.find_program("ctest"); !ctest.empty()) {
    std::ofstream(folder / "CTestTestfile.cmake") << "add_test(a " << program << ")\nadd_test(b " << program << ")\n";
    run = run_program(ctest, {"--test-dir", folder.path(), "-j2"});
    EXPECT_THAT(run.out, HasSubstr("100% tests passed, 0 tests failed out of 2")) << run.err;
    EXPECT_EQ(processes(run), 2u);
  }
  if (std::string python = environment.find_program("python3"); !python.empty()) {
    std::vector<std::string> flags = kLibrary;
    flags.push_back("-Dmain=plugin_main");
    build(static_program_path("two_kernels.cu"), folder / "libkernels.so", flags);
    std::string code = "import ctypes; ctypes.CDLL('" + std::string(folder / "libkernels.so") + "')._Z11plugin_mainv()";
    run = run_program(python, {"-c", code});
    EXPECT_EQ(run.out, "7 67 no error\n") << run.err;
    EXPECT_EQ(launches(run), 2u);
  }
}

// A library that is asked for by path, or found by RPATH, is ours all the same.
TEST(StaticPrograms, WhoeverAsksForTheSharedRuntimeGetsOurs) {
  WL_NEEDS_NVCC();
  Folder folder;
  for (const char* tags : {"--enable-new-dtags", "--disable-new-dtags"}) {
    build(static_program_path("two_kernels.cu"), folder / "program",
          {"-cudart", "shared", "-Xlinker", std::string(tags) + ",-rpath,/usr/local/cuda/lib64"});
    CommandResult run = run_program(folder / "program");
    EXPECT_EQ(run.out, "7 67 no error\n") << run.err;
    EXPECT_EQ(launches(run), 2u);
  }
}

TEST(StaticPrograms, WhatIsNotServedIsRefusedByName) {
  WL_NEEDS_NVCC();
  Folder folder;
  build(static_program_path("refused.cu"), folder / "refused");
  CommandResult run = run_program(folder / "refused");
  EXPECT_EQ(run.out, "32 cudaErrorNotSupported\n");
  EXPECT_THAT(run.err, HasSubstr("cudaIpcGetEventHandle is not supported"));
}

// A security policy may forbid to change code. The program is told, and so is the report; nothing crashes.
TEST(StaticPrograms, CodeThatMustNotBeChanged) {
  WL_NEEDS_NVCC();
  Folder folder;
  std::string program = two_kernels(folder);
  run_tool({"cc", "-o", folder / "no_mprotect", static_program_path("no_mprotect.c")});
  CommandResult run = run_program(folder / "no_mprotect", {program});
  if (run.exit_code == 77) GTEST_SKIP() << "seccomp filters are not allowed here";
  EXPECT_THAT(run.err, AllOf(HasSubstr("the CUDA runtime inside '" + program + "' cannot be replaced"),
                             HasSubstr("Permission denied"), HasSubstr("-cudart shared")));
  EXPECT_EQ(launches(run), 0u);
  EXPECT_THAT(run.json["notes"].dump(), HasSubstr("cannot be replaced"));
}

TEST(StaticPrograms, WithoutALoaderAreRefused) {
  WL_NEEDS_NVCC();
  Folder folder;
  build(static_program_path("two_kernels.cu"), folder / "program", {"-Xcompiler", "-static"});
  CommandResult run = warplens({"run", folder / "program"});
  EXPECT_EQ(run.exit_code, 126);
  EXPECT_THAT(run.err, AllOf(HasSubstr("linked with -static"), HasSubstr("link it without -static")));
}

}  // namespace
}  // namespace warplens::test
