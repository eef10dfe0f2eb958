#include "cli/run_command.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "cli/usage.h"
#include "findings/findings.h"
#include "model/gpu_spec.h"
#include "report/json.h"
#include "report/terminal.h"
#include "run/exit_codes.h"

namespace warplens::cli {
namespace {

constexpr int kPlainWidth = 100;  // where the report does not go to a terminal
constexpr int kMinWidth = 40, kMaxWidth = 1000;

}  // namespace

// COLUMNS, where it is exported, is what the user wants (POSIX); else as wide as the terminal is.
int wanted_width(const Environment& environment, bool to_terminal) {
  const int columns = std::atoi(environment.get("COLUMNS").c_str());
  if (columns >= kMinWidth && columns <= kMaxWidth) return columns;
  winsize size{};
  return to_terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kPlainWidth;
}

void take_environment(run::RunOptions& options, const Environment& environment) {
  options.say = write_stderr;
  options.cache_dir = cache_folder(environment);
  const std::string temporary = environment.get("TMPDIR");
  options.temporary_dir = temporary.empty() ? "/tmp" : temporary;
  options.version = WARPLENS_VERSION;
}

bool take_gpu(run::RunOptions& options) {
  const Result<model::GpuSpec> gpu = model::find_gpu(options.gpu);
  if (!gpu) {
    complain(gpu.error(), 0);
    return false;
  }
  options.gpu = gpu->id;
  options.gpu_name = gpu->name;
  options.sm = static_cast<int>(gpu->compute_major * 10 + gpu->compute_minor);
  return true;
}

namespace {

bool utf8_locale(const Environment& environment) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = environment.get(name);
    if (!value.empty()) return value.find("UTF-8") != value.npos || value.find("utf8") != value.npos;
  }
  return false;
}

// Found now rather than after an hour's run. Empty path: nothing to check.
bool can_write(const std::string& path) {
  if (path.empty()) return true;
  const bool is_new = access(path.c_str(), F_OK) != 0;
  if (std::ofstream(path, std::ios::app)) {
    if (is_new) unlink(path.c_str());  // nothing is left behind by a run that does not come to a report
    return true;
  }
  complain({"cannot write '" + path + "': " + std::strerror(errno),
            "choose a file in a folder that exists and may be written to"},
           0);
  return false;
}

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (file << text << std::flush) return true;
  complain({"cannot write '" + path + "': " + std::strerror(errno), ""}, 0);
  return false;
}

CLI::Validator positive() {
  return CLI::Validator(
      [](std::string& text) {
        char* end = nullptr;
        double value = std::strtod(text.c_str(), &end);
        bool good = end != text.c_str() && *end == 0 && value > 0 && value < 1e9;
        return good ? std::string() : "'" + text + "' is no positive number";
      },
      "");
}

}  // namespace

RunCommand::RunCommand(CLI::App& app, const Environment& environment) : environment_(environment) {
  command_ = app.add_subcommand("run",
                                "Run a program, or compile and run a .cu file, and report: warplens run [OPTIONS] "
                                "PROGRAM|FILE.cu [[--] ARGUMENTS...]");
  command_->footer(kExitCodes);
  command_->prefix_command();  // from the program on, all words are the program's
  command_->add_option("--json", json_path_, "Write the report as JSON to this file")->type_name("FILE");
  command_->add_option("--out", out_path_, "Write the report to this file instead of stderr")->type_name("FILE");
  command_->add_option("--gpu", options_.gpu, "GPU model: its properties and limits")
      ->type_name("NAME")
      ->capture_default_str();
  command_->add_option("--gpus", options_.gpus, "Number of GPUs that the program has")
      ->type_name("N")
      ->check(CLI::Range(1u, run::kMostGpus))
      ->capture_default_str();
  command_->add_option("--timeout", options_.timeout_seconds, "Stop after so long and report what was counted")
      ->type_name("SECONDS")
      ->check(positive());
  command_->add_option("--threads", options_.threads, "Cores to use; all if not given")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  command_->add_option("--cpu", options_.cpu, "Make code for this processor (an LLVM name, such as haswell)")
      ->type_name("NAME");
  command_->add_flag("--caches", options_.caches, "Model L1, L2 and DRAM too, which takes several times as long");
  command_
      ->add_option(
          "--code", code_,
          "What kernels run as: sass, machine code that the program has or a ptxas makes (PTX where there is none), "
          "or ptx")
      ->check(CLI::IsMember({"sass", "ptx"}))
      ->envname("WARPLENS_CODE")
      ->capture_default_str();
  command_->add_option("--ptxas", options_.ptxas, "The ptxas to make machine code with")->type_name("PATH");
  command_->add_option("--color", color_, "auto, always or never")->check(CLI::IsMember({"auto", "always", "never"}));
  command_->add_option("--width", width_, "Columns of the report")
      ->type_name("N")
      ->check(CLI::Range(kMinWidth, kMaxWidth));
  command_->add_option("--compiler", compiler_, "For .cu files: auto, nvcc or clang")
      ->check(CLI::IsMember({"auto", "nvcc", "clang"}));
  command_->add_option("--nvcc", nvcc_path_, "The nvcc, or clang++, to compile with")->type_name("PATH");
  command_
      ->add_option("--cc-flag", options_.compiler_flags,
                   "One more flag for the compiler (--cc-flag=-DN=1024); may be repeated")
      ->type_name("FLAG")
      ->allow_extra_args(false)
      ->take_all();
  command_->add_option("--keep", options_.keep_dir, "Leave the compiled program in this folder")->type_name("DIR");
}

