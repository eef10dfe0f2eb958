// What a texture fetch gives, bit for bit as an H200 gives it where nothing else is said. Found by measurement
// (tests/nosdk/programs/textures.cu prints what an H200 prints); the CUDA C++ Programming Guide, "Texture Fetching",
// has the outline.
//
// Coordinates. A coordinate in [0, 1) is first cut to 21 bits behind the point (one or two more for a size over 8192 or
// 32768), and then multiplied by the size. A point fetch takes the texel that the product lies in. A filtered
// one rounds the product to 1/256 of a texel, ties up, and steps back by half a texel: the integer part names the first
// of two texels, the fraction is the weight of the second.
//   Example, width 5: u = 0.7 is 1468006/2^21, 3.49999 texels, 896/256; less a half is 768/256: texel 3 alone.
//
// Weights count 256ths; of two and three dimensions the products are rounded to 1/256 again, in the order z, x, y,
// each pair so that it adds up to what was split. Where clamping makes the two texels of an axis the same, the fraction
// is dropped.
//
// Sums. Floats: texels are aligned to the largest exponent among those with a weight, cut behind 4 more bits than the
// format's mantissa, multiplied, added up exactly and rounded to the format's mantissa (24 bits, or 11 of half), ties
// away from zero. The two levels, and planes that do not lie next to each other, are each aligned for themselves.
// Single-precision subnormals are zero, before and after. Normalized integers: the sum is rounded to 16 bits,
// ties up, whatever the format, and then divided.
//
// Offsets count texels: they are added once the texel, or the first of two, is known, before the address mode says what
// lies there; at each level its own texels. Those of tex have four bits, those of tld4 six. A one-dimensional texture
// takes the next four for y. Linear memory ignores them.
//
// A one-dimensional texture is one of two dimensions at y = 0, which a filter with a border sees: half of it.
//
// Level of detail: cut towards zero to 1/256, the bias likewise and added, clamped. Between two levels the texels of
// both are mixed as those of two planes of a volume. The level of derivatives is half the logarithm of the larger
// eigenvalue of J^T J, J in texels; an H200 approximates that and is up to 0.2 levels away. Anisotropy is not modelled:
// max_anisotropy is 1.
//
// sRGB channels go through a table of the hardware's; a filtered one may differ from the H200's by 1/256.
#include "exec/sample.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace warplens::exec {
namespace {

// ---- one level

// Where a request's lanes fetch from a level.
struct Footprint {
  Axis axis[3];
  Indices plane;  // layer, and face of a cube
  bool filters = false;
  bool volume = false;  // three dimensions
};

// The face that a direction points to, and where on it: [0, 1).
void project(const TextureRequest& r, Indices& face, float (&u)[kLanes], float (&v)[kLanes]) {
  for (uint32_t l = 0; l < kLanes; ++l) {
    float x = r.at[0][l], y = r.at[1][l], z = r.at[2][l];
    // Divided by infinity, and no number where it was infinite itself.
    if (std::isinf(x) || std::isinf(y) || std::isinf(z))
      for (float* c : {&x, &y, &z}) *c = std::isinf(*c) ? NAN : std::copysign(0.0f, *c);
    const auto size = [](float c) { return c == c ? std::fabs(c) : -1.0f; };
    const float ax = size(x), ay = size(y), az = size(z);
    float s = 0, t = 0, m = 0;
    if (az >= ay && az >= ax) {
      face[l] = z < 0 ? 5 : 4, m = az, s = z < 0 ? -x : x, t = -y;
    } else if (ay >= ax) {
      face[l] = y < 0 ? 3 : 2, m = ay, s = x, t = y < 0 ? -z : z;
    } else {
      face[l] = x < 0 ? 1 : 0, m = ax, s = x < 0 ? z : -z, t = -y;
    }
    u[l] = m > 0 && s == s ? s / m * 0.5f + 0.5f : 0.5f;
    v[l] = m > 0 && t == t ? t / m * 0.5f + 0.5f : 0.5f;
  }
}

int32_t layer_of(const TextureLevel& level, int32_t layer, uint32_t faces) {
  const uint32_t layers = level.layers / faces;
  return layers ? static_cast<int32_t>(std::min(static_cast<uint32_t>(layer), layers - 1)) : 0;
}

// Coordinates that count texels: nothing lies beyond an edge, or, where the level is given, the last texel does. Linear
// memory takes no offsets.
void locate_texels(const Texture& t, const TextureRequest& r, uint32_t d, int32_t size, Axis& axis) {
  Indices fixed = {};
  const bool counts = d < coordinates(r.access.shape);
  for (uint32_t l = 0; l < kLanes && counts; ++l) {
    const bool moves = r.access.has_offset && t.source != Texture::Source::Linear;
    const int64_t texel = int64_t{r.texel[d][l]} + (moves ? r.offset[d][l] : 0);
    fixed[l] = static_cast<int32_t>(std::clamp<int64_t>(texel, -1, size));
  }
  place(fixed, size, r.access.op == TextureOp::LevelTexels ? AddressMode::Clamp : AddressMode::Border, false, false,
        axis);
}

void trace(const Texture& t, const TextureLevel& level, const TextureRequest& r, bool filters, Footprint& f) {
  const TextureShape shape = r.access.shape;
  const uint32_t n = coordinates(shape);
  f.filters = filters;
  f.volume = n == 3 && !is_cube(shape);
  const uint32_t faces = is_cube(shape) ? 6 : 1;
  for (uint32_t l = 0; l < kLanes; ++l) f.plane[l] = has_layers(shape) ? layer_of(level, r.layer[l], faces) : 0;
  AxisRule rule{t.address[0], t.normalized_coords, filters};
  if (is_cube(shape)) {
    Indices face;
    float u[kLanes], v[kLanes];
    project(r, face, u, v);
    rule.normalized = true;
    rule.leaves = t.seamless && filters;
    resolve(u, level.width, rule, f.axis[0]);
    rule.mode = t.address[1];
    resolve(v, level.height, rule, f.axis[1]);
    for (uint32_t l = 0; l < kLanes; ++l) f.plane[l] = f.plane[l] * 6 + face[l];
    return;
  }
  const uint32_t size[3] = {level.width, level.height, level.depth};
  alignas(64) float zero[kLanes] = {};
  for (uint32_t d = 0; d < (f.volume ? 3u : 2u); ++d) {
    rule.mode = t.address[d];
    rule.offset = r.access.has_offset && (d < n || shape == TextureShape::D1) ? r.offset[d] : nullptr;
    if (counts_texels(r.access.op)) {
      locate_texels(t, r, d, static_cast<int32_t>(size[d]), f.axis[d]);
      continue;
    }
    resolve(d < n ? r.at[d] : zero, size[d], rule, f.axis[d]);
    if (shape != TextureShape::D1Layers || d == 0 || !filters) continue;
    std::memset(f.axis[d].first, 0, sizeof f.axis[d].first);  // a layer is a row, which no border meets
    std::memset(f.axis[d].weight, 0, sizeof f.axis[d].weight);
  }
}

// A cube's texel that lies one step beyond the edge of its face is one of the next face. In units of half a texel, from
// the middle of the face, a texel's centre is an odd or even number below n, and the edge is n.
void cross_seam(int32_t n, int32_t& plane, int32_t& x, int32_t& y) {
  if (x >= 0 && x < n && y >= 0 && y < n) return;
  const int32_t face = plane % 6, s = 2 * x + 1 - n, t = 2 * y + 1 - n;
  int32_t v[3] = {};  // the direction
  const auto build = [&](int32_t a, int32_t b, int32_t m) {
    switch (face) {
      case 0:
        v[0] = m, v[1] = -b, v[2] = -a;
        break;
      case 1:
        v[0] = -m, v[1] = -b, v[2] = a;
        break;
      case 2:
        v[0] = a, v[1] = m, v[2] = b;
        break;
      case 3:
        v[0] = a, v[1] = -m, v[2] = -b;
        break;
      case 4:
        v[0] = a, v[1] = -b, v[2] = m;
        break;
      default:
        v[0] = -a, v[1] = -b, v[2] = -m;
    }
  };
  const auto edge = [&](int32_t c) { return c > n ? n : c < -n ? -n : c; };
  build(edge(s), edge(t), n - 1);
  const int axis = std::abs(v[0]) == n ? 0 : std::abs(v[1]) == n ? 1 : 2;
  const bool back = v[axis] < 0;
  const int32_t a = axis == 0 ? (back ? v[2] : -v[2]) : axis == 1 ? v[0] : (back ? -v[0] : v[0]);
  const int32_t b = axis == 1 ? (back ? -v[2] : v[2]) : -v[1];
  plane += axis * 2 + back - face;
  x = (a + n - 1) / 2;
  y = (b + n - 1) / 2;
}

// Reads corner k of the footprint. Lanes outside get no address; lanes beyond what is allocated are told in `r`.
alignas(16) constexpr uint8_t kNothing[16] = {};
void locate(const Texture& t, const TextureLevel& level, const Footprint& f, uint32_t mask, int corner, Places& at,
            TextureRequest& r) {
  const auto side = [&](int d) -> const Indices& { return corner >> d & 1 ? f.axis[d].second : f.axis[d].first; };
  const Indices &x = side(0), &y = side(1), &z = side(2);
  const uint32_t bytes = t.format.bytes();
  const bool crosses = t.cube && t.seamless && f.filters;
  for (uint32_t l = 0; l < kLanes; ++l) {
    int32_t plane = f.volume ? z[l] : f.plane[l], column = x[l], row = y[l];
    if (crosses) cross_seam(static_cast<int32_t>(level.width), plane, column, row);
    const bool outside = (column | row | plane) < 0 || !(mask >> l & 1);
    const uint64_t offset = static_cast<uint64_t>(plane) * level.plane_bytes +
                            static_cast<uint64_t>(row) * level.row_bytes + static_cast<uint64_t>(column) * bytes;
    at.address[l] = outside ? reinterpret_cast<uint64_t>(kNothing) : level.base + offset;
    at.outside |= uint32_t{outside} << l;
  }
  if (level.room >= uint64_t{std::max({level.depth, level.layers, 1u}) - 1} * level.plane_bytes +
                        uint64_t{level.height - 1} * level.row_bytes + uint64_t{level.width} * bytes)
    return;
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (at.outside >> l & 1 || at.address[l] - level.base + bytes <= level.room) continue;
    if (r.bad_lane > l) r.bad_lane = l, r.bad_address = at.address[l];
    at.address[l] = reinterpret_cast<uint64_t>(kNothing);
  }
}

