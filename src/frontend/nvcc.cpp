#include <sstream>

#include "base/process.h"
#include "frontend/compilers.h"

namespace warplens::frontend {
namespace {

// The newest virtual architecture that this nvcc knows and that is not newer than `sm`; if all are newer, the oldest;
// `sm` itself if it will not say.
int supported_sm(const std::string& nvcc, int sm, const Environment& environment) {
  Result<ProcessOutput> list = run_process({nvcc, "--list-gpu-arch"}, environment);
  if (!list || list->exit_code != 0) return sm;
  int best = 0, oldest = 0;
  std::istringstream lines(list->output);
  for (std::string line; std::getline(lines, line);) {
    int number = 0;
    if (line.rfind("compute_", 0) == 0) number = std::atoi(line.c_str() + 8);
    if (number <= sm && number > best) best = number;
    if (number && (!oldest || number < oldest)) oldest = number;
  }
  return best ? best : oldest ? oldest : sm;
}

}  // namespace

Result<CompileOutcome> compile_with_nvcc(const CompileRequest& request, const std::string& nvcc,
                                         const Environment& environment) {
  const auto& flags = request.flags;
  std::filesystem::path depfile = request.program.string() + ".d";
  std::vector<std::string> command{nvcc};
  auto add = [&](std::initializer_list<std::string> words) { command.insert(command.end(), words); };
  // What the user asked for wins; nvcc refuses or warns about most options that are given twice.
  if (!has_flag(flags, {"-O", "--optimize", "-G", "--device-debug"})) add({"-O3"});
  if (!has_flag(flags, {"-lineinfo", "--generate-line-info", "-G", "--device-debug"})) add({"-lineinfo"});
  if (!has_flag(flags, {"-std", "--std"})) add({"-std=c++17"});
  if (!has_flag(flags, {"-arch", "--gpu-architecture", "-gencode", "--generate-code"}))
    add({"-arch=sm_" + std::to_string(supported_sm(nvcc, request.sm, environment))});
  if (!has_flag(flags, {"-cudart", "--cudart"})) add({"-cudart", "shared"});
  if (!request.link) add({"-c"});
  add({"-MD", "-MF", depfile.string()});
  command.insert(command.end(), flags.begin(), flags.end());
  add({"-o", request.program.string(), request.source.string()});

  Result<ProcessOutput> run = run_process(command, environment);
  if (!run) return run.error();
  CompileOutcome outcome;
  outcome.exit_code = run->exit_code;
  outcome.messages = run->errors + run->output;
  outcome.dependencies = read_depfile(depfile);
  std::error_code ignored;
  std::filesystem::remove(depfile, ignored);
  return outcome;
}

}  // namespace warplens::frontend
