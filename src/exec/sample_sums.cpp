// Sums of weighted texels, and their weights.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "exec/sample.h"

namespace warplens::exec {
namespace {

struct FloatRule {
  int mantissa, guard;  // bits
  int least_exponent;   // of frexp, of the smallest normal number
  bool flushes;         // subnormals
  uint32_t nan;
};
constexpr FloatRule kSingle{24, 4, -125, true, 0x7fffffff}, kHalf{11, 4, -13, false, 0x7fffe000},
    kSrgbRule{11, -3, -13, false, 0};

// Rounds `value`, which is exact, to the rule's mantissa, ties away from zero.
float round_sum(double value, const FloatRule& rule) {
  int exponent = 0;
  std::frexp(value, &exponent);
  exponent = std::max(exponent, rule.least_exponent);
  const double unit = std::ldexp(1.0, exponent - rule.mantissa);
  const double units = std::fabs(value) / unit;
  const double whole = std::floor(units + 0.5);
  const double result = std::copysign(whole * unit, value);
  if (rule.flushes && std::fabs(result) < 0x1p-126) return std::copysign(0.0f, static_cast<float>(value));
  return static_cast<float>(result);
}

// One lane's sum where some texel is no ordinary number. A texel that is no finite number counts though its weight is
// rounded to nothing, as long as each of its axes has one. `joined`: squares 2k and 2k + 1 are aligned together.
float odd_sum(const float* texel, const int32_t* weight, const bool* touched, int corners, bool joined,
              const FloatRule& rule) {
  bool plus = false, minus = false, all_negative = true;
  for (int k = 0; k < corners; ++k) {
    if (!touched[k]) continue;
    if (texel[k] != texel[k]) return std::bit_cast<float>(rule.nan);
    if (std::isinf(texel[k])) (texel[k] > 0 ? plus : minus) = true;
    if (weight[k]) all_negative &= std::signbit(texel[k]);
  }
  if (plus && minus) return std::bit_cast<float>(rule.nan);
  if (plus || minus) return plus ? HUGE_VALF : -HUGE_VALF;
  const auto value = [&](int k) { return rule.flushes && std::fabs(texel[k]) < 0x1p-126f ? 0.0f : texel[k]; };
  const int together = joined ? 8 : 4;
  double sum = 0;
  for (int group = 0; group < corners; group += together) {
    int exponent = rule.least_exponent;
    for (int k = group; k < std::min(group + together, corners); ++k) {
      int e = 0;
      if (!weight[k] || value(k) == 0) continue;
      std::frexp(value(k), &e);
      exponent = std::max(exponent, e);
    }
    const double unit = std::ldexp(1.0, exponent - rule.mantissa - rule.guard);
    for (int k = group; k < std::min(group + together, corners); ++k)
      if (weight[k]) sum += weight[k] * std::trunc(value(k) / unit) * unit;
  }
  if (sum == 0) return all_negative ? -0.0f : 0.0f;
  return round_sum(sum / 256, rule);
}

// The same for single precision where every texel is zero or a normal number of no extreme size, without branches.
// Bit l of `joined`: of lane l.
void plain_sums(const float (&texel)[kCorners][kLanes], const Weights& weight, int corners, uint32_t joined,
                uint32_t* out) {
  alignas(64) int32_t exponent[kCorners / 4][kLanes] = {};
  for (int k = 0; k < corners; ++k)
    for (uint32_t l = 0; l < kLanes; ++l) {
      const auto e = static_cast<int32_t>(std::bit_cast<uint32_t>(texel[k][l]) >> 23 & 255);
      exponent[k / 4][l] = std::max(exponent[k / 4][l], weight[k][l] ? e : 0);
    }
  for (int square = 0; square + 1 < corners / 4 && joined; square += 2)
    for (uint32_t l = 0; l < kLanes; ++l) {
      int32_t &a = exponent[square][l], &b = exponent[square + 1][l];
      if (joined >> l & 1) a = b = std::max(a, b);
    }
  alignas(64) double sum[kLanes] = {};
  for (int square = 0; square < corners / 4; ++square) {
    alignas(64) double part[kLanes] = {}, scale[kLanes], unit[kLanes];
    for (uint32_t l = 0; l < kLanes; ++l) {
      // 2^(28 - e) and 2^(e - 28 - 8), where frexp's exponent is the biased one less 126.
      const int32_t e = exponent[square][l] - 126;
      scale[l] = std::bit_cast<double>(static_cast<uint64_t>(1023 + 28 - e) << 52);
      unit[l] = std::bit_cast<double>(static_cast<uint64_t>(1023 - 28 - 8 + e) << 52);
    }
    for (int k = 4 * square; k < 4 * square + 4; ++k)
      for (uint32_t l = 0; l < kLanes; ++l)
        part[l] +=
            static_cast<double>(static_cast<int32_t>(weight[k][l] ? texel[k][l] * scale[l] : 0.0)) * weight[k][l];
    for (uint32_t l = 0; l < kLanes; ++l) sum[l] += part[l] * unit[l];
  }
  // A tie is moved away from zero by less than anything else could be away from it.
  for (uint32_t l = 0; l < kLanes; ++l) out[l] = std::bit_cast<uint32_t>(static_cast<float>(sum[l] * (1 + 0x1p-48)));
}

// Positive zeros are plain; negative ones have a rule of their own.
bool is_plain(const float (&texel)[kCorners][kLanes], int corners) {
  uint32_t odd = 0;
  for (int k = 0; k < corners; ++k)
    for (uint32_t l = 0; l < kLanes; ++l) {
      const uint32_t e = std::bit_cast<uint32_t>(texel[k][l]) >> 23 & 255;
      odd |= uint32_t{e - 64 > 128} & uint32_t{std::bit_cast<uint32_t>(texel[k][l]) != 0};
    }
  return odd == 0;
}

void mix_floats(const Texture& t, const Corners& corners, uint32_t channel, const FloatRule& rule, uint32_t mask,
                uint32_t* out) {
  alignas(64) float texel[kCorners][kLanes];
  const bool is_color = is_srgb(t, channel);
  for (int k = 0; k < corners.count; ++k)
    for (uint32_t l = 0; l < kLanes; ++l) {
      const uint32_t bits = corners.texel[k][channel][l];
      texel[k][l] = is_color ? srgb(bits) : std::bit_cast<float>(bits);
    }
  if (rule.mantissa == 24 && is_plain(texel, corners.count))
    return plain_sums(texel, corners.weight, corners.count, corners.joined, out);
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1)) continue;
    float values[kCorners];
    int32_t weight[kCorners];
    bool touched[kCorners];
    for (int k = 0; k < corners.count; ++k) {
      values[k] = texel[k][l];
      weight[k] = corners.weight[k][l];
      touched[k] = corners.touched[k][l];
    }
    out[l] = std::bit_cast<uint32_t>(odd_sum(values, weight, touched, corners.count, corners.joined >> l & 1, rule));
  }
}

