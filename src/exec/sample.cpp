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
// A one-dimensional texture is one of two dimensions at y = 0, which a filter with a border sees: half of it.
//
// Level of detail: cut towards zero to 1/256, the bias likewise and added, clamped. Between two levels the texels of
// both are mixed as those of two planes of a volume. The level of derivatives is half the logarithm of the larger
// eigenvalue of J^T J, J in texels; an H200 approximates that and is up to 0.2 levels away. Anisotropy is not modelled:
// max_anisotropy is 1.
//
// sRGB channels go through a table of the hardware's; a filtered one may differ from the H200's by 1/256.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "exec/texture.h"

namespace warplens::exec {
namespace {

constexpr uint32_t kLanes = TextureRequest::kLanes;
constexpr int32_t kBorder = -1;
using Indices = int32_t[kLanes];

// Of one axis: the texel, or the two texels and the weight of the second in 1/256.
struct Axis {
  alignas(64) Indices first, second, weight;
};

// The bits behind the point that a normalized coordinate keeps: 21, one more for a size over 8192, two over 32768.
int fraction_bits(uint32_t size) { return 21 + std::max(0, static_cast<int>(std::bit_width(size - 1)) - 12) / 2; }

// Subnormal coordinates are zero.
float flush(float u) { return std::fabs(u) < 0x1p-126f ? 0.0f : u; }

// Coordinates that are so far out that nothing but their fraction matters, and those that are no numbers.
void tame(const float* in, float* out, bool repeats) {
  constexpr float kFar = 32;  // even, so that mirroring does not notice
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

// fixed: the coordinate in texels, times 2^8 for a filter.
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

struct AxisRule {
  AddressMode mode;
  bool normalized, filters;
  bool leaves = false;  // indices one step outside stay as they are: a cube whose faces are filtered into each other
};

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
    return place(fixed, static_cast<int32_t>(n), rule.mode, rule.filters, rule.leaves, axis);
  }
  // Coordinates that count texels do not repeat.
  const AddressMode mode = rule.mode == AddressMode::Border ? AddressMode::Border : AddressMode::Clamp;
  const auto far = static_cast<float>(n + 2);
  for (uint32_t l = 0; l < kLanes; ++l) {
    const float x = flush(at[l]);
    u[l] = x > far ? far : x > -2.0f ? x : x != x ? 0 : -2.0f;
  }
  for (uint32_t l = 0; l < kLanes; ++l) fixed[l] = rule.filters ? floor_int(u[l] * 256 + 0.5f) - 128 : floor_int(u[l]);
  place(fixed, static_cast<int32_t>(n), mode, rule.filters, rule.leaves, axis);
}

// ---- texels

float from_half(uint16_t h) {
  const uint32_t sign = uint32_t{h & 0x8000u} << 16, rest = h & 0x7fffu;
  if (rest >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000u | (rest & 0x3ff) << 13);
  if (rest >= 0x400) return std::bit_cast<float>(sign | ((rest << 13) + (112u << 23)));
  const float small = static_cast<float>(rest) * 0x1p-24f;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(small) | sign);
}

