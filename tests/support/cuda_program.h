// Compiling CUDA programs with nvcc, where there is one, and running them on our runtime.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/report.h"

namespace warplens::testing {

// Empty: this machine has no nvcc; tests then say so and are skipped.
std::string find_nvcc();

// The program made of `source` (a path relative to the repository), kept from test to test. A compile error is fatal.
std::string compile(const std::string& source, const std::vector<std::string>& flags = {"-arch=sm_80"});

struct ProgramResult {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  std::string output, errors;
  report::Report report;  // empty unless recorded
  double seconds = 0;
};
struct RunOptions {
  std::vector<std::string> arguments = {};
  std::map<std::string, std::string> environment = {};  // added to the library path
  bool record = true;                                   // with WARPLENS_SPOOL
  std::function<void(int pid)> meanwhile = {};          // called once the program runs
};
ProgramResult run(const std::string& program, const RunOptions& options = {});

std::string read_file(const std::string& path);

}  // namespace warplens::testing

#define WL_NEEDS_NVCC() \
  if (warplens::testing::find_nvcc().empty()) GTEST_SKIP() << "no nvcc on this machine"
