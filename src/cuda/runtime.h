// The runtime's process-wide state, the only one in Warplens: what the program registered, the session, and errors.
//
// How errors behave, as measured on an H200 (tests/api/error_semantics.h200.txt):
//   - a call's error is returned and becomes the host thread's last error; a later success does not clear it;
//   - a kernel's fault is asynchronous: the launch itself succeeds, and so do calls that only queue work; the first
//   call
//     that waits or needs the context returns it, and from then on every such call does. cudaGetLastError clears the
//     last error, not the fault;
//   - cudaDeviceReset after a fault succeeds, and the process gets cudaErrorDevicesUnavailable from then on.
// All of that is a device's own matter: the others go on.
// Launches run to their end before the call returns, which is a legal order for streams.
#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cuda/abi.h"
#include "cuda/driver/context.h"
#include "cuda/environment.h"
#include "cuda/host_queue.h"
#include "session/session.h"

namespace warplens::cuda {

// One __cudaRegisterFatBinary. Its module is read when first used.
struct Binary {
  const void* wrapper = nullptr;
  int release = 13;                           // of the runtime that the program was built for
  session::Module* module = nullptr;          // device 0's, or that of the only device
  bool has_variables = false;                 // that host code has copies of
  bool has_managed_copies = false;            // and some of these copies are the variables
  int only_device = -1;                       // where a module of the driver was loaded; -1: it is wherever it is used
  std::map<int, session::Module*> elsewhere;  // on other devices, each with variables of its own
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

struct Pool;
int current_device();  // of the calling thread: that of its context, 0 without one

// What each device has for itself.
struct Device {
  Error pending = Error::cudaSuccess;  // a fault that no call has returned yet
  Error fault = Error::cudaSuccess;    // one that has surfaced
  unsigned flags = 0;
  std::array<size_t, 7> limits = {1024, 8650752, 8388608, 0, 2048, 0, 0};  // by cudaLimit; what an H200 starts with
  std::set<int> peers;                                                     // whose memory was made accessible
  uint64_t allocated = 0;                                                  // bytes, but for variables
  Pool* default_pool = nullptr;                                            // once asked for
  Pool* pool = nullptr;                                                    // the one in use
};

// Whose an allocation is.
struct Owner {
  driver::Context* context = nullptr;
  uint64_t device_bytes = 0;  // of the device's memory
  bool is_ours = true;        // false: registered or mapped, and not given back with the context
};

class Runtime {
 public:
  static Runtime& get();  // lives until the process is gone

  // Opens the session on first use. Null if it cannot be opened (said once on stderr) or after fork() in a child.
  session::Session* session();
  // On the current device, or another.
  session::Module* module_of(Binary& binary) { return module_of(binary, current_device()); }
  session::Module* module_of(Binary& binary, int device);
  void remove_modules(Binary& binary);

  int device_count() const { return static_cast<int>(devices.size()); }
  bool is_device(int device) const { return device >= 0 && device < device_count(); }
  Device& device() { return devices[static_cast<size_t>(current_device())]; }
  Device& device(int number) { return devices[static_cast<size_t>(number)]; }
  bool any_pending() const;
  int device_of(const exec::Allocation& allocation);
  uint64_t used(int device);  // of its memory
  // Everything that becomes known at an address, and goes.
  void own(uint64_t address, const Owner& owner);
  void disown(uint64_t address);

  // What start-up code registers is noted by whoever holds the lock next (hear): libraries are opened and closed with
  // the loader's lock held, which a launch in another thread may wait for with ours, and exit() does not wait for a
  // kernel.
  void tell(std::function<void(Runtime&)> news);
  void hear();

  std::recursive_mutex mutex;
  std::set<std::unique_ptr<Binary>> binaries;
  std::unordered_map<const void*, Function> functions;
  std::unordered_map<const void*, Symbol> symbols;
  std::unordered_map<uint64_t, Owner> owners;  // by the start of the allocation, which goes with its context
  std::vector<Device> devices;
  std::set<std::string> refused;
  HostQueue host_queue;
  std::string printed;     // by kernels, and not yet on stdout
  int release = 13;        // of the binary that was registered last
  bool inherited = false;  // this process is a forked child of one that used CUDA

  // The code for a function that was never registered: releases differ.
  Error unknown_function() const {
    return release >= 13 ? Error::cudaErrorInvalidResourceHandle : Error::cudaErrorInvalidDeviceFunction;
  }
  // What a call that needs `needs` must return instead of doing its work, if anything.
  Error check(Needs needs) { return check(needs, current_device()); }
  Error check(Needs needs, int device);
  // Puts what kernels printed on the program's stdout. On a GPU it stays in a buffer until the program waits for the
  // device, and is lost if it never does.
  void show_printed();
  void say(const std::string& text);  // "warplens: text" on stderr
  // Says and records, once a function, that it is not supported; `returns`: the code that it gives back.
  // `why`: what a person can do about it, or "".
  void refuse(const std::string& function, const char* returns = "cudaErrorNotSupported", const std::string& why = "");
  void say_if_record_failed();  // once
  StopPage* stop_page() { return startup_.stop_page ? &*startup_.stop_page : nullptr; }

 private:
  Runtime();
  std::mutex news_mutex_;
  std::vector<std::function<void(Runtime&)>> news_;
  std::atomic<bool> has_news_ = false;
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

// The frame of every API function: refuses calls from host functions, and from signal handlers in the middle of a
// launch; waits for the host functions that were queued before, locks, answers for a broken context, keeps the last
// error. body(Runtime&) -> Error.
template <typename Body>
Error call(Needs needs, Body&& body) {
  if (HostQueue::inside() || LaunchInProgress::inside()) return returned(Error::cudaErrorNotPermitted);
  Runtime& runtime = Runtime::get();
  if (runtime.inherited) return returned(Error::cudaErrorInitializationError);
  if (needs != Needs::Nothing) {
    driver::enter_primary_context(runtime);
    runtime.host_queue.wait();
  }
  std::lock_guard lock(runtime.mutex);
  runtime.hear();
  Error error = runtime.check(needs);
  if (error != Error::cudaSuccess) return returned(error);
  if (needs == Needs::Queue && runtime.device().pending != Error::cudaSuccess) return error;
  return returned(body(runtime));
}

}  // namespace warplens::cuda
