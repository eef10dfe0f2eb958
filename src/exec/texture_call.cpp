// What a warp's instruction on a texture or surface does: its operands from the scratch area, its object by the handle,
// each lane's place checked, results back. Lanes of different objects come one object after the other.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "exec/worker.h"

namespace warplens::exec {
namespace {

constexpr uint32_t kHandleBytes = kWarpSize * 8;

// The lanes' words of operand k after the handle.
const uint8_t* operand(const WarpEnv& env, uint32_t k) { return env.values + kHandleBytes + k * kWarpSize * 4; }

void take_operands(const WarpEnv& env, TextureRequest& r) {
  uint32_t k = 0;
  const auto take = [&](auto& to) { std::memcpy(&to, operand(env, k++), kWarpSize * 4); };
  if (has_layers(r.access.shape)) take(r.layer);
  const uint32_t n = coordinates(r.access.shape);
  for (uint32_t d = 0; d < n; ++d) take(r.at[d]);
  if (r.access.op == TextureOp::Level || r.access.op == TextureOp::LevelTexels) take(r.level);
  const uint32_t slopes = r.access.op == TextureOp::Grad ? n : 0;
  for (uint32_t d = 0; d < slopes; ++d) take(r.dx[d]);
  for (uint32_t d = 0; d < slopes; ++d) take(r.dy[d]);
  if (!r.access.has_offset) return;
  int32_t packed[kWarpSize];
  take(packed);
  for (uint32_t d = 0; d < 3; ++d)
    for (uint32_t l = 0; l < kWarpSize; ++l) r.offset[d][l] = static_cast<int8_t>(packed[l] >> (8 * d));
}

// sust.p: each 32-bit value becomes a channel; narrower integers are clamped to their range.
void store_formatted(const TexelFormat& format, uint8_t* to, const uint8_t* in, size_t stride, uint32_t components) {
  const uint32_t bytes = format.bits / 8;
  for (uint32_t e = 0; e < std::min<uint32_t>(components, format.channels); ++e) {
    uint32_t value = 0;
    std::memcpy(&value, in + e * stride, sizeof value);
    const uint32_t most = ~0u >> (32 - format.bits);
    if (format.kind == TexelFormat::Kind::Unsigned) value = std::min(value, most);
    if (format.kind == TexelFormat::Kind::Signed)
      value = static_cast<uint32_t>(
          std::clamp<int64_t>(static_cast<int32_t>(value), -int64_t{most / 2} - 1, int64_t{most / 2}));
    std::memcpy(to + e * bytes, &value, bytes);
  }
}

template <typename F>
void each_lane(uint32_t mask, F f) {
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) f(static_cast<uint32_t>(std::countr_zero(rest)));
}

}  // namespace

// The object, if there is one of that kind, with what of its memory is still allocated. Those met in this launch are
// kept.
const Texture* Worker::texture_of(uint64_t handle, bool surface) {
  for (const auto& [known, texture] : textures_)
    if (known == handle) return texture.is_surface == surface ? &texture : nullptr;
  const auto found = memory_->textures().find(handle);
  if (!found) return nullptr;
  Texture& texture = textures_.emplace_back(handle, *found).second;
  for (TextureLevel& level : texture.levels) {
    const auto allocation = memory_->find(level.base);
    level.room = allocation ? allocation->bytes - (level.base - allocation->base) : 0;
  }
  return texture.is_surface == surface ? &texture : nullptr;
}

uint32_t Worker::fail_texture(FaultKind kind, uint32_t site, uint32_t lane, std::string message) {
  Fault f;
  f.kind = kind;
  f.site = site;
  f.thread = thread_of(lane);
  f.message = std::move(message);
  return record(std::move(f));
}

uint32_t Worker::fail_texel(uint32_t site, uint32_t lane, uint64_t address, uint32_t bytes) {
  Fault f;
  f.kind = FaultKind::OutOfBounds;
  f.site = site;
  f.thread = thread_of(lane);
  f.address = address;
  f.bytes = bytes;
  f.nearest = memory_->describe_nearest(address, bytes);
  return record(std::move(f));
}

uint32_t Worker::fetch_texels(const Texture& texture, TextureRequest& request, uint32_t element, uint32_t site) {
  take_operands(env, request);
  sample(texture, request);
  if (request.bad_lane < kWarpSize)
    return fail_texel(site, request.bad_lane, request.bad_address, texture.format.bytes());
  const uint32_t components = element >> 8 & 255;
  uint8_t* out = env.values + kTextureResults;
  for (uint32_t e = 0; e < components; ++e, out += kWarpSize * 4) {
    if (request.mask == ~0u)
      std::memcpy(out, request.result[e], kWarpSize * 4);
    else
      each_lane(request.mask, [&](uint32_t l) { std::memcpy(out + l * 4, &request.result[e][l], 4); });
  }
  return 0;
}

