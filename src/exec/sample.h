// The steps of a fetch, each for a warp's 32 lanes: sample.cpp puts them together and has the rules.
#pragma once
#include <cstdint>

#include "exec/texture.h"

namespace warplens::exec {

constexpr uint32_t kLanes = TextureRequest::kLanes;
using Indices = int32_t[kLanes];

// ---- sample_axis.cpp: coordinates

constexpr int32_t kBorder = -1;

// Of one axis: the texel, or the two texels and the weight of the second in 1/256.
struct Axis {
  alignas(64) Indices first, second, weight;
};

struct AxisRule {
  AddressMode mode;
  bool normalized, filters;
  const int32_t* offset = nullptr;  // in texels, a lane each
  bool leaves = false;  // indices one step outside stay as they are: a cube whose faces are filtered into each other
};

// The texels that coordinates in [0, 1), or in texels, lie in or between.
void resolve(const float* at, uint32_t size, const AxisRule& rule, Axis& axis);
// The same of fixed: the coordinate in texels, times 2^8 for a filter.
void place(const Indices& fixed, int32_t n, AddressMode mode, bool filters, bool leaves, Axis& axis);

// ---- sample_texels.cpp: what memory holds

// Bits of the channels of each lane's texel: integers extended to 32 bits, floats as single precision. Channels that
// the format does not have are 0.
using Texels = uint32_t[4][kLanes];

struct Places {
  uint64_t address[kLanes];
  uint32_t outside = 0;  // bit l: lane l has no texel, and the address of some that may be read
};

// Lanes without a texel get the border's colour.
void read_texels(const Texture& t, const Places& at, Texels& out);
bool is_srgb(const Texture& t, uint32_t channel);
float srgb(uint32_t bits);  // of a channel's 8 bits
// An integer channel as a float, where the texture reads so.
float normalize(const Texture& t, uint32_t channel, uint32_t bits);

// ---- sample_sums.cpp: sums of weighted texels

constexpr int kCorners = 16;  // of a cube at each of two levels
using Weights = int32_t[kCorners][kLanes];

// What a filter mixes: the texels at the corners of a square, and of others, a plane or a level further.
struct Corners {
  int count = 0;
  Texels texel[kCorners];
  Weights weight;
  bool touched[kCorners][kLanes];  // each axis has a weight there, though their product may round to nothing
  uint32_t joined = 0;             // bit l: lane l's planes lie next to each other, and are aligned together
};

int32_t rounded(int32_t v);  // 1/256 of it, ties up
// Splits a plane's weight among its four corners.
void weigh(const Axis& x, const Axis& y, const Indices& plane, int32_t (*w)[kLanes]);
// Of the lanes of the mask.
void mix(const Texture& t, const Corners& corners, uint32_t mask, Texels& out);
// Normalized integers: `sum` of weights in 1/256 times channels.
float normalized_sum(const TexelFormat& f, int64_t sum);

}  // namespace warplens::exec
