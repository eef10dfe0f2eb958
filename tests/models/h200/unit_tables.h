// The requests that units_probe.cu measures and units_test.cpp counts: both make them from here.
#pragma once
#include <cstdint>

#include "request_tables.h"

namespace units {

struct Lanes {
  uint32_t mask, x[32], y[32];
};

enum Kind : int {
  Nothing,
  Const1,
  Const4,
  Const8,
  Fetch1,
  Fetch4,
  Point,
  Point4,
  Linear,
  Linear4,
  PitchPoint,
  PitchLinear,
  SurfaceRead,
  SurfaceWrite,
  Surface4,
  Gather,
  Kinds
};
inline const char* const kNames[] = {
    "nothing", "const1",  "const4",      "const8",       "fetch1",       "fetch4",        "point",         "point4",
    "linear",  "linear4", "pitch_point", "pitch_linear", "surface_read", "surface_write", "surface_read4", "gather"};

// Coordinates in quarters of a texel for textures of two dimensions, else elements.
constexpr int kPatterns = 40;  // from 20 on: at random, with lanes off
inline void make(Lanes& lanes, int pattern, int kind) {
  requests::Random r(pattern * 100 + 7);
  lanes.mask = pattern == 17 ? 0xffff : pattern == 18 ? 0x11111111 : pattern == 19 ? 1u << 5 : ~0u;
  const bool flat = kind <= Fetch4;
  uint32_t u[32];
  if (pattern >= 20) lanes.mask = requests::make_mask(r), requests::make_units(r, 1024, u);
  for (uint32_t l = 0; l < 32; ++l) {
    uint32_t x = 0, y = 0;
    switch (pattern < 20 ? pattern : 20) {
      case 0:
        x = 64;
        break;
      case 1:
        x = 64 + l;
        break;
      case 2:
        x = 64 + l / 2;
        break;
      case 3:
        x = 64 + l % 2;
        break;
      case 4:
        x = 64 + 2 * l;
        break;
      case 5:
        x = 7 * l;
        break;
      case 6:
        x = 32 * l;
        flat ? 0 : (x = 8 * l);
        break;
      case 7:
        y = l;
        break;
      case 8:
        x = l % 8, y = l / 8;
        break;
      case 9:
        x = l % 2 + l / 4 * 2, y = l / 2 % 2;
        break;
      case 10:
        x = l % 4, y = l / 4;
        break;
      case 11:
        x = r.below(16), y = r.below(16);
        break;
      case 12:
        x = r.below(128), y = r.below(128);
        break;
      case 13:
        x = r.below(200), y = r.below(4);
        break;
      case 14:
        x = l & 1 ? 9 : 100, y = 3;
        break;
      case 15:
        x = 31 - l;
        break;
      case 16:
        x = l / 8 * 8;
        break;
      case 20:
        x = u[l] % 64, y = u[l] / 64;
        break;
      default:
        x = 64 + l;
        break;
    }
    if (flat)
      lanes.x[l] = x + 256 * y, lanes.y[l] = 0;
    else if (kind == Linear || kind == Linear4 || kind == PitchLinear)
      lanes.x[l] = 4 * x + (pattern & 1 ? 2 : 3), lanes.y[l] = 4 * y + (pattern & 2 ? 2 : 1);
    else
      lanes.x[l] = 4 * x + 2, lanes.y[l] = 4 * y + 2;
  }
}

}  // namespace units
