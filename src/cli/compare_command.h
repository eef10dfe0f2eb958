// warplens compare RUN.json NCU.csv...
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/environment.h"

namespace warplens::cli {

class CompareCommand {
 public:
  CompareCommand(CLI::App& app, const Environment& environment);
  bool chosen() const { return command_->parsed(); }
  int execute() const;  // the exit code

 private:
  CLI::App* command_;
  const Environment& environment_;
  std::string run_;
  std::vector<std::string> profiles_;
  bool json_ = false, all_ = false;
  std::string color_ = "auto";
};

}  // namespace warplens::cli
