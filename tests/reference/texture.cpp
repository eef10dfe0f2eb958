#include "reference/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace warplens::reference {
namespace {

// An index of the texture, or -1 for the border.
int64_t repeat(int64_t i, int64_t n, Texture::Mode mode) {
  if (mode == Texture::Border) return i < 0 || i >= n ? -1 : i;
  if (mode == Texture::Clamp) return i < 0 ? 0 : i >= n ? n - 1 : i;
  const int64_t period = mode == Texture::Wrap ? n : 2 * n;
  i = ((i % period) + period) % period;
  return i < n ? i : period - 1 - i;
}

struct Side {
  int64_t texel;
  int64_t weight;  // of 256
};

// The one or two texels of an axis.
std::vector<Side> sides(const Texture& t, int axis, float at, int64_t offset, bool linear) {
  const int64_t n = t.size[axis];
  Texture::Mode mode = t.mode;
  long double texels = 0;
  if (!t.normalized) {
    texels = at != at ? 0 : std::clamp<long double>(at, -99, n + 99);
    if (mode != Texture::Border) mode = Texture::Clamp;
  } else {
    long double u = at != at ? 0 : at;
    if (std::isinf(u)) u = mode == Texture::Wrap || mode == Texture::Mirror ? 0 : u < 0 ? -99 : 99;
    if (mode == Texture::Wrap || mode == Texture::Mirror) u -= 2 * std::floor(u / 2);
    u = std::clamp<long double>(u, -99, 99);
    texels = std::floor(std::ldexp(u, 21)) * n / (1 << 21);
  }
  if (std::fabs(at) < 0x1p-126f) texels = 0;
  if (!linear) return {{repeat(static_cast<int64_t>(std::floor(texels)) + offset, n, mode), 256}};
  const auto fixed = static_cast<int64_t>(std::floor(texels * 256 + 0.5L)) - 128;
  const auto first = static_cast<int64_t>(std::floor(fixed / 256.0L));
  const int64_t weight = fixed - first * 256;
  const int64_t a = repeat(first + offset, n, mode), b = repeat(first + offset + 1, n, mode);
  if (mode == Texture::Clamp && a == b) return {{a, 256}, {b, 0}};
  return {{a, 256 - weight}, {b, weight}};
}

int64_t round_half_up(int64_t v) { return static_cast<int64_t>(std::floor(v / 256.0L + 0.5L)); }

double channel(const Texture& t, int64_t x, int64_t y, int64_t z, int c) {
  if (x < 0 || y < 0 || z < 0) return t.border[c];
  const int64_t index = ((z * t.size[1] + y) * t.size[0] + x) * t.channels + c;
  const char* at = t.data + index * t.bits / 8;
  uint32_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(t.bits / 8));
  if (t.floats) return std::bit_cast<float>(bits);
  if (!t.is_signed) return bits;
  return static_cast<int32_t>(bits << (32 - t.bits)) >> (32 - t.bits);
}

double most(const Texture& t) { return std::ldexp(1.0, t.is_signed ? t.bits - 1 : t.bits) - 1; }

uint32_t single(const Texture& t, double value) {
  if (t.floats) return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (!t.fractions) return static_cast<uint32_t>(static_cast<int64_t>(value));
  return std::bit_cast<uint32_t>(std::max(static_cast<float>(value) / static_cast<float>(most(t)), -1.0f));
}

// Finite normal numbers.
uint32_t mixed(const Texture& t, const std::vector<std::pair<int64_t, double>>& terms) {
  if (t.floats) {
    int exponent = -1000;
    for (const auto& [weight, value] : terms)
      if (weight && value != 0) exponent = std::max(exponent, std::ilogb(value));
    long double sum = 0;
    for (const auto& [weight, value] : terms)
      if (weight && value != 0) sum += weight * std::trunc(std::scalbn(static_cast<long double>(value), 27 - exponent));
    sum /= 256;
    if (sum == 0) return 0;
    const int shift = 23 - std::ilogb(sum);
    const long double rounded = std::copysign(std::floor(std::fabs(std::scalbn(sum, shift)) + 0.5L), sum);
    return std::bit_cast<uint32_t>(static_cast<float>(std::scalbn(rounded, exponent - 27 - shift)));
  }
  int64_t sum = 0;
  for (const auto& [weight, value] : terms) sum += weight * static_cast<int64_t>(value);
  if (t.bits == 8) sum *= 257;
  return std::bit_cast<uint32_t>(static_cast<float>(round_half_up(sum)) / 65535.0f);
}

}  // namespace

