#include "cli/cc_command.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/usage.h"
#include "frontend/cc.h"
#include "run/exit_codes.h"
#include "run/install.h"

namespace warplens::cli {
namespace {

constexpr const char* kHelp =
    R"(Compiles CUDA C++ without NVIDIA's toolkit: clang-19, Warplens's own CUDA headers and its runtime library.

  warplens cc -O3 -o matmul matmul.cu       then: warplens run ./matmul
  warplens cc -dc a.cu b.cu                 objects whose device code is linked later
  warplens cc -ptx -arch=sm_80 matmul.cu    device code alone

It takes nvcc's options; what nvcc does not know goes to clang as it is. Source lines are always kept (-lineinfo).
Options that concern machine code (-Xptxas, -maxrregcount, ...) have no effect.

Where a makefile or CMake wants a CUDA toolkit, give it the folder 'toolkit' beside warplens:
  make CUDA_PATH=.../toolkit                cmake -DCMAKE_CUDA_COMPILER=.../toolkit/bin/nvcc
)";

}  // namespace

int cc_command(const std::vector<std::string>& arguments, const Environment& environment) {
  const auto is_help = [](const std::string& word) { return word == "--help" || word == "-help" || word == "-h"; };
  if (std::any_of(arguments.begin(), arguments.end(), is_help)) return std::fputs(kHelp, stdout), 0;
  Result<run::Install> install = run::find_install();
  if (!install) return complain(install.error(), run::kExitOwnError);
  frontend::ClangSetup setup;
  setup.include_dir = install->headers;
  setup.library_dir = install->libraries;
  setup.toolkit_dir = install->toolkit;
  setup.color = isatty(STDERR_FILENO) && environment.get("TERM") != "dumb" && environment.get("NO_COLOR").empty();
  std::string temporary = environment.get("TMPDIR");
  frontend::CcOutcome outcome;
  Status done = frontend::cc(arguments, setup, temporary.empty() ? "/tmp" : temporary, environment, outcome);
  std::fputs(outcome.output.c_str(), stdout);
  std::fflush(stdout);
  write_stderr(outcome.messages);
  return done ? outcome.exit_code : complain(done.error(), run::kExitOwnError);
}

}  // namespace warplens::cli
