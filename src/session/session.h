// One run of one program, inside its process: device memory, the modules it registers, the engine, and the record of
// every launch. The CUDA runtime (src/cuda) is the caller; nothing here knows an error code of CUDA's or keeps global
// state.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/environment.h"
#include "base/result.h"
#include "exec/launch.h"
#include "exec/memory.h"
#include "ir/ir.h"
#include "model/gpu_spec.h"
#include "report/spool.h"

namespace warplens::session {

struct Options {
  std::string gpu = "h200";   // a name in data/gpus, or a path to a .toml
  unsigned gpus = 1;          // how many of it; all share one address space
  unsigned threads = 0;       // 0: all cores
  std::string cpu;            // "": this machine's
  bool caches = false;        // model L1, L2 and DRAM
  std::string cache_dir;      // "": compiled code is not kept on disk
  bool machine_code = false;  // kernels run as machine code where that can be had
  std::string ptxas;          // which to make it with; "": one that is found
  Environment environment;    // where that is looked for
  // Where records go; null: nothing is recorded.
  std::shared_ptr<report::SpoolWriter> spool;
  // When true, the launch that runs ends with FaultKind::Stopped; null: it never is.
  std::atomic<bool>* stop = nullptr;
  std::vector<std::string> command;  // the program and its arguments, for the record
};

// What stopped a launch before it began, or ended it. The runtime turns these into CUDA's codes.
enum class Outcome : uint8_t {
  Ok,
  InvalidConfiguration,  // a zero or too large dimension, more threads a block than the GPU has
  InvalidValue,          // more shared memory than the kernel may have
  OutOfResources,        // more threads than the kernel's own limit (.maxntid, .reqntid)
  TooManyRegisters,      // more than a block can have
  NoKernelImage,         // the module holds no PTX (machine code alone), or PTX that does not parse
  NoSuchKernel,          // PTX is there, the kernel is not
  Fault,                 // the kernel failed; LaunchReport::fault says how
};
struct LaunchReport {
  Outcome outcome = Outcome::Ok;
  std::string message;  // one sentence for a person; "" when Ok
  std::optional<exec::Fault> fault;
  std::string printed = "";  // by the kernel's printf: the program's output, due when it next waits for the device
};

// PTX, and what messages call it.
struct PtxText {
  std::string text, name;
};

// One fat binary, or a .ptx text: kernels and variables that see each other by name. Read when first used, not when
// added.
class Module;

struct KernelInfo {
  const ir::Kernel* kernel = nullptr;  // parameters, static shared memory, limits
  uint64_t const_bytes = 0;            // of all __constant__ variables of its module
  std::string target;                  // "sm_80": what its PTX was made for
};

struct Variable {
  uint64_t address = 0;
  uint64_t bytes = 0;
};

bool knows_processor(const std::string& name);  // of Options::cpu

class Session {
 public:
  // Error: an unknown GPU.
  static Result<std::unique_ptr<Session>> open(Options options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // `wrapper`: what nvcc and clang pass to __cudaRegisterFatBinary (ptx/fatbin.h). It must outlive the module.
  // `origin`: the file that holds it, for messages. `host_copies`: where the program has its copies of variables, by
  // name; a managed one lies there.
  Module* add_fatbin(const void* wrapper, std::string origin, std::map<std::string, uint64_t> host_copies = {});
  // Several texts are joined by name, as the pieces of one program.
  Module* add_ptx(std::vector<PtxText> texts, std::string origin, unsigned device = 0);
  // The same code on another device: it has variables of its own, but for __managed__ ones. `original` must outlive it.
  Module* add_for_device(Module& original, unsigned device);
  void remove(Module* module);

  // Reads the module now. Text that is no PTX, and calls of functions that are nowhere, are an Error only here:
  // elsewhere what can be read of it is used.
  Status read(Module& module);
  // What was wrong with it, once read.
  const Diagnostics& diagnostics(const Module& module) const;
  std::vector<std::string> kernels(const Module& module) const;  // once read; their names
  // What is known of a kernel, or why there is none. `outcome`, if given, gets NoKernelImage or NoSuchKernel.
  Result<KernelInfo> kernel(Module& module, std::string_view name, Outcome* outcome = nullptr);
  // A __device__, __constant__ or __managed__ variable; initialised when its module is read.
  Result<Variable> variable(Module& module, std::string_view name);

  // Runs the grid to its end. `params`: the parameter buffer, Kernel::params offsets. `dynamic_shared_limit`: what
  // cudaFuncAttributeMaxDynamicSharedMemorySize allows, 0: the GPU's default. A finished or failed launch is in the
  // spool when this returns.
  LaunchReport launch(Module& module, std::string_view kernel, const exec::LaunchConfig& config,
                      std::span<const uint8_t> params, uint32_t dynamic_shared_limit = 0);

  // Records that the program called an API function that Warplens refuses. `hint`: what to do about it, or "".
  void record_refused(std::string_view function, std::string_view hint = "");

  // Records that the program called a function of a library that is computed without being observed.
  void record_not_observed(std::string_view library, std::string_view function);

  void record_error(std::string_view text);   // what else the program must be told
  void record_remark(std::string_view text);  // what a reader of the report must know

  bool recording() const;      // there is a spool
  bool record_failed() const;  // and something could not be written to it
  const model::GpuSpec& gpu() const;
  exec::DeviceMemory& memory();  // of all devices; how much of it one may have is for the caller to say
  uint64_t memory_per_device() const;
  // The device that has a variable of a module there, and how much all of them take of one.
  std::optional<unsigned> device_of_variable(uint64_t address) const;
  uint64_t variable_bytes(unsigned device) const;

 private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace warplens::session
