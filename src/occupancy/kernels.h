// What the kernels of a file take of an SM, read from their machine code.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "model/occupancy.h"

namespace warplens::occupancy {

struct Kernel {
  std::string name, demangled;  // "": figures alone, of no kernel
  uint32_t registers = 0;       // of a thread; 0: not known
  uint64_t static_shared_bytes = 0;
  uint32_t barriers = 0;
  uint32_t most_threads = model::kMaxThreadsPerBlock;  // of a block, as __launch_bounds__ says
  bool exactly = false;                                // .reqntid: no other size
};

struct KernelList {
  std::vector<Kernel> kernels;
  std::string code;  // where it is from: "machine code in it", "machine code made by ptxas 13.0.88"
};

struct CodeOptions {
  uint32_t sm = 90;                 // 10 * compute capability
  std::string ptxas;                // "": one that is found
  std::filesystem::path cache_dir;  // for what it makes; "": nothing is kept
};

// Of a program, library, object, .ptx, .cubin or .fatbin: machine code for the GPU that is in it, else what a ptxas
// makes of its PTX. Error: there is neither, or the file is none of these.
Result<KernelList> kernels_of(const std::filesystem::path& file, const CodeOptions& options,
                              const Environment& environment);

}  // namespace warplens::occupancy
