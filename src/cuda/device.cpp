// What a program can ask of its devices: the chosen GPU, once or several times. Their memory is one address space, so
// that each reaches what the others have, whether access was enabled or not; asking is answered as a machine would.
#include "cuda/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "cuda/driver/context.h"
#include "cuda/runtime.h"
#include "cuda/served.h"

namespace warplens::cuda {

std::optional<int> attribute(const model::GpuSpec& gpu, int number, int device) {
  constexpr int kPciBus = 33;
  if (number == kPciBus) return device;
  switch (number) {
#define WL_ATTRIBUTE(number, value) \
  case number:                      \
    return static_cast<int>(value);
#include "cuda/attributes.def"
#undef WL_ATTRIBUTE
    default:
      return std::nullopt;
  }
}

std::array<char, 16> uuid_of(const model::GpuSpec& gpu, int device) {
  std::array<char, 16> uuid{};
  memcpy(uuid.data(), "warplens", 8);
  memcpy(uuid.data() + 8, gpu.id.data(), std::min<size_t>(8, gpu.id.size()));
  uuid[15] = static_cast<char>(uuid[15] + device);
  return uuid;
}

namespace {

// Lays out a C struct, member by member.
class StructWriter {
 public:
  explicit StructWriter(void* out) : out_(static_cast<char*>(out)) {}
  template <typename T>
  void put(T value) {
    static constexpr char kPadding[alignof(T)] = {};
    put_bytes(kPadding, (alignof(T) - offset_ % alignof(T)) % alignof(T));
    put_bytes(&value, sizeof value);
  }
  void put_bytes(const void* bytes, size_t count) {
    if (out_) memcpy(out_ + offset_, bytes, count);
    offset_ += count;
  }
  size_t size() const { return offset_; }

