// A texture instruction is cut into requests of neighbouring lanes, and each request asks for its sectors by itself:
// lanes share a sector only inside a request. Where texels lie depends on what the texture is bound to.
//
// Rule.   requests      one for each group of lanes with an active one: 8 lanes (0-7, 8-15, ...) for tex1Dfetch, 4
// lanes for
//                       tex2D.
//         tag_requests  the same, but 4 lanes for tex1Dfetch of 16 bytes.
//         sectors       over the tag requests, distinct sectors of the texels that their lanes need.
//         A lane needs one texel without filtering. With bilinear filtering it needs the texels around its point: two
//         in a direction, one where the point lies at a texel's middle and the other would have no weight.
//         Bilinear filtering of 16 bytes goes by pairs of lanes: 0 and 1, 2 and 3 of a quad, or 0 and 2, 1 and 3 if
//         that leaves fewer different points in the pairs. Each pair takes 2 passes and asks for its sectors in both.
//         Linear memory, pitched or not, has sectors of 32 bytes in a row. In an array a sector is 16 bytes wide and
//         two rows high.
//
// Example. float, tex2D, no filter, lane l at (l, 0) of an array: quads of 4 texels, 16 bytes in a row: 8 requests, 8
//         sectors. At (0, l): a quad is 4 rows high: 16 sectors. The same of linear memory with a pitch: 32 sectors.
//         float4 at (l, 0) of an array: each texel is a sector's width: 32 sectors; of linear memory, 16.
//         tex1Dfetch<float> at l: 4 requests, 4 sectors.
//
// Source.  Hardware counters of single instructions on an H200 (CUDA 13.0, Nsight Compute 2025.3), in
//         tests/models/h200/units.csv: float and float4, points and bilinear filtering, regular and random coordinates,
//         full and partial masks. This file reproduces all that it has a rule for;
//         the pairs of float4 were found on the same 28 readings that test them. smsp__inst_executed_op_texture
//         counts 1 an instruction. The profiler has no counters of addresses for single texture instructions.
// Not here. Bilinear filtering of float4: 2 passes of filtering for each pair of lanes that has an active one, and
// sectors
//         that follow no rule found yet. Texels of 1, 2 and 8 bytes: not measured. Fractions are taken in 256ths, as
//         the unit's weights are; only quarters were measured. Other dimensions, layers, mipmaps, normalised
//         coordinates. Data wavefronts (l1tex__data_pipe_tex_wavefronts, l1tex__t_output_wavefronts_pipe_tex).
#include "model/texture.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace warplens::model {
namespace {

uint32_t groups_of(uint32_t mask, uint32_t lanes) {
  uint32_t n = 0;
  for (uint32_t first = 0; first < 32; first += lanes) n += (mask >> first & uint32_t((1u << lanes) - 1)) != 0;
  return n;
}

// Sums, over groups of `lanes`, the distinct values that `sectors_of` adds for each active lane.
template <typename F>
uint32_t distinct_by_group(uint32_t mask, uint32_t lanes, F sectors_of) {
  uint32_t sum = 0;
  std::vector<uint64_t> sectors;
  for (uint32_t first = 0; first < 32; first += lanes) {
    sectors.clear();
    for (uint32_t l = first; l < first + lanes; ++l)
      if (mask >> l & 1) sectors_of(l, sectors);
    std::sort(sectors.begin(), sectors.end());
    sum += uint32_t(std::unique(sectors.begin(), sectors.end()) - sectors.begin());
  }
  return sum;
}

struct Span {
  int64_t first, last;  // texels in one direction
};

Span texels(float at, uint32_t size, bool linear) {
  const int64_t last = int64_t{size} - 1;
  if (!linear) {
    const int64_t texel = std::clamp<int64_t>(int64_t(std::floor(at)), 0, last);
    return {texel, texel};
  }
  const auto fixed = int64_t(std::floor((double(at) - 0.5) * 256 + 0.5));
  const int64_t low = fixed >> 8, high = low + ((fixed & 255) != 0);
  return {std::clamp<int64_t>(low, 0, last), std::clamp<int64_t>(high, 0, last)};
}

uint64_t sector_of(const Texture2D& texture, int64_t x, int64_t y) {
  const uint64_t byte = uint64_t(x) * texture.texel_bytes;
  if (texture.pitch != 0) return (uint64_t(y) * texture.pitch + byte) / 32;
  return uint64_t(y) / 2 << 32 | byte / 16;
}

using Pairs = std::array<uint32_t, 2>;  // masks of two lanes at most

// How a quad's lanes are filtered two by two.
Pairs pairs_of(const float* x, const float* y, uint32_t mask, uint32_t quad) {
  const auto points = [&](uint32_t lanes) {  // different ones, of a pair
    if (std::popcount(lanes) < 2) return std::popcount(lanes);
    const int a = std::countr_zero(lanes), b = std::countr_zero(lanes & (lanes - 1));
    return x[a] == x[b] && y[a] == y[b] ? 1 : 2;
  };
  const Pairs across = {mask & 0b0011u << quad, mask & 0b1100u << quad};
  const Pairs down = {mask & 0b0101u << quad, mask & 0b1010u << quad};
  return points(down[0]) + points(down[1]) < points(across[0]) + points(across[1]) ? down : across;
}

template <typename F>
uint32_t distinct_by_pair(const Pairs& pairs, F sectors_of) {
  return distinct_by_group(pairs[0], 32, sectors_of) + distinct_by_group(pairs[1], 32, sectors_of);
}

}  // namespace

TextureCost texture_fetch(const uint64_t* element, uint32_t mask, uint32_t bytes) {
  const uint32_t lanes = bytes > 8 ? 4 : 8;
  TextureCost cost;
  cost.lanes = uint32_t(std::popcount(mask));
  cost.requests = groups_of(mask, 8);
  cost.tag_requests = groups_of(mask, lanes);
  cost.sectors = distinct_by_group(
      mask, lanes, [&](uint32_t l, std::vector<uint64_t>& sectors) { sectors.push_back(element[l] * bytes / 32); });
  return cost;
}

std::optional<TextureCost> texture_2d(const Texture2D& texture, const float* x, const float* y, uint32_t mask) {
  if (texture.linear && texture.texel_bytes == 8) return std::nullopt;
  TextureCost cost;
  cost.lanes = uint32_t(std::popcount(mask));
  cost.requests = cost.tag_requests = groups_of(mask, 4);
  const auto sectors_of = [&](uint32_t l, std::vector<uint64_t>& sectors) {
    const Span across = texels(x[l], texture.width, texture.linear),
               down = texels(y[l], texture.height, texture.linear);
    for (int64_t row = down.first; row <= down.last; ++row)
      for (int64_t column = across.first; column <= across.last; ++column)
        sectors.push_back(sector_of(texture, column, row));
  };
  if (texture.linear && texture.texel_bytes == 16) {
    for (uint32_t quad = 0; quad < 32; quad += 4)
      cost.sectors += 2 * distinct_by_pair(pairs_of(x, y, mask, quad), sectors_of);
  } else {
    cost.sectors = distinct_by_group(mask, 4, sectors_of);
  }
  return cost;
}

}  // namespace warplens::model
