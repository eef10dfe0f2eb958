// Tests in a build with sanitizers (WARPLENS_SANITIZE): what is smaller there, and what the sanitizers say in the
// processes that a test starts.
#pragma once
#include <string>
#include <vector>

namespace warplens::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// The size of a test, or the one for a build with sanitizers, where our code is 5 to 20 times slower (compiled kernels
// and LLVM, which are not instrumented, are as fast as ever).
template <typename T>
constexpr T sized(T full, T under_sanitizers) {
  return kSanitized ? under_sanitizers : full;
}

// Preloads the sanitizer's runtime, as a program that was built without one must for our libraries in it. "" without
// sanitizers.
std::string preload_variable();

// One process, and those that it starts: with `variables` in its environment, what a sanitizer reports there goes to
// files. The destructor fails the test for each, whether or not anybody looked at the exit code.
class SanitizerReports {
 public:
  SanitizerReports();
  ~SanitizerReports();
  SanitizerReports(const SanitizerReports&) = delete;
  SanitizerReports& operator=(const SanitizerReports&) = delete;

  // What the process wrote to stderr: UndefinedBehaviorSanitizer, beside AddressSanitizer, writes nowhere else.
  void see(const std::string& errors) { errors_ = errors; }

  const std::vector<std::string>& variables() const { return variables_; }  // "NAME=value"; none without sanitizers

 private:
  std::string prefix_;  // the files are PREFIX.PROCESS
  std::vector<std::string> variables_;
  std::string errors_;
};

}  // namespace warplens::testing
