// What `warplens run` ends with when the program did not end by itself; otherwise it is the program's own exit code, or
// 128 + the number of the signal that ended it. The numbers are those of timeout(1) and env(1).
#pragma once

namespace warplens::run {

inline constexpr int kExitTimedOut = 124;   // stopped by --timeout
inline constexpr int kExitOwnError = 125;   // bad usage, or Warplens itself failed
inline constexpr int kExitCannotRun = 126;  // the file is there but Warplens cannot run it
inline constexpr int kExitNotFound = 127;   // no such file
// A file that does not compile gives the compiler's own exit code.

}  // namespace warplens::run
