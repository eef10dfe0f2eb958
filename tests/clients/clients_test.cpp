// The examples of examples/python, in their clients' own environments: they check their results themselves; here, that
// their kernels are in the report with their lines and counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "cli/command.h"
#include "clients/environment.h"

namespace warplens::clients {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;

std::string example(const std::string& name) { return WARPLENS_SOURCE_DIR "/examples/python/" + name; }

struct ClientRun {
  std::string skipped;  // why, if it was not run
  test::CommandResult result;

  // The only launch of the kernel whose name begins so.
  ordered_json launch(const std::string& name) const {
    for (const ordered_json& launch : result.json["launches"])
      if (launch["name"].get<std::string>().rfind(name, 0) == 0) return launch;
    return {};
  }
  // The innermost source line of each site of the kernel, as "file:line".
  std::vector<std::string> lines(const std::string& name) const {
    std::vector<std::string> out;
    for (const ordered_json& kernel : result.json["kernels"]) {
      if (kernel["demangled"].get<std::string>().rfind(name, 0) != 0) continue;
      for (const ordered_json& site : kernel["sites"]) {
        if (site["frames"].empty()) continue;
        for (const ordered_json& frame : site["frames"]) {
          std::string file = frame["file"];
          out.push_back(file.substr(file.rfind('/') + 1) + ":" + std::to_string(frame["line"].get<int>()));
        }
      }
    }
    return out;
  }
};

// The program prints "right" if it has found its results so.
ClientRun run(const std::string& client, const std::vector<std::string>& packages, const std::string& path,
              const std::map<std::string, std::string>& variables = {}) {
  PythonEnvironment environment = environment_with(client, packages);
  if (environment.python.empty()) return {environment.problem, {}};
  std::vector<std::string> wrapper;
  if (!variables.empty()) wrapper.push_back("env");
  for (const auto& [name, value] : variables) wrapper.push_back(name + "=" + value);
  ClientRun out{"", test::run_program(environment.python, {path}, {}, wrapper)};
  EXPECT_EQ(out.result.exit_code, 0) << out.result.out << out.result.err;
  EXPECT_THAT(out.result.out, HasSubstr("right\n")) << out.result.err;
  return out;
}

double metric(const ordered_json& launch, const std::string& name) {
  return launch.is_null() ? -1 : launch["metrics"][name]["value"].get<double>();
}

constexpr const char* kSectors = "memory_l2_theoretical_sectors_global";
constexpr const char* kLoads = "smsp__inst_executed_op_global_ld.sum";

#define SKIP_IF(run) \
  if (!(run).skipped.empty()) GTEST_SKIP() << (run).skipped

TEST(Numba, ReportsLinesOfPython) {
  ClientRun client = run("numba", {"numba-cuda[cu13]==0.30.4"}, example("numba_saxpy.py"));
  SKIP_IF(client);
  // 65536 elements of 4 bytes, two loads and a store; every second one takes as many sectors of each request.
  EXPECT_EQ(metric(client.launch("__main__::saxpy["), kSectors), 3 * 65536 * 4 / 32);
  EXPECT_EQ(metric(client.launch("__main__::saxpy_strided["), kSectors), 3 * 65536 * 4 / 32);
  EXPECT_EQ(metric(client.launch("__main__::saxpy["), kLoads), 2 * 65536 / 32);
  EXPECT_EQ(metric(client.launch("__main__::saxpy_strided["), kLoads), 2 * 65536 / 64);
  EXPECT_THAT(client.lines("__main__::saxpy["), ::testing::Contains("numba_saxpy.py:15"));
}

TEST(Cupy, RunsRawKernelsAndItsOwn) {
  ClientRun client = run("cupy", {"cupy-cuda13x[ctk]==14.2.0"}, example("cupy_transpose.py"));
  SKIP_IF(client);
  // Blocks of 16 by 16: a warp loads two rows of 16 elements, and stores 16 columns of 2.
  EXPECT_EQ(metric(client.launch("transpose"), kSectors), 65536 / 32 * (4 + 16));
  EXPECT_GT(metric(client.launch("cupy_add__float32_float32_float32"), kLoads), 0);
  EXPECT_FALSE(client.lines("transpose").empty());
}

TEST(Triton, ReportsLinesOfPython) {
  ClientRun client =
      run("triton", {"triton==3.9.0", "numpy"}, example("triton_add.py"), {{"TRITON_DEFAULT_FP_FUSION", "1"}});
  SKIP_IF(client);
  EXPECT_EQ(metric(client.launch("add"), kSectors), 3 * 10000 * 4 / 32);
  EXPECT_THAT(client.lines("add"), ::testing::IsSupersetOf({"triton_add.py:20", "triton_add.py:21"}));
}

TEST(Warp, ReportsLinesOfPython) {
  ClientRun client = run("warp", {"warp-lang==1.19.0", "numpy"}, example("warp_saxpy.py"));
  SKIP_IF(client);
  EXPECT_EQ(metric(client.launch("saxpy"), kSectors), 3 * 4096 * 4 / 32);
  EXPECT_THAT(client.lines("saxpy"), ::testing::Contains("warp_saxpy.py:18"));
}

TEST(Tinygrad, RunsItsPtx) {
  ClientRun client =
      run("tinygrad", {"tinygrad==0.14.0", "numpy"}, example("tinygrad_matmul.py"), {{"DEV", "CUDA:PTX"}});
  SKIP_IF(client);
  EXPECT_GE(client.result.json["launches"].size(), 1u);
  for (const ordered_json& launch : client.result.json["launches"]) EXPECT_TRUE(launch["complete"].get<bool>());
}

TEST(CudaPython, ReportsLinesOfNvrtcsSource) {
  ClientRun client = run("cuda_python", {"cuda-bindings==13.5.0", "nvidia-cuda-nvrtc==13.5.37", "numpy"},
                         example("cuda_python_row_sums.py"));
  SKIP_IF(client);
  // 8 warps load 64 times a row each lane, a sector for each; and store 4 bytes a lane.
  EXPECT_EQ(metric(client.launch("row_sums"), kLoads), 8 * 64);
  EXPECT_EQ(metric(client.launch("row_sums"), kSectors), 8 * 64 * 32 + 8 * 4);
  EXPECT_THAT(client.lines("row_sums"), ::testing::IsSupersetOf({"row_sums.cu:5", "row_sums.cu:7"}));
}

// Releases before that of the examples.
class Nvrtc : public ::testing::TestWithParam<const char*> {};
TEST_P(Nvrtc, CompilesForUs) {
  const std::string package = GetParam();
  ClientRun client =
      run(package.substr(0, package.find('=')), {package}, WARPLENS_SOURCE_DIR "/tests/clients/nvrtc.py");
  SKIP_IF(client);
  EXPECT_EQ(client.result.json["launches"].size(), 2u);
  EXPECT_THAT(client.lines("twice"), ::testing::Contains("twice.cu:3"));
}
INSTANTIATE_TEST_SUITE_P(Releases, Nvrtc,
                         ::testing::Values("nvidia-cuda-nvrtc-cu11==11.8.89", "nvidia-cuda-nvrtc-cu12==12.9.86"));

// A suite of tests that starts a CUDA program.
TEST(Pytest, RunsTestsOfPrograms) {
  PythonEnvironment environment = environment_with("pytest", {"pytest==9.0.2"});
  if (environment.python.empty()) GTEST_SKIP() << environment.problem;
  if (!test::has_nvcc() && !test::has_clang()) GTEST_SKIP() << "neither nvcc nor clang++-19 on this machine";
  test::Folder folder;
  const std::string program = test::compile("hello.cu", folder);
  std::ofstream(folder / "test_hello.py")
      << "import subprocess, pytest\n"
         "@pytest.mark.parametrize('code', [0, 3])\n"
         "def test_hello(code):\n"
         "    run = subprocess.run(['" +
             program +
             "', str(code)], capture_output=True, text=True)\n"
             "    assert run.stdout.startswith('2 510') and run.returncode == code\n";
  test::CommandResult run = test::run_program(environment.python, {"-m", "pytest", folder.path()});
  EXPECT_EQ(run.exit_code, 0) << run.out;
  EXPECT_THAT(run.out, HasSubstr("2 passed"));
  EXPECT_EQ(run.json["launches"].size(), 2u) << run.err;
  EXPECT_EQ(run.json["processes"].size(), 2u);
}

}  // namespace
}  // namespace warplens::clients
