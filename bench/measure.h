// Runs a workload on both sides in turn and compares.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jit/engine.h"
#include "large_kernels.h"
#include "native_builds.h"
#include "workloads.h"

namespace warplens::bench {

struct Settings {
  std::string cpu;          // "": this machine's; else what the engine makes code for
  uint32_t lanes = 0;       // 0: the engine's own choice; 8 or 16: how many it computes at once
  std::string native_arch;  // "": every build that runs here; else only these
  std::string kernels = BENCH_FOLDER "/kernels";
  std::string cache_dir;   // for the code cache; must be empty at first
  double seconds = 0.5;    // of work a workload and mode, about
  int rounds = 11;         // at least this many pairs
  bool uncounted = false;  // measure without counting too
};

// Native and engine in pairs: the ratio is native / engine, so 2 means that the engine is twice as fast.
struct Comparison {
  double native_ns = 0, engine_ns = 0;  // medians
  double ratio = 0;                     // median of the pairs' ratios
  double low = 0, high = 0;             // quartiles of the pairs' ratios
  int pairs = 0;
};

struct Row {
  std::string name;
  std::string native;         // which C++ was the fastest
  Comparison one;             // one thread, CPU time
  Comparison all;             // all cores, wall time
  double uncounted_ns = 0;    // one thread, CPU time; 0: not measured
  double compile_ms = 0;      // PTX to code that can run, CPU time, nothing cached
  double cached_ms = 0;       // the same with the code in the cache on disk
  uint64_t instructions = 0;  // of PTX, by threads, in one launch
};

// The engine as a session uses it, with each launch watched by an observer of its own.
class EngineSide {
 public:
  // `kernels`: the folder with the PTX files.
  EngineSide(exec::DeviceMemory& memory, std::string kernels, jit::EngineOptions options)
      : kernels_(std::move(kernels)), engine_(options, memory), counted_(options.count) {}

  Status load(const Workload& workload);  // translates; code is made by the first launch
  Status load(const std::string& ptx, const std::string& name, const std::string& kernel);
  Status launch(const Workload& workload);
  void make_code(const Workload& workload);  // a launch that is stopped before its first block
  // Of the last launch: every count there is, as one number; equal counts give equal numbers.
  uint64_t counts() const { return counts_; }
  uint64_t thread_instructions() const { return instructions_; }
  uint64_t warp_instructions() const { return warp_instructions_; }
  bool from_cache() const { return from_cache_; }
  std::string cpu() const { return engine_.cpu(); }
  unsigned threads() const { return engine_.threads(); }

 private:
  std::string kernels_;
  jit::Engine engine_;
  bool counted_;
  std::shared_ptr<const ir::Module> module_;
  size_t index_ = 0;
  jit::Engine::KernelHandle handle_;
  std::atomic<bool> stop_{false};
  uint64_t counts_ = 0, instructions_ = 0, warp_instructions_ = 0;
  bool from_cache_ = false;
};

class Bench {
 public:
  Bench(exec::DeviceMemory& memory, Settings settings);
  Result<Row> run(const Workload& workload);
  Status measure(LargeKernel& kernel);
  std::string cpu() const { return one_.cpu(); }
  unsigned threads() const { return all_.threads(); }
  double start_ms() const { return start_ms_; }  // CPU time of the first kernel's code: LLVM's own start is in it

 private:
  Status fastest_native(const Workload& workload, Row& row);
  Status compile_times(const Workload& workload, Row& row);
  Status check(const Workload& workload, EngineSide& side, const char* mode);

  exec::DeviceMemory& memory_;
  Settings settings_;
  EngineSide one_, all_, uncounted_;
  NativeFunction native_ = nullptr;
  double start_ms_ = 0;
};

}  // namespace warplens::bench
