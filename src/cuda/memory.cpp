// Allocating and freeing.
#include "cuda/memory.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "cuda/graph.h"
#include "cuda/served.h"
#include "cuda/stream.h"

namespace warplens::cuda {

Error allocate(Runtime& runtime, void** out, size_t bytes, exec::Allocation::Kind kind) {
  return allocate(runtime, out, bytes, kind, driver::current_context());
}

Error allocate(Runtime& runtime, void** out, size_t bytes, exec::Allocation::Kind kind, driver::Context* context) {
  if (!out) return Error::cudaErrorInvalidValue;
  if (!bytes) {
    *out = nullptr;
    return Error::cudaSuccess;
  }
  uint64_t device_bytes = kind == exec::Allocation::Kind::HostPinned ? 0 : bytes;
  uint64_t most = runtime.session()->memory_per_device(), used = runtime.used(context->device);
  if (device_bytes > most - std::min(most, used)) return Error::cudaErrorMemoryAllocation;
  auto allocated = runtime.session()->memory().allocate(bytes, kind);
  if (!allocated) return Error::cudaErrorMemoryAllocation;
  *out = reinterpret_cast<void*>(*allocated);
  runtime.own(*allocated, {context, device_bytes});
  return Error::cudaSuccess;
}

bool release_memory(Runtime& runtime, uint64_t base) {
  runtime.disown(base);
  return runtime.session()->memory().free(base);
}

namespace {

using Kind = exec::Allocation::Kind;

constexpr size_t kPitch = 512;  // an H200's

uint64_t address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

// Frees what cudaMalloc and its like gave (pinned: what cudaMallocHost gave), and nothing else.
Error release(Runtime& runtime, void* pointer, bool pinned) {
  if (!pointer) return Error::cudaSuccess;
  if (!pinned && free_graph_memory(runtime, address(pointer))) return Error::cudaSuccess;
  exec::DeviceMemory& memory = runtime.session()->memory();
  auto found = memory.find(address(pointer));
  bool right_kind = found && found->kind != Kind::Symbol && (found->kind == Kind::HostPinned) == pinned;
  bool released = right_kind && found->base == address(pointer) && release_memory(runtime, found->base);
  return released ? Error::cudaSuccess : Error::cudaErrorInvalidValue;
}

Error allocate_pitched(Runtime& runtime, void** out, size_t* pitch, size_t width, size_t height) {
  if (!out || !pitch) return Error::cudaErrorInvalidValue;
  size_t row = (width + kPitch - 1) / kPitch * kPitch, bytes = 0;
  if (row < width || __builtin_mul_overflow(row, height, &bytes)) return Error::cudaErrorInvalidValue;
  *pitch = row;
  return allocate(runtime, out, bytes, Kind::Device);
}

// Host memory that the program registered: start -> bytes.
std::map<uint64_t, size_t>& registered() {
  static auto* ranges = new std::map<uint64_t, size_t>;
  return *ranges;
}

bool overlaps_registered(uint64_t start, size_t bytes) {
  auto after = registered().lower_bound(start + bytes);
  if (after == registered().begin()) return false;
  auto last = std::prev(after);
  return last->first + last->second > start;
}

}  // namespace

WL_API wl_cudaMalloc(void** out, size_t bytes) {
  // Nothing is asked of the device for nothing: that works even after a fault.
  return call(bytes ? Needs::Context : Needs::Nothing,
              [&](Runtime& r) { return allocate(r, out, bytes, Kind::Device); });
}

namespace {

// In a captured stream: a node that allocates.
Error capture_allocation(Runtime& runtime, void** out, size_t bytes, int device, StreamHandle stream) {
  GraphAllocation allocation;
  allocation.params.allocation_type = 1;  // cudaMemAllocationTypePinned
  allocation.params.location_type = 1;    // cudaMemLocationTypeDevice
  allocation.params.location_id = device;
  allocation.params.bytes = bytes;
  Details details = std::move(allocation);
  Work work;
  Error error = out ? work_of(runtime, NodeType::MemAlloc, details, work) : Error::cudaErrorInvalidValue;
  if (error != Error::cudaSuccess) return error;
  *out = std::get<GraphAllocation>(details).params.address;
  capture_work(stream, NodeType::MemAlloc, std::move(work), std::move(details));
  return Error::cudaSuccess;
}

Error allocate_in_order(void** out, size_t bytes, StreamHandle stream, Pool* pool) {
  return call(bytes ? Needs::Context : Needs::Nothing, [&](Runtime& r) {
    if (!is_valid(stream)) return Error::cudaErrorInvalidResourceHandle;
    driver::Context* context = pool ? context_of(pool) : context_of(stream);
    if (bytes && !context) return Error::cudaErrorInvalidValue;
    if (capture_of(stream)) return capture_allocation(r, out, bytes, context->device, stream);
    return allocate(r, out, bytes, Kind::Device, context);
  });
}

}  // namespace

WL_API wl_cudaMallocAsync(void** out, size_t bytes, StreamHandle stream) {
  return allocate_in_order(out, bytes, stream, nullptr);
}

WL_API wl_cudaMallocFromPoolAsync(void** out, size_t bytes, Pool* pool, StreamHandle stream) {
  return pool ? allocate_in_order(out, bytes, stream, pool) : returned(Error::cudaErrorInvalidValue);
}

WL_API wl_cudaFree(void* pointer) {
  return call(Needs::Context, [&](Runtime& r) { return release(r, pointer, false); });
}

WL_API wl_cudaFreeAsync(void* pointer, StreamHandle stream) {
  bool captured = false;
  Error error = call(Needs::Context, [&](Runtime& r) {
    if (!is_valid(stream)) return Error::cudaErrorInvalidResourceHandle;
    captured = capture_of(stream) != nullptr;
    if (!captured) return Error::cudaSuccess;
    Details details = FreedMemory{pointer};
    Work work;
    Error problem = work_of(r, NodeType::MemFree, details, work);
    if (problem == Error::cudaSuccess) capture_work(stream, NodeType::MemFree, std::move(work), std::move(details));
    return problem;
  });
  return captured || error != Error::cudaSuccess ? error : wl_cudaFree(pointer);
}

WL_API wl_cudaMallocManaged(void** out, size_t bytes, unsigned flags) {
  return call(Needs::Context, [&](Runtime& r) {
    if (flags != 1 && flags != 2) return Error::cudaErrorInvalidValue;  // cudaMemAttachGlobal, cudaMemAttachHost
    return allocate(r, out, bytes, Kind::Managed);
  });
}

WL_API wl_cudaMallocPitch(void** out, size_t* pitch, size_t width, size_t height) {
  return call(Needs::Context, [&](Runtime& r) { return allocate_pitched(r, out, pitch, width, height); });
}

WL_API wl_cudaMalloc3D(PitchedPtr* out, Extent extent) {
  return call(Needs::Context, [&](Runtime& r) {
    size_t rows = 0;
    if (!out || __builtin_mul_overflow(extent.height, extent.depth, &rows)) return Error::cudaErrorInvalidValue;
    out->xsize = extent.width;
    out->ysize = extent.height;
    return allocate_pitched(r, &out->ptr, &out->pitch, extent.width, rows);
  });
}

WL_API wl_cudaHostAlloc(void** out, size_t bytes, unsigned flags) {
  constexpr unsigned kPortableMappedWriteCombined = 7;
  return call(Needs::Context, [&](Runtime& r) {
    if (flags & ~kPortableMappedWriteCombined) return Error::cudaErrorInvalidValue;
    return allocate(r, out, bytes, Kind::HostPinned);
  });
}

WL_API wl_cudaMallocHost(void** out, size_t bytes) { return wl_cudaHostAlloc(out, bytes, 0); }

WL_API wl_cudaFreeHost(void* pointer) {
  return call(Needs::Context, [&](Runtime& r) { return release(r, pointer, true); });
}

WL_API wl_cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  constexpr unsigned kAllFlags = 15;
  return call(Needs::Context, [&](Runtime& r) {
    if (!pointer || !bytes || (flags & ~kAllFlags)) return Error::cudaErrorInvalidValue;
    uint64_t start = address(pointer);
    if (overlaps_registered(start, bytes)) return Error::cudaErrorHostMemoryAlreadyRegistered;
    registered()[start] = bytes;
    r.session()->memory().adopt(start, bytes, Kind::HostPinned);
    r.own(start, {driver::current_context(), 0, false});
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaHostUnregister(void* pointer) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!registered().erase(address(pointer))) return Error::cudaErrorHostMemoryNotRegistered;
    r.session()->memory().forget(address(pointer));
    r.disown(address(pointer));
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaHostGetDevicePointer(void** out, void* host, unsigned flags) {
  return call(Needs::Context, [&](Runtime& r) {
    auto found = r.session()->memory().find(address(host));
    if (!out || flags || !found || found->kind != Kind::HostPinned) return Error::cudaErrorInvalidValue;
    *out = host;
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaHostGetFlags(unsigned* flags, void* host) {
  return call(Needs::Context, [&](Runtime& r) {
    auto found = r.session()->memory().find(address(host));
    if (!flags || !found || found->kind != Kind::HostPinned) return Error::cudaErrorInvalidValue;
    *flags = 2;  // cudaHostAllocMapped: with unified addresses all of it is
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaMemGetInfo(size_t* free_bytes, size_t* total) {
  return call(Needs::Context, [&](Runtime& r) {
    uint64_t all = r.session()->memory_per_device();
    if (free_bytes) *free_bytes = all - std::min(all, r.used(current_device()));
    if (total) *total = r.session()->gpu().memory_bytes;
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaPointerGetAttributes(PointerAttributes* out, const void* pointer) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!out) return Error::cudaErrorInvalidValue;
    auto found = r.session()->memory().find(address(pointer));
    void* plain = const_cast<void*>(pointer);
    if (!found) {
      *out = {0, -2, nullptr, plain};  // cudaMemoryTypeUnregistered; the device is cudaInvalidDeviceId
    } else if (found->kind == Kind::HostPinned) {
      *out = {1, r.device_of(*found), plain, plain};
    } else if (found->kind == Kind::Managed) {
      *out = {3, r.device_of(*found), plain, plain};
    } else {
      *out = {2, r.device_of(*found), plain, nullptr};
    }
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaPointerGetAttributes_v13(PointerAttributes13* out, const void* pointer) {
  if (out) memset(out->reserved, 0, sizeof out->reserved);
  return wl_cudaPointerGetAttributes(out ? &out->common : nullptr, pointer);
}

// Hints about where managed memory should be: there is one memory here. (The device argument differs between releases.)
WL_API wl_cudaMemPrefetchAsync(const void* pointer, size_t bytes) {
  return call(Needs::Queue, [&](Runtime& r) {
    bool managed = r.session()->memory().find(address(pointer), std::max<size_t>(bytes, 1)).has_value();
    return managed ? Error::cudaSuccess : Error::cudaErrorInvalidValue;
  });
}
WL_API wl_cudaMemAdvise(const void* pointer, size_t bytes) { return wl_cudaMemPrefetchAsync(pointer, bytes); }

WL_API wl_cudaStreamAttachMemAsync(StreamHandle, void*, size_t, unsigned) {
  return call(Needs::Queue, [](Runtime&) { return Error::cudaSuccess; });
}

}  // namespace warplens::cuda
