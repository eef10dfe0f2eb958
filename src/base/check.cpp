#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace warplens {

void check_failed(const char* file, int line, const char* condition, const std::string& message) {
  std::fprintf(
      stderr,
      "warplens: internal error at %s:%d: %s (%s)\n"
      "warplens: this is a bug in Warplens, not in your program; please report it with the input that shows it\n",
      file, line, message.c_str(), condition);
  std::abort();
}

}  // namespace warplens
