// Running a helper program (a compiler, the loader) to its end and keeping what it said.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"

namespace warplens {

struct ProcessOutput {
  int exit_code = 0;       // 128 + the signal's number if one ended it
  std::string output;      // stdout
  std::string errors;      // stderr
  bool timed_out = false;  // killed when its time was over
};

// command[0] is a path. An Error only when it could not be started.
Result<ProcessOutput> run_process(const std::vector<std::string>& command, const Environment& environment,
                                  std::optional<std::chrono::milliseconds> limit = std::nullopt);

// For messages: the command as one would type it.
std::string shell_quoted(const std::vector<std::string>& command);

}  // namespace warplens