// In 1/16384: what each value of an sRGB channel is on an H200.
constexpr uint16_t kSrgb[256] = {
    0,     5,     10,    15,    20,    25,    30,    35,    40,    45,    50,    55,    60,    66,    72,    78,
    85,    92,    99,    107,   115,   123,   131,   140,   150,   159,   169,   180,   190,   201,   213,   224,
    236,   250,   262,   276,   290,   304,   318,   332,   348,   364,   380,   396,   412,   430,   448,   466,
    484,   504,   524,   544,   564,   584,   604,   624,   648,   672,   692,   716,   740,   764,   788,   816,
    840,   864,   896,   920,   944,   976,   1000,  1032,  1064,  1088,  1120,  1152,  1184,  1216,  1248,  1280,
    1312,  1352,  1384,  1416,  1456,  1488,  1528,  1560,  1600,  1640,  1672,  1712,  1752,  1792,  1832,  1872,
    1920,  1952,  2000,  2048,  2080,  2128,  2176,  2224,  2272,  2320,  2368,  2416,  2464,  2512,  2560,  2608,
    2656,  2704,  2752,  2816,  2864,  2912,  2976,  3024,  3072,  3136,  3184,  3248,  3296,  3360,  3424,  3472,
    3536,  3600,  3664,  3712,  3776,  3840,  3904,  3968,  4032,  4096,  4160,  4224,  4288,  4352,  4416,  4512,
    4576,  4640,  4704,  4768,  4864,  4928,  4992,  5056,  5152,  5216,  5280,  5376,  5440,  5536,  5600,  5696,
    5760,  5824,  5920,  6016,  6080,  6176,  6240,  6336,  6400,  6496,  6592,  6688,  6752,  6848,  6944,  7008,
    7104,  7200,  7296,  7392,  7488,  7584,  7680,  7744,  7872,  7936,  8064,  8128,  8256,  8320,  8448,  8512,
    8640,  8768,  8832,  8960,  9024,  9152,  9280,  9344,  9472,  9600,  9664,  9792,  9920,  9984,  10112, 10240,
    10304, 10432, 10560, 10688, 10816, 10880, 11008, 11136, 11264, 11392, 11456, 11584, 11712, 11840, 11968, 12096,
    12224, 12352, 12480, 12608, 12736, 12864, 12992, 13120, 13248, 13376, 13504, 13632, 13760, 13888, 14016, 14144,
    14272, 14400, 14528, 14656, 14848, 14976, 15104, 15232, 15360, 15488, 15616, 15744, 16000, 16128, 16256, 16384,
};

// Bits of the channels of each lane's texel: integers extended to 32 bits, floats as single precision. Channels that
// the format does not have are 0.
using Texels = uint32_t[4][kLanes];

struct Places {
  uint64_t address[kLanes];
  uint32_t outside = 0;  // bit l: lane l has no texel, and the address of some that may be read
};

template <typename T, uint32_t kChannels>
void read_some(const Places& at, Texels& out) {
  for (uint32_t l = 0; l < kLanes; ++l) {
    T v[kChannels];
    std::memcpy(v, reinterpret_cast<const void*>(at.address[l]), sizeof v);
    for (uint32_t c = 0; c < kChannels; ++c) out[c][l] = static_cast<uint32_t>(v[c]);
  }
}
template <typename T>
void read_channels(const Places& at, uint32_t channels, Texels& out) {
  if (channels == 1) return read_some<T, 1>(at, out);
  channels == 2 ? read_some<T, 2>(at, out) : read_some<T, 4>(at, out);
}

bool is_srgb(const Texture& t, uint32_t channel) { return t.srgb && t.format.bits == 8 && channel < 3; }

float largest(const TexelFormat& f) {
  return static_cast<float>((1u << (f.bits - (f.kind == TexelFormat::Kind::Signed ? 1 : 0))) - 1);
}

// An integer channel as a float, where the texture reads so.
float normalize(const Texture& t, uint32_t channel, uint32_t bits) {
  if (is_srgb(t, channel)) return static_cast<float>(kSrgb[bits & 255]) / 16384;
  if (t.format.kind == TexelFormat::Kind::Unsigned) return static_cast<float>(bits) / largest(t.format);
  return std::max(static_cast<float>(static_cast<int32_t>(bits)) / largest(t.format), -1.0f);
}

// The border's colour as a texel of the format would hold it; bits of the channel, as read_channels gives them. Where
// integers are read as floats it is a fraction of the largest, rounded to nearest, ties down; where they are read as
// they are, the low bits of the float. Half is cut to its mantissa and its largest number. Beyond linear memory there
// is zero.
uint32_t border_channel(const Texture& t, uint32_t channel) {
  const TexelFormat& f = t.format;
  if (t.source == Texture::Source::Linear) return 0;
  float b = t.border[channel];
  uint32_t bits = std::bit_cast<uint32_t>(b);
  if (f.kind == TexelFormat::Kind::Float)
    return f.bits == 32 ? bits
           : b > 65504  ? std::bit_cast<uint32_t>(65504.0f)
           : b < -65504 ? std::bit_cast<uint32_t>(-65504.0f)
                        : bits & 0xffffe000u;
  const bool sign = f.kind == TexelFormat::Kind::Signed;
  if (t.reads_normalized) {
    b = std::clamp(b == b ? b : 0, sign ? -1.0f : 0.0f, 1.0f) * largest(f);
    return static_cast<uint32_t>(static_cast<int32_t>(std::copysign(std::ceil(std::fabs(b) - 0.5f), b)));
  }
  const int unused = 32 - f.bits;
  bits <<= unused;
  return sign ? static_cast<uint32_t>(static_cast<int32_t>(bits) >> unused) : bits >> unused;
}

