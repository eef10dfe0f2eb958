// What `warplens run` tells the runtime in the program's process, by environment. All may be absent: a program that is
// only started with our libraries on its path runs just as well, unrecorded.
#pragma once
#include "session/session.h"

namespace warplens::cuda {

// WARPLENS_SPOOL   the file that records go to
// WARPLENS_GPU     a name in data/gpus; h200 if absent
// WARPLENS_THREADS worker threads; 0 or absent: all cores
// WARPLENS_CPU     the processor that code is made for; absent: this one
// WARPLENS_CACHE   the directory of compiled code; absent: none
session::Options options_from_environment();

// SIGUSR1 ends the running kernel, records what was counted until then, and ends the process; with no kernel running it
// ends the process at once. The parent sends it when time is up or on Ctrl-C. Not installed over a handler of the
// program's own, nor without a spool.
void install_stop_handler(std::atomic<bool>& stop);

// Around every launch: tells the handler whether a kernel runs. The destructor ends the process if a stop was asked
// for.
class LaunchInProgress {
 public:
  LaunchInProgress();
  ~LaunchInProgress();
};

}  // namespace warplens::cuda
