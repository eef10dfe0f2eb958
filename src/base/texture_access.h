// What one instruction does to a texture or a surface: ir writes it down, exec carries it out.
#pragma once
#include <cstdint>

namespace warplens {

// Operands of each but the object's handle, in this order: the layer (I32) where there are layers, the coordinates,
// then
//   Fetch        nothing                          coordinates F32
//   FetchTexels  nothing                          coordinates I32, which count texels and are neither scaled nor
//   filtered Level        the level of detail, F32         coordinates F32 LevelTexels  the level, I32 coordinates I32
//   Grad         the derivatives to x of each coordinate, then those to y: F32
//   Gather       nothing                          coordinates F32; detail: the component, 0 to 3
// and of these, where `has_offset`, the offset in texels, I32: a signed byte for each coordinate, the first one lowest.
//   Query        nothing                          no coordinates; detail: TextureQuery
//   Load, Store, Reduce: of a surface; coordinates I32, the first in bytes unless `formatted`; values to store follow.
//                detail: SurfaceDetail
enum class TextureOp : uint8_t { Fetch, FetchTexels, Level, LevelTexels, Grad, Gather, Query, Load, Store, Reduce };
enum class TextureShape : uint8_t { D1, D2, D3, D1Layers, D2Layers, Cube, CubeLayers };
enum class TextureQuery : uint8_t { Width, Height, Depth };
// What becomes of a surface's coordinate that is out of range.
enum class Boundary : uint8_t { Trap, Clamp, Zero };

struct SurfaceDetail {
  Boundary boundary = Boundary::Trap;
  bool formatted = false;  // sust.p, sured.p: the surface's format says what the values are
  uint8_t reduction = 0;   // ir::AtomicOp, exec::AtomicOp

  constexpr uint8_t pack() const {
    return static_cast<uint8_t>(static_cast<uint8_t>(boundary) | (formatted ? 4 : 0) | reduction << 3);
  }
  static constexpr SurfaceDetail unpack(uint8_t bits) {
    return {static_cast<Boundary>(bits & 3), (bits & 4) != 0, static_cast<uint8_t>(bits >> 3)};
  }
};

struct TextureAccess {
  TextureOp op = TextureOp::Fetch;
  TextureShape shape = TextureShape::D1;
  uint8_t detail = 0;
  bool has_offset = false;

  constexpr uint32_t pack() const {
    return static_cast<uint32_t>(op) | static_cast<uint32_t>(shape) << 8 | uint32_t{detail} << 16 |
           uint32_t{has_offset} << 24;
  }
  static constexpr TextureAccess unpack(uint32_t bits) {
    return {static_cast<TextureOp>(bits & 255), static_cast<TextureShape>(bits >> 8 & 255),
            static_cast<uint8_t>(bits >> 16), (bits >> 24 & 1) != 0};
  }
};

constexpr bool has_layers(TextureShape s) {
  return s == TextureShape::D1Layers || s == TextureShape::D2Layers || s == TextureShape::CubeLayers;
}
constexpr bool is_cube(TextureShape s) { return s == TextureShape::Cube || s == TextureShape::CubeLayers; }
// Coordinates without the layer: a direction's three of a cube.
constexpr uint32_t coordinates(TextureShape s) {
  switch (s) {
    case TextureShape::D1:
    case TextureShape::D1Layers:
      return 1;
    case TextureShape::D2:
    case TextureShape::D2Layers:
      return 2;
    default:
      return 3;
  }
}
constexpr bool is_surface(TextureOp op) { return op >= TextureOp::Load; }
constexpr bool counts_texels(TextureOp op) {
  return op == TextureOp::FetchTexels || op == TextureOp::LevelTexels || is_surface(op);
}

}  // namespace warplens
