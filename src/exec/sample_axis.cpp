// From coordinates to the texels of an axis, by address mode.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "exec/sample.h"

namespace warplens::exec {
namespace {

// The bits behind the point that a normalized coordinate keeps: 21, one more for a size over 8192, two over 32768.
int fraction_bits(uint32_t size) { return 21 + std::max(0, static_cast<int>(std::bit_width(size - 1)) - 12) / 2; }

// Subnormal coordinates are zero.
float flush(float u) { return std::fabs(u) < 0x1p-126f ? 0.0f : u; }

// Coordinates that are so far out that nothing but their fraction matters, and those that are no numbers.
void tame(const float* in, float* out, bool repeats) {
  constexpr float kFar = 48;  // even, so that mirroring does not notice; beyond all offsets of one texel
  for (uint32_t l = 0; l < kLanes; ++l) {
    const float u = flush(in[l]);
    if (std::fabs(u) < kFar)
      out[l] = u;
    else if (!repeats)
      out[l] = u != u ? 0 : u < 0 ? -kFar : kFar;
    else
      out[l] = std::isfinite(u) ? std::fmod(u, kFar) : 0;
  }
}

int32_t floor_int(float x) {
  const auto i = static_cast<int32_t>(x);
  return i - (static_cast<float>(i) > x);
}

// An index in the texture's repetition, or kBorder.
inline int32_t fold(int32_t i, int32_t n, AddressMode mode) {
  switch (mode) {
    case AddressMode::Wrap:
      if (i >= 0 && i < n) return i;  // a division takes long
      i %= n;
      return i < 0 ? i + n : i;
    case AddressMode::Mirror:
      i %= 2 * n;
      i = i < 0 ? i + 2 * n : i;
      return i < n ? i : 2 * n - 1 - i;
    case AddressMode::Clamp:
      return std::clamp(i, 0, n - 1);
    case AddressMode::Border:
      return i < 0 || i >= n ? kBorder : i;
  }
  return 0;
}

template <AddressMode kMode>
void fold_all(const Indices& i, int32_t n, Indices& out) {
  for (uint32_t l = 0; l < kLanes; ++l) out[l] = fold(i[l], n, kMode);
}
void fold_all(const Indices& i, int32_t n, AddressMode mode, Indices& out) {
  switch (mode) {
    case AddressMode::Wrap:
      return fold_all<AddressMode::Wrap>(i, n, out);
    case AddressMode::Mirror:
      return fold_all<AddressMode::Mirror>(i, n, out);
    case AddressMode::Clamp:
      return fold_all<AddressMode::Clamp>(i, n, out);
    case AddressMode::Border:
      return fold_all<AddressMode::Border>(i, n, out);
  }
}

// Offsets move texels, not coordinates.
void move(Indices& fixed, const AxisRule& rule) {
  for (uint32_t l = 0; l < kLanes && rule.offset; ++l) fixed[l] += rule.offset[l] * (rule.filters ? 256 : 1);
}

}  // namespace

void place(const Indices& fixed, int32_t n, AddressMode mode, bool filters, bool leaves, Axis& axis) {
  if (!filters) return fold_all(fixed, n, mode, axis.first);
  alignas(64) Indices first, second;
  for (uint32_t l = 0; l < kLanes; ++l) {
    first[l] = fixed[l] >> 8;
    second[l] = first[l] + 1;
    axis.weight[l] = fixed[l] & 255;
  }
  if (leaves) {
    std::memcpy(axis.first, first, sizeof first);
    std::memcpy(axis.second, second, sizeof second);
    return;
  }
  fold_all(first, n, mode, axis.first);
  fold_all(second, n, mode, axis.second);
  for (uint32_t l = 0; l < kLanes && mode == AddressMode::Clamp; ++l)
    if (axis.first[l] == axis.second[l]) axis.weight[l] = 0;
}

void resolve(const float* at, uint32_t size, const AxisRule& rule, Axis& axis) {
  alignas(64) float u[kLanes];
  alignas(64) Indices fixed;
  const auto n = static_cast<int64_t>(size);
  if (rule.normalized) {
    tame(at, u, rule.mode == AddressMode::Wrap || rule.mode == AddressMode::Mirror);
    const int bits = fraction_bits(size);
    const auto scale = static_cast<float>(int64_t{1} << bits);
    const int64_t half = int64_t{1} << (bits - 1);
    for (uint32_t l = 0; l < kLanes; ++l) {
      const int64_t cut = floor_int(u[l] * scale);
      fixed[l] = static_cast<int32_t>(rule.filters ? ((cut * n * 256 + half) >> bits) - 128 : (cut * n) >> bits);
    }
    move(fixed, rule);
    return place(fixed, static_cast<int32_t>(n), rule.mode, rule.filters, rule.leaves, axis);
  }
  // Coordinates that count texels do not repeat.
  const AddressMode mode = rule.mode == AddressMode::Border ? AddressMode::Border : AddressMode::Clamp;
  constexpr int64_t kMargin = 48;  // more than an offset
  const auto far = static_cast<float>(n + kMargin), low = static_cast<float>(-kMargin);
  for (uint32_t l = 0; l < kLanes; ++l) {
    const float x = flush(at[l]);
    u[l] = x > far ? far : x > low ? x : x != x ? 0 : low;
  }
  for (uint32_t l = 0; l < kLanes; ++l) fixed[l] = rule.filters ? floor_int(u[l] * 256 + 0.5f) - 128 : floor_int(u[l]);
  move(fixed, rule);
  place(fixed, static_cast<int32_t>(n), mode, rule.filters, rule.leaves, axis);
}

}  // namespace warplens::exec
