#include <array>

#include "base/process.h"
#include "base/toolkit.h"
#include "frontend/compile.h"

namespace warplens::frontend {
namespace {

std::string find_nvcc(const Environment& environment) {
  if (std::string found = environment.find_program("nvcc"); !found.empty()) return found;
  for (const std::filesystem::path& toolkit : installed_toolkits())
    if (std::string found = environment.find_program((toolkit / "bin/nvcc").string()); !found.empty()) return found;
  return "";
}

// What is called nvcc may be a script that stands for a toolkit which is not there.
bool works(const std::string& compiler, const Environment& environment) {
  Result<ProcessOutput> run = run_process({compiler, "--version"}, environment);
  return run && run->exit_code == 0;
}

// 19 first: the version that the headers are tested with. Older ones lack the PTX version that sm_90 needs.
std::string find_clang(const Environment& environment) {
  for (const char* name : std::array{"clang++-19", "/usr/lib/llvm-19/bin/clang++", "clang++-20", "clang++-21"})
    if (std::string found = environment.find_program(name); !found.empty()) return found;
  return "";
}

constexpr const char* kInstallHint =
    "install one: NVIDIA's CUDA toolkit, or 'apt install clang-19' (Warplens brings the CUDA headers); "
    "or build the program elsewhere with 'nvcc -lineinfo -cudart shared' and run that";

}  // namespace

Result<Toolchain> find_toolchain(Compiler wanted, const std::string& path, const Environment& environment) {
  if (!path.empty()) {
    std::string found = environment.find_program(path);
    if (found.empty()) return Error{"no compiler '" + path + "' that can be executed", "check the path"};
    bool clang = std::filesystem::path(found).filename().string().find("clang") != std::string::npos;
    return Toolchain{wanted == Compiler::Auto ? (clang ? Compiler::Clang : Compiler::Nvcc) : wanted, found};
  }
  if (wanted != Compiler::Clang)
    if (std::string nvcc = find_nvcc(environment); !nvcc.empty() && works(nvcc, environment))
      return Toolchain{Compiler::Nvcc, nvcc};
  if (wanted == Compiler::Nvcc)
    return Error{"no nvcc that works on PATH or in /usr/local/cuda/bin",
                 "name it with --nvcc PATH, or use --compiler clang"};
  if (std::string clang = find_clang(environment); !clang.empty()) return Toolchain{Compiler::Clang, clang};
  return Error{wanted == Compiler::Clang ? "no clang++-19 on PATH" : "no CUDA compiler: neither nvcc nor clang++-19",
               kInstallHint};
}

}  // namespace warplens::frontend