bool RunCommand::prepare() {
  bool stderr_is_terminal = isatty(STDERR_FILENO);
  bool dumb = environment_.get("TERM") == "dumb" || !environment_.get("NO_COLOR").empty();
  color_on_ = color_ == "always" || (color_ == "auto" && stderr_is_terminal && !dumb);
  options_.color = color_on_;
  options_.progress = stderr_is_terminal && environment_.get("TERM") != "dumb";
  take_environment(options_, environment_);
  if (compiler_ != "auto")
    options_.compiler = compiler_ == "nvcc" ? frontend::Compiler::Nvcc : frontend::Compiler::Clang;
  options_.compiler_path = nvcc_path_;
  options_.machine_code = code_ == "sass";
  if (!take_gpu(options_)) return false;
  for (const char* option : {"--json", "--out"}) {
    if (command_->count(option) == 0) continue;
    const auto path = command_->get_option(option)->as<std::string>();
    if (path == "-") complain({"the report cannot go to '-'", "standard output is the program's own: name a file"}, 0);
    if (path.empty()) complain({std::string(option) + " names no file", "an empty word was given"}, 0);
    if (path == "-" || path.empty()) return false;
  }
  return can_write(json_path_) && can_write(out_path_);
}

std::string RunCommand::text_of(const report::Report& report) const {
  report::RenderOptions render;
  render.color = out_path_.empty() ? color_on_ : color_ == "always";
  render.unicode = utf8_locale(environment_);
  render.width = width_ ? width_ : wanted_width(environment_, out_path_.empty() && isatty(STDERR_FILENO));
  return report::render_terminal(report, render);
}

bool RunCommand::write_report(const report::Report& report) {
  std::string text = text_of(report);
  bool written = true;
  if (out_path_.empty())
    write_stderr(text);
  else
    written = write_file(out_path_, text);
  if (!json_path_.empty()) written &= write_file(json_path_, report::render_json(report));
  return written;
}

// "run make -j2", "run ./matmul -- 1024" and "run -- make -j2" are all taken: one -- beside the program is ours.
bool RunCommand::take_program(const std::optional<std::vector<std::string>>& after_dashes) {
  std::vector<std::string> words = command_->remaining();
  if (!words.empty() && words[0].size() > 1 && words[0][0] == '-') {
    complain({"unknown option '" + words[0] + "'", "'warplens run --help' lists what there is"}, 0);
    return false;
  }
  const bool ours = words.size() <= 1;
  if (after_dashes && !ours) words.push_back("--");
  if (after_dashes) words.insert(words.end(), after_dashes->begin(), after_dashes->end());
  if (words.empty()) {
    complain({"no PROGRAM or FILE.cu to run", "'warplens run --help' says more"}, 0);
    return false;
  }
  options_.input = words[0];
  options_.arguments.assign(words.begin() + 1, words.end());
  if (after_dashes || !options_.input.ends_with(".cu")) return true;
  for (const std::string& word : options_.arguments)
    if (word.starts_with("--") && command_->get_option_no_throw(word.substr(0, word.find('='))))
      write_stderr("warplens: note: '" + word + "' goes to the program; options of warplens stand before " +
                   options_.input + "\n");
  return true;
}

int RunCommand::execute(const std::optional<std::vector<std::string>>& after_dashes) {
  if (!take_program(after_dashes)) return run::kExitOwnError;
  if (!prepare()) return run::kExitOwnError;
  run::RunOutcome outcome = run::run(options_, environment_);
  if (auto* failed = std::get_if<run::RunError>(&outcome)) return complain(failed->error, failed->exit_code);
  run::RunResult& result = std::get<run::RunResult>(outcome);
  if (const auto gpu = model::find_gpu(options_.gpu); gpu && result.report)
    result.report->findings = findings::find(*result.report, *gpu);
  if (result.report && (!write_report(*result.report) || result.report->incomplete)) return run::kExitOwnError;
  return result.exit_code;
}

}  // namespace warplens::cli
