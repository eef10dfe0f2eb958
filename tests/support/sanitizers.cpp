#include "support/sanitizers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace warplens::testing {
namespace fs = std::filesystem;

std::string preload_variable() { return kSanitized ? std::string("LD_PRELOAD=") + WARPLENS_SANITIZER_RUNTIME : ""; }

SanitizerReports::SanitizerReports() {
  if (!kSanitized) return;
  static int count = 0;
  const fs::path folder = fs::path(WARPLENS_BINARY_DIR) / "sanitizer-reports";
  fs::create_directories(folder);
  prefix_ = (folder / (std::to_string(getpid()) + "-" + std::to_string(count++))).string();
  // The program ends by its own signals. Memory that it, or a compiler, does not free is not our business.
  const std::string options = "handle_segv=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0:log_path=" + prefix_;
  variables_.push_back("ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0:" + options);
  variables_.push_back("UBSAN_OPTIONS=print_stacktrace=1:" + options);
  variables_.push_back("TSAN_OPTIONS=" + options);
}

SanitizerReports::~SanitizerReports() {
  if (!kSanitized) return;
  if (errors_.find(": runtime error: ") != errors_.npos)
    ADD_FAILURE() << "undefined behaviour in a process that this test started:\n" << errors_;
  const fs::path prefix = prefix_;
  for (const auto& entry : fs::directory_iterator(prefix.parent_path())) {
    if (!entry.path().filename().string().starts_with(prefix.filename().string() + ".")) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    ADD_FAILURE() << "a sanitizer reports in a process that this test started:\n" << text.str();
    fs::remove(entry.path());
  }
}

}  // namespace warplens::testing
