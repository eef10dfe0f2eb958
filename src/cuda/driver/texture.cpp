// Texture and surface objects, which are the runtime's own; the driver writes their descriptions down differently.
#include "cuda/texture.h"

#include <algorithm>

#include "cuda/driver/driver.h"
#include "cuda/served.h"

namespace warplens::cuda::driver {
namespace {

enum TextureFlag : unsigned {  // CU_TRSF_...
  kReadAsInteger = 1,
  kNormalizedCoordinates = 2,
  kSrgb = 0x10,
  kDisableTrilinear = 0x20,
  kSeamlessCubemap = 0x40,
  kAllTextureFlags = 0x73,
};

// What the driver calls by another name than the runtime.
CuResult result_for(Error error) {
  switch (error) {
    case Error::cudaErrorInvalidResourceHandle:
      return CuResult::CUDA_ERROR_INVALID_HANDLE;
    case Error::cudaErrorInvalidChannelDescriptor:
    case Error::cudaErrorInvalidNormSetting:
    case Error::cudaErrorInvalidFilterSetting:
      return CuResult::CUDA_ERROR_INVALID_VALUE;
    default:
      return result_of(error);
  }
}

bool to_runtime(const DriverResourceDesc& from, ResourceDesc& to) {
  to = {};
  to.type = from.type;
  if (from.flags) return false;
  switch (from.type) {
    case kArrayResource:
      to.array = from.array;
      return true;
    case kMipmappedResource:
      to.mipmap = from.mipmap;
      return true;
    case kLinearResource:
      to.linear.pointer = reinterpret_cast<void*>(from.linear.pointer);
      to.linear.bytes = from.linear.bytes;
      return desc_of(from.linear.format, from.linear.channels, to.linear.desc);
    case kPitchResource:
      to.pitch.pointer = reinterpret_cast<void*>(from.pitch.pointer);
      to.pitch.width = from.pitch.width;
      to.pitch.height = from.pitch.height;
      to.pitch.pitch = from.pitch.pitch;
      return desc_of(from.pitch.format, from.pitch.channels, to.pitch.desc);
    default:
      return false;
  }
}

void from_runtime(const ResourceDesc& from, DriverResourceDesc& to) {
  to = {};
  to.type = from.type;
  if (from.type == kArrayResource) to.array = from.array;
  if (from.type == kMipmappedResource) to.mipmap = from.mipmap;
  if (from.type == kLinearResource) {
    to.linear.pointer = reinterpret_cast<DevicePointer>(from.linear.pointer);
    to.linear.bytes = from.linear.bytes;
    format_of(from.linear.desc, to.linear.format, to.linear.channels);
  }
  if (from.type == kPitchResource) {
    to.pitch.pointer = reinterpret_cast<DevicePointer>(from.pitch.pointer);
    to.pitch.width = from.pitch.width;
    to.pitch.height = from.pitch.height;
    to.pitch.pitch = from.pitch.pitch;
    format_of(from.pitch.desc, to.pitch.format, to.pitch.channels);
  }
}

// Integers of 8 and 16 bits are read as fractions unless the program says otherwise.
enum class Reading { Fractions, AsTheyAre };
Reading reading_of(const ResourceDesc& r) {
  const ChannelDesc* desc = r.type == kLinearResource  ? &r.linear.desc
                            : r.type == kPitchResource ? &r.pitch.desc
                                                       : nullptr;
  if (r.type == kArrayResource && is_array(r.array)) desc = &r.array->desc;
  if (const Array* level = r.type == kMipmappedResource ? level_of(r.mipmap, 0) : nullptr) desc = &level->desc;
  constexpr int kFloat = 2;
  return desc && (desc->kind == kFloat || desc->x == 32) ? Reading::AsTheyAre : Reading::Fractions;
}

TextureDesc to_runtime(const DriverTextureDesc& from, const ResourceDesc& resource) {
  TextureDesc to{};
  std::copy(from.address, from.address + 3, to.address);
  to.filter = from.filter;
  const Reading reading = reading_of(resource);
  to.read = from.flags & kReadAsInteger || reading != Reading::Fractions ? 0 : 1;
  if (reading == Reading::Fractions && !to.read) to.filter = 0;  // taken, though there is nothing to filter
  to.srgb = from.flags & kSrgb ? 1 : 0;
  std::copy(from.border, from.border + 4, to.border);
  to.normalized_coords = from.flags & kNormalizedCoordinates ? 1 : 0;
  to.max_anisotropy = from.max_anisotropy;
  to.mipmap_filter = from.mipmap_filter;
  to.level_bias = from.level_bias;
  to.min_level = from.min_level;
  to.max_level = from.max_level;
  to.disable_trilinear_optimization = from.flags & kDisableTrilinear ? 1 : 0;
  to.seamless_cubemap = from.flags & kSeamlessCubemap ? 1 : 0;
  return to;
}

DriverTextureDesc from_runtime(const TextureDesc& from) {
  DriverTextureDesc to{};
  std::copy(from.address, from.address + 3, to.address);
  to.filter = from.filter;
  to.flags = (from.read ? 0u : kReadAsInteger) | (from.normalized_coords ? kNormalizedCoordinates : 0u) |
             (from.srgb ? kSrgb : 0u) | (from.disable_trilinear_optimization ? kDisableTrilinear : 0u) |
             (from.seamless_cubemap ? kSeamlessCubemap : 0u);
  to.max_anisotropy = from.max_anisotropy;
  to.mipmap_filter = from.mipmap_filter;
  to.level_bias = from.level_bias;
  to.min_level = from.min_level;
  to.max_level = from.max_level;
  std::copy(from.border, from.border + 4, to.border);
  return to;
}

template <typename Body>
CuResult about(uint64_t handle, bool surface, const void* out, Body&& body) {
  return serve(Needs::Context, [&](Runtime&) {
    const TextureObject* object = texture_object(handle, surface);
    if (!object || !out) return CuResult::CUDA_ERROR_INVALID_VALUE;
    return body(*object);
  });
}

}  // namespace

WL_DRIVER_API wl_cuTexObjectCreate(uint64_t* out, const DriverResourceDesc* resource, const DriverTextureDesc* texture,
                                   const ResourceViewDesc* view) {
  return serve(Needs::Context, [&](Runtime& r) {
    ResourceDesc converted;
    if (!out || !resource || !texture || !to_runtime(*resource, converted) || texture->flags & ~kAllTextureFlags)
      return CuResult::CUDA_ERROR_INVALID_VALUE;
    return result_for(make_texture(r, converted, to_runtime(*texture, converted), view, *out));
  });
}
WL_DRIVER_API wl_cuTexObjectDestroy(uint64_t handle) {
  return serve(Needs::Context, [&](Runtime& r) { return remove_texture(r, handle); });
}
WL_DRIVER_API wl_cuTexObjectGetResourceDesc(DriverResourceDesc* out, uint64_t handle) {
  return about(handle, false, out, [&](const TextureObject& object) {
    from_runtime(object.resource, *out);
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuTexObjectGetTextureDesc(DriverTextureDesc* out, uint64_t handle) {
  return about(handle, false, out, [&](const TextureObject& object) {
    *out = from_runtime(object.texture);
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuTexObjectGetResourceViewDesc(ResourceViewDesc* out, uint64_t handle) {
  return about(handle, false, out, [&](const TextureObject& object) {
    *out = object.view.value_or(ResourceViewDesc{});
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuSurfObjectCreate(uint64_t* out, const DriverResourceDesc* resource) {
  return serve(Needs::Context, [&](Runtime& r) {
    ResourceDesc converted;
    if (!out || !resource || !to_runtime(*resource, converted)) return CuResult::CUDA_ERROR_INVALID_VALUE;
    return result_for(make_surface(r, converted, *out));
  });
}
WL_DRIVER_API wl_cuSurfObjectDestroy(uint64_t handle) { return wl_cuTexObjectDestroy(handle); }
WL_DRIVER_API wl_cuSurfObjectGetResourceDesc(DriverResourceDesc* out, uint64_t handle) {
  return about(handle, true, out, [&](const TextureObject& object) {
    from_runtime(object.resource, *out);
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuDeviceGetTexture1DLinearMaxWidth(size_t* out, int format, unsigned channels, Device device) {
  return ask([&](Runtime&) {
    ChannelDesc desc;
    if (!desc_of(format, channels, desc)) return Error::cudaErrorInvalidValue;
    return wl_cudaDeviceGetTexture1DLinearMaxWidth(out, &desc, device);
  });
}

}  // namespace warplens::cuda::driver
