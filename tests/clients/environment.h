// A virtual environment of Python with packages from PyPI, kept from run to run.
#pragma once
#include <string>
#include <vector>

namespace warplens::clients {

struct PythonEnvironment {
  std::string python;   // its interpreter; "": there is none, and `problem` says why
  std::string problem;  // one line
};

// `packages` as pip takes them, pinned: "triton==3.9.0".
PythonEnvironment environment_with(const std::string& name, const std::vector<std::string>& packages);

}  // namespace warplens::clients
