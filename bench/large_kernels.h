// Kernels far larger than those of kernels/, made here: what their code costs to make, and how fast it then runs.
#pragma once
#include <string>
#include <vector>

namespace warplens::bench {

struct LargeKernel {
  std::string name;
  std::string ptx;       // one kernel "large"(out), to be launched with one warp
  int instructions = 0;  // of PTX
  double seconds = 0;    // PTX to code that can run, CPU time
  double ns = 0;         // of a launch, per PTX instruction that the warp executed
};

// In families, from small to large: divergent branches one after the other, and one straight line of FMAs.
std::vector<LargeKernel> make_large_kernels();

std::string large_markdown(const std::vector<LargeKernel>& kernels);

}  // namespace warplens::bench