// Where each lane's element lies; false: a fault was recorded. A lane whose access is to be dropped gets none.
bool Worker::resolve_surface(const Texture& surface, const TextureRequest& request, uint32_t bytes, uint32_t site,
                             uint8_t* pointers[kWarpSize]) {
  const TextureAccess& access = request.access;
  const uint32_t n = coordinates(access.shape), first = has_layers(access.shape) ? 1 : 0;
  const TextureLevel& level = surface.levels[0];
  const auto word = [&](uint32_t k, uint32_t l) {
    int32_t value = 0;
    std::memcpy(&value, operand(env, k) + l * 4, 4);
    return value;
  };
  for (uint32_t rest = request.mask; rest != 0; rest &= rest - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(rest));
    const int32_t layer = first ? word(0, l) : 0, x = word(first, l), y = n > 1 ? word(first + 1, l) : 0,
                  z = n > 2 ? word(first + 2, l) : 0;
    const SurfacePlace place = surface_place(surface, access, layer, x, y, z, bytes);
    if (place.misaligned)
      return fail_texture(FaultKind::Misaligned, site, l,
                          fmt::format("x = {} bytes is no multiple of the element's {}", x, bytes)),
             false;
    if (place.out_of_range)
      return fail_texture(
                 FaultKind::OutOfBounds, site, l,
                 fmt::format("x = {} bytes, y = {}, z = {}, layer {} is outside of the surface of {} x {} x {} "
                             "elements of {} bytes, {} layers",
                             x, y, z, layer, level.width, level.height, level.depth, surface.format.bytes(),
                             level.layers)),
             false;
    if (place.address && place.address - level.base + bytes > level.room)
      return fail_texel(site, l, place.address, bytes), false;
    pointers[l] = reinterpret_cast<uint8_t*>(place.address);
  }
  return true;
}

uint32_t Worker::touch_surface(const Texture& surface, const TextureRequest& request, uint32_t element, uint32_t site) {
  const TextureAccess& access = request.access;
  const SurfaceDetail detail = SurfaceDetail::unpack(access.detail);
  const uint32_t width = element & 255, components = element >> 8 & 255;
  uint8_t* pointers[kWarpSize] = {};
  if (!resolve_surface(surface, request, detail.formatted ? surface.format.bytes() : width * components, site,
                       pointers))
    return 1;
  uint32_t inside = 0;
  for (uint32_t l = 0; l < kWarpSize; ++l) inside |= uint32_t{pointers[l] != nullptr} << l;
  if (access.op == TextureOp::Reduce) {
    AccessInfo info;
    info.element_bytes = static_cast<uint8_t>(width);
    info.atomic = static_cast<AtomicOp>(detail.reduction);
    std::memcpy(env.values, env.values + kTextureValues, kWarpSize * width);
    update(info, inside, pointers);
    return 0;
  }
  const size_t stride = kWarpSize * width;
  each_lane(inside, [&](uint32_t l) {
    const uint8_t* in = env.values + kTextureValues + l * width;
    uint8_t* out = env.values + kTextureResults + l * width;
    if (detail.formatted) return store_formatted(surface.format, pointers[l], in, stride, components);
    for (uint32_t e = 0; e < components; ++e)
      if (access.op == TextureOp::Load)
        std::memcpy(out + e * stride, pointers[l] + e * width, width);
      else
        std::memcpy(pointers[l] + e * width, in + e * stride, width);
  });
  return 0;
}

uint32_t Worker::texture(uint32_t packed, uint32_t element, uint32_t site, uint32_t mask) {
  TextureRequest request;
  request.access = TextureAccess::unpack(packed);
  const TextureOp op = request.access.op;
  uint64_t handles[kWarpSize];
  std::memcpy(handles, env.values, sizeof handles);
  const bool stores = op == TextureOp::Store || op == TextureOp::Reduce;
  if (!stores && (mask != ~0u || is_surface(op)))
    std::memset(env.values + kTextureResults, 0, kWarpSize * (element & 255) * (element >> 8 & 255));
  for (uint32_t rest = mask; rest != 0; rest &= ~request.mask) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    uint64_t other = 0;
    for (uint32_t l = 0; l < kWarpSize; ++l) other |= handles[l] ^ handles[lane];
    request.mask = other ? 0 : ~0u;
    for (uint32_t l = 0; l < kWarpSize && other; ++l) request.mask |= uint32_t{handles[l] == handles[lane]} << l;
    request.mask &= rest;
    if (op == TextureOp::Query) {
      query_texture(request, handles[lane]);
      continue;
    }
    const Texture* object = texture_of(handles[lane], is_surface(op));
    if (!object)
      return fail_texture(FaultKind::BadTexture, site, lane,
                          fmt::format("{:#x} is no {} object, or one that was destroyed", handles[lane],
                                      is_surface(op) ? "surface" : "texture"));
    const uint32_t status =
        is_surface(op) ? touch_surface(*object, request, element, site) : fetch_texels(*object, request, element, site);
    if (status != 0) return status;
  }
  if (element >> 16 & 1) report(site, mask);
  return 0;
}

// 0 where there is no such object.
void Worker::query_texture(const TextureRequest& request, uint64_t handle) {
  const auto object = memory_->textures().find(handle);
  each_lane(request.mask, [&](uint32_t l) {
    const uint32_t value = object ? query(*object, static_cast<TextureQuery>(request.access.detail)) : 0;
    std::memcpy(env.values + kTextureResults + l * 4, &value, 4);
  });
}

}  // namespace warplens::exec
