// warplens map: pictures of the accesses of a line.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/environment.h"
#include "run/run.h"

namespace warplens::cli {

class MapCommand {
 public:
  MapCommand(CLI::App& app, const Environment& environment);
  bool chosen() const { return command_->parsed(); }
  int execute();

 private:
  CLI::App* command_ = nullptr;
  const Environment& environment_;
  std::string place_;
  run::RunOptions options_;
};

}  // namespace warplens::cli
