// Attributes of kernels, and how many of their blocks an SM holds.
#include <algorithm>
#include <cstring>

#include "cuda/launch.h"
#include "cuda/occupancy.h"
#include "cuda/runtime.h"
#include "cuda/served.h"

namespace warplens::cuda {
namespace {

enum Attribute : int { kMaxDynamicShared = 8, kPreferredCarveout = 9, kLastAttribute = 16 };
enum CachePreference : int { kPreferNone, kPreferShared, kPreferL1, kPreferEqual };

struct Known {
  Error error = Error::cudaSuccess;
  Function* function = nullptr;
  session::KernelInfo info = {};
};

Known find(Runtime& runtime, const void* host) {
  if (!host) return {Error::cudaErrorInvalidDeviceFunction};
  Function* function = find_function(runtime, host);
  if (!function) return {runtime.unknown_function()};
  auto info = runtime.session()->kernel(*runtime.module_of(*function->binary), function->name);
  if (!info) return {Error::cudaErrorInvalidDeviceFunction};
  return {Error::cudaSuccess, function, *info};
}

int max_threads(const ir::Function& function) {
  const uint32_t* n = function.max_ntid;
  return n[0] ? static_cast<int>(n[0] * std::max(1u, n[1]) * std::max(1u, n[2])) : 1024;
}

int default_dynamic_shared(const model::GpuSpec& gpu, const ir::Function& function) {
  return static_cast<int>(gpu.shared_bytes_per_block) - static_cast<int>(function.own_shared_bytes());
}

}  // namespace

WL_API wl_cudaFuncGetAttributes_v11(FuncAttributes* out, const void* host) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!out) return Error::cudaErrorInvalidValue;
    Known known = find(r, host);
    if (known.error != Error::cudaSuccess) return known.error;
    const ir::Function& f = known.info.kernel->function;
    const model::GpuSpec& gpu = r.session()->gpu();
    out->shared_bytes = f.own_shared_bytes();
    out->const_bytes = known.info.const_bytes;
    out->local_bytes = f.local_bytes;
    out->max_threads_per_block = max_threads(f);
    out->registers = static_cast<int>(f.registers ? f.registers : kAssumedRegisters);
    std::string digits = known.info.target.substr(std::min<size_t>(known.info.target.size(), 3));
    out->ptx_version = atoi(digits.c_str());
    out->binary_version = static_cast<int>(gpu.compute_major * 10 + gpu.compute_minor);
    out->cache_mode_ca = 0;
    int raised = known.function->max_dynamic_shared;
    out->max_dynamic_shared_bytes = raised ? raised : default_dynamic_shared(gpu, f);
    out->preferred_carveout = known.function->carveout;
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaFuncGetAttributes_v12(FuncAttributes* out, const void* host) {
  if (out) memset(out, 0, sizeof *out);  // no clusters
  return wl_cudaFuncGetAttributes_v11(out, host);
}

WL_API wl_cudaFuncSetAttribute(const void* host, int attribute, int value) {
  return call(Needs::Context, [&](Runtime& r) {
    Known known = find(r, host);
    if (known.error != Error::cudaSuccess) return known.error;
    if (attribute == kMaxDynamicShared) {
      int most = static_cast<int>(r.session()->gpu().shared_bytes_per_block_optin);
      if (value < 0 || value > most - static_cast<int>(known.info.kernel->function.own_shared_bytes())) {
        return Error::cudaErrorInvalidValue;
      }
      known.function->max_dynamic_shared = value;
    } else if (attribute == kPreferredCarveout) {
      if (value < -1 || value > 100) return Error::cudaErrorInvalidValue;
      known.function->carveout = value;
    } else if (attribute < 0 || attribute >= kLastAttribute) {
      return Error::cudaErrorInvalidValue;
    }
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaFuncSetCacheConfig(const void* host, int preference) {
  return call(Needs::Context, [&](Runtime& r) {
    Known known = find(r, host);
    if (known.error != Error::cudaSuccess) return known.error;
    if (preference < kPreferNone || preference > kPreferEqual) return Error::cudaErrorInvalidValue;
    known.function->prefers_l1 = preference == kPreferL1;
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaFuncSetSharedMemConfig(const void* host, int) {
  return call(Needs::Context, [&](Runtime& r) { return find(r, host).error; });
}

WL_API wl_cudaFuncGetName(const char** out, const void* host) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!out) return Error::cudaErrorInvalidValue;
    Known known = find(r, host);
    if (known.error == Error::cudaSuccess) *out = known.function->name.c_str();
    return known.error;
  });
}

WL_API wl_cudaFuncGetParamInfo(const void* host, size_t index, size_t* offset, size_t* bytes) {
  return call(Needs::Context, [&](Runtime& r) {
    Known known = find(r, host);
    if (known.error != Error::cudaSuccess) return known.error;
    const auto& params = known.info.kernel->params;
    if (!offset || index >= params.size()) return Error::cudaErrorInvalidValue;
    *offset = params[index].offset;
    if (bytes) *bytes = params[index].bytes;
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* out, const void* host, int threads,
                                                                 size_t dynamic_shared, unsigned) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!out || threads <= 0) return Error::cudaErrorInvalidValue;
    Known known = find(r, host);
    if (known.error != Error::cudaSuccess) return known.error;
    const model::GpuSpec& gpu = r.session()->gpu();
    int raised = known.function->max_dynamic_shared;
    int allowed = raised ? raised : default_dynamic_shared(gpu, known.info.kernel->function);
    bool fits = dynamic_shared <= static_cast<size_t>(std::max(allowed, 0));
    const auto needs =
        needs_of(gpu, *known.function, known.info.kernel->function, static_cast<uint64_t>(threads), dynamic_shared);
    *out = fits ? static_cast<int>(model::occupancy(gpu, needs).blocks) : 0;
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* out, const void* host, int threads,
                                                        size_t dynamic_shared) {
  return wl_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, host, threads, dynamic_shared, 0);
}

// How much dynamic shared memory a block can have so that `blocks` of them fit an SM.
WL_API wl_cudaOccupancyAvailableDynamicSMemPerBlock(size_t* out, const void* host, int blocks, int threads) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!out || blocks <= 0 || threads <= 0) return Error::cudaErrorInvalidValue;
    Known known = find(r, host);
    if (known.error != Error::cudaSuccess) return known.error;
    const model::GpuSpec& gpu = r.session()->gpu();
    auto needs = needs_of(gpu, *known.function, known.info.kernel->function, static_cast<uint64_t>(threads), 0);
    needs.shared_split = 0;  // whatever the kernel prefers
    const auto bytes = model::available_dynamic_shared(gpu, needs, static_cast<uint32_t>(blocks));
    *out = bytes.value_or(0);
    return bytes ? Error::cudaSuccess : Error::cudaErrorInvalidValue;
  });
}

}  // namespace warplens::cuda
