// Attributes of kernels, and occupancy.
#include <algorithm>

#include "cuda/driver/driver.h"
#include "cuda/driver/module.h"
#include "cuda/occupancy.h"
#include "cuda/served.h"

namespace warplens::cuda::driver {
namespace {

enum Attribute : int {  // CUfunction_attribute
  kMaxThreads,
  kShared,
  kConst,
  kLocal,
  kRegisters,
  kPtxVersion,
  kBinaryVersion,
  kCacheModeCa,
  kMaxDynamicShared,
  kPreferredCarveout,
  kClusterMustBeSet,
  kClusterWidth,
  kClusterHeight,
  kClusterDepth,
  kNonPortableCluster,
  kClusterPolicy,
  kAttributes
};

int value_of(const FuncAttributes& all, int attribute) {
  switch (attribute) {
    case kMaxThreads:
      return all.max_threads_per_block;
    case kShared:
      return static_cast<int>(all.shared_bytes);
    case kConst:
      return static_cast<int>(all.const_bytes);
    case kLocal:
      return static_cast<int>(all.local_bytes);
    case kRegisters:
      return all.registers;
    case kPtxVersion:
      return all.ptx_version;
    case kBinaryVersion:
      return all.binary_version;
    case kCacheModeCa:
      return all.cache_mode_ca;
    case kMaxDynamicShared:
      return all.max_dynamic_shared_bytes;
    case kPreferredCarveout:
      return all.preferred_carveout;
    default:
      return 0;  // no clusters
  }
}

}  // namespace

WL_DRIVER_API wl_cuFuncGetAttribute(int* out, int attribute, const void* kernel) {
  if (!out || attribute < 0 || attribute >= kAttributes) {
    return forward([] { return CuResult::CUDA_ERROR_INVALID_VALUE; });
  }
  return forward([&] {
    FuncAttributes all;
    Error error = wl_cudaFuncGetAttributes_v12(&all, kernel);
    if (error == Error::cudaSuccess) *out = value_of(all, attribute);
    return error;
  });
}
WL_DRIVER_API wl_cuFuncSetAttribute(const void* kernel, int attribute, int value) {
  return forward([&] {
    bool settable = attribute >= kMaxDynamicShared && attribute < kAttributes;
    return settable ? wl_cudaFuncSetAttribute(kernel, attribute, value) : Error::cudaErrorInvalidValue;
  });
}
WL_DRIVER_API wl_cuFuncSetCacheConfig(const void* kernel, int preference) {
  return forward([&] { return wl_cudaFuncSetCacheConfig(kernel, preference); });
}
WL_DRIVER_API wl_cuFuncSetSharedMemConfig(const void* kernel, int banks) {
  return forward([&] { return wl_cudaFuncSetSharedMemConfig(kernel, banks); });
}
WL_DRIVER_API wl_cuFuncGetName(const char** out, const void* kernel) {
  return forward([&] { return wl_cudaFuncGetName(out, kernel); });
}
WL_DRIVER_API wl_cuFuncGetParamInfo(const void* kernel, size_t index, size_t* offset, size_t* bytes) {
  return forward([&] { return wl_cudaFuncGetParamInfo(kernel, index, offset, bytes); });
}
WL_DRIVER_API wl_cuFuncIsLoaded(int* out, const void* kernel) {
  return forward([&] {
    const char* name = nullptr;
    if (!out) return Error::cudaErrorInvalidValue;
    Error error = wl_cudaFuncGetName(&name, kernel);
    if (error == Error::cudaSuccess) *out = 1;
    return error;
  });
}
WL_DRIVER_API wl_cuFuncLoad(const void* kernel) {
  int loaded = 0;
  return wl_cuFuncIsLoaded(&loaded, kernel);
}

WL_DRIVER_API wl_cuKernelGetAttribute(int* out, int attribute, const void* kernel, Device device) {
  CuResult known = check_device(device);
  return known == CuResult::CUDA_SUCCESS ? wl_cuFuncGetAttribute(out, attribute, kernel) : known;
}
WL_DRIVER_API wl_cuKernelSetAttribute(int attribute, int value, const void* kernel, Device device) {
  CuResult known = check_device(device);
  return known == CuResult::CUDA_SUCCESS ? wl_cuFuncSetAttribute(kernel, attribute, value) : known;
}
WL_DRIVER_API wl_cuKernelSetCacheConfig(const void* kernel, int preference, Device device) {
  return wl_cuFuncSetCacheConfig(kernel, preference);
}
WL_DRIVER_API wl_cuKernelGetName(const char** out, const void* kernel) { return wl_cuFuncGetName(out, kernel); }
WL_DRIVER_API wl_cuKernelGetParamInfo(const void* kernel, size_t index, size_t* offset, size_t* bytes) {
  return wl_cuFuncGetParamInfo(kernel, index, offset, bytes);
}

WL_DRIVER_API wl_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* out, const void* kernel, int threads,
                                                                      size_t shared, unsigned flags) {
  return forward(
      [&] { return wl_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, kernel, threads, shared, flags); });
}
WL_DRIVER_API wl_cuOccupancyMaxActiveBlocksPerMultiprocessor(int* out, const void* kernel, int threads, size_t shared) {
  return wl_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, kernel, threads, shared, 0);
}
WL_DRIVER_API wl_cuOccupancyAvailableDynamicSMemPerBlock(size_t* out, const void* kernel, int blocks, int threads) {
  return forward([&] { return wl_cudaOccupancyAvailableDynamicSMemPerBlock(out, kernel, blocks, threads); });
}

// Tries every block size of whole warps and keeps the one with the most threads on an SM; of equals, the largest block.
WL_DRIVER_API wl_cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, const void* kernel,
                                                           size_t (*shared_of)(int threads), size_t shared, int limit,
                                                           unsigned flags) {
  if (!grid || !block) return forward([] { return CuResult::CUDA_ERROR_INVALID_VALUE; });
  int most = 0, sms = 0;
  CuResult result = wl_cuFuncGetAttribute(&most, kMaxThreads, kernel);
  if (result != CuResult::CUDA_SUCCESS) return result;
  result = ask([&](Runtime& r) {
    sms = static_cast<int>(r.session()->gpu().sm_count);
    return CuResult::CUDA_SUCCESS;
  });
  if (result != CuResult::CUDA_SUCCESS) return result;
  if (limit > 0) most = std::min(most, limit);
  int best_threads = 0;
  for (int threads = most; threads > 0; threads = (threads - 1) / 32 * 32) {
    int blocks = 0;
    result = wl_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, kernel, threads,
                                                                     shared_of ? shared_of(threads) : shared, flags);
    if (result != CuResult::CUDA_SUCCESS) return result;
    if (blocks * threads <= best_threads) continue;
    best_threads = blocks * threads;
    *block = threads;
    *grid = blocks * sms;
  }
  return CuResult::CUDA_SUCCESS;
}
WL_DRIVER_API wl_cuOccupancyMaxPotentialBlockSize(int* grid, int* block, const void* kernel,
                                                  size_t (*shared_of)(int threads), size_t shared, int limit) {
  return wl_cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, kernel, shared_of, shared, limit, 0);
}

}  // namespace warplens::cuda::driver
