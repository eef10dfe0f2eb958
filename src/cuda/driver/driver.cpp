// Codes, versions, and finding functions by name.
#include "cuda/driver/driver.h"

#include "cuda/driver/entry_points.h"
#include "cuda/served.h"

namespace warplens::cuda::driver {
namespace {

struct Entry {
  int code;
  const char* name;
  const char* text;
};
constexpr Entry kResults[] = {
#define WL_RESULT(code, name, text) {code, #name, text},
#include "cuda/driver/results.def"
#undef WL_RESULT
};

const Entry* find(int code) {
  for (const Entry& entry : kResults) {
    if (entry.code == code) return &entry;
  }
  return nullptr;
}

CuResult describe(int code, const char** out, const char* Entry::* part) {
  if (!out) return CuResult::CUDA_ERROR_INVALID_VALUE;
  const Entry* entry = find(code);
  *out = entry ? entry->*part : nullptr;
  return entry ? CuResult::CUDA_SUCCESS : CuResult::CUDA_ERROR_INVALID_VALUE;
}

enum QueryResult : int { kFound = 0, kNotFound = 1, kVersionNotSufficient = 2 };  // CUdriverProcAddressQueryResult

}  // namespace

CuResult result_of(Error error) {
  switch (error) {
    case Error::cudaErrorInvalidConfiguration:
    case Error::cudaErrorInvalidPitchValue:
    case Error::cudaErrorInvalidMemcpyDirection:
      return CuResult::CUDA_ERROR_INVALID_VALUE;
    case Error::cudaErrorInvalidDeviceFunction:
      return CuResult::CUDA_ERROR_INVALID_HANDLE;
    case Error::cudaErrorInvalidSymbol:
      return CuResult::CUDA_ERROR_NOT_FOUND;
    default:
      break;
  }
  int code = static_cast<int>(error);
  return find(code) ? static_cast<CuResult>(code) : CuResult::CUDA_ERROR_UNKNOWN;
}

WL_DRIVER_API wl_cuGetErrorName(int code, const char** out) { return describe(code, out, &Entry::name); }
WL_DRIVER_API wl_cuGetErrorString(int code, const char** out) { return describe(code, out, &Entry::text); }

WL_DRIVER_API wl_cuDriverGetVersion(int* out) {
  if (!out) return CuResult::CUDA_ERROR_INVALID_VALUE;
  KeptLastError kept;
  return result_of(wl_cudaDriverGetVersion(out));
}

// Both kinds of default stream are served by one function, so the flags that choose between them choose nothing.
WL_DRIVER_API wl_cuGetProcAddress_v2(const char* name, void** out, int version, uint64_t flags, int* status) {
  constexpr uint64_t kAllFlags = 3;
  if (!name || !out || (flags & ~kAllFlags)) return CuResult::CUDA_ERROR_INVALID_VALUE;
  bool known = false;
  const EntryPoint* found = find_entry_point(name, version, known);
  *out = found ? reinterpret_cast<void*>(found->address) : nullptr;
  if (status) *status = found ? kFound : known ? kVersionNotSufficient : kNotFound;
  return CuResult::CUDA_SUCCESS;
}
WL_DRIVER_API wl_cuGetProcAddress(const char* name, void** out, int version, uint64_t flags) {
  CuResult result = wl_cuGetProcAddress_v2(name, out, version, flags, nullptr);
  return result == CuResult::CUDA_SUCCESS && !*out ? CuResult::CUDA_ERROR_NOT_FOUND : result;
}

// Private tables between NVIDIA's own libraries, which there are none of here. NVRTC and others look for one each time
// they are loaded and do without, so this is no word on stderr; what cannot do without fails by its own name.
WL_DRIVER_API wl_cuGetExportTable(const void** out, const void*) {
  if (!out) return CuResult::CUDA_ERROR_INVALID_VALUE;
  *out = nullptr;
  return CuResult::CUDA_ERROR_NOT_FOUND;
}

WL_DRIVER_API wl_cuProfilerStart() {
  return forward([] { return wl_cudaProfilerStart(); });
}
WL_DRIVER_API wl_cuProfilerStop() {
  return forward([] { return wl_cudaProfilerStop(); });
}

}  // namespace warplens::cuda::driver
