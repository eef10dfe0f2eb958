// The launches that are measured: a kernel, its data, the same work in C++, and what the output must be.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "exec/launch.h"
#include "exec/memory.h"
#include "native.h"

namespace warplens::bench {

struct Workload {
  std::string name;  // "matmul 512 (32x8)"
  std::string file;  // kernels/<file>.ptx
  std::string kernel;
  exec::LaunchConfig config;
  std::vector<uint8_t> params;
  Job job;                             // for C++; writes to arrays of its own
  std::vector<const char*> native;     // names in native.cpp; the fastest counts
  int size = 0, grain = 1;             // job's range, and what it may be split by
  std::function<void()> clear;         // overwrites the outputs, so that a run that wrote nothing cannot pass
  std::function<std::string()> check;  // after both sides ran: "" or what is wrong with the kernel's output
};

// All data lies in `memory`, C++'s too, so that both sides see the same pages. Deterministic.
std::vector<Workload> make_workloads(exec::DeviceMemory& memory);
Workload make_empty();  // one block that does nothing

}  // namespace warplens::bench
