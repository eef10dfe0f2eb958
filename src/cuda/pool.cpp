// Memory pools. Every pool allocates from its device's memory and gives back at once what is freed; what a pool keeps
// are its attributes, and who may access it.
#include <cstring>
#include <map>
#include <memory>
#include <span>

#include "cuda/runtime.h"
#include "cuda/served.h"

namespace warplens::cuda {
namespace {

// cudaMemPoolAttr: three flags, then sizes.
enum PoolAttribute : int {
  kReuseFollowEvents = 1,
  kReuseInternal = 3,
  kReleaseThreshold,
  kReservedCurrent,
  kReservedHigh,
  kUsedCurrent,
  kUsedHigh
};

}  // namespace

struct Pool {
  int device = 0;
  std::map<int, int> access;  // of other devices, as cudaMemAccessFlags
  int flags[3] = {1, 1, 1};
  uint64_t release_threshold = 0;
};

namespace {

std::map<const Pool*, std::unique_ptr<Pool>>& pools() {
  static auto* all = new std::map<const Pool*, std::unique_ptr<Pool>>;
  return *all;
}

Pool* make_pool(int device) {
  auto pool = std::make_unique<Pool>();
  pool->device = device;
  Pool* handle = pool.get();
  pools().emplace(handle, std::move(pool));
  return handle;
}

Pool* default_pool(Runtime& runtime, int device) {
  Pool*& pool = runtime.device(device).default_pool;
  if (!pool) pool = make_pool(device);
  return pool;
}

Pool* current_pool(Runtime& runtime, int device) {
  Pool* pool = runtime.device(device).pool;
  return pool ? pool : default_pool(runtime, device);
}

Error give_pool(Pool** out, int device, Pool* (*which)(Runtime&, int)) {
  return call(Needs::Nothing, [&](Runtime& r) {
    if (!out) return Error::cudaErrorInvalidValue;
    if (!r.is_device(device)) return Error::cudaErrorInvalidDevice;
    *out = which(r, device);
    return Error::cudaSuccess;
  });
}

enum LocationType : int { kOnDevice = 1 };  // cudaMemLocationType
struct PoolLocation {
  int type, id;
};
struct PoolAccess {  // cudaMemAccessDesc
  PoolLocation location;
  int flags;
};
struct PoolProperties {  // cudaMemPoolProps, as far as it is read
  int allocation_type, handle_types;
  PoolLocation location;
};

}  // namespace

WL_API wl_cudaDeviceGetDefaultMemPool(Pool** out, int device) { return give_pool(out, device, default_pool); }
WL_API wl_cudaDeviceGetMemPool(Pool** out, int device) { return give_pool(out, device, current_pool); }
WL_API wl_cudaDeviceSetMemPool(int device, Pool* pool) {
  return call(Needs::Nothing, [&](Runtime& r) {
    if (!r.is_device(device)) return Error::cudaErrorInvalidDevice;
    if (!pools().contains(pool) || pool->device != device) return Error::cudaErrorInvalidValue;
    r.device(device).pool = pool;
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaMemPoolCreate(Pool** out, const void* given) {
  const auto* properties = static_cast<const PoolProperties*>(given);
  return call(Needs::Context, [&](Runtime& r) {
    if (!out || !properties) return Error::cudaErrorInvalidValue;
    bool on_device = properties->location.type == kOnDevice;
    if (on_device && !r.is_device(properties->location.id)) return Error::cudaErrorInvalidValue;
    *out = make_pool(on_device ? properties->location.id : current_device());
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaMemPoolDestroy(Pool* pool) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!pools().contains(pool)) return Error::cudaErrorInvalidValue;
    Device& device = r.device(pool->device);
    if (pool == device.default_pool) return Error::cudaErrorInvalidValue;
    if (device.pool == pool) device.pool = nullptr;
    pools().erase(pool);
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaMemPoolTrimTo(Pool* pool, size_t) {
  return call(Needs::Context,
              [&](Runtime&) { return pools().contains(pool) ? Error::cudaSuccess : Error::cudaErrorInvalidValue; });
}
// What is answered when asked; all devices reach all memory in any case.
WL_API wl_cudaMemPoolSetAccess(Pool* pool, const void* accesses, size_t count) {
  constexpr int kNone = 0, kRead = 1, kReadWrite = 3;  // cudaMemAccessFlagsProt...
  return call(Needs::Context, [&](Runtime& r) {
    if (!pools().contains(pool) || (count && !accesses)) return Error::cudaErrorInvalidValue;
    const auto* all = static_cast<const PoolAccess*>(accesses);
    for (const PoolAccess& each : std::span(all, count)) {
      bool known = each.flags == kNone || each.flags == kRead || each.flags == kReadWrite;
      if (each.location.type != kOnDevice || !known) return Error::cudaErrorInvalidValue;
      if (!r.is_device(each.location.id)) return Error::cudaErrorInvalidDevice;
      // The pool's own device never loses it.
      if (each.location.id == pool->device && each.flags != kReadWrite) return Error::cudaErrorInvalidValue;
    }
    for (const PoolAccess& each : std::span(all, count)) pool->access[each.location.id] = each.flags;
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaMemPoolGetAccess(int* out, Pool* pool, const void* where) {
  constexpr int kReadWrite = 3;
  const auto* location = static_cast<const PoolLocation*>(where);
  return call(Needs::Context, [&](Runtime& r) {
    if (!out || !location || !pools().contains(pool)) return Error::cudaErrorInvalidValue;
    if (location->type != kOnDevice || !r.is_device(location->id)) return Error::cudaErrorInvalidValue;
    auto known = pool->access.find(location->id);
    *out = known != pool->access.end() ? known->second : location->id == pool->device ? kReadWrite : 0;
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaMemPoolSetAttribute(Pool* pool, int attribute, void* value) {
  return call(Needs::Context, [&](Runtime&) {
    if (!pools().contains(pool) || !value) return Error::cudaErrorInvalidValue;
    if (attribute >= kReuseFollowEvents && attribute <= kReuseInternal) {
      memcpy(&pool->flags[attribute - kReuseFollowEvents], value, sizeof(int));
    } else if (attribute == kReleaseThreshold) {
      memcpy(&pool->release_threshold, value, sizeof(uint64_t));
    } else if (attribute != kReservedHigh && attribute != kUsedHigh) {  // those may be reset, and always are
      return Error::cudaErrorInvalidValue;
    }
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaMemPoolGetAttribute(Pool* pool, int attribute, void* value) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!pools().contains(pool) || !value) return Error::cudaErrorInvalidValue;
    uint64_t used = r.used(pool->device);
    if (attribute >= kReuseFollowEvents && attribute <= kReuseInternal) {
      memcpy(value, &pool->flags[attribute - kReuseFollowEvents], sizeof(int));
    } else if (attribute == kReleaseThreshold) {
      memcpy(value, &pool->release_threshold, sizeof(uint64_t));
    } else if (attribute >= kReservedCurrent && attribute <= kUsedHigh) {
      memcpy(value, &used, sizeof used);
    } else {
      return Error::cudaErrorInvalidValue;
    }
    return Error::cudaSuccess;
  });
}

driver::Context* context_of(const Pool* pool) {
  return pools().contains(pool) ? driver::primary_context(pool->device) : nullptr;
}

// What CUDA 13 asks by location; of types of memory there is but one.
WL_API wl_cudaMemGetDefaultMemPool(Pool** out, const void* where, int) {
  const auto* location = static_cast<const PoolLocation*>(where);
  if (!location || location->type != kOnDevice) return returned(Error::cudaErrorInvalidValue);
  return wl_cudaDeviceGetDefaultMemPool(out, location->id);
}
WL_API wl_cudaMemGetMemPool(Pool** out, const void* where, int) {
  const auto* location = static_cast<const PoolLocation*>(where);
  if (!location || location->type != kOnDevice) return returned(Error::cudaErrorInvalidValue);
  return wl_cudaDeviceGetMemPool(out, location->id);
}
WL_API wl_cudaMemSetMemPool(const void* where, int, Pool* pool) {
  const auto* location = static_cast<const PoolLocation*>(where);
  if (!location || location->type != kOnDevice) return returned(Error::cudaErrorInvalidValue);
  return wl_cudaDeviceSetMemPool(location->id, pool);
}

}  // namespace warplens::cuda
