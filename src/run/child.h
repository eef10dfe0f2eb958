// Starting the user's program, passing signals on, and ending it in order when time is up or the user presses Ctrl-C.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "base/stop_page.h"

namespace warplens::run {

struct ChildOptions {
  std::filesystem::path program;
  std::vector<std::string> arguments;  // argv[0] first
  Environment environment;
  double timeout_seconds = 0;                // 0: none
  StopPage* stop_page = nullptr;             // the runtime in the program has it too (base/stop_page.h); may be null
  std::function<void(double seconds)> tick;  // called about twice a second while it runs; may be empty
};

struct ChildEnd {
  enum class Cause : uint8_t { Itself, TimedOut, Interrupted } cause = Cause::Itself;
  int exit_code = 0;   // if it ended by itself
  int signal = 0;      // that ended it, or that interrupted us
  double seconds = 0;  // wall time
};

// stdin, stdout and stderr are the caller's. Error: it could not be started.
Result<ChildEnd> run_child(const ChildOptions& options);

}  // namespace warplens::run