// The four corners of one plane, the lower (0) or the upper (4), whose weight is given.
void add_plane(const Texture& t, const TextureLevel& level, const Footprint& f, int plane, const Indices& weight,
               uint32_t mask, Corners& c, TextureRequest& r) {
  weigh(f.axis[0], f.axis[1], weight, c.weight + c.count);
  for (int k = 0; k < 4; ++k, ++c.count) {
    Places at;
    locate(t, level, f, mask, plane + k, at, r);
    read_texels(t, at, c.texel[c.count]);
    for (uint32_t l = 0; l < kLanes; ++l)
      c.touched[c.count][l] = weight[l] && (f.axis[0].weight[l] || !(k & 1)) && (f.axis[1].weight[l] || !(k & 2));
  }
}

// ---- results

void fetch_point(const Texture& t, const TextureLevel& level, const Footprint& f, uint32_t mask, TextureRequest& r,
                 Texels& out) {
  Places at;
  locate(t, level, f, mask, 0, at, r);
  read_texels(t, at, out);
  for (uint32_t c = 0; c < 4 && at.outside && counts_texels(r.access.op); ++c)
    for (uint32_t l = 0; l < kLanes; ++l)
      if (at.outside >> l & 1) out[c][l] = 0;
  const bool normalizes = t.reads_normalized && t.format.kind != TexelFormat::Kind::Float;
  for (uint32_t c = 0; c < t.format.channels && normalizes; ++c)
    for (uint32_t l = 0; l < kLanes; ++l) out[c][l] = std::bit_cast<uint32_t>(normalize(t, c, out[c][l]));
}

