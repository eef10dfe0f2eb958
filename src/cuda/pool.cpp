// Memory pools. Every pool allocates from the one device memory and gives back at once what is freed; what a pool keeps
// are its attributes.
#include <cstring>
#include <map>
#include <memory>

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
  int flags[3] = {1, 1, 1};
  uint64_t release_threshold = 0;
};

namespace {

std::map<const Pool*, std::unique_ptr<Pool>>& pools() {
  static auto* all = new std::map<const Pool*, std::unique_ptr<Pool>>;
  return *all;
}

Pool* make_pool() {
  auto pool = std::make_unique<Pool>();
  Pool* handle = pool.get();
  pools().emplace(handle, std::move(pool));
  return handle;
}

Pool* default_pool() {
  static Pool* pool = make_pool();
  return pool;
}

Pool*& current_pool() {
  static Pool* pool = default_pool();
  return pool;
}

Error give_pool(Pool** out, int device, Pool* (*which)()) {
  return call(Needs::Nothing, [&](Runtime&) {
    if (!out) return Error::cudaErrorInvalidValue;
    if (device != 0) return Error::cudaErrorInvalidDevice;
    *out = which();
    return Error::cudaSuccess;
  });
}

}  // namespace

WL_API wl_cudaDeviceGetDefaultMemPool(Pool** out, int device) { return give_pool(out, device, default_pool); }
WL_API wl_cudaDeviceGetMemPool(Pool** out, int device) {
  return give_pool(out, device, [] { return current_pool(); });
}
WL_API wl_cudaDeviceSetMemPool(int device, Pool* pool) {
  return call(Needs::Nothing, [&](Runtime&) {
    if (device != 0) return Error::cudaErrorInvalidDevice;
    if (!pools().contains(pool)) return Error::cudaErrorInvalidValue;
    current_pool() = pool;
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaMemPoolCreate(Pool** out, const void* properties) {
  return call(Needs::Context, [&](Runtime&) {
    if (!out || !properties) return Error::cudaErrorInvalidValue;
    *out = make_pool();
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaMemPoolDestroy(Pool* pool) {
  return call(Needs::Context, [&](Runtime&) {
    if (pool == default_pool() || !pools().erase(pool)) return Error::cudaErrorInvalidValue;
    if (current_pool() == pool) current_pool() = default_pool();
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaMemPoolTrimTo(Pool* pool, size_t) {
  return call(Needs::Context,
              [&](Runtime&) { return pools().contains(pool) ? Error::cudaSuccess : Error::cudaErrorInvalidValue; });
}
// One device: it has access.
WL_API wl_cudaMemPoolSetAccess(Pool* pool, const void*, size_t) { return wl_cudaMemPoolTrimTo(pool, 0); }

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
    uint64_t used = r.session()->memory().used();
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

}  // namespace warplens::cuda