// Lanes without a texel get the border's colour.
void read_texels(const Texture& t, const Places& at, Texels& out) {
  const TexelFormat& f = t.format;
  const bool sign = f.kind == TexelFormat::Kind::Signed;
  if (f.bits == 8)
    sign ? read_channels<int8_t>(at, f.channels, out) : read_channels<uint8_t>(at, f.channels, out);
  else if (f.bits == 16)
    sign ? read_channels<int16_t>(at, f.channels, out) : read_channels<uint16_t>(at, f.channels, out);
  else
    read_channels<uint32_t>(at, f.channels, out);
  for (uint32_t c = 0; c < f.channels && f.kind == TexelFormat::Kind::Float && f.bits == 16; ++c)
    for (uint32_t l = 0; l < kLanes; ++l)
      out[c][l] = std::bit_cast<uint32_t>(from_half(static_cast<uint16_t>(out[c][l])));
  if (!at.outside) return;
  for (uint32_t c = 0; c < f.channels; ++c) {
    const uint32_t bits = border_channel(t, c);
    for (uint32_t l = 0; l < kLanes; ++l)
      if (at.outside >> l & 1) out[c][l] = bits;
  }
}

// ---- sums of weighted texels

constexpr int kCorners = 16;  // of a cube at each of two levels
using Weights = int32_t[kCorners][kLanes];

int32_t rounded(int32_t v) { return (v + 128) >> 8; }

// Splits a plane's weight among its four corners.
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

// Normalized integers: `sum` of weights in 1/256 times channels.
float normalized_sum(const TexelFormat& f, int64_t sum) {
  if (f.kind == TexelFormat::Kind::Unsigned) {
    if (f.bits == 8) sum *= 257;
    return static_cast<float>((sum + 128) >> 8) / 65535;
  }
  // 8 bits: times 258 and a bit, 32767 / 127, by shifting and adding.
  const int64_t value = f.bits == 8 ? sum + ((sum + 64 + ((sum >> 12) << 4)) >> 7) : (sum + 128) >> 8;
  return static_cast<float>(std::max<int64_t>(value, -32767)) / 32767;
}

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
    if (counts_texels(r.access.op)) {  // of linear memory, which ends
      Indices fixed = {};
      for (uint32_t l = 0; l < kLanes && d < n; ++l)
        fixed[l] = std::clamp(r.texel[d][l], -1, static_cast<int32_t>(size[d]));
      place(fixed, static_cast<int32_t>(size[d]), AddressMode::Border, false, false, f.axis[d]);
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

struct Corner {
  alignas(64) Texels texel = {};
};

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

// What a filter mixes: the texels at the corners of a square, and of others, a plane or a level further.
struct Corners {
  int count = 0;
  Texels texel[kCorners];
  Weights weight;
  bool touched[kCorners][kLanes];  // each axis has a weight there, though their product may round to nothing
  uint32_t joined = 0;             // bit l: lane l's planes lie next to each other, and are aligned together
};

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
  const bool normalizes = t.reads_normalized && t.format.kind != TexelFormat::Kind::Float;
  for (uint32_t c = 0; c < t.format.channels && normalizes; ++c)
    for (uint32_t l = 0; l < kLanes; ++l) out[c][l] = std::bit_cast<uint32_t>(normalize(t, c, out[c][l]));
}

void mix_floats(const Texture& t, const Corners& corners, uint32_t channel, const FloatRule& rule, uint32_t mask,
                uint32_t* out) {
  alignas(64) float texel[kCorners][kLanes];
  const bool srgb = is_srgb(t, channel);
  for (int k = 0; k < corners.count; ++k)
    for (uint32_t l = 0; l < kLanes; ++l) {
      const uint32_t bits = corners.texel[k][channel][l];
      texel[k][l] = srgb ? static_cast<float>(kSrgb[bits & 255]) / 16384 : std::bit_cast<float>(bits);
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
// and without, stand in for each other. Coordinates that are integers are for linear memory, which takes no others.
bool suits(const Texture& t, const TextureAccess& access) {
  const bool linear = t.source == Texture::Source::Linear;
  if (linear || counts_texels(access.op))
    return linear && access.op == TextureOp::FetchTexels && access.shape == TextureShape::D1;
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
