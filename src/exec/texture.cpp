// Texture and surface objects: their handles, what they say of themselves, and where a surface's element lies.
#include "exec/texture.h"

#include <algorithm>
#include <mutex>

namespace warplens::exec {

uint64_t TextureObjects::add(std::shared_ptr<const Texture> texture) {
  std::unique_lock lock(mutex_);
  objects_.emplace(next_, std::move(texture));
  return next_++;
}

bool TextureObjects::remove(uint64_t handle) {
  std::unique_lock lock(mutex_);
  return objects_.erase(handle) != 0;
}

std::shared_ptr<const Texture> TextureObjects::find(uint64_t handle) const {
  std::shared_lock lock(mutex_);
  const auto found = objects_.find(handle);
  return found == objects_.end() ? nullptr : found->second;
}

SurfacePlace surface_place(const Texture& surface, const TextureAccess& access, int32_t layer, int32_t x, int32_t y,
                           int32_t z, uint32_t bytes) {
  const TextureLevel& level = surface.levels[0];
  const SurfaceDetail detail = SurfaceDetail::unpack(access.detail);
  const uint32_t n = coordinates(access.shape);
  const auto texel = static_cast<int64_t>(surface.format.bytes());
  int64_t at[4] = {detail.formatted ? x * texel : x, n > 1 ? y : 0, n > 2 ? z : 0,
                   has_layers(access.shape) ? layer : 0};
  const int64_t width = level.width * texel;
  SurfacePlace place;
  if (at[0] % bytes != 0) {
    place.misaligned = true;
    return place;
  }
  // The last place that lies within, of each coordinate.
  const int64_t most[4] = {width - bytes, int64_t{level.height} - 1, int64_t{level.depth} - 1,
                           level.layers ? int64_t{level.layers} - 1 : 0};
  for (int k = 0; k < 4; ++k) {
    if (at[k] >= 0 && at[k] <= most[k]) continue;
    if (detail.boundary == Boundary::Clamp) {
      at[k] = std::clamp<int64_t>(at[k], 0, std::max<int64_t>(most[k], 0));
      continue;
    }
    place.out_of_range = detail.boundary == Boundary::Trap;
    return place;
  }
  const int64_t plane = at[3] + at[2];  // a layer and a depth are never both there
  place.address = level.base + static_cast<uint64_t>(plane) * level.plane_bytes +
                  static_cast<uint64_t>(at[1]) * level.row_bytes + static_cast<uint64_t>(at[0]);
  return place;
}

// What an H200 says; of a handle it can be asked nothing else.
uint32_t query(const Texture& t, TextureQuery what) {
  const TextureLevel& l = t.levels[0];
  if (what == TextureQuery::Width) return l.width;
  if (what == TextureQuery::Height)  // the layers of a row
    return t.dimensions > 1 ? l.height : l.layers ? l.layers : t.is_surface ? 0 : 1;
  if (t.dimensions > 2) return l.depth;
  return t.dimensions == 2 && (!t.cube || t.is_surface) ? l.layers : 0;
}

}  // namespace warplens::exec