void mix_integers(const Texture& t, const Corners& corners, uint32_t channel, uint32_t* out) {
  int64_t sum[kLanes] = {};
  for (int k = 0; k < corners.count; ++k)
    for (uint32_t l = 0; l < kLanes; ++l)
      sum[l] += int64_t{corners.weight[k][l]} * static_cast<int32_t>(corners.texel[k][channel][l]);
  for (uint32_t l = 0; l < kLanes; ++l) out[l] = std::bit_cast<uint32_t>(normalized_sum(t.format, sum[l]));
}

}  // namespace

int32_t rounded(int32_t v) { return (v + 128) >> 8; }

void weigh(const Axis& x, const Axis& y, const Indices& plane, int32_t (*w)[kLanes]) {
  for (uint32_t l = 0; l < kLanes; ++l) {
    const int32_t right = rounded(x.weight[l] * plane[l]), left = plane[l] - right;
    const int32_t low_right = rounded(y.weight[l] * right), up_left = rounded((256 - y.weight[l]) * left);
    w[0][l] = up_left;
    w[1][l] = right - low_right;
    w[2][l] = left - up_left;
    w[3][l] = low_right;
  }
}

float normalized_sum(const TexelFormat& f, int64_t sum) {
  if (f.kind == TexelFormat::Kind::Unsigned) {
    if (f.bits == 8) sum *= 257;
    return static_cast<float>((sum + 128) >> 8) / 65535;
  }
  // 8 bits: times 258 and a bit, 32767 / 127, by shifting and adding.
  const int64_t value = f.bits == 8 ? sum + ((sum + 64 + ((sum >> 12) << 4)) >> 7) : (sum + 128) >> 8;
  return static_cast<float>(std::max<int64_t>(value, -32767)) / 32767;
}

void mix(const Texture& t, const Corners& corners, uint32_t mask, Texels& out) {
  for (uint32_t c = 0; c < t.format.channels; ++c) {
    if (t.format.kind == TexelFormat::Kind::Float)
      mix_floats(t, corners, c, t.format.bits == 16 ? kHalf : kSingle, mask, out[c]);
    else if (is_srgb(t, c))
      mix_floats(t, corners, c, kSrgbRule, mask, out[c]);
    else
      mix_integers(t, corners, c, out[c]);
  }
}

}  // namespace warplens::exec
