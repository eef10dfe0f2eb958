// What nvcc and clang put into a program's start-up code: which fat binaries, kernels and variables it has. Only noted
// here; PTX is read when the first kernel or variable of its binary is used.
#include <algorithm>
#include <string_view>

#include "cuda/runtime.h"
#include "ptx/fatbin.h"

#define WL_VOID extern "C" __attribute__((visibility("default"))) void

namespace warplens::cuda {

namespace {

void forget(Runtime& runtime, Binary* binary) {
  auto owner = runtime.binaries.begin();
  while (owner != runtime.binaries.end() && owner->get() != binary) ++owner;
  if (owner == runtime.binaries.end()) return;
  std::erase_if(runtime.functions, [&](const auto& entry) { return entry.second.binary == binary; });
  std::erase_if(runtime.symbols, [&](const auto& entry) { return entry.second.binary == binary; });
  runtime.remove_modules(*binary);
  runtime.binaries.erase(owner);
}

// With the runtime's lock held. A kernel of this very thread, which a signal has interrupted, may need any of them.
void forget_what_left(Runtime& runtime) {
  if (LaunchInProgress::inside()) return;
  std::lock_guard lock(runtime.left_mutex);
  for (Binary* binary : runtime.left) forget(runtime, binary);
  runtime.left.clear();
}

void** add_binary(void* wrapper, int release) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  forget_what_left(runtime);
  runtime.release = release;
  auto binary = std::make_unique<Binary>();
  binary->wrapper = wrapper;
  binary->release = release;
  return reinterpret_cast<void**>(runtime.binaries.insert(std::move(binary)).first->get());
}

}  // namespace

#define WL_REGISTER(release)                                                                                \
  extern "C" __attribute__((visibility("default"))) void** wl___cudaRegisterFatBinary_v##release(void* w) { \
    return add_binary(w, release);                                                                          \
  }
WL_REGISTER(11)
WL_REGISTER(12)
WL_REGISTER(13)

// What `warplens cc` makes of a __managed__ variable is one that host code does not ask for: its copy is the variable
// itself, and has to have its value from the start. The mark is looked for in PTX as it is stored there, not
// compressed.
WL_VOID wl___cudaRegisterFatBinaryEnd(void** handle) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  auto* binary = reinterpret_cast<Binary*>(handle);
  if (std::none_of(runtime.symbols.begin(), runtime.symbols.end(),
                   [&](const auto& entry) { return entry.second.binary == binary && !entry.second.managed_slot; }))
    return;
  const auto containers = ptx::read_registered(binary->wrapper);
  if (!containers) return;  // said when it is used
  const auto has_managed = [](const ptx::Image& image) {
    const std::string_view text(reinterpret_cast<const char*>(image.stored.data()), image.stored.size());
    return image.kind == ptx::ImageKind::Ptx && text.find(".attribute(.managed)") != text.npos;
  };
  for (const ptx::Container& container : *containers) {
    if (std::none_of(container.images.begin(), container.images.end(), has_managed)) continue;
    if (runtime.session()) (void)runtime.session()->read(*runtime.module_of(*binary, 0));
    return;
  }
}

// exit() comes here, perhaps while a kernel runs that never ends; whoever runs it holds the lock. So nothing waits
// here: what cannot be forgotten now is before the next binary comes, which may have its addresses.
WL_VOID wl___cudaUnregisterFatBinary(void** handle) {
  Runtime& runtime = Runtime::get();
  {
    std::lock_guard lock(runtime.left_mutex);
    runtime.left.push_back(reinterpret_cast<Binary*>(handle));
  }
  if (std::unique_lock lock(runtime.mutex, std::try_to_lock); lock) forget_what_left(runtime);
}

WL_VOID wl___cudaRegisterFunction(void** handle, const char* host, char* device, const char* name, int thread_limit,
                                  void* tid, void* bid, dim3* block, dim3* grid, int* warp_size) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  runtime.functions[host] = Function{reinterpret_cast<Binary*>(handle), name};
}

WL_VOID wl___cudaRegisterVar(void** handle, char* host, char* device, const char* name, int external, size_t size,
                             int constant, int global) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  runtime.symbols[host] = Symbol{reinterpret_cast<Binary*>(handle), name};
}

WL_VOID wl___cudaRegisterManagedVar(void** handle, void** slot, char* device, const char* name, int external,
                                    size_t size, int constant, int global) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  runtime.symbols[slot] = Symbol{reinterpret_cast<Binary*>(handle), name, slot};
}

// Called before host code first touches a managed variable, and again and again: gives each of the binary's its
// address.
extern "C" __attribute__((visibility("default"))) char wl___cudaInitModule(void** handle) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  auto* binary = reinterpret_cast<Binary*>(handle);
  if (!runtime.session()) return 0;
  for (auto& [host, symbol] : runtime.symbols) {
    if (symbol.binary != binary || !symbol.managed_slot || *symbol.managed_slot) continue;
    auto variable = runtime.session()->variable(*runtime.module_of(*binary, 0), symbol.name);
    if (variable) *symbol.managed_slot = reinterpret_cast<void*>(variable->address);
  }
  return 1;
}

// Texture and surface references (gone in CUDA 12) are noted by nobody: a kernel that uses one is refused when it runs.
WL_VOID wl___cudaRegisterTexture() {}
WL_VOID wl___cudaRegisterSurface() {}
WL_VOID wl___cudaRegisterHostVar() {}

}  // namespace warplens::cuda
