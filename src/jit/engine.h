// The engine: kernels in, counted results out. Translates a kernel for a block shape (and, where it pays, for its
// arguments) on first use, keeps the code in memory and on disk, and runs grids.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "event/event.h"
#include "exec/launch.h"
#include "exec/memory.h"
#include "ir/ir.h"

namespace warplens::jit {

struct EngineOptions {
  unsigned threads = 0;   // 0: all cores
  std::string cpu;        // "": this machine's; else an LLVM name such as "x86-64", "haswell", "skylake-avx512"
  std::string cache_dir;  // "": no cache on disk
  bool count = true;      // false: run without counting (bench only)
  uint32_t lanes = 0;     // 32-bit lanes computed at once: 8 or 16; 0: what the processor's vectors hold (bench only)
  bool trace = false;     // tell the sink every request of device and local memory, with its block and warp
};

class Engine {
 public:
  // A kernel of a module whose variables have addresses. `symbols[i]` is where ir::Module::symbols[i] lives.
  struct LoadedKernel;
  using KernelHandle = std::shared_ptr<LoadedKernel>;

  Engine(EngineOptions options, exec::DeviceMemory& memory);
  ~Engine();

  KernelHandle load(std::shared_ptr<const ir::Module> module, size_t kernel_index, std::vector<uint64_t> symbols);

  // Runs the whole grid and returns when it is done. `params`: the kernel's parameter buffer (ParamInfo offsets).
  // `make_sink` is called once for each worker thread that has blocks to run, from that thread, never twice at once;
  // each sink gets only its own thread's events, and is complete when launch returns. `stop` is polled: once true the
  // launch ends with FaultKind::Stopped. Never throws.
  exec::LaunchResult launch(const KernelHandle& kernel, const exec::LaunchConfig& config,
                            std::span<const uint8_t> params,
                            const std::function<event::Sink*(unsigned worker)>& make_sink,
                            const std::atomic<bool>& stop);

  unsigned threads() const;
  Status ready() const;     // an Error: no code can be made here, or not for EngineOptions::cpu
  std::string cpu() const;  // the name code is made for

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warplens::jit
