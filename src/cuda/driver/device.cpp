// What a program can ask of its devices: the chosen GPU, as the runtime describes it.
#include "cuda/device.h"

#include <algorithm>
#include <cstring>

#include "cuda/driver/driver.h"
#include "cuda/served.h"

namespace warplens::cuda::driver {
namespace {

// body(const model::GpuSpec&) -> CuResult, for a device that there is.
template <typename Body>
CuResult of(Device device, const void* out, Body&& body) {
  return ask([&](Runtime& r) {
    if (!out) return CuResult::CUDA_ERROR_INVALID_VALUE;
    if (check_device(device) != CuResult::CUDA_SUCCESS) return check_device(device);
    return body(r.session()->gpu());
  });
}

template <typename T>
CuResult give(Device device, T* out, T value) {
  return of(device, out, [&](const model::GpuSpec&) {
    *out = value;
    return CuResult::CUDA_SUCCESS;
  });
}

}  // namespace

WL_DRIVER_API wl_cuDeviceGetCount(int* out) { return give(0, out, Runtime::get().device_count()); }
WL_DRIVER_API wl_cuDeviceGet(Device* out, int ordinal) { return give(ordinal, out, ordinal); }
WL_DRIVER_API wl_cuDeviceGetName(char* out, int length, Device device) {
  return of(device, out, [&](const model::GpuSpec& gpu) {
    if (length <= 0) return CuResult::CUDA_ERROR_INVALID_VALUE;
    size_t copied = gpu.name.copy(out, static_cast<size_t>(length) - 1);
    out[copied] = 0;
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuDeviceGetUuid(void* out, Device device) {
  return of(device, out, [&](const model::GpuSpec& gpu) {
    memcpy(out, uuid_of(gpu, device).data(), 16);
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuDeviceTotalMem_v2(size_t* out, Device device) {
  return of(device, out, [&](const model::GpuSpec& gpu) {
    *out = gpu.memory_bytes;
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuDeviceGetAttribute(int* out, int number, Device device) {
  return of(device, out, [&](const model::GpuSpec& gpu) {
    auto value = attribute(gpu, number, device);
    if (!value) return CuResult::CUDA_ERROR_INVALID_VALUE;
    *out = *value;
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuDeviceComputeCapability(int* major, int* minor, Device device) {
  return of(device, minor ? major : nullptr, [&](const model::GpuSpec& gpu) {
    *major = static_cast<int>(gpu.compute_major);
    *minor = static_cast<int>(gpu.compute_minor);
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuDeviceGetProperties(DeviceProperties* out, Device device) {
  return of(device, out, [&](const model::GpuSpec& gpu) {
    auto value = [&](int number) { return attribute(gpu, number).value_or(0); };
    *out = {value(1),
            {value(2), value(3), value(4)},
            {value(5), value(6), value(7)},
            value(8),
            value(9),
            value(10),
            value(11),
            value(12),
            value(13),
            value(14)};
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuDeviceGetPCIBusId(char* out, int length, Device device) {
  return of(device, out,
            [&](const model::GpuSpec&) { return result_of(wl_cudaDeviceGetPCIBusId(out, length, device)); });
}
WL_DRIVER_API wl_cuDeviceGetByPCIBusId(Device* out, const char* id) {
  return ask([&](Runtime&) { return wl_cudaDeviceGetByPCIBusId(out, id); });
}
WL_DRIVER_API wl_cuDeviceGetExecAffinitySupport(int* out, int type, Device device) { return give(device, out, 0); }

// No device is its own peer.
WL_DRIVER_API wl_cuDeviceCanAccessPeer(int* out, Device device, Device peer) {
  CuResult known = check_device(peer);
  return known == CuResult::CUDA_SUCCESS ? give(device, out, int{device != peer}) : known;
}
WL_DRIVER_API wl_cuDeviceGetP2PAttribute(int* out, int attribute, Device device, Device peer) {
  return ask([&](Runtime&) { return wl_cudaDeviceGetP2PAttribute(out, attribute, device, peer); });
}
WL_DRIVER_API wl_cuCtxEnablePeerAccess(Context* peer, unsigned flags) {
  return serve(Needs::Nothing, [&](Runtime& r) {
    if (flags) return CuResult::CUDA_ERROR_INVALID_VALUE;
    if (!is_context(peer)) return CuResult::CUDA_ERROR_INVALID_CONTEXT;
    if (peer->device == current_device()) return CuResult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    bool added = r.device().peers.insert(peer->device).second;
    return added ? CuResult::CUDA_SUCCESS : CuResult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  });
}
WL_DRIVER_API wl_cuCtxDisablePeerAccess(Context* peer) {
  return serve(Needs::Nothing, [&](Runtime& r) {
    if (!is_context(peer)) return CuResult::CUDA_ERROR_INVALID_CONTEXT;
    return r.device().peers.erase(peer->device) ? CuResult::CUDA_SUCCESS : CuResult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  });
}

// ---- of the context, where the runtime asks it of the device

WL_DRIVER_API wl_cuCtxSynchronize() {
  return forward([] { return wl_cudaDeviceSynchronize(); });
}
WL_DRIVER_API wl_cuCtxSynchronize_v2(Context* context) { return wl_cuCtxSynchronize(); }
WL_DRIVER_API wl_cuCtxGetLimit(size_t* out, int limit) {
  return forward([&] { return wl_cudaDeviceGetLimit(out, limit); });
}
WL_DRIVER_API wl_cuCtxSetLimit(int limit, size_t value) {
  return forward([&] { return wl_cudaDeviceSetLimit(limit, value); });
}
WL_DRIVER_API wl_cuCtxGetCacheConfig(int* out) {
  return forward([&] { return wl_cudaDeviceGetCacheConfig(out); });
}
WL_DRIVER_API wl_cuCtxSetCacheConfig(int preference) {
  return forward([&] { return wl_cudaDeviceSetCacheConfig(preference); });
}
WL_DRIVER_API wl_cuCtxGetSharedMemConfig(int* out) {
  return forward([&] { return wl_cudaDeviceGetSharedMemConfig(out); });
}
WL_DRIVER_API wl_cuCtxSetSharedMemConfig(int banks) {
  return forward([&] { return wl_cudaDeviceSetSharedMemConfig(banks); });
}
WL_DRIVER_API wl_cuCtxResetPersistingL2Cache() {
  return forward([] { return wl_cudaCtxResetPersistingL2Cache(); });
}
WL_DRIVER_API wl_cuCtxGetStreamPriorityRange(int* lowest, int* highest) {
  return forward([&] { return wl_cudaDeviceGetStreamPriorityRange(lowest, highest); });
}

}  // namespace warplens::cuda::driver
