// Variables of one file in device code that clang compiles to be linked (-rdc=true).
#pragma once
#include <string>

namespace warplens::frontend {

// So that host code can name them, clang gives `static` variables a name of the whole program, "x__static__1f2e". Code
// that stands before the first mention in host code still asks for "x" (clang 19), which nobody has. In device IR, as
// text: it asks for the same variable.
std::string join_static_variables(std::string ir);

}  // namespace warplens::frontend
