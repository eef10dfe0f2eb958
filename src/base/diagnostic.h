// A diagnostic is data: what, where, what to do. Rendering belongs to cli and report.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace warplens {

enum class Severity : uint8_t { Note, Warning, Error };

// A place in a text file. line and column count from 1; 0 means unknown.
struct SourcePos {
  uint32_t line = 0;
  uint32_t column = 0;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string file;  // the input's name as the user knows it; may be empty
  SourcePos pos;
  std::string message;
  std::string hint;         // what to do; may be empty
  std::string kernel = "";  // of device code: the kernel that it concerns alone, as PTX names it; "": all of the input
};

using Diagnostics = std::vector<Diagnostic>;

// "file:line:column: error: message" plus, on a second line, "  hint: ..." where there is one.
std::string to_string(const Diagnostic& diagnostic);

}  // namespace warplens
