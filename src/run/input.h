// What the user asked to run: a source file, or a program that uses the CUDA runtime in a way that Warplens can serve.
#pragma once
#include <filesystem>
#include <string>

#include "base/environment.h"
#include "base/result.h"

namespace warplens::run {

// Why an input is refused; cli turns it into the exit code (127: not found, 126: cannot be run).
enum class Refusal : uint8_t { None, NotFound, CannotRun };

struct Input {
  enum class Kind : uint8_t { Source, Program } kind = Kind::Program;
  std::filesystem::path path;
};

// A name without '/' that is no file here is looked for on PATH, as a shell would.
Result<Input> find_input(const std::string& name, const Environment& environment, Refusal& refusal);

// How the program must be started for our runtime to be the one that it gets.
struct CudaUse {
  std::string runtime;        // "libcudart.so.13": what it, or a library that it loads, needs
  bool must_preload = false;  // its RPATH would find NVIDIA's first
};

// `library_dir` holds our runtimes. An Error says why the program cannot be served and what to do.
Result<CudaUse> inspect_program(const std::filesystem::path& program, const std::filesystem::path& library_dir,
                                const Environment& environment);

}  // namespace warplens::run
