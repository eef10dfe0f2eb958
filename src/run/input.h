// What the user asked to run: a source file, or anything that can be executed.
#pragma once
#include <filesystem>
#include <string>

#include "base/environment.h"
#include "base/result.h"
#include "elf/runtime_table.h"

namespace warplens::run {

// Why an input is refused; cli turns it into the exit code (127: not found, 126: cannot be run).
enum class Refusal : uint8_t { None, NotFound, CannotRun };

struct Input {
  enum class Kind : uint8_t { Source, Program } kind = Kind::Program;
  std::filesystem::path path;
};

// A name without '/' that is no file here is looked for on PATH, as a shell would.
Result<Input> find_input(const std::string& name, const Environment& environment, Refusal& refusal);

// Whether what the program needs of CUDA can be given to it. A script, or a program that has nothing of CUDA in it, may
// start one that has, so it is no error. The Error says what is wrong and how to rebuild. `runtimes`: the static ones
// that are known.
Status check_program(const std::filesystem::path& program, std::span<const elf::RuntimeTable> runtimes);

}  // namespace warplens::run
