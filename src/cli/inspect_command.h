// warplens inspect: its options, and what it prints.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/environment.h"

namespace warplens::cli {

class InspectCommand {
 public:
  InspectCommand(CLI::App& app, const Environment& environment);
  bool chosen() const { return command_->parsed(); }
  int execute() const;

 private:
  CLI::App* command_ = nullptr;
  const Environment& environment_;
  std::vector<std::string> files_;
  bool json_ = false, all_ = false;
};

}  // namespace warplens::cli
