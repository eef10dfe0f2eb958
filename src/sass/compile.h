// PTX to machine code with NVIDIA's assembler, ptxas, where a machine has one; what it made before is kept on disk.
#pragma once
#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"

namespace warplens::sass {

struct Ptxas {
  std::string path;
  std::string version;   // "13.0.88"
  std::string identity;  // all that it says of itself
};

// The one at `path`; "": the first of toolkit_programs() that says that it is NVIDIA's (ours, of src/ptxas, does not).
Result<Ptxas> find_ptxas(const std::string& path, const Environment& environment);

struct AssembleRequest {
  std::vector<std::string> texts;          // PTX; several: of one -rdc program, to be linked by the nvlink beside ptxas
  uint32_t sm = 90;                        // of the GPU; a text for sm_90a is assembled for sm_90a
  std::vector<std::string> options = {};   // for ptxas, besides -arch and -lineinfo
  std::filesystem::path cache_dir = {};    // "": nothing is kept
  std::chrono::milliseconds limit{60000};  // for each tool that runs
};

struct Assembled {
  std::string cubin;
  bool from_cache = false;
  double seconds = 0;  // of the tools and the reading
};

// Errors: what the tools say; that they are too old for the PTX or the GPU; that the time was over.
Result<Assembled> assemble(const Ptxas& ptxas, const AssembleRequest& request, const Environment& environment);

}  // namespace warplens::sass
