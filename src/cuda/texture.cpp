// Making texture and surface objects and asking about them. What a fetch gives is in exec/sample.cpp.
#include "cuda/texture.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "cuda/device.h"
#include "cuda/served.h"
#include "exec/texture.h"

namespace warplens::cuda {
namespace {

using exec::TexelFormat;
using exec::Texture;
using exec::TextureLevel;

std::map<uint64_t, TextureObject>& objects() {
  static auto* all = new std::map<uint64_t, TextureObject>;
  return *all;
}

constexpr int kLinearFilter = 1;

// One, two or four equal channels, or nothing.
std::optional<TexelFormat> format_of(const ChannelDesc& d) {
  const auto channels = static_cast<uint8_t>(d.w ? 4 : d.z ? 3 : d.y ? 2 : 1);
  const int bits[] = {d.x, d.y, d.z, d.w};
  const bool equal = std::all_of(bits, bits + channels, [&](int b) { return b == d.x; });
  const bool known = d.x == 8 || d.x == 16 || d.x == 32;
  if (!equal || !known || channels == 3 || d.kind < 0 || d.kind > 2 || (d.kind == 2 && d.x == 8)) return std::nullopt;
  constexpr TexelFormat::Kind kKinds[] = {TexelFormat::Kind::Signed, TexelFormat::Kind::Unsigned,
                                          TexelFormat::Kind::Float};
  return TexelFormat{kKinds[d.kind], static_cast<uint8_t>(d.x), channels};
}

uint32_t number(size_t n) { return static_cast<uint32_t>(n); }

TextureLevel level_of(const Array& array) {
  TextureLevel level;
  level.base = array.memory;
  level.width = number(array.extent.width);
  level.height = number(array.rows());
  const bool layered = array.flags & (kArrayLayered | kArrayCubemap);
  level.depth = layered ? 1 : number(array.planes());
  level.layers = layered ? number(array.planes()) : 0;
  level.row_bytes = array.row_bytes();
  level.plane_bytes = array.plane_bytes();
  return level;
}

Error take_array(const Array& array, Texture& out) {
  out.format = *format_of(array.desc);
  out.cube = array.flags & kArrayCubemap;
  const bool layered = array.flags & (kArrayLayered | kArrayCubemap);
  out.dimensions = !array.extent.height ? 1 : array.extent.depth && !layered ? 3 : 2;
  out.levels.push_back(level_of(array));
  return Error::cudaSuccess;
}

bool is_texture_memory(Runtime& runtime, uint64_t at) {
  return at && at % exec::DeviceMemory::kAlignment == 0 && runtime.session()->memory().find(at);
}

// Texels of linear memory at most.
size_t linear_width(const TexelFormat& format) {
  constexpr size_t kTexels = size_t{1} << 30, kBytes = size_t{1} << 32;
  return std::min(kTexels, kBytes / format.bytes());
}

Error take_linear(Runtime& runtime, const ResourceDesc& r, Texture& out) {
  const auto format = format_of(r.linear.desc);
  if (!format) return Error::cudaErrorInvalidChannelDescriptor;
  const auto at = reinterpret_cast<uint64_t>(r.linear.pointer);
  const size_t texels = r.linear.bytes / format->bytes();
  if (!is_texture_memory(runtime, at) || texels > linear_width(*format)) return Error::cudaErrorInvalidValue;
  out.source = Texture::Source::Linear;
  out.format = *format;
  TextureLevel level;
  level.base = at;
  level.width = number(texels);
  out.levels.push_back(level);
  return Error::cudaSuccess;
}

Error take_pitch(Runtime& runtime, const ResourceDesc& r, Texture& out) {
  const auto format = format_of(r.pitch.desc);
  if (!format) return Error::cudaErrorInvalidChannelDescriptor;
  const auto at = reinterpret_cast<uint64_t>(r.pitch.pointer);
  const auto most = [&](int n) { return static_cast<size_t>(attribute(runtime.session()->gpu(), n).value_or(0)); };
  constexpr size_t kPitchAlignment = 32;
  if (!is_texture_memory(runtime, at) || r.pitch.pitch % kPitchAlignment || r.pitch.width > most(70) ||
      r.pitch.height > most(71) || r.pitch.pitch > most(72))
    return Error::cudaErrorInvalidValue;
  out.source = Texture::Source::Pitch;
  out.format = *format;
  out.dimensions = 2;
  TextureLevel level;
  level.base = at;
  level.width = number(r.pitch.width);
  level.height = number(r.pitch.height);
  level.row_bytes = r.pitch.pitch;
  out.levels.push_back(level);
  return Error::cudaSuccess;
}

Error take_resource(Runtime& runtime, const ResourceDesc& r, Texture& out) {
  switch (r.type) {
    case kArrayResource:
      return is_array(r.array) ? take_array(*r.array, out) : Error::cudaErrorInvalidResourceHandle;
    case kMipmappedResource: {
      if (!level_of(r.mipmap, 0)) return Error::cudaErrorInvalidResourceHandle;
      for (unsigned level = 0; const Array* array = level_of(r.mipmap, level); level++)
        if (Error error = take_array(*array, out); error != Error::cudaSuccess) return error;
      return Error::cudaSuccess;
    }
    case kLinearResource:
      return take_linear(runtime, r, out);
    case kPitchResource:
      return take_pitch(runtime, r, out);
    default:
      return Error::cudaErrorInvalidValue;
  }
}

Error take_modes(const TextureDesc& d, Texture& out) {
  const auto choice = [](int value, int last) { return value >= 0 && value <= last; };
  bool known = choice(d.filter, 1) && choice(d.mipmap_filter, 1);
  for (int mode : d.address) known &= choice(mode, 3);
  if (!known || (d.seamless_cubemap == 1 && !out.cube)) return Error::cudaErrorInvalidValue;
  const bool integers = out.format.kind != TexelFormat::Kind::Float;
  const bool normalizes = d.read == 1 && integers && out.format.bits < 32;
  if (d.filter == kLinearFilter && integers && !normalizes) return Error::cudaErrorInvalidFilterSetting;
  if (d.read == 1 && !normalizes) return Error::cudaErrorInvalidNormSetting;
  for (int k = 0; k < 3; k++) out.address[k] = static_cast<exec::AddressMode>(d.address[k]);
  out.filters = d.filter;
  out.filters_levels = d.mipmap_filter;
  out.reads_normalized = normalizes;
  out.srgb = d.srgb;
  out.normalized_coords = d.normalized_coords;
  out.seamless = d.seamless_cubemap == 1;
  std::copy(d.border, d.border + 4, out.border);
  out.level_bias = d.level_bias;
  out.min_level = d.min_level;
  out.max_level = d.max_level;
  return Error::cudaSuccess;
}

uint64_t keep(Runtime& runtime, TextureObject object, Texture texture) {
  texture.is_surface = object.is_surface;
  const uint64_t handle =
      runtime.session()->memory().textures().add(std::make_shared<const Texture>(std::move(texture)));
  objects().emplace(handle, std::move(object));
  return handle;
}

template <typename Body>
Error about(uint64_t handle, bool surface, Body&& body) {
  return call(Needs::Context, [&](Runtime&) {
    const TextureObject* object = texture_object(handle, surface);
    return object ? body(*object) : Error::cudaErrorInvalidValue;
  });
}

// Without what came after the union in later releases.
void hand_out(const ResourceDesc& from, ResourceDesc& to) { std::memcpy(&to, &from, sizeof from); }

}  // namespace

Error make_texture(Runtime& runtime, const ResourceDesc& resource, const TextureDesc& desc,
                   const ResourceViewDesc* view, uint64_t& handle) {
  Texture texture;
  Error error = take_resource(runtime, resource, texture);
  if (error != Error::cudaSuccess) return error;
  if (view) {
    runtime.refuse("cudaCreateTextureObject with a resource view");
    return Error::cudaErrorNotSupported;
  }
  error = take_modes(desc, texture);
  if (error != Error::cudaSuccess) return error;
  if (resource.type == kLinearResource) texture.filters = texture.normalized_coords = false;  // read as it is
  if (desc.mipmap_filter == 1 && texture.levels.size() > 1 && !texture.reads_normalized &&
      texture.format.kind != TexelFormat::Kind::Float) {
    runtime.refuse("a texture that mixes levels of integers");
    return Error::cudaErrorNotSupported;
  }
  handle = keep(runtime, {false, resource, desc, view ? std::optional(*view) : std::nullopt}, std::move(texture));
  return Error::cudaSuccess;
}

Error make_surface(Runtime& runtime, const ResourceDesc& resource, uint64_t& handle) {
  Texture texture;
  Error error = take_resource(runtime, resource, texture);
  if (error != Error::cudaSuccess) return error;
  if (resource.type != kArrayResource) return Error::cudaErrorInvalidValue;
  handle = keep(runtime, {true, resource, {}, std::nullopt}, std::move(texture));
  return Error::cudaSuccess;
}

Error remove_texture(Runtime& runtime, uint64_t handle) {
  if (objects().erase(handle)) runtime.session()->memory().textures().remove(handle);
  return Error::cudaSuccess;
}

const TextureObject* texture_object(uint64_t handle, bool surface) {
  const auto found = objects().find(handle);
  return found != objects().end() && found->second.is_surface == surface ? &found->second : nullptr;
}

WL_API wl_cudaCreateTextureObject(uint64_t* out, const ResourceDesc* resource, const TextureDesc* texture,
                                  const ResourceViewDesc* view) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!out || !resource) return Error::cudaErrorInvalidValue;
    if (!texture) return Error::cudaErrorInvalidResourceHandle;
    return make_texture(r, *resource, *texture, view, *out);
  });
}
WL_API wl_cudaDestroyTextureObject(uint64_t handle) {
  return call(Needs::Context, [&](Runtime& r) { return remove_texture(r, handle); });
}
WL_API wl_cudaGetTextureObjectResourceDesc(ResourceDesc* out, uint64_t handle) {
  return about(handle, false, [&](const TextureObject& object) {
    if (!out) return Error::cudaErrorInvalidValue;
    hand_out(object.resource, *out);
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGetTextureObjectTextureDesc(TextureDesc* out, uint64_t handle) {
  return about(handle, false, [&](const TextureObject& object) {
    if (!out) return Error::cudaErrorInvalidResourceHandle;
    *out = object.texture;
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaGetTextureObjectResourceViewDesc(ResourceViewDesc* out, uint64_t handle) {
  return about(handle, false, [&](const TextureObject& object) {
    if (!out) return Error::cudaErrorInvalidValue;
    *out = object.view.value_or(ResourceViewDesc{});
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaCreateSurfaceObject(uint64_t* out, const ResourceDesc* resource) {
  return call(Needs::Context, [&](Runtime& r) {
    return out && resource ? make_surface(r, *resource, *out) : Error::cudaErrorInvalidValue;
  });
}
WL_API wl_cudaDestroySurfaceObject(uint64_t handle) {
  return call(Needs::Context, [&](Runtime& r) { return remove_texture(r, handle); });
}
WL_API wl_cudaGetSurfaceObjectResourceDesc(ResourceDesc* out, uint64_t handle) {
  return about(handle, true, [&](const TextureObject& object) {
    if (!out) return Error::cudaErrorInvalidDevice;  // as an H200 has it
    hand_out(object.resource, *out);
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaDeviceGetTexture1DLinearMaxWidth(size_t* out, const ChannelDesc* desc, int device) {
  return call(Needs::Nothing, [&](Runtime& r) {
    if (!out || !desc) return Error::cudaErrorInvalidValue;
    if (!r.is_device(device)) return Error::cudaErrorInvalidDevice;
    const auto format = format_of(*desc);
    if (!format) return Error::cudaErrorInvalidChannelDescriptor;
    *out = linear_width(*format);
    return Error::cudaSuccess;
  });
}

}  // namespace warplens::cuda
