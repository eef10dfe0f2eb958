// Making arrays and asking about them. Copying is in copy.cpp and array_copy.cpp.
#include "cuda/array.h"

#include <algorithm>
#include <map>
#include <memory>

#include "cuda/device.h"
#include "cuda/memory.h"
#include "cuda/served.h"

namespace warplens::cuda {
namespace {

constexpr unsigned kServedFlags = kArrayLayered | kArraySurface | kArrayCubemap | kArrayGather | kArrayColor;

template <typename T>
using Owned = std::map<const T*, std::unique_ptr<T>>;
Owned<Array>& arrays() {
  static auto* all = new Owned<Array>;
  return *all;
}
Owned<MipmappedArray>& mipmapped_arrays() {
  static auto* all = new Owned<MipmappedArray>;
  return *all;
}

// One format: what a channel is to the runtime, and the driver's number for it.
struct Format {
  int driver, kind, bits;
};
constexpr int kSigned = 0, kUnsigned = 1, kFloat = 2;  // cudaChannelFormatKind
constexpr Format kFormats[] = {{0x01, kUnsigned, 8}, {0x02, kUnsigned, 16}, {0x03, kUnsigned, 32}, {0x08, kSigned, 8},
                               {0x09, kSigned, 16},  {0x0a, kSigned, 32},   {0x10, kFloat, 16},    {0x20, kFloat, 32}};

// A format of one, two or four equal channels.
const Format* format_of(const ChannelDesc& desc, unsigned& channels) {
  channels = desc.w ? 4 : desc.z ? 3 : desc.y ? 2 : 1;
  const int bits[] = {desc.x, desc.y, desc.z, desc.w};
  bool equal = std::all_of(bits, bits + channels, [&](int b) { return b == desc.x; });
  if (!equal || channels == 3) return nullptr;
  for (const Format& format : kFormats) {
    if (format.kind == desc.kind && format.bits == desc.x) return &format;
  }
  return nullptr;
}

// What the GPU takes at most, by the numbers that cudaDeviceGetAttribute gives too.
bool fits(const model::GpuSpec& gpu, const Extent& extent, unsigned flags) {
  auto within = [&](int width, int height, int depth) {
    auto most = [&](int number) { return number ? static_cast<size_t>(attribute(gpu, number).value_or(0)) : SIZE_MAX; };
    return extent.width <= most(width) && extent.height <= most(height) && extent.depth <= most(depth);
  };
  if (flags & kArrayGather) {
    const bool plane = extent.height && !extent.depth && !(flags & (kArrayLayered | kArrayCubemap));
    return plane && within(45, 46, 0);
  }
  if (flags & kArrayCubemap) {
    bool faces = extent.width == extent.height && extent.depth && extent.depth % 6 == 0;
    return faces && (flags & kArrayLayered ? within(53, 0, 54) : extent.depth == 6 && within(52, 0, 0));
  }
  if (flags & kArrayLayered) return extent.depth && (extent.height ? within(27, 28, 29) : within(42, 0, 43));
  if (!extent.height && extent.depth) return false;
  if (extent.depth) return within(24, 25, 26) || within(47, 48, 49);
  return extent.height ? within(22, 23, 0) : within(21, 0, 0);
}

Extent halved(const Extent& extent, unsigned level, unsigned flags) {
  auto half = [&](size_t n) { return n ? std::max<size_t>(n >> level, 1) : 0; };
  return {half(extent.width), half(extent.height),
          flags & (kArrayLayered | kArrayCubemap) ? extent.depth : half(extent.depth)};
}

template <typename Body>
Error of(const Array* array, Body&& body) {
  return call(Needs::Context,
              [&](Runtime&) { return is_array(array) ? body() : Error::cudaErrorInvalidResourceHandle; });
}

}  // namespace

bool is_array(const Array* array) { return arrays().contains(array); }

bool desc_of(int driver_format, unsigned channels, ChannelDesc& out) {
  if (channels != 1 && channels != 2 && channels != 4) return false;
  for (const Format& format : kFormats) {
    if (format.driver != driver_format) continue;
    int bits = format.bits;
    out = {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0, format.kind};
    return true;
  }
  return false;
}

bool format_of(const ChannelDesc& desc, int& driver_format, unsigned& channels) {
  const Format* format = format_of(desc, channels);
  if (format) driver_format = format->driver;
  return format;
}

Error make_array(Runtime& runtime, const ChannelDesc* desc, const Extent& extent, unsigned flags, Array*& out) {
  if (!desc) return Error::cudaErrorInvalidValue;
  auto array = std::make_unique<Array>();
  const Format* format = format_of(*desc, array->channels);
  if (!format) return Error::cudaErrorInvalidChannelDescriptor;
  if (flags & (kArraySparse | kArrayDeferred)) {
    runtime.refuse("a sparse array, or one whose memory comes later,");
    return Error::cudaErrorNotSupported;
  }
  if ((flags & ~kServedFlags) || !extent.width || !fits(runtime.session()->gpu(), extent, flags)) {
    return Error::cudaErrorInvalidValue;
  }
  array->desc = *desc;
  array->extent = extent;
  array->flags = flags;
  array->driver_format = format->driver;
  array->element_bytes = static_cast<size_t>(format->bits) / 8 * array->channels;
  void* memory = nullptr;
  Error error = allocate(runtime, &memory, array->bytes(), exec::Allocation::Kind::Device);
  if (error != Error::cudaSuccess) return error;
  array->memory = reinterpret_cast<uint64_t>(memory);
  out = array.get();
  arrays().emplace(out, std::move(array));
  return Error::cudaSuccess;
}

Error free_array(Runtime& runtime, Array* array) {
  if (!is_array(array)) return Error::cudaErrorContextIsDestroyed;  // what an H200 says of one that is gone
  if (array->is_level) return Error::cudaErrorInvalidValue;
  release_memory(runtime, array->memory);
  arrays().erase(array);
  return Error::cudaSuccess;
}

Error make_mipmapped(Runtime& runtime, const ChannelDesc* desc, const Extent& extent, unsigned levels, unsigned flags,
                     MipmappedArray*& out) {
  levels = std::max(levels, 1u);
  size_t longest = std::max({extent.width, extent.height, flags & (kArrayLayered | kArrayCubemap) ? 0 : extent.depth});
  unsigned most = 1;  // down to one element
  while (longest >>= 1) most++;
  auto mipmapped = std::make_unique<MipmappedArray>();
  for (unsigned level = 0; level < std::min(levels, most); level++) {
    Array* array = nullptr;
    Error error = make_array(runtime, desc, halved(extent, level, flags), flags, array);
    if (error != Error::cudaSuccess) {
      for (Array* made : mipmapped->levels) made->is_level = false, free_array(runtime, made);
      return error;
    }
    array->is_level = true;
    mipmapped->levels.push_back(array);
  }
  out = mipmapped.get();
  mipmapped_arrays().emplace(out, std::move(mipmapped));
  return Error::cudaSuccess;
}

Error free_mipmapped(Runtime& runtime, MipmappedArray* array) {
  if (!mipmapped_arrays().contains(array)) return Error::cudaErrorContextIsDestroyed;
  for (Array* level : array->levels) level->is_level = false, free_array(runtime, level);
  mipmapped_arrays().erase(array);
  return Error::cudaSuccess;
}

Array* level_of(const MipmappedArray* array, unsigned level) {
  return mipmapped_arrays().contains(array) && level < array->levels.size() ? array->levels[level] : nullptr;
}

WL_API wl_cudaMallocArray(Array** out, const ChannelDesc* desc, size_t width, size_t height, unsigned flags) {
  return wl_cudaMalloc3DArray(out, desc, {width, height, 0}, flags);
}
WL_API wl_cudaMalloc3DArray(Array** out, const ChannelDesc* desc, Extent extent, unsigned flags) {
  return call(Needs::Context, [&](Runtime& r) {
    return out ? make_array(r, desc, extent, flags, *out) : Error::cudaErrorInvalidValue;
  });
}
WL_API wl_cudaFreeArray(Array* array) {
  return call(Needs::Context, [&](Runtime& r) { return array ? free_array(r, array) : Error::cudaSuccess; });
}
WL_API wl_cudaMallocMipmappedArray(MipmappedArray** out, const ChannelDesc* desc, Extent extent, unsigned levels,
                                   unsigned flags) {
  return call(Needs::Context, [&](Runtime& r) {
    return out ? make_mipmapped(r, desc, extent, levels, flags, *out) : Error::cudaErrorInvalidValue;
  });
}
WL_API wl_cudaFreeMipmappedArray(MipmappedArray* array) {
  return call(Needs::Context, [&](Runtime& r) { return array ? free_mipmapped(r, array) : Error::cudaSuccess; });
}
WL_API wl_cudaGetMipmappedArrayLevel(Array** out, const MipmappedArray* array, unsigned level) {
  return call(Needs::Context, [&](Runtime&) {
    Array* found = level_of(array, level);
    if (!out || !found) return Error::cudaErrorInvalidValue;
    *out = found;
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaArrayGetInfo(ChannelDesc* desc, Extent* extent, unsigned* flags, const Array* array) {
  return of(array, [&] {
    if (desc) *desc = array->desc;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGetChannelDesc(ChannelDesc* desc, const Array* array) {
  return of(array, [&] {
    if (!desc) return Error::cudaErrorInvalidValue;
    *desc = array->desc;
    return Error::cudaSuccess;
  });
}
// The planes of a video format, which no array of ours has.
WL_API wl_cudaArrayGetPlane(Array** out, const Array* array, unsigned) {
  return of(array, [&] { return Error::cudaErrorInvalidValue; });
}

}  // namespace warplens::cuda
