// What a result depends on besides the code.
#pragma once
#include <string>
#include <vector>

namespace warplens::bench {

struct Machine {
  std::string cpu;       // "AMD EPYC 9654 96-Core Processor"
  std::string vector;    // "avx512", "avx2" or "sse2"
  unsigned cores = 0;    // that this process may use
  std::string kernel;    // "Linux 6.1.0"
  std::string compiler;  // of Warplens itself
  std::string llvm;      // that makes the engine's code
  double load = 0;       // average of the last minute when the run began
};

Machine this_machine();

// Whether code made with -march=`arch` runs here. True for "native": the builder's word is taken for it.
bool can_run(const std::string& arch);

std::string today();  // "2026-01-31"

}  // namespace warplens::bench
