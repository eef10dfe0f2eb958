#include "cli/usage.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "run/exit_codes.h"

namespace warplens::cli {

const char* const kShortHelp =
    R"(Warplens runs CUDA programs without a GPU and says, line by line, what they do to memory.

  warplens run matmul.cu                    compile, run, and report
  warplens run ./matmul 1024 --verify       a program built before, with its own arguments
  warplens run python3 train.py             whatever starts it: a script, make, ctest
  warplens run --json out.json matmul.cu    keep the report for other programs too

  warplens cc -o matmul matmul.cu           compile without NVIDIA's toolkit; takes nvcc's options
  warplens inspect ./matmul                 what is in it, and what to rebuild if it cannot be run
  warplens compare out.json ncu.csv         a report beside what Nsight Compute counted on a GPU
  warplens map matmul.cu:42                 which lane goes where in that line: sectors, banks
  warplens law matmul.cu --block 16x16      each address as a sum over threadIdx, blockIdx, ..., without running it
  warplens explain WL101                    what a finding means, and what to do about it

  warplens occupancy matmul.cu              how many of its blocks an SM holds, and what limits them
  warplens occupancy --gpu a100 --block 256 --regs 40 --smem 16384
  warplens gpus                             the models that --gpu takes

  warplens run --help     all options
  warplens --version

)";

const char* const kExitCodes =
    R"(Exit code: the program's own, or 128 + the signal that ended it. Else: 124 stopped by --timeout,
125 wrong usage or a failure of Warplens itself, 126 a file that cannot be run, 127 no such file;
a .cu file that does not compile gives the compiler's.
)";

std::string version() { return std::string("warplens ") + WARPLENS_VERSION; }

void write_stderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

std::filesystem::path cache_folder(const Environment& environment) {
  if (std::string xdg = environment.get("XDG_CACHE_HOME"); !xdg.empty() && xdg[0] == '/')
    return std::filesystem::path(xdg) / "warplens";
  std::string home = environment.get("HOME");
  return home.empty() ? std::filesystem::path() : std::filesystem::path(home) / ".cache/warplens";
}

int complain(const Error& error, int exit_code) {
  write_stderr("warplens: error: " + error.what + "\n" + (error.hint.empty() ? "" : "  hint: " + error.hint + "\n"));
  return exit_code;
}

int report_unknown_command(const std::string& command) {
  bool is_file = access(command.c_str(), F_OK) == 0;
  bool is_option = command[0] == '-';
  std::fprintf(stderr, "warplens: error: unknown %s '%s'\n  hint: %s%s\n", is_option ? "option" : "command",
               command.c_str(),
               is_file     ? "to run that file: warplens run "
               : is_option ? "options stand after the command: warplens run OPTIONS PROGRAM; 'warplens help' lists them"
                           : "'warplens help' lists the commands",
               is_file ? command.c_str() : "");
  return run::kExitOwnError;
}

namespace {

// CLI11 names all that it did not expect, last first. The first is the one to look at.
std::string what_is_wrong(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> extra = app.remaining(true);
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError) || extra.empty()) return error.what();
  const auto option = std::find_if(extra.begin(), extra.end(), [](const std::string& s) { return s.starts_with("-"); });
  return option != extra.end() ? "unknown option '" + *option + "'" : "unexpected argument '" + extra[0] + "'";
}

}  // namespace

int report_usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::string command = app.get_subcommands().empty() ? "" : app.get_subcommands().front()->get_name() + " ";
  std::fprintf(stderr, "warplens: error: %s\n  hint: 'warplens %s--help' lists what there is\n",
               what_is_wrong(app, error).c_str(), command.c_str());
  return run::kExitOwnError;
}

}  // namespace warplens::cli
