// warplens law: the laws of a program's addresses, without running it.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/environment.h"

namespace warplens::cli {

class LawCommand {
 public:
  LawCommand(CLI::App& app, const Environment& environment);
  bool chosen() const { return command_->parsed(); }
  int execute() const;

 private:
  CLI::App* command_ = nullptr;
  const Environment& environment_;
  std::string file_, kernel_, block_, grid_;
  std::vector<std::string> values_;
  bool json_ = false;
};

}  // namespace warplens::cli
