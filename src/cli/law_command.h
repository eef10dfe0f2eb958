// warplens law: the laws of a program's addresses, without running it.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/environment.h"
#include "report/report.h"
#include "run/run.h"

namespace warplens::cli {

class LawCommand {
 public:
  LawCommand(CLI::App& app, const Environment& environment);
  bool chosen() const { return command_->parsed(); }
  int execute();

 private:
  int read(std::vector<report::Kernel>& kernels);  // an exit code
  bool read_shape(Dim3& block) const;
  bool read_values(const std::vector<report::Kernel>& kernels);
  report::Report as_report(std::vector<report::Kernel> kernels, const Dim3& block) const;

  CLI::App* command_ = nullptr;
  const Environment& environment_;
  std::string file_, kernel_, block_ = "256";
  std::vector<std::string> set_;
  std::vector<std::pair<std::string, int64_t>> values_;  // by name
  run::RunOptions options_;
};

}  // namespace warplens::cli