 private:
  char* out_;
  size_t offset_ = 0;
};

constexpr bool is_in(int release, int first, int last) { return release >= first && release <= last; }

Error check_device(int device) {
  return Runtime::get().is_device(device) ? Error::cudaSuccess : Error::cudaErrorInvalidDevice;
}

Error properties(int release, void* out, int device) {
  return call(Needs::Nothing, [&](Runtime& r) {
    if (!out) return Error::cudaErrorInvalidValue;
    Error error = check_device(device);
    if (error == Error::cudaSuccess) write_properties(r.session()->gpu(), release, out, device);
    return error;
  });
}

template <typename T>
Error give(T* out, T value) {
  return call(Needs::Nothing, [&](Runtime&) {
    if (!out) return Error::cudaErrorInvalidValue;
    *out = value;
    return Error::cudaSuccess;
  });
}

constexpr int kMallocHeapSize = 2;  // cudaLimitMallocHeapSize

}  // namespace

size_t write_properties(const model::GpuSpec& gpu, int release, void* out, int device) {
  StructWriter writer(out);
  char name[256] = {};
  gpu.name.copy(name, sizeof name - 1);
  writer.put_bytes(name, sizeof name);
  writer.put_bytes(uuid_of(gpu, device).data(), 16);
  writer.put_bytes("\0\0\0\0\0\0\0", 8);  // luid: Windows only
  writer.put(0u);                         // luidDeviceNodeMask
  writer.put(size_t{gpu.memory_bytes});
#define WL_RELEASES_ALL 11, 13
#define WL_RELEASES_TO12 11, 12
#define WL_RELEASES_FROM12 12, 13
#define WL_RELEASES_FROM13 13, 13
#define WL_FIELD(releases, type, name, ...)                                                                 \
  if (is_in(release, WL_RELEASES_##releases)) {                                                             \
    for (int number : {__VA_ARGS__}) writer.put(static_cast<type>(attribute(gpu, number, device).value())); \
  }
#include "cuda/properties.def"
#undef WL_FIELD
  int reserved = release == 12 ? 63 : release == 13 ? 56 : 0;
  for (int i = 0; i < reserved; i++) writer.put(0);
  writer.put_bytes("\0\0\0", writer.size() % 8);  // the struct's alignment
  return writer.size();
}

WL_API wl_cudaGetDeviceProperties_v11(void* out, int device) { return properties(11, out, device); }
WL_API wl_cudaGetDeviceProperties_v12(void* out, int device) { return properties(12, out, device); }
WL_API wl_cudaGetDeviceProperties_v13(void* out, int device) { return properties(13, out, device); }

WL_API wl_cudaDeviceGetAttribute(int* out, int number, int device) {
  return call(Needs::Nothing, [&](Runtime& r) {
    Error error = check_device(device);
    if (error != Error::cudaSuccess) return error;
    auto value = attribute(r.session()->gpu(), number, device);
    if (!out || !value) return Error::cudaErrorInvalidValue;
    *out = *value;
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaGetDeviceCount(int* out) {
  const int count = Runtime::get().device_count();
  if (!HostQueue::inside()) return give(out, count);
  if (out) *out = count;  // the only question that host functions may ask
  return out ? Error::cudaSuccess : returned(Error::cudaErrorInvalidValue);
}
WL_API wl_cudaGetDevice(int* out) { return give(out, current_device()); }
WL_API wl_cudaSetDevice(int device) {
  return call(Needs::Nothing, [&](Runtime&) {
    Error error = check_device(device);
    if (error == Error::cudaSuccess) driver::enter_primary_context_of(device);
    return error;
  });
}
// Makes its context without making it current.
WL_API wl_cudaInitDevice(int device, unsigned, unsigned) {
  return call(Needs::Nothing, [&](Runtime&) {
    Error error = check_device(device);
    if (error == Error::cudaSuccess) driver::primary_context(device)->alive = true;
    return error;
  });
}
WL_API wl_cudaSetValidDevices(const int*, int) {
  return call(Needs::Nothing, [](Runtime&) { return Error::cudaSuccess; });
}
WL_API wl_cudaChooseDevice(int* out, const void* properties) { return give(out, 0); }

// The newest that CUDA 13 can have, since PTX of every CUDA 13 is read: a program whose compiler is newer than the
// driver makes machine code itself, and one that finds a newer driver leaves its PTX to that.
WL_API wl_cudaDriverGetVersion(int* out) { return give(out, 13090); }
WL_API wl_cudaRuntimeGetVersion_v11(int* out) { return give(out, 11080); }
WL_API wl_cudaRuntimeGetVersion_v12(int* out) { return give(out, 12060); }
WL_API wl_cudaRuntimeGetVersion_v13(int* out) { return give(out, 13000); }

WL_API wl_cudaDeviceReset() {
  return call(Needs::Nothing, [](Runtime& r) {
    r.show_printed();
    Device& device = r.device();
    bool broken = device.pending != Error::cudaSuccess || device.fault != Error::cudaSuccess;
    device.pending = Error::cudaSuccess;
    if (broken) device.fault = Error::cudaErrorDevicesUnavailable;
    last_error = Error::cudaSuccess;
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaSetDeviceFlags(unsigned flags) {
  constexpr unsigned kKnown = 0xff;  // scheduling, mapping, local memory, sync of memory operations
  return call(Needs::Nothing, [&](Runtime& r) {
    if (flags & ~kKnown) return Error::cudaErrorInvalidValue;
    r.device().flags = flags;
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGetDeviceFlags(unsigned* out) {
  return give(out, Runtime::get().device().flags | 8u);  // memory is always mapped
}

WL_API wl_cudaDeviceSetLimit(int limit, size_t value) {
  return call(Needs::Context, [&](Runtime& r) {
    auto& limits = r.device().limits;
    if (limit < 0 || static_cast<size_t>(limit) >= limits.size()) return Error::cudaErrorInvalidValue;
    limits[static_cast<size_t>(limit)] = value;
    if (limit == kMallocHeapSize) r.session()->memory().set_heap_limit(value);
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaDeviceGetLimit(size_t* out, int limit) {
  return call(Needs::Context, [&](Runtime& r) {
    auto& limits = r.device().limits;
    if (!out || limit < 0 || static_cast<size_t>(limit) >= limits.size()) return Error::cudaErrorInvalidValue;
    *out = limits[static_cast<size_t>(limit)];
    return Error::cudaSuccess;
  });
}

// Preferences that change speed on a GPU and nothing here.
WL_API wl_cudaDeviceSetCacheConfig(int) {
  return call(Needs::Context, [](Runtime&) { return Error::cudaSuccess; });
}
WL_API wl_cudaDeviceGetCacheConfig(int* out) { return give(out, 0); }
WL_API wl_cudaDeviceSetSharedMemConfig(int) { return wl_cudaDeviceSetCacheConfig(0); }
WL_API wl_cudaDeviceGetSharedMemConfig(int* out) { return give(out, 1); }  // four-byte banks
WL_API wl_cudaCtxResetPersistingL2Cache() { return wl_cudaDeviceSetCacheConfig(0); }
WL_API wl_cudaProfilerStart() { return wl_cudaDeviceSetCacheConfig(0); }
WL_API wl_cudaProfilerStop() { return wl_cudaDeviceSetCacheConfig(0); }

// No device is its own peer.
WL_API wl_cudaDeviceCanAccessPeer(int* out, int device, int peer) {
  return call(Needs::Nothing, [&](Runtime&) {
    if (check_device(device) != Error::cudaSuccess || check_device(peer) != Error::cudaSuccess) {
      return Error::cudaErrorInvalidDevice;
    }
    if (!out) return Error::cudaErrorInvalidValue;
    *out = device != peer;
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return call(Needs::Context, [&](Runtime& r) {
    if (check_device(peer) != Error::cudaSuccess) return Error::cudaErrorInvalidDevice;
    if (peer == current_device()) return Error::cudaErrorPeerAccessUnsupported;
    if (flags) return Error::cudaErrorInvalidValue;
    return r.device().peers.insert(peer).second ? Error::cudaSuccess : Error::cudaErrorPeerAccessAlreadyEnabled;
  });
}
WL_API wl_cudaDeviceDisablePeerAccess(int peer) {
  return call(Needs::Context, [&](Runtime& r) {
    if (check_device(peer) != Error::cudaSuccess) return Error::cudaErrorInvalidDevice;
    return r.device().peers.erase(peer) ? Error::cudaSuccess : Error::cudaErrorPeerAccessNotEnabled;
  });
}
WL_API wl_cudaDeviceGetP2PAttribute(int* out, int attribute, int device, int peer) {
  constexpr int kPerformanceRank = 1, kLast = 4;  // cudaDeviceP2PAttr: access, atomics and arrays are all there
  return call(Needs::Nothing, [&](Runtime&) {
    if (!out || attribute < kPerformanceRank || attribute > kLast) return Error::cudaErrorInvalidValue;
    if (check_device(device) != Error::cudaSuccess || check_device(peer) != Error::cudaSuccess || device == peer) {
      return Error::cudaErrorInvalidDevice;
    }
    *out = attribute != kPerformanceRank;
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaDeviceGetPCIBusId(char* out, int length, int device) {
  return call(Needs::Nothing, [&](Runtime&) {
    std::string id = fmt::format("0000:{:02x}:00.0", device);
    if (!out || length <= static_cast<int>(id.size())) return Error::cudaErrorInvalidValue;
    if (check_device(device) == Error::cudaSuccess) memcpy(out, id.c_str(), id.size() + 1);
    return check_device(device);
  });
}
// The domain may be left out, the function too.
WL_API wl_cudaDeviceGetByPCIBusId(int* out, const char* id) {
  return call(Needs::Nothing, [&](Runtime& r) {
    if (!out || !id) return Error::cudaErrorInvalidValue;
    for (int device = 0; device < r.device_count(); device++) {
      std::string own = fmt::format("0000:{:02x}:00.0", device);
      if (own.compare(0, 10, id, std::min<size_t>(10, strlen(id))) != 0 &&
          own.compare(5, 5, id, std::min<size_t>(5, strlen(id))) != 0) {
        continue;
      }
      *out = device;
      return Error::cudaSuccess;
    }
    return Error::cudaErrorInvalidDevice;
  });
}

}  // namespace warplens::cuda
