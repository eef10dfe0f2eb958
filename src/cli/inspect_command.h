// warplens inspect: its options, and what it prints.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace warplens::cli {

class InspectCommand {
 public:
  explicit InspectCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  int execute() const;

 private:
  CLI::App* command_ = nullptr;
  std::vector<std::string> files_;
  bool json_ = false, all_ = false;
};

}  // namespace warplens::cli
