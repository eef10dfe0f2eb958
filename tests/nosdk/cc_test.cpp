// warplens cc in the place of nvcc: by itself, in a makefile, under CMake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/process.h"
#include "cli/command.h"

namespace warplens::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const char* const kPrinted = "10 72 no error\n1 device\n";
const fs::path kProject = fs::path(WARPLENS_SOURCE_DIR) / "tests/nosdk/project";
const std::string kToolkit = std::string(WARPLENS_BINARY_DIR) + "/toolkit";

std::string source(const char* name) { return (kProject / name).string(); }

class Cc : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_clang()) GTEST_SKIP() << "no clang++-19 on this machine";
  }
  std::string file(const char* name) const { return (folder / name).string(); }

  void cc(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "cc");
    CommandResult result = warplens(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
  }
  void expect_runs(const std::string& program) {
    CommandResult result = warplens({"run", program});
    EXPECT_EQ(result.out, kPrinted) << result.err;
    EXPECT_THAT(result.err, HasSubstr("main.cu:8"));
  }
  // A program of the machine, in the test's folder.
  bool other(const std::string& program, const std::vector<std::string>& arguments) {
    Environment environment(environ);
    std::string path = environment.find_program(program);
    if (path.empty()) return false;
    std::vector<std::string> command{path};
    command.insert(command.end(), arguments.begin(), arguments.end());
    Result<ProcessOutput> run = run_process(command, environment);
    EXPECT_TRUE(run && run->exit_code == 0) << program << ": " << (run ? run->output + run->errors : "");
    return true;
  }

  Folder folder;
};

TEST_F(Cc, LinksDeviceCodeAcrossFiles) {
  cc({"-rdc=true", "-arch=sm_80", source("main.cu"), source("dev.cu"), source("host.cpp"), "-o", file("app")});
  expect_runs(file("app"));
}

TEST_F(Cc, LinksDeviceCodeFromAnArchive) {
  for (const char* name : {"main", "dev"})
    cc({"-dc", source((std::string(name) + ".cu").c_str()), "-o", file((std::string(name) + ".o").c_str())});
  cc({"-lib", file("dev.o"), "-o", file("libdev.a")});
  cc({file("main.o"), source("host.cpp"), "-L" + folder.path().string(), "-ldev", "-o", file("app")});
  expect_runs(file("app"));
}

TEST_F(Cc, LinksObjectsOfNvccToo) {
  if (!has_nvcc()) GTEST_SKIP() << "no nvcc on this machine";
  Environment environment(environ);
  std::string nvcc = environment.find_program("nvcc");
  if (nvcc.empty()) nvcc = "/usr/local/cuda/bin/nvcc";
  for (const char* name : {"main", "dev"})
    other(nvcc, {"-dc", "-lineinfo", "-arch=sm_80", source((std::string(name) + ".cu").c_str()), "-o",
                 file((std::string(name) + ".o").c_str())});
  cc({file("main.o"), file("dev.o"), source("host.cpp"), "-o", file("app")});
  expect_runs(file("app"));
}

TEST_F(Cc, StopsWhereItIsTold) {
  cc({"-ptx", "-arch=sm_80", source("dev.cu"), "-rdc=true", "-o", file("dev.ptx")});
  std::ifstream ptx(file("dev.ptx"));
  std::string text((std::istreambuf_iterator<char>(ptx)), {});
  EXPECT_THAT(text, HasSubstr(".target sm_80"));
  EXPECT_THAT(text, HasSubstr("_Z5twicei"));
  EXPECT_THAT(warplens({"cc", "-E", source("dev.cu")}).out, HasSubstr("twice(int x)"));
  EXPECT_THAT(warplens({"cc", "-M", source("dev.cu")}).out, HasSubstr("cuda_runtime.h"));
  cc({"-c", "-MD", source("host.cpp"), "-o", file("host.o")});
  EXPECT_TRUE(fs::exists(folder / "host.d"));
  EXPECT_THAT(warplens({"cc", "--dryrun", source("dev.cu")}).err, HasSubstr("#$ "));
  EXPECT_FALSE(fs::exists("a.out"));
}

TEST_F(Cc, SaysWhatIsWrong) {
  CommandResult result = warplens({"cc", source("main.cu"), source("host.cpp"), "-o", file("app")});
  EXPECT_NE(result.exit_code, 0) << "without -rdc=true the extern function has no body";
  EXPECT_THAT(warplens({"cc", "nowhere.cu"}).err, HasSubstr("no such file: 'nowhere.cu'"));
  std::ofstream(folder / "bad.cu") << "__global__ void k() { int x = y; }\n";
  result = warplens({"cc", "-c", file("bad.cu"), "-o", file("bad.o")});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("bad.cu:1:31: error: use of undeclared identifier 'y'"));
  std::ofstream(folder / "bad.cu") << "#include <thrust/no_such_header.h>\n";
  EXPECT_THAT(warplens({"cc", "-c", file("bad.cu")}).err,
              HasSubstr("hint: 'thrust/no_such_header.h' is of NVIDIA's CCCL"));
}

TEST_F(Cc, StandsInForAToolkitInMakefiles) {
  for (const char* name : {"Makefile", "main.cu", "dev.cu", "host.cpp"}) fs::copy(kProject / name, folder / name);
  if (!other("make", {"-C", folder.path().string(), "CUDA_PATH=" + kToolkit})) GTEST_SKIP() << "no make here";
  expect_runs(file("app"));
}

TEST_F(Cc, StandsInForAToolkitInCMake) {
  if (!other("cmake", {"-G", "Ninja", "-S", kProject.string(), "-B", file("b"),
                       "-DCMAKE_CUDA_COMPILER=" + kToolkit + "/bin/nvcc"}))
    GTEST_SKIP() << "no cmake here";
  other("cmake", {"--build", file("b")});
  expect_runs(file("b/app"));
}

}  // namespace
}  // namespace warplens::test
