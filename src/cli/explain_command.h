// warplens explain: the page of a rule.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace warplens::cli {

class ExplainCommand {
 public:
  explicit ExplainCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  int execute() const;

 private:
  CLI::App* command_ = nullptr;
  std::string rule_;
};

}  // namespace warplens::cli
