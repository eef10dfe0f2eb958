// Physical memory and addresses apart: a reservation is addresses without memory, a handle is memory without an
// address, and mapping joins the two. Memory is a file in RAM, so that it can be mapped twice; what may be accessed is
// known to the engine like memory of the host's that was registered.
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <memory>

#include "cuda/driver/driver.h"

namespace warplens::cuda::driver {
namespace {

constexpr size_t kGranularity = 2 << 20;  // an H200's, least and recommended

struct Physical {
  AllocationProperties properties;
  size_t bytes = 0;
  int file = -1;
  int references = 1;  // of the program; each mapping holds it too, as a shared pointer
  ~Physical() {
    if (file >= 0) close(file);
  }
};
using Handle = unsigned long long;

struct Mapping {
  size_t bytes = 0;
  Handle handle = 0;
  std::shared_ptr<Physical> memory;
  bool accessible = false;
};

// Under Runtime::mutex.
struct State {
  std::map<Handle, std::shared_ptr<Physical>> handles;
  std::map<DevicePointer, size_t> reserved;
  std::map<DevicePointer, Mapping> mapped;
  Handle last_handle = 0;
};
State& state() {
  static auto* one = new State;
  return *one;
}

void* pointer(DevicePointer address) { return reinterpret_cast<void*>(address); }
bool is_whole(size_t bytes) { return bytes > 0 && bytes % kGranularity == 0; }
bool is_on_device(const Location& location) { return location.type == 1 && Runtime::get().is_device(location.id); }

bool is_reserved(DevicePointer address, size_t bytes) {
  auto after = state().reserved.upper_bound(address);
  if (after == state().reserved.begin()) return false;
  auto [start, size] = *std::prev(after);
  return address - start < size && bytes <= size - (address - start);
}

bool is_free(DevicePointer address, size_t bytes) {
  auto after = state().mapped.lower_bound(address + bytes);
  if (after == state().mapped.begin()) return true;
  auto& [start, mapping] = *std::prev(after);
  return start + mapping.bytes <= address;
}

// The mappings that make up the range exactly; empty: it cuts one, or has a hole.
std::vector<DevicePointer> mappings_of(DevicePointer address, size_t bytes) {
  std::vector<DevicePointer> out;
  DevicePointer end = address + bytes;
  for (auto at = state().mapped.find(address); address < end; at = state().mapped.find(address)) {
    if (at == state().mapped.end()) return {};
    out.push_back(address);
    address += at->second.bytes;
  }
  return address == end ? out : std::vector<DevicePointer>{};
}

void make_inaccessible(Runtime& runtime, DevicePointer address, const Mapping& mapping) {
  if (mapping.accessible) {
    runtime.session()->memory().forget(address);
    runtime.disown(address);
  }
  mmap(pointer(address), mapping.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

CuResult reserve(DevicePointer* out, size_t bytes, size_t alignment, DevicePointer wanted) {
  if (alignment < kGranularity) alignment = kGranularity;
  // More than asked for, so that an aligned start is in it; the rest is given back.
  size_t room = bytes + alignment;
  void* at = mmap(pointer(wanted), room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return CuResult::CUDA_ERROR_OUT_OF_MEMORY;
  auto start = reinterpret_cast<DevicePointer>(at);
  DevicePointer aligned = (start + alignment - 1) / alignment * alignment;
  if (aligned > start) munmap(at, aligned - start);
  munmap(pointer(aligned + bytes), start + room - aligned - bytes);
  state().reserved.emplace(aligned, bytes);
  *out = aligned;
  return CuResult::CUDA_SUCCESS;
}

CuResult create(Runtime& runtime, Handle* out, size_t bytes, const AllocationProperties& properties) {
  uint64_t most = runtime.session()->memory_per_device(), used = runtime.used(properties.location.id);
  if (used > most || bytes > most - used) {
    return CuResult::CUDA_ERROR_OUT_OF_MEMORY;
  }
  auto physical = std::make_shared<Physical>();
  physical->properties = properties;
  physical->bytes = bytes;
  physical->file = memfd_create("warplens", MFD_CLOEXEC);
  if (physical->file < 0 || ftruncate(physical->file, static_cast<off_t>(bytes)) != 0) {
    return CuResult::CUDA_ERROR_OUT_OF_MEMORY;
  }
  *out = ++state().last_handle;
  state().handles.emplace(*out, std::move(physical));
  return CuResult::CUDA_SUCCESS;
}

CuResult make_accessible(Runtime& runtime, DevicePointer address, Mapping& mapping, int flags) {
  constexpr int kRead = 1, kReadWrite = 3;  // CU_MEM_ACCESS_FLAGS_PROT_...
  if (flags == 0) {
    make_inaccessible(runtime, address, mapping);
    mapping.accessible = false;
    return CuResult::CUDA_SUCCESS;
  }
  if (flags != kRead && flags != kReadWrite) return CuResult::CUDA_ERROR_INVALID_VALUE;
  int protection = flags == kRead ? PROT_READ : PROT_READ | PROT_WRITE;
  void* at = mmap(pointer(address), mapping.bytes, protection, MAP_SHARED | MAP_FIXED, mapping.memory->file, 0);
  if (at == MAP_FAILED) return CuResult::CUDA_ERROR_OUT_OF_MEMORY;
  mapping.accessible = true;
  runtime.session()->memory().adopt(address, mapping.bytes, exec::Allocation::Kind::Device);
  runtime.own(address, {primary_context(mapping.memory->properties.location.id), 0, false});
  return CuResult::CUDA_SUCCESS;
}

}  // namespace

WL_DRIVER_API wl_cuMemGetAllocationGranularity(size_t* out, const AllocationProperties* properties, int option) {
  return serve(Needs::Nothing, [&](Runtime&) {
    if (!out || !properties || option < 0 || option > 1) return CuResult::CUDA_ERROR_INVALID_VALUE;
    *out = kGranularity;
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuMemAddressReserve(DevicePointer* out, size_t bytes, size_t alignment, DevicePointer wanted,
                                     unsigned long long flags) {
  return serve(Needs::Context, [&](Runtime&) {
    bool power = (alignment & (alignment - 1)) == 0;
    if (!out || !is_whole(bytes) || !power || flags) return CuResult::CUDA_ERROR_INVALID_VALUE;
    return reserve(out, bytes, alignment, wanted);
  });
}
WL_DRIVER_API wl_cuMemAddressFree(DevicePointer address, size_t bytes) {
  return serve(Needs::Context, [&](Runtime&) {
    auto found = state().reserved.find(address);
    if (found == state().reserved.end() || found->second != bytes || !is_free(address, bytes)) {
      return CuResult::CUDA_ERROR_INVALID_VALUE;
    }
    munmap(pointer(address), bytes);
    state().reserved.erase(found);
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuMemCreate(Handle* out, size_t bytes, const AllocationProperties* properties,
                             unsigned long long flags) {
  constexpr int kPinned = 1;  // CU_MEM_ALLOCATION_TYPE_PINNED
  return serve(Needs::Context, [&](Runtime& r) {
    if (!out || !properties || !is_whole(bytes) || flags) return CuResult::CUDA_ERROR_INVALID_VALUE;
    if (properties->type != kPinned || !is_on_device(properties->location)) return CuResult::CUDA_ERROR_INVALID_VALUE;
    return create(r, out, bytes, *properties);
  });
}
WL_DRIVER_API wl_cuMemRelease(Handle handle) {
  return serve(Needs::Nothing, [&](Runtime&) {
    auto found = state().handles.find(handle);
    if (found == state().handles.end()) return CuResult::CUDA_ERROR_INVALID_VALUE;
    if (--found->second->references == 0) state().handles.erase(found);
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuMemMap(DevicePointer address, size_t bytes, size_t offset, Handle handle, unsigned long long flags) {
  return serve(Needs::Context, [&](Runtime&) {
    if (offset) return CuResult::CUDA_ERROR_NOT_SUPPORTED;  // as on a GPU
    auto found = state().handles.find(handle);
    if (found == state().handles.end() || flags || !is_whole(bytes) || address % kGranularity) {
      return CuResult::CUDA_ERROR_INVALID_VALUE;
    }
    if (bytes > found->second->bytes || !is_reserved(address, bytes) || !is_free(address, bytes)) {
      return CuResult::CUDA_ERROR_INVALID_VALUE;
    }
    state().mapped.emplace(address, Mapping{bytes, handle, found->second, false});
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuMemUnmap(DevicePointer address, size_t bytes) {
  return serve(Needs::Context, [&](Runtime& r) {
    if (!is_whole(bytes) || !is_reserved(address, bytes)) return CuResult::CUDA_ERROR_INVALID_VALUE;
    if (is_free(address, bytes)) return CuResult::CUDA_SUCCESS;
    std::vector<DevicePointer> all = mappings_of(address, bytes);
    if (all.empty()) return CuResult::CUDA_ERROR_INVALID_VALUE;
    for (DevicePointer each : all) {
      make_inaccessible(r, each, state().mapped.at(each));
      state().mapped.erase(each);
    }
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuMemSetAccess(DevicePointer address, size_t bytes, const AccessDescription* all, size_t count) {
  return serve(Needs::Context, [&](Runtime& r) {
    std::vector<DevicePointer> mappings = mappings_of(address, bytes);
    if (!all || !count || mappings.empty()) return CuResult::CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
      if (!is_on_device(all[i].location)) continue;  // the host's access is not restricted here
      for (DevicePointer each : mappings) {
        CuResult result = make_accessible(r, each, state().mapped.at(each), all[i].flags);
        if (result != CuResult::CUDA_SUCCESS) return result;
      }
    }
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuMemGetAccess(unsigned long long* out, const Location* location, DevicePointer address) {
  return serve(Needs::Nothing, [&](Runtime&) {
    if (!out || !location || !is_on_device(*location)) return CuResult::CUDA_ERROR_INVALID_VALUE;
    auto after = state().mapped.upper_bound(address);
    if (after == state().mapped.begin()) return CuResult::CUDA_ERROR_INVALID_VALUE;
    const auto& [start, mapping] = *std::prev(after);
    if (address - start >= mapping.bytes) return CuResult::CUDA_ERROR_INVALID_VALUE;
    *out = mapping.accessible ? 3 : 0;
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuMemRetainAllocationHandle(Handle* out, void* address) {
  return serve(Needs::Nothing, [&](Runtime&) {
    auto after = state().mapped.upper_bound(reinterpret_cast<DevicePointer>(address));
    if (!out || after == state().mapped.begin()) return CuResult::CUDA_ERROR_INVALID_VALUE;
    const auto& [start, mapping] = *std::prev(after);
    if (reinterpret_cast<DevicePointer>(address) - start >= mapping.bytes) return CuResult::CUDA_ERROR_INVALID_VALUE;
    // The program may have released it; the mapping kept the memory.
    auto [known, added] = state().handles.emplace(mapping.handle, mapping.memory);
    known->second->references = added ? 1 : known->second->references + 1;
    *out = mapping.handle;
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuMemGetAllocationPropertiesFromHandle(AllocationProperties* out, Handle handle) {
  return serve(Needs::Nothing, [&](Runtime&) {
    auto found = state().handles.find(handle);
    if (!out || found == state().handles.end()) return CuResult::CUDA_ERROR_INVALID_VALUE;
    *out = found->second->properties;
    return CuResult::CUDA_SUCCESS;
  });
}

}  // namespace warplens::cuda::driver
