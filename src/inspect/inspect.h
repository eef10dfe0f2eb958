// What is in a file, as far as it matters for running it: device code, kernels, source lines, and the way to CUDA.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "inspect/linkage.h"

namespace warplens::inspect {

struct Kernel {
  std::string name, demangled;
  uint32_t parameters = 0;
  bool has_lines = false;            // .loc in it: the compiler was told to keep source lines
  std::vector<std::string> refused;  // opcodes in it that Warplens does not execute
};

struct Ptx {
  std::string target;  // ".target" of the text: "sm_80"
  int version_major = 0, version_minor = 0;
  std::string source;   // file name, where the container has one
  uint64_t bytes = 0;   // of text
  uint32_t errors = 0;  // that a reader of it reports
  std::string first_error;
  uint32_t functions = 0;  // device functions with a body
  std::vector<Kernel> kernels;
};

struct MachineCode {
  uint32_t sm = 0;
  uint64_t bytes = 0;
  std::vector<std::string> functions;  // in it, where no PTX of its unit says so
};

// What one translation unit brings, or one module.
struct Unit {
  std::string origin;  // ".nv_fatbin", "PTX text", "a.o in libx.a"
  bool relocatable = false;
  std::vector<Ptx> ptx;
  int chosen = -1;  // of `ptx`: what would run; -1 if there is none
  std::vector<MachineCode> machine_code;
};

struct Remark {
  bool prevents = false;  // it keeps the file, or part of it, from running
  std::string what, hint;
  uint64_t count = 1;  // of units that it is true of
};

struct Inspection {
  std::string path;
  std::string kind;  // "program", "library", "object file", "static library", "fat binary", "cubin", "PTX", "script"
  bool is_elf = false;
  Linkage linkage;  // of an ELF file
  std::vector<Unit> units;
  std::vector<Remark> remarks;
  bool runs() const;
};

// An Error: it cannot be read, or is nothing of that kind.
Result<Inspection> inspect(const std::filesystem::path& path, std::span<const elf::RuntimeTable> tables);
Result<Inspection> inspect(elf::Bytes bytes, const std::string& path, std::span<const elf::RuntimeTable> tables);

}  // namespace warplens::inspect
