// A Report for people: per kernel, the totals and a table of source lines, worst first.
#pragma once
#include <string>

#include "report/report.h"

namespace warplens::report {

struct RenderOptions {
  int width = 100;          // columns; under 90 each line of the table takes two
  bool color = false;       // ANSI colours
  bool unicode = false;     // lines and marks beyond ASCII
  size_t max_lines = 20;    // source lines a kernel; 0: all
  bool show_times = true;   // wall and compile seconds, which differ from run to run
  std::string source_root;  // where relative source files are looked for; "": the current directory
};

std::string render_terminal(const Report& report, const RenderOptions& options);

}  // namespace warplens::report
