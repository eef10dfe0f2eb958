// A cubin and its lines as text, to compare.
#pragma once
#include <string>

#include "sass/cubin.h"
#include "sass/line_table.h"

namespace warplens::test {

std::string dump(const sass::Cubin& cubin);

// Every instruction's lines as `nvdisasm -c -gi` (or -gp: `ptx`) prints them, in front of "+OFFSET" of the first
// instruction that has them.
std::string dump_lines(const sass::Cubin& cubin, const sass::LineTable& lines, bool ptx);

// What nvdisasm printed, brought to the same form.
std::string lines_of_disassembly(const std::string& text);

}  // namespace warplens::test