std::vector<uint32_t> fetch(const Texture& t, const TextureAccess& access, const std::vector<uint64_t>& arguments) {
  size_t next = 0;
  int64_t layer = 0;
  if (has_layers(access.shape))
    layer = std::min<int64_t>(static_cast<uint32_t>(arguments[next++]), std::max<int64_t>(t.layers, 1) - 1);
  const auto n = static_cast<int>(coordinates(access.shape));
  const bool texels = counts_texels(access.op), linear = t.linear && !texels;
  std::vector<Side> axis[3] = {{{0, 256}}, {{0, 256}}, {{layer, 256}}};
  for (int d = 0; d < n; ++d) {
    const auto bits = static_cast<uint32_t>(arguments[next++]);
    const Texture::Mode mode = t.mode == Texture::Border ? Texture::Border : Texture::Clamp;
    const int64_t offset = access.has_offset ? static_cast<int8_t>(arguments.back() >> (8 * d)) : 0;
    if (texels)
      axis[d] = {{repeat(static_cast<int32_t>(bits) + offset, t.size[d], mode), 256}};
    else
      axis[d] = sides(t, d, std::bit_cast<float>(bits), offset, linear);
  }
  std::vector<uint32_t> result(4, 0);
  for (int c = 0; c < t.channels; ++c) {
    const auto texel = [&](size_t x, size_t y, size_t z) {
      return channel(t, axis[0][x].texel, axis[1][y].texel, axis[2][z].texel, c);
    };
    if (!linear) {
      result[static_cast<size_t>(c)] = single(t, texel(0, 0, 0));
      continue;
    }
    std::vector<std::pair<int64_t, double>> terms;
    const int64_t wx = axis[0][1].weight, wy = n > 1 ? axis[1][1].weight : 0;
    for (size_t z = 0; z < axis[2].size(); ++z) {
      const int64_t plane = axis[2][z].weight, right = round_half_up(wx * plane), left = plane - right;
      const int64_t lower_right = round_half_up(wy * right), upper_left = round_half_up((256 - wy) * left);
      const size_t down = n > 1 ? 1 : 0;
      terms.push_back({upper_left, texel(0, 0, z)});
      terms.push_back({right - lower_right, texel(1, 0, z)});
      terms.push_back({left - upper_left, texel(0, down, z)});
      terms.push_back({lower_right, texel(1, down, z)});
    }
    result[static_cast<size_t>(c)] = mixed(t, terms);
  }
  return result;
}

char* surface_element(const Texture& s, const TextureAccess& access, const std::vector<uint64_t>& arguments,
                      int64_t bytes, std::string* error) {
  const SurfaceDetail detail = SurfaceDetail::unpack(access.detail);
  size_t next = 0;
  int64_t at[4] = {};
  if (has_layers(access.shape)) at[3] = static_cast<int32_t>(arguments[next++]);
  for (uint32_t d = 0; d < coordinates(access.shape); ++d) at[d] = static_cast<int32_t>(arguments[next++]);
  const int64_t texel = s.bits / 8 * s.channels;
  if (detail.formatted) at[0] *= texel;
  if (at[0] % bytes) return *error = "misaligned", nullptr;
  const int64_t last[4] = {s.size[0] * texel - bytes, s.size[1] - 1, s.size[2] - 1, std::max<int64_t>(s.layers, 1) - 1};
  for (int d = 0; d < 4; ++d) {
    if (at[d] >= 0 && at[d] <= last[d]) continue;
    if (detail.boundary == Boundary::Zero) return nullptr;
    if (detail.boundary == Boundary::Trap) return *error = "out of bounds", nullptr;
    at[d] = at[d] < 0 ? 0 : last[d];
  }
  return s.data + ((at[2] + at[3]) * s.size[1] + at[1]) * s.size[0] * texel + at[0];
}

}  // namespace warplens::reference
