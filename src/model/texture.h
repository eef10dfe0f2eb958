// Textures: what one warp instruction asks of the texture unit and of the L1 tags, as pure functions of the lanes'
// coordinates. The rules, their source and their limits: texture.cpp.
#pragma once
#include <cstdint>
#include <optional>

namespace warplens::model {

// All counts are of lanes whose bit is set in the mask; an empty mask gives all zero.
struct TextureCost {
  uint32_t lanes = 0;
  uint32_t requests = 0;      // l1tex__texin_requests
  uint32_t tag_requests = 0;  // l1tex__t_requests_pipe_tex
  uint32_t sectors = 0;       // l1tex__t_sectors_pipe_tex
  friend bool operator==(const TextureCost&, const TextureCost&) = default;
};

// tex1Dfetch: `element`: 32 indices into memory that begins at a multiple of 32 bytes. `bytes`: of an element.
TextureCost texture_fetch(const uint64_t* element, uint32_t mask, uint32_t bytes);

struct Texture2D {
  uint32_t width = 0, height = 0;  // texels
  uint32_t texel_bytes = 4;
  uint32_t pitch = 0;   // bytes from row to row of linear memory, a multiple of 32; 0: an array (cudaMallocArray)
  bool linear = false;  // bilinear filtering
};

// tex2D with coordinates that are not normalised, 32 of each; outside, the texel at the edge counts
// (cudaAddressModeClamp). Nothing if there is no rule: bilinear filtering of texels of 8 bytes.
std::optional<TextureCost> texture_2d(const Texture2D& texture, const float* x, const float* y, uint32_t mask);

}  // namespace warplens::model