// The footprint's texels with a weight of `share` in all.
void add_footprint(const Texture& t, const TextureLevel& level, const Footprint& f, const Indices& share, uint32_t mask,
                   Corners& c, TextureRequest& r) {
  if (!f.volume) {
    add_plane(t, level, f, 0, share, mask, c, r);
    return;
  }
  alignas(64) Indices upper, lower;
  for (uint32_t l = 0; l < kLanes; ++l) {
    upper[l] = rounded(f.axis[2].weight[l] * share[l]);
    lower[l] = share[l] - upper[l];
  }
  for (uint32_t l = 0; l < kLanes; ++l)
    c.joined |= uint32_t{f.axis[2].second[l] == f.axis[2].first[l] + 1 || f.axis[2].weight[l] == 0} << l;
  add_plane(t, level, f, 0, lower, mask, c, r);
  add_plane(t, level, f, 4, upper, mask, c, r);
}

void fetch_filtered(const Texture& t, const TextureLevel& level, const Footprint& f, uint32_t mask, TextureRequest& r,
                    Texels& out) {
  Corners corners;
  alignas(64) Indices all;
  std::fill(all, all + kLanes, 256);
  add_footprint(t, level, f, all, mask, corners, r);
  mix(t, corners, mask, out);
}

// tld4: the four texels that a filter would mix, of one component.
void gather(const Texture& t, const TextureLevel& level, TextureRequest& r, Texels& out) {
  Footprint f;
  trace(t, level, r, true, f);
  constexpr int kOrder[4] = {2, 3, 1, 0};
  for (int k = 0; k < 4; ++k) {
    Texels texel = {};
    Footprint one = f;
    for (int d = 0; d < 2; ++d)
      if (kOrder[k] >> d & 1) std::memcpy(one.axis[d].first, f.axis[d].second, sizeof one.axis[d].first);
    Places at;
    locate(t, level, one, r.mask, 0, at, r);
    read_texels(t, at, texel);
    const uint32_t c = r.access.detail;
    if (t.reads_normalized && c < t.format.channels && !is_srgb(t, c))  // as a filter has it
      for (uint32_t& bits : texel[c])
        bits = std::bit_cast<uint32_t>(normalized_sum(t.format, 256 * int64_t{static_cast<int32_t>(bits)}));
    else if (t.reads_normalized && c < t.format.channels)
      for (uint32_t& bits : texel[c]) bits = std::bit_cast<uint32_t>(normalize(t, c, bits));
    std::memcpy(out[k], texel[c], sizeof out[k]);
  }
}

