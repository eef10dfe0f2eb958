// What `warplens run` tells the runtime in the program's process, by environment. All may be absent: a program that is
// only started with our libraries on its path runs just as well, unrecorded.
#pragma once
#include <optional>

#include "base/stop_page.h"
#include "session/session.h"

namespace warplens::cuda {

// WARPLENS_SPOOL   the file that records go to
// WARPLENS_STOP    the file that asks us to stop (base/stop_page.h)
// WARPLENS_GPU     a name in data/gpus; h200 if absent
// WARPLENS_GPUS    how many of it there are; 1 if absent
// WARPLENS_THREADS worker threads; 0 or absent: all cores
// WARPLENS_CPU     the processor that code is made for; absent: this one
// WARPLENS_CACHE   the directory of compiled code; absent: none
//
// Read, and the files opened, when the program is loaded: before it clears its environment, closes files, lowers its
// limits, changes its root or its user.
struct Startup {
  session::Options options;
  std::optional<StopPage> stop_page;
  std::string problem;  // why there is no record although one was asked for; "" if none
};
Startup read_environment();

// Around every launch: counts it on the stop page. The destructor ends the process if a stop was asked for: by SIGTERM,
// so that a handler of the program's own can clean up; a program that ignores or blocks it is ended all the same.
class LaunchInProgress {
 public:
  explicit LaunchInProgress(StopPage* page);
  ~LaunchInProgress();
  // The calling thread runs one: whoever asks is a signal handler of the program's.
  static bool inside();
  LaunchInProgress(const LaunchInProgress&) = delete;
  LaunchInProgress& operator=(const LaunchInProgress&) = delete;

 private:
  StopPage* page_;
};

}  // namespace warplens::cuda
