// Rules about the documents, the tables and how the project speaks.
#pragma once
#include <set>
#include <span>
#include <string>

#include "meta/repository.h"

namespace warplens::meta {

// In every .md file: a link to a file, folder or heading that is not there; a `path/in/backticks` likewise.
Violations check_links(std::span<const File> files);

// The project speaks of itself alone: nothing about how, where or with what it was written.
Violations check_wording(std::span<const File> files);

// An opcode of src/ptx/instructions.def that is said to run and that no kernel under tests/run/ executes.
Violations check_instruction_tests(std::span<const File> files);

// What docs/coverage.md says of the instructions, made from the text of src/ptx/instructions.def.
std::string instruction_coverage(const std::string& instructions_def);

// The same for the CUDA runtime, from the text of src/cuda/api.def. What only compilers call (__cuda...) and the names
// of the per-thread default stream (..._ptsz, ..._ptds) are left out.
std::string api_coverage(const std::string& api_def);

// The same for the driver, from the text of src/cuda/driver/api.def, by symbol.
std::string driver_coverage(const std::string& api_def);

// `document` with `text` between the lines "<!-- name: begin -->" and "<!-- name: end -->"; the document itself, if it
// has no such lines.
std::string with_section(const std::string& document, const std::string& name, const std::string& text);

}  // namespace warplens::meta
