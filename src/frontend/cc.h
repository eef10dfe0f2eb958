// `warplens cc`: nvcc's command line, without NVIDIA's toolkit. A makefile's or CMake's nvcc may be this.
#pragma once
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "frontend/clang.h"

namespace warplens::frontend {

struct CcOutcome {
  int exit_code = 0;     // the compiler's, or of the program that -run ran
  std::string messages;  // for stderr
  std::string output;    // for stdout
};

// setup.clang may be empty: then clang-19 is looked for. temporary_dir: where files made on the way are put, and
// removed. An Error is wrong usage, or something about the machine; a program that does not compile is an outcome.
// `outcome` holds what was said until then in either case.
Status cc(const std::vector<std::string>& arguments, ClangSetup setup, const std::string& temporary_dir,
          const Environment& environment, CcOutcome& outcome);

}  // namespace warplens::frontend
