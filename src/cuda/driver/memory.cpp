// Allocating, and what is known of a pointer.
#include <algorithm>
#include <cstring>

#include "cuda/driver/driver.h"
#include "cuda/served.h"

namespace warplens::cuda::driver {
namespace {

using Kind = exec::Allocation::Kind;

void* pointer(DevicePointer address) { return reinterpret_cast<void*>(address); }
void** target(DevicePointer* out) { return reinterpret_cast<void**>(out); }

CuResult invalid_value() {
  return forward([] { return CuResult::CUDA_ERROR_INVALID_VALUE; });
}

enum PointerAttribute : int {  // CUpointer_attribute
  kContext = 1,
  kMemoryType,
  kDevicePointer,
  kHostPointer,
  kP2pTokens,
  kSyncMemops,
  kBufferId,
  kIsManaged,
  kDeviceOrdinal,
  kLegacyIpc,
  kRangeStart,
  kRangeSize,
  kMapped,
  kHandleTypes,
  kGpuDirect,
  kAccessFlags,
  kMemoryPool,
  kMappingSize,
  kMappingBase,
  kBlockId,
  kLastAttribute = 21
};

template <typename T>
CuResult put(void* out, T value) {
  memcpy(out, &value, sizeof value);
  return CuResult::CUDA_SUCCESS;
}

CuResult pointer_attribute(Runtime& r, void* out, int attribute, DevicePointer address) {
  auto found = r.session()->memory().find(address);
  if (!found) return CuResult::CUDA_ERROR_INVALID_VALUE;
  bool host = found->kind == Kind::HostPinned, managed = found->kind == Kind::Managed;
  switch (attribute) {
    case kContext: {
      auto owner = r.owners.find(found->base);
      return put(out, owner == r.owners.end() ? current_context() : owner->second.context);
    }
    case kMemoryType:
      return put(out, host ? kHostMemory : kDeviceMemory);
    case kDevicePointer:
      return put(out, address);
    case kHostPointer:
      return host || managed ? put(out, pointer(address)) : CuResult::CUDA_ERROR_INVALID_VALUE;
    case kSyncMemops:
      return put(out, 0);
    case kBufferId:
    case kBlockId:
      return put(out, static_cast<unsigned long long>(found->base));
    case kIsManaged:
      return put(out, managed);
    case kDeviceOrdinal:
      return put(out, r.device_of(*found));
    case kLegacyIpc:
    case kGpuDirect:
      return put(out, false);
    case kRangeStart:
    case kMappingBase:
      return put(out, found->base);
    case kRangeSize:
    case kMappingSize:
      return put(out, size_t{found->bytes});
    case kMapped:
      return put(out, true);
    case kHandleTypes:
      return put(out, 0ull);
    case kAccessFlags:
      return put(out, 3);  // reading and writing
    case kMemoryPool:
      return put(out, nullptr);
    default:
      return attribute == kP2pTokens ? CuResult::CUDA_ERROR_NOT_SUPPORTED : CuResult::CUDA_ERROR_INVALID_VALUE;
  }
}

// What cuPointerGetAttributes says of memory that it does not know.
void put_unknown(void* out, int attribute) {
  static constexpr char kNothing[8] = {};
  int ordinal = -2;
  if (attribute == kDeviceOrdinal) {
    memcpy(out, &ordinal, sizeof ordinal);
  } else if (attribute == kIsManaged || attribute == kLegacyIpc || attribute == kMapped || attribute == kGpuDirect) {
    memcpy(out, kNothing, 1);
  } else {
    memcpy(out, kNothing, attribute == kMemoryType || attribute == kSyncMemops || attribute == kAccessFlags ? 4 : 8);
  }
}

}  // namespace

WL_DRIVER_API wl_cuMemAlloc_v2(DevicePointer* out, size_t bytes) {
  if (!out || !bytes) return invalid_value();
  return forward([&] { return wl_cudaMalloc(target(out), bytes); });
}
WL_DRIVER_API wl_cuMemAllocPitch_v2(DevicePointer* out, size_t* pitch, size_t width, size_t height, unsigned element) {
  if (!out || !pitch || !width || !height || (element != 4 && element != 8 && element != 16)) return invalid_value();
  return forward([&] { return wl_cudaMallocPitch(target(out), pitch, width, height); });
}
WL_DRIVER_API wl_cuMemAllocManaged(DevicePointer* out, size_t bytes, unsigned flags) {
  if (!out || !bytes) return invalid_value();
  return forward([&] { return wl_cudaMallocManaged(target(out), bytes, flags); });
}
WL_DRIVER_API wl_cuMemFree_v2(DevicePointer address) {
  return forward([&] { return wl_cudaFree(pointer(address)); });
}
WL_DRIVER_API wl_cuMemAllocHost_v2(void** out, size_t bytes) {
  return forward([&] { return wl_cudaHostAlloc(out, bytes, 0); });
}
WL_DRIVER_API wl_cuMemHostAlloc(void** out, size_t bytes, unsigned flags) {
  if (!out || !bytes) return invalid_value();
  return forward([&] { return wl_cudaHostAlloc(out, bytes, flags); });
}
WL_DRIVER_API wl_cuMemFreeHost(void* host) {
  return forward([&] { return wl_cudaFreeHost(host); });
}
WL_DRIVER_API wl_cuMemHostRegister_v2(void* host, size_t bytes, unsigned flags) {
  return forward([&] { return wl_cudaHostRegister(host, bytes, flags); });
}
WL_DRIVER_API wl_cuMemHostUnregister(void* host) {
  return forward([&] { return wl_cudaHostUnregister(host); });
}
WL_DRIVER_API wl_cuMemHostGetDevicePointer_v2(DevicePointer* out, void* host, unsigned flags) {
  return forward([&] { return wl_cudaHostGetDevicePointer(target(out), host, flags); });
}
WL_DRIVER_API wl_cuMemHostGetFlags(unsigned* out, void* host) {
  return forward([&] { return wl_cudaHostGetFlags(out, host); });
}
WL_DRIVER_API wl_cuMemGetInfo_v2(size_t* free_bytes, size_t* total) {
  return forward([&] { return wl_cudaMemGetInfo(free_bytes, total); });
}

WL_DRIVER_API wl_cuMemGetAddressRange_v2(DevicePointer* base, size_t* bytes, DevicePointer address) {
  return serve(Needs::Context, [&](Runtime& r) {
    auto found = r.session()->memory().find(address);
    if (!found) return CuResult::CUDA_ERROR_NOT_FOUND;
    if (base) *base = found->base;
    if (bytes) *bytes = found->bytes;
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuPointerGetAttribute(void* out, int attribute, DevicePointer address) {
  return serve(Needs::Nothing, [&](Runtime& r) {
    return out ? pointer_attribute(r, out, attribute, address) : CuResult::CUDA_ERROR_INVALID_VALUE;
  });
}
WL_DRIVER_API wl_cuPointerGetAttributes(unsigned count, const int* attributes, void** out, DevicePointer address) {
  return serve(Needs::Nothing, [&](Runtime& r) {
    if (!attributes || !out) return CuResult::CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
      if (attributes[i] < kContext || attributes[i] > kLastAttribute) return CuResult::CUDA_ERROR_INVALID_VALUE;
      CuResult result = pointer_attribute(r, out[i], attributes[i], address);
      if (result != CuResult::CUDA_SUCCESS) put_unknown(out[i], attributes[i]);
    }
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuPointerSetAttribute(const void* value, int attribute, DevicePointer address) {
  return serve(Needs::Nothing, [&](Runtime& r) {
    bool known = r.session()->memory().find(address).has_value();
    bool settable = value && attribute == kSyncMemops;
    return known && settable ? CuResult::CUDA_SUCCESS : CuResult::CUDA_ERROR_INVALID_VALUE;
  });
}

// Where managed memory should be: there is one memory here.
WL_DRIVER_API wl_cuMemPrefetchAsync(DevicePointer address, size_t bytes, Device, StreamHandle) {
  return forward([&] { return wl_cudaMemPrefetchAsync(pointer(address), bytes); });
}
WL_DRIVER_API wl_cuMemPrefetchAsync_v2(DevicePointer address, size_t bytes, Location, unsigned, StreamHandle) {
  return forward([&] { return wl_cudaMemPrefetchAsync(pointer(address), bytes); });
}
WL_DRIVER_API wl_cuMemAdvise(DevicePointer address, size_t bytes, int, Device) {
  return forward([&] { return wl_cudaMemAdvise(pointer(address), bytes); });
}
WL_DRIVER_API wl_cuMemAdvise_v2(DevicePointer address, size_t bytes, int, Location) {
  return forward([&] { return wl_cudaMemAdvise(pointer(address), bytes); });
}
WL_DRIVER_API wl_cuStreamAttachMemAsync(StreamHandle stream, DevicePointer address, size_t bytes, unsigned flags) {
  return forward([&] { return wl_cudaStreamAttachMemAsync(stream, pointer(address), bytes, flags); });
}

// ---- stream-ordered

WL_DRIVER_API wl_cuMemAllocAsync(DevicePointer* out, size_t bytes, StreamHandle stream) {
  return forward([&] { return wl_cudaMallocAsync(target(out), bytes, stream); });
}
WL_DRIVER_API wl_cuMemAllocFromPoolAsync(DevicePointer* out, size_t bytes, Pool* pool, StreamHandle stream) {
  if (!out || !bytes || !pool) return invalid_value();
  return forward([&] { return wl_cudaMallocFromPoolAsync(target(out), bytes, pool, stream); });
}
WL_DRIVER_API wl_cuMemFreeAsync(DevicePointer address, StreamHandle stream) {
  return forward([&] { return wl_cudaFreeAsync(pointer(address), stream); });
}
WL_DRIVER_API wl_cuDeviceGetDefaultMemPool(Pool** out, Device device) {
  return ask([&](Runtime&) { return wl_cudaDeviceGetDefaultMemPool(out, device); });
}
WL_DRIVER_API wl_cuDeviceGetMemPool(Pool** out, Device device) {
  if (!Runtime::get().is_device(device)) return CuResult::CUDA_ERROR_INVALID_VALUE;
  return ask([&](Runtime&) { return wl_cudaDeviceGetMemPool(out, device); });
}
WL_DRIVER_API wl_cuDeviceSetMemPool(Device device, Pool* pool) {
  return ask([&](Runtime&) { return wl_cudaDeviceSetMemPool(device, pool); });
}
WL_DRIVER_API wl_cuMemPoolCreate(Pool** out, const void* properties) {
  return forward([&] { return wl_cudaMemPoolCreate(out, properties); });
}
WL_DRIVER_API wl_cuMemPoolDestroy(Pool* pool) {
  return forward([&] { return wl_cudaMemPoolDestroy(pool); });
}
WL_DRIVER_API wl_cuMemPoolTrimTo(Pool* pool, size_t bytes) {
  return forward([&] { return wl_cudaMemPoolTrimTo(pool, bytes); });
}
WL_DRIVER_API wl_cuMemPoolSetAccess(Pool* pool, const void* accesses, size_t count) {
  return forward([&] { return wl_cudaMemPoolSetAccess(pool, accesses, count); });
}
WL_DRIVER_API wl_cuMemPoolGetAccess(int* out, Pool* pool, const Location* location) {
  return forward([&] { return wl_cudaMemPoolGetAccess(out, pool, location); });
}
WL_DRIVER_API wl_cuMemPoolSetAttribute(Pool* pool, int attribute, void* value) {
  return forward([&] { return wl_cudaMemPoolSetAttribute(pool, attribute, value); });
}
WL_DRIVER_API wl_cuMemPoolGetAttribute(Pool* pool, int attribute, void* value) {
  return forward([&] { return wl_cudaMemPoolGetAttribute(pool, attribute, value); });
}

}  // namespace warplens::cuda::driver
