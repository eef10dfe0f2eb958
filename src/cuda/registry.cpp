// What nvcc and clang put into a program's start-up code: which fat binaries, kernels and variables it has. Only noted
// here; PTX is read when the first kernel or variable of its binary is used.
#include <algorithm>
#include <string_view>

#include "cuda/runtime.h"
#include "ptx/fatbin.h"

#define WL_VOID extern "C" __attribute__((visibility("default"))) void

namespace warplens::cuda {

namespace {

void** add_binary(void* wrapper, int release) {
  auto* binary = new Binary;
  binary->wrapper = wrapper;
  binary->release = release;
  Runtime::get().tell([=](Runtime& runtime) {
    runtime.release = release;
    runtime.binaries.insert(std::unique_ptr<Binary>(binary));
  });
  return reinterpret_cast<void**>(binary);
}

void forget(Runtime& runtime, Binary* binary) {
  auto owner = runtime.binaries.begin();
  while (owner != runtime.binaries.end() && owner->get() != binary) ++owner;
  if (owner == runtime.binaries.end()) return;
  std::erase_if(runtime.functions, [&](const auto& entry) { return entry.second.binary == binary; });
  std::erase_if(runtime.symbols, [&](const auto& entry) { return entry.second.binary == binary; });
  runtime.remove_modules(*binary);
  runtime.binaries.erase(owner);
}

void add_symbol(const void* host, Symbol symbol) {
  symbol.binary->has_variables |= !symbol.managed_slot;
  Runtime::get().tell([=](Runtime& runtime) { runtime.symbols[host] = symbol; });
}

// What `warplens cc` made of the program has the mark in its PTX as it is stored there, not compressed.
bool has_managed_variables(const Binary& binary) {
  const auto containers = ptx::read_registered(binary.wrapper);
  if (!containers) return false;  // said when it is used
  const auto is_marked = [](const ptx::Image& image) {
    const std::string_view text(reinterpret_cast<const char*>(image.stored.data()), image.stored.size());
    return image.kind == ptx::ImageKind::Ptx && image.compression == ptx::Compression::None &&
           text.find(".attribute(.managed)") != text.npos;
  };
  return std::ranges::any_of(
      *containers, [&](const ptx::Container& container) { return std::ranges::any_of(container.images, is_marked); });
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
// itself, and has to have its value from the start.
WL_VOID wl___cudaRegisterFatBinaryEnd(void** handle) {
  auto* binary = reinterpret_cast<Binary*>(handle);
  if (!binary->has_variables || !has_managed_variables(*binary)) return;
  binary->has_managed_copies = true;
  Runtime& runtime = Runtime::get();
  runtime.tell([=](Runtime& r) {
    if (r.session()) (void)r.session()->read(*r.module_of(*binary, 0));
  });
  if (std::unique_lock lock(runtime.mutex, std::try_to_lock); lock) runtime.hear();
}

WL_VOID wl___cudaUnregisterFatBinary(void** handle) {
  Runtime::get().tell([=](Runtime& runtime) { forget(runtime, reinterpret_cast<Binary*>(handle)); });
}

WL_VOID wl___cudaRegisterFunction(void** handle, const char* host, char* device, const char* name, int thread_limit,
                                  void* tid, void* bid, dim3* block, dim3* grid, int* warp_size) {
  Function function{reinterpret_cast<Binary*>(handle), name};
  Runtime::get().tell([=](Runtime& runtime) { runtime.functions[host] = function; });
}

WL_VOID wl___cudaRegisterVar(void** handle, char* host, char* device, const char* name, int external, size_t size,
                             int constant, int global) {
  add_symbol(host, {reinterpret_cast<Binary*>(handle), name});
}

WL_VOID wl___cudaRegisterManagedVar(void** handle, void** slot, char* device, const char* name, int external,
                                    size_t size, int constant, int global) {
  add_symbol(slot, {reinterpret_cast<Binary*>(handle), name, slot});
}

// Called before host code first touches a managed variable, and again and again: gives each of the binary's its
// address.
extern "C" __attribute__((visibility("default"))) char wl___cudaInitModule(void** handle) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  runtime.hear();
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
