// WL_CHECK(condition, message): an invariant of ours. A failure is a bug in Warplens, never the user's fault:
// it prints where, asks for a report and aborts.
#pragma once
#include <string>

namespace warplens {
[[noreturn]] void check_failed(const char* file, int line, const char* condition, const std::string& message);
}

#define WL_CHECK(condition, message) \
  ((condition) ? (void)0 : ::warplens::check_failed(__FILE__, __LINE__, #condition, (message)))