void sample_level(const Texture& t, const TextureLevel& level, uint32_t mask, TextureRequest& r, Texels& out) {
  if (r.access.op == TextureOp::Gather) return gather(t, level, r, out);
  Footprint f;
  trace(t, level, r, t.filters && !counts_texels(r.access.op), f);
  f.filters ? fetch_filtered(t, level, f, mask, r, out) : fetch_point(t, level, f, mask, r, out);
}

// ---- levels

// Between two levels, as between the planes of a volume; `upper`: the second one's weight in 1/256.
void sample_between(const Texture& t, size_t first, const Indices& upper, uint32_t mask, TextureRequest& r,
                    Texels& out) {
  alignas(64) Indices lower;
  for (uint32_t l = 0; l < kLanes; ++l) lower[l] = 256 - upper[l];
  Corners corners;
  for (int k = 0; k < 2; ++k) {
    const TextureLevel& level = t.levels[first + static_cast<size_t>(k)];
    Footprint f;
    trace(t, level, r, t.filters, f);
    for (Axis& axis : f.axis) {
      if (t.filters) break;
      std::memcpy(axis.second, axis.first, sizeof axis.first);
      std::memset(axis.weight, 0, sizeof axis.weight);
    }
    add_footprint(t, level, f, k ? upper : lower, mask, corners, r);
  }
  mix(t, corners, mask, out);
}

