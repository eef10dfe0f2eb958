// From a .cu file to a program with PTX inside that links the shared CUDA runtime, so that ours can stand in for it.
// nvcc where there is one; else clang with the headers of include/warplens/cuda, which need nothing of NVIDIA's
// toolkit.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"

namespace warplens::frontend {

enum class Compiler : uint8_t { Auto, Nvcc, Clang };

struct CompileRequest {
  std::filesystem::path source;
  std::filesystem::path program;  // what to write; files made on the way are put beside it
  Compiler compiler = Compiler::Auto;
  std::string compiler_path;       // "": the one on PATH or in its usual place
  int sm = 90;                     // 10 * compute capability that the PTX is for; the nearest that the compiler knows
  std::vector<std::string> flags;  // the user's, as nvcc spells them; they win over ours
  std::filesystem::path include_dir;  // include/warplens/cuda
  std::filesystem::path library_dir;  // holds our libcudart.so.13; clang links against it
  bool color = false;                 // the compiler's messages go to a terminal
  bool link = true;                   // false: `program` is an object, as there may be no main
};

struct CompileOutcome {
  std::filesystem::path program;  // what was made
  int exit_code = 0;              // the compiler's; 0: `program` is there
  std::string messages;           // what the compiler wrote: errors, or warnings alone; for clang also what to do
  std::string compiler;           // "nvcc" or "clang++": its path
  std::vector<std::string> dependencies;  // every file that was read, system headers too
  double seconds = 0;
  bool from_cache = false;  // compiled by an earlier run (cache.h)
};

// Errors: no compiler on this machine, or one that could not be started. A program that does not compile is an outcome.
Result<CompileOutcome> compile(const CompileRequest& request, const Environment& environment);

// The compiler that compile() would run: its path and which of the two it is. nvcc must at least tell its version.
struct Toolchain {
  Compiler compiler = Compiler::Nvcc;
  std::string path;
};
Result<Toolchain> find_toolchain(Compiler wanted, const std::string& path, const Environment& environment);

}  // namespace warplens::frontend
