// Texels as memory holds them, in all formats; borders.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "exec/sample.h"

namespace warplens::exec {
namespace {

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

float largest(const TexelFormat& f) {
  return static_cast<float>((1u << (f.bits - (f.kind == TexelFormat::Kind::Signed ? 1 : 0))) - 1);
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

}  // namespace

bool is_srgb(const Texture& t, uint32_t channel) { return t.srgb && t.format.bits == 8 && channel < 3; }

float srgb(uint32_t bits) { return static_cast<float>(kSrgb[bits & 255]) / 16384; }

float normalize(const Texture& t, uint32_t channel, uint32_t bits) {
  if (is_srgb(t, channel)) return srgb(bits);
  if (t.format.kind == TexelFormat::Kind::Unsigned) return static_cast<float>(bits) / largest(t.format);
  return std::max(static_cast<float>(static_cast<int32_t>(bits)) / largest(t.format), -1.0f);
}

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

}  // namespace warplens::exec