// In 1/256 of a level.
int32_t level_of(const Texture& t, const TextureRequest& r, uint32_t lane) {
  const auto fixed = [](double level) {
    return level != level ? 0 : static_cast<int32_t>(std::clamp(level, -64.0, 64.0) * 256);
  };
  const auto last = static_cast<int32_t>(t.levels.size() - 1) * 256;
  const int32_t bias = fixed(std::clamp(t.level_bias, -16.0f, 16.0f));
  int32_t level = 0;
  switch (r.access.op) {
    case TextureOp::LevelTexels: {
      const auto whole = std::bit_cast<int32_t>(r.level[lane]);
      return std::clamp(whole, 0, static_cast<int32_t>(t.levels.size() - 1)) * 256;
    }
    case TextureOp::Level:
      level = fixed(double{r.level[lane]}) + bias;
      break;
    case TextureOp::Grad: {
      const uint32_t n = coordinates(r.access.shape);
      const uint32_t size[3] = {t.levels[0].width, t.levels[0].height, t.levels[0].depth};
      double xx = 0, yy = 0, xy = 0;
      for (uint32_t d = 0; d < n; ++d) {
        const double scale = t.normalized_coords ? (is_cube(r.access.shape) ? size[0] / 2.0 : size[d]) : 1;
        const double x = r.dx[d][lane] * scale, y = r.dy[d][lane] * scale;
        xx += x * x, yy += y * y, xy += x * y;
      }
      level = fixed(0.5 * std::log2((xx + yy + std::sqrt((xx - yy) * (xx - yy) + 4 * xy * xy)) / 2)) + bias;
      break;
    }
    default:
      break;
  }
  const int32_t low = fixed(double{t.min_level}), high = fixed(double{t.max_level});
  return std::clamp(std::max(std::min(level, high), low), 0, last);
}

// Lanes at the same level, or between the same two, together.
void sample_levels(const Texture& t, TextureRequest& r) {
  // Integers cannot be mixed.
  const bool mixes = t.filters_levels && (t.reads_normalized || t.format.kind == TexelFormat::Kind::Float);
  alignas(64) Indices level, upper;
  for (uint32_t l = 0; l < kLanes; ++l) {
    const int32_t at = level_of(t, r, l);
    level[l] = mixes ? at >> 8 : (at + 128) >> 8;
    upper[l] = mixes ? at & 255 : 0;
  }
  uint32_t same = 0;
  for (uint32_t rest = r.mask; rest != 0; rest &= ~same) {
    const int32_t first = level[std::countr_zero(rest)];
    bool between = false;
    same = 0;
    for (uint32_t l = 0; l < kLanes; ++l) same |= uint32_t{level[l] == first} << l;
    same &= rest;
    for (uint32_t l = 0; l < kLanes; ++l) between |= (same >> l & 1) && upper[l];
    Texels out = {};
    if (between)
      sample_between(t, static_cast<size_t>(first), upper, same, r, out);
    else
      sample_level(t, t.levels[static_cast<size_t>(first)], same, r, out);
    for (uint32_t c = 0; c < 4; ++c)
      for (uint32_t l = 0; l < kLanes; ++l)
        if (same >> l & 1) r.result[c][l] = out[c][l];
  }
}

// Whether the instruction suits the texture: an H200 gives zeros where it does not. One and two dimensions, with layers
// and without, stand in for each other. Linear memory takes no coordinates but integers, of one dimension.
bool suits(const Texture& t, const TextureAccess& access) {
  const bool linear = t.source == Texture::Source::Linear;
  if (linear) return access.op == TextureOp::FetchTexels && access.shape == TextureShape::D1;
  return (t.dimensions == 3) == (access.shape == TextureShape::D3) && t.cube == is_cube(access.shape);
}

}  // namespace

void sample(const Texture& texture, TextureRequest& r) {
  std::memset(r.result, 0, sizeof r.result);
  if (!suits(texture, r.access)) return;
  if (texture.levels.size() == 1) return sample_level(texture, texture.levels[0], r.mask, r, r.result);
  sample_levels(texture, r);
}

}  // namespace warplens::exec
