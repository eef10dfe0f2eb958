// The parent half of a run: find or compile the program, start it with our CUDA runtime, and read what it leaves
// behind. The half inside the program is session/.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "frontend/compile.h"
#include "report/report.h"

namespace warplens::run {

inline constexpr unsigned kMostGpus = 16;

struct RunOptions {
  std::string input;                   // .cu file or program
  std::vector<std::string> arguments;  // the program's own
  std::string gpu = "h200";
  unsigned gpus = 1;
  std::string gpu_name, version;  // for the report of a program that never gets as far as to say so itself
  int sm = 90;                    // of that GPU; what a .cu file is compiled for
  unsigned threads = 0;           // 0: all cores
  std::string cpu;                // "": this machine's
  bool machine_code = true;       // kernels run as machine code where that can be had; false: as PTX
  std::string ptxas;              // which to make it with; "": one that is found
  bool caches = false;            // model L1, L2 and DRAM
  double timeout_seconds = 0;     // 0: none
  frontend::Compiler compiler = frontend::Compiler::Auto;
  std::string compiler_path;
  std::vector<std::string> compiler_flags;
  std::filesystem::path keep_dir;             // where the program and its PTX are left; empty: nowhere
  std::filesystem::path temporary_dir;        // for the spool
  std::filesystem::path cache_dir;            // for compiled programs and code; empty: none
  bool color = false;                         // the compiler's messages
  bool progress = false;                      // a line that says how far the run is, once it takes over two seconds
  std::function<void(std::string_view)> say;  // text for the terminal: compiler messages, progress; as it is to appear
};

struct RunResult {
  int exit_code = 0;                     // exit_codes.h
  std::optional<report::Report> report;  // nothing when the program did not compile
};

struct RunError {
  Error error;
  int exit_code = 0;
};
using RunOutcome = std::variant<RunResult, RunError>;

RunOutcome run(const RunOptions& options, const Environment& environment);

}  // namespace warplens::run
