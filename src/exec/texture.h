// Texture and surface objects as a kernel's instructions find them: memory with a format, and how to read it.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "base/texture_access.h"

namespace warplens::exec {

struct TexelFormat {
  enum class Kind : uint8_t { Unsigned, Signed, Float } kind = Kind::Unsigned;
  uint8_t bits = 8;      // of a channel: 8, 16, 32
  uint8_t channels = 1;  // 1, 2, 4
  uint32_t bytes() const { return uint32_t{bits} / 8 * channels; }
};

enum class AddressMode : uint8_t { Wrap, Clamp, Mirror, Border };

// Rows of texels, `row_bytes` apart; planes of rows, `plane_bytes` apart.
struct TextureLevel {
  uint64_t base = 0;
  uint32_t width = 1, height = 1, depth = 1;
  uint32_t layers = 0;  // 6 for each cube; 0: it has none, and depth counts planes
  uint64_t row_bytes = 0, plane_bytes = 0;
  uint64_t room =
      ~uint64_t{0};  // bytes from base on that are allocated; less than a level only in memory of the program's
};

struct Texture {
  enum class Source : uint8_t { Array, Linear, Pitch } source = Source::Array;
  bool is_surface = false;
  bool cube = false;
  uint8_t dimensions = 1;  // of a layer
  TexelFormat format;
  std::vector<TextureLevel> levels;

  AddressMode address[3] = {AddressMode::Wrap, AddressMode::Wrap, AddressMode::Wrap};
  bool filters = false;            // between texels: linear
  bool filters_levels = false;     // between levels
  bool reads_normalized = false;   // integers as floats in [0, 1] or [-1, 1]
  bool srgb = false;               // of 8-bit channels
  bool normalized_coords = false;  // 1 is the far edge
  bool seamless = false;           // a cube's faces are filtered into each other
  float border[4] = {};
  float level_bias = 0, min_level = 0, max_level = 0;
};

// Objects by their handles. Thread-safe; an object that is removed stays until those who found it let it go.
class TextureObjects {
 public:
  uint64_t add(std::shared_ptr<const Texture> texture);
  bool remove(uint64_t handle);
  std::shared_ptr<const Texture> find(uint64_t handle) const;  // null: there is none

 private:
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, std::shared_ptr<const Texture>> objects_;
  uint64_t next_ = 1;
};

// One instruction of a warp, all of its lanes of one object.
struct TextureRequest {
  static constexpr uint32_t kLanes = 32;
  TextureAccess access;
  uint32_t mask = 0;
  int32_t layer[kLanes];
  union {
    float at[3][kLanes];
    int32_t texel[3][kLanes];  // where counts_texels(access.op)
  };
  float level[kLanes];
  float dx[3][kLanes], dy[3][kLanes];
  int32_t offset[3][kLanes];   // in texels, if access.has_offset
  uint32_t result[4][kLanes];  // bits of floats or integers, as the texture reads
  // A lane that read beyond what is allocated.
  uint32_t bad_lane = kLanes;
  uint64_t bad_address = 0;
};

// Fetch to Gather, for the lanes of the mask. The rules are in sample.cpp.
void sample(const Texture& texture, TextureRequest& request);

// The 32-bit words that txq and suq give.
uint32_t query(const Texture& texture, TextureQuery what);

// Where a surface's element lies; 0: nowhere, the access is to be dropped. `bytes`: of the element.
// `x` counts bytes, or texels if `formatted`. out_of_range: the access traps.
struct SurfacePlace {
  uint64_t address = 0;
  bool out_of_range = false;
  bool misaligned = false;
};
SurfacePlace surface_place(const Texture& surface, const TextureAccess& access, int32_t layer, int32_t x, int32_t y,
                           int32_t z, uint32_t bytes);

}  // namespace warplens::exec
