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

}  // namespace warplens::meta
