// CUDA without NVIDIA's toolkit, by clang alone: device code to PTX, PTX into a fat binary of our own making, host code
// around it, linked with our CUDA runtime. clang would otherwise call ptxas and fatbinary, which nobody needs here.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "frontend/nvcc_options.h"

namespace warplens::frontend {

struct ClangSetup {
  std::string clang;                  // clang++'s path
  std::filesystem::path include_dir;  // include/warplens/cuda
  std::filesystem::path library_dir;  // holds our libcudart.so.13
  std::filesystem::path toolkit_dir;  // cmake/toolkit.cmake; for who asks where the toolkit is
  int sm = 90;                        // what to compile for where the options do not say
  bool color = false;                 // messages go to a terminal
};

// The passes of one compilation. After each, `exit_code` is that of the last command that was run, and `messages` what
// the compilers wrote; an Error is a file that could not be read or written, or a compiler that could not be started.
class ClangPasses {
 public:
  ClangPasses(ClangSetup setup, const NvccOptions& options, const Environment& environment)
      : setup_(std::move(setup)), options_(options), environment_(environment) {}

  // Device code of a .cu file as PTX. `scratch` is a path that may be written with any extension added.
  Status ptx(const std::filesystem::path& source, const std::filesystem::path& ptx, const std::string& scratch);
  // A C++ function that device code calls and no file of it defines fails the compilation here, as it does with nvcc,
  // unless device code is linked across files.
  Status fat_binary(const std::filesystem::path& ptx, const std::filesystem::path& fatbin);
  // A .cu file's host code with its fat binary inside. dependency: clang's flags for a depfile.
  Status cuda_object(const std::filesystem::path& source, const std::filesystem::path& fatbin,
                     const std::filesystem::path& object, const std::vector<std::string>& dependency);
  Status host_object(const NvccOptions::Input& input, const std::filesystem::path& object);
  // What the preprocessor makes of a file, or its dependencies: to `output`, or to stdout if that is empty.
  Status preprocess(const NvccOptions::Input& input, const std::filesystem::path& output);
  // `words`: objects, libraries and linker flags, in order.
  Status link(const std::vector<std::string>& words, const std::filesystem::path& program);
  Status compile_c(const std::filesystem::path& source, const std::filesystem::path& object);

  bool good() const { return exit_code == 0; }

  int exit_code = 0;
  std::string messages;                   // what the compilers wrote to stderr
  std::string output;                     // and to stdout
  std::vector<std::string> dependencies;  // files that device code was made from

 private:
  using Command = std::vector<std::string>;
  Command cuda_command() const;
  std::string sm() const;
  Status run(const Command& command);

  ClangSetup setup_;
  const NvccOptions& options_;
  const Environment& environment_;
};

}  // namespace warplens::frontend
