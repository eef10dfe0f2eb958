// warplens occupancy [FILE] and warplens gpus.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "occupancy/question.h"
#include "run/run.h"

namespace warplens::cli {

class OccupancyCommand {
 public:
  OccupancyCommand(CLI::App& app, const Environment& environment);
  bool chosen() const { return command_->parsed(); }
  int execute();  // the exit code

 private:
  Status take_gpu(occupancy::Question& question);
  Status take_figures(occupancy::Question& question);
  int ask_file(occupancy::Question& question);
  int answer(const occupancy::Question& question) const;

  CLI::App* command_ = nullptr;
  const Environment& environment_;
  run::RunOptions compile_;
  std::string file_, gpu_ = "h200", compiler_ = "auto", kernel_;
  std::vector<std::string> blocks_;
  std::string grid_, shared_;
  std::optional<uint32_t> registers_;
  int carveout_ = -1;
  bool json_ = false, curves_ = false;
};

class GpusCommand {
 public:
  explicit GpusCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  int execute() const;

 private:
  CLI::App* command_ = nullptr;
  bool json_ = false;
};

}  // namespace warplens::cli
