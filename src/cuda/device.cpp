// What a program can ask of its device: one GPU, the chosen one.
#include "cuda/device.h"

#include <array>
#include <cstring>

#include "cuda/runtime.h"
#include "cuda/served.h"

namespace warplens::cuda {

std::optional<int> attribute(const model::GpuSpec& gpu, int number) {
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

std::array<char, 16> uuid_of(const model::GpuSpec& gpu) {
  std::array<char, 16> uuid{};
  memcpy(uuid.data(), "warplens", 8);
  memcpy(uuid.data() + 8, gpu.id.data(), std::min<size_t>(8, gpu.id.size()));
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

constexpr int kDevices = 1;

Error check_device(int device) {
  return device >= 0 && device < kDevices ? Error::cudaSuccess : Error::cudaErrorInvalidDevice;
}

Error properties(int release, void* out, int device) {
  return call(Needs::Nothing, [&](Runtime& r) {
    if (!out) return Error::cudaErrorInvalidValue;
    Error error = check_device(device);
    if (error == Error::cudaSuccess) write_properties(r.session()->gpu(), release, out);
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

constexpr int kLimits = 7;  // cudaLimitStackSize ... cudaLimitPersistingL2CacheSize
// What an H200 starts with.
size_t limits[kLimits] = {1024, 8650752, 8388608, 0, 2048, 0, 0};

}  // namespace

size_t write_properties(const model::GpuSpec& gpu, int release, void* out) {
  StructWriter writer(out);
  char name[256] = {};
  gpu.name.copy(name, sizeof name - 1);
  writer.put_bytes(name, sizeof name);
  writer.put_bytes(uuid_of(gpu).data(), 16);
  writer.put_bytes("\0\0\0\0\0\0\0", 8);  // luid: Windows only
  writer.put(0u);                         // luidDeviceNodeMask
  writer.put(size_t{gpu.memory_bytes});
#define WL_RELEASES_ALL 11, 13
#define WL_RELEASES_TO12 11, 12
#define WL_RELEASES_FROM12 12, 13
#define WL_RELEASES_FROM13 13, 13
#define WL_FIELD(releases, type, name, ...)                                                         \
  if (is_in(release, WL_RELEASES_##releases)) {                                                     \
    for (int number : {__VA_ARGS__}) writer.put(static_cast<type>(attribute(gpu, number).value())); \
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
    auto value = attribute(r.session()->gpu(), number);
    if (!out || !value) return Error::cudaErrorInvalidValue;
    *out = *value;
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaGetDeviceCount(int* out) {
  if (!HostQueue::inside()) return give(out, kDevices);
  if (out) *out = kDevices;  // the only question that host functions may ask
  return out ? Error::cudaSuccess : returned(Error::cudaErrorInvalidValue);
}
WL_API wl_cudaGetDevice(int* out) { return give(out, 0); }
WL_API wl_cudaSetDevice(int device) {
  return call(Needs::Nothing, [&](Runtime&) { return check_device(device); });
}
WL_API wl_cudaInitDevice(int device, unsigned, unsigned) { return wl_cudaSetDevice(device); }
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
    bool broken = r.pending != Error::cudaSuccess || r.fault != Error::cudaSuccess;
    r.pending = Error::cudaSuccess;
    if (broken) r.fault = Error::cudaErrorDevicesUnavailable;
    last_error = Error::cudaSuccess;
    return Error::cudaSuccess;
  });
}

namespace {
unsigned device_flags = 0;
}
WL_API wl_cudaSetDeviceFlags(unsigned flags) {
  constexpr unsigned kKnown = 0xff;  // scheduling, mapping, local memory, sync of memory operations
  return call(Needs::Nothing, [&](Runtime&) {
    if (flags & ~kKnown) return Error::cudaErrorInvalidValue;
    device_flags = flags;
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGetDeviceFlags(unsigned* out) { return give(out, device_flags | 8u); }  // memory is always mapped

WL_API wl_cudaDeviceSetLimit(int limit, size_t value) {
  return call(Needs::Context, [&](Runtime&) {
    if (limit < 0 || limit >= kLimits) return Error::cudaErrorInvalidValue;
    limits[limit] = value;
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaDeviceGetLimit(size_t* out, int limit) {
  return call(Needs::Context, [&](Runtime&) {
    if (!out || limit < 0 || limit >= kLimits) return Error::cudaErrorInvalidValue;
    *out = limits[limit];
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

// One device has no peers.
WL_API wl_cudaDeviceCanAccessPeer(int* out, int device, int peer) {
  return call(Needs::Nothing, [&](Runtime&) {
    if (check_device(device) != Error::cudaSuccess || check_device(peer) != Error::cudaSuccess) {
      return Error::cudaErrorInvalidDevice;
    }
    if (!out) return Error::cudaErrorInvalidValue;
    *out = 0;
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return call(Needs::Context, [&](Runtime&) {
    return check_device(peer) != Error::cudaSuccess ? Error::cudaErrorInvalidDevice
                                                    : Error::cudaErrorPeerAccessUnsupported;
  });
}
WL_API wl_cudaDeviceDisablePeerAccess(int peer) {
  return call(Needs::Context, [&](Runtime&) {
    return check_device(peer) != Error::cudaSuccess ? Error::cudaErrorInvalidDevice
                                                    : Error::cudaErrorPeerAccessNotEnabled;
  });
}

WL_API wl_cudaDeviceGetPCIBusId(char* out, int length, int device) {
  static constexpr char kId[] = "0000:00:00.0";
  return call(Needs::Nothing, [&](Runtime&) {
    if (!out || length < static_cast<int>(sizeof kId)) return Error::cudaErrorInvalidValue;
    memcpy(out, kId, sizeof kId);
    return check_device(device);
  });
}

}  // namespace warplens::cuda
