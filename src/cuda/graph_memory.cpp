// Memory that a graph allocates and frees: its addresses are there as long as the node is, and memory is behind them
// from the node that allocates to the one that frees, or to a call that does. An access at another time is a fault.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "cuda/graph.h"
#include "cuda/runtime.h"
#include "cuda/served.h"

namespace warplens::cuda {

struct GraphMemory {
  uint64_t address = 0;
  size_t bytes = 0, mapped = 0;
  int device = 0;
  bool allocated = false;
  ~GraphMemory() { munmap(reinterpret_cast<void*>(address), mapped); }
};

namespace {

// What is allocated now: that outlives its graph.
std::map<uint64_t, std::shared_ptr<GraphMemory>>& allocated() {
  static auto* all = new std::map<uint64_t, std::shared_ptr<GraphMemory>>;
  return *all;
}

struct Use {
  uint64_t now = 0, most = 0;
};
Use& use_of(int device) {
  static auto* all = new std::map<int, Use>;
  return (*all)[device];
}

enum MemoryAttribute : int { kUsed, kUsedHigh, kReserved, kReservedHigh };  // cudaGraphMemAttributeType

}  // namespace

std::shared_ptr<GraphMemory> reserve_graph_memory(size_t bytes, int device) {
  constexpr size_t kPage = 4096, kGuard = 4096;
  size_t mapped = (bytes + kPage - 1) / kPage * kPage + kGuard;
  if (mapped < bytes) return nullptr;
  void* at = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  auto memory = std::make_shared<GraphMemory>();
  memory->address = reinterpret_cast<uint64_t>(at);
  memory->bytes = bytes;
  memory->mapped = mapped;
  memory->device = device;
  return memory;
}

void* address_of(const GraphMemory& memory) { return reinterpret_cast<void*>(memory.address); }
bool is_allocated(const GraphMemory& memory) { return memory.allocated; }
bool is_graph_memory(uint64_t address) { return allocated().contains(address); }

Error allocate_graph_memory(Runtime& runtime, const std::shared_ptr<GraphMemory>& memory) {
  if (memory->allocated) return Error::cudaErrorInvalidValue;
  uint64_t most = runtime.session()->memory_per_device(), used = runtime.used(memory->device);
  if (used > most || memory->bytes > most - used) return Error::cudaErrorMemoryAllocation;
  if (mprotect(address_of(*memory), memory->mapped, PROT_READ | PROT_WRITE)) return Error::cudaErrorMemoryAllocation;
  memory->allocated = true;
  runtime.session()->memory().adopt(memory->address, memory->bytes, exec::Allocation::Kind::Device);
  runtime.own(memory->address, {driver::primary_context(memory->device), memory->bytes, false});
  allocated()[memory->address] = memory;
  Use& use = use_of(memory->device);
  use.now += memory->bytes;
  use.most = std::max(use.most, use.now);
  return Error::cudaSuccess;
}

bool free_graph_memory(Runtime& runtime, uint64_t address) {
  auto found = allocated().find(address);
  if (found == allocated().end()) return false;
  std::shared_ptr<GraphMemory> memory = found->second;
  allocated().erase(found);
  memory->allocated = false;
  runtime.session()->memory().forget(address);
  runtime.disown(address);
  use_of(memory->device).now -= memory->bytes;
  madvise(address_of(*memory), memory->mapped, MADV_DONTNEED);
  mprotect(address_of(*memory), memory->mapped, PROT_NONE);
  return true;
}

// Nothing is kept in reserve: what is reserved is what is used.
WL_API wl_cudaDeviceGetGraphMemAttribute(int device, int attribute, void* out) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!r.is_device(device)) return Error::cudaErrorInvalidDevice;
    if (!out || attribute < kUsed || attribute > kReservedHigh) return Error::cudaErrorInvalidValue;
    const Use& use = use_of(device);
    uint64_t value = attribute == kUsed || attribute == kReserved ? use.now : use.most;
    memcpy(out, &value, sizeof value);
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaDeviceSetGraphMemAttribute(int device, int attribute, void* value) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!r.is_device(device)) return Error::cudaErrorInvalidDevice;
    uint64_t zero = 0;
    bool resets = value && memcmp(value, &zero, sizeof zero) == 0;
    if (!resets || (attribute != kUsedHigh && attribute != kReservedHigh)) return Error::cudaErrorInvalidValue;
    use_of(device).most = use_of(device).now;
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaDeviceGraphMemTrim(int device) {
  return call(Needs::Context,
              [&](Runtime& r) { return r.is_device(device) ? Error::cudaSuccess : Error::cudaErrorInvalidDevice; });
}

}  // namespace warplens::cuda
