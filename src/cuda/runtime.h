// The runtime's process-wide state, the only one in Warplens: what the program registered, the session, and errors.
//
// How errors behave, as measured on an H200 (tests/api/error_semantics.h200.txt):
//   - a call's error is returned and becomes the host thread's last error; a later success does not clear it;
//   - a kernel's fault is asynchronous: the launch itself succeeds, and so do calls that only queue work; the first
//   call
//     that waits or needs the context returns it, and from then on every such call does. cudaGetLastError clears the
//     last error, not the fault;
//   - cudaDeviceReset after a fault succeeds, and the process gets cudaErrorDevicesUnavailable from then on.
// Launches run to their end before the call returns, which is a legal order for streams.
#pragma once
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>

#include "cuda/abi.h"
#include "cuda/driver/context.h"
#include "cuda/environment.h"
#include "cuda/host_queue.h"
#include "session/session.h"

namespace warplens::cuda {

// One __cudaRegisterFatBinary. Its module is read when first used.
struct Binary {
  const void* wrapper = nullptr;
  int release = 13;  // of the runtime that the program was built for
  session::Module* module = nullptr;
};
// A kernel that host code knows by the address of its stub.
struct Function {
  Binary* binary = nullptr;
  std::string name;
  int max_dynamic_shared = 0;  // cudaFuncAttributeMaxDynamicSharedMemorySize; 0: the GPU's default
  int carveout = -1;           // percent of shared memory preferred, -1: none
  bool prefers_l1 = false;
  bool reported = false;  // a refusal is said once
};
// A variable that host code knows by the address of its shadow.
struct Symbol {
  Binary* binary = nullptr;
  std::string name;
  void** managed_slot = nullptr;  // where host code looks up a __managed__ variable's address
};

// What a call needs of the context, which is what decides whether a fault makes it fail.
enum class Needs : uint8_t {
  Nothing,  // answers even after a fault
  Queue,    // only queues work: succeeds without doing any until the fault has surfaced elsewhere
  Context,  // waits for, or asks, the device: the fault surfaces here
};

class Runtime {
 public:
  static Runtime& get();  // lives until the process is gone

  // Opens the session on first use. Null if it cannot be opened (said once on stderr) or after fork() in a child.
  session::Session* session();
  session::Module* module_of(Binary& binary);

  std::recursive_mutex mutex;
  std::set<std::unique_ptr<Binary>> binaries;
  std::unordered_map<const void*, Function> functions;
  std::unordered_map<const void*, Symbol> symbols;
  std::unordered_map<uint64_t, driver::Context*> owners;  // of allocations: they go with their context
  std::set<std::string> refused;
  HostQueue host_queue;
  Error pending = Error::cudaSuccess;  // a fault that no call has returned yet
  Error fault = Error::cudaSuccess;    // one that has surfaced
  int release = 13;                    // of the binary that was registered last
  bool inherited = false;              // this process is a forked child of one that used CUDA

  // The code for a function that was never registered: releases differ.
  Error unknown_function() const {
    return release >= 13 ? Error::cudaErrorInvalidResourceHandle : Error::cudaErrorInvalidDeviceFunction;
  }
  // What a call that needs `needs` must return instead of doing its work, if anything.
  Error check(Needs needs);
  void say(const std::string& text);  // "warplens: text" on stderr
  // Says and records, once a function, that it is not supported; `returns`: the code that it gives back.
  // `why`: what a person can do about it, or "".
  void refuse(const std::string& function, const char* returns = "cudaErrorNotSupported", const std::string& why = "");
  void say_if_record_failed();  // once
  StopPage* stop_page() { return startup_.stop_page ? &*startup_.stop_page : nullptr; }

 private:
  Runtime();
  Startup startup_;
  std::unique_ptr<session::Session> session_;
  bool opened_ = false;
  bool record_failed_ = false;
};

extern thread_local Error last_error;

inline Error returned(Error error) {
  if (error != Error::cudaSuccess) last_error = error;
  return error;
}

// The frame of every API function: refuses calls from host functions, waits for those that were queued before, locks,
// answers for a broken context, keeps the last error. body(Runtime&) -> Error.
template <typename Body>
Error call(Needs needs, Body&& body) {
  if (HostQueue::inside()) return returned(Error::cudaErrorNotPermitted);
  Runtime& runtime = Runtime::get();
  if (needs != Needs::Nothing) {
    driver::enter_primary_context(runtime);
    runtime.host_queue.wait();
  }
  std::lock_guard lock(runtime.mutex);
  Error error = runtime.check(needs);
  if (error != Error::cudaSuccess) return returned(error);
  if (needs == Needs::Queue && runtime.pending != Error::cudaSuccess) return error;
  return returned(body(runtime));
}

}  // namespace warplens::cuda
