// warplens run: its options, and what it prints.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "report/report.h"
#include "run/run.h"

namespace warplens::cli {

// What every command that runs a program takes from the environment: caches, temporary files, where messages go.
void take_environment(run::RunOptions& options, const Environment& environment);
// Looks options.gpu up and fills what depends on it; false: it is not known, which was said.
bool take_gpu(run::RunOptions& options);
// Columns for text that goes to the terminal, or to a file.
int wanted_width(const Environment& environment, bool to_terminal);

class RunCommand {
 public:
  RunCommand(CLI::App& app, const Environment& environment);
  // after_dashes: the words after the first --, if there is one; the others were parsed.
  int execute(const std::optional<std::vector<std::string>>& after_dashes);
  bool chosen() const { return command_->parsed(); }
  std::string help() const { return command_->help(); }

 private:
  bool take_program(const std::optional<std::vector<std::string>>& after_dashes);
  bool prepare();
  bool write_report(const report::Report& report);
  std::string text_of(const report::Report& report) const;

  CLI::App* command_ = nullptr;
  const Environment& environment_;
  run::RunOptions options_;
  std::string json_path_, out_path_, code_ = "sass", compiler_ = "auto", nvcc_path_, color_ = "auto";
  int width_ = 0;  // 0: the terminal's
  bool color_on_ = false;
};

}  // namespace warplens::cli
