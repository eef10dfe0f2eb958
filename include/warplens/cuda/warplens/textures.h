// Texture functions. They become PTX's tex and tld4.
#pragma once
#pragma GCC system_header

namespace warplens_texture {

// How a texel is fetched: the register type and letter of its element, and what of the four it keeps.
template <typename T>
struct Texel;
#define WARPLENS_TEXEL(type, vector, made)                                     \
  template <>                                                                  \
  struct Texel<type> {                                                         \
    typedef vector fetched;                                                    \
    static WARPLENS_DEVICE_MEMBER type of(const fetched& v) { return made; }   \
  };
#define WARPLENS_TEXELS(name, element, vector)                                                                \
  WARPLENS_TEXEL(name##1, vector, (name##1{static_cast<element>(v.x)}))                                       \
  WARPLENS_TEXEL(name##2, vector, (name##2{static_cast<element>(v.x), static_cast<element>(v.y)}))            \
  WARPLENS_TEXEL(name##4, vector, (name##4{static_cast<element>(v.x), static_cast<element>(v.y),              \
                                           static_cast<element>(v.z), static_cast<element>(v.w)}))            \
  WARPLENS_TEXEL(element, vector, static_cast<element>(v.x))
WARPLENS_TEXELS(char, signed char, int4)
WARPLENS_TEXELS(uchar, unsigned char, uint4)
WARPLENS_TEXELS(short, short, int4)
WARPLENS_TEXELS(ushort, unsigned short, uint4)
WARPLENS_TEXELS(int, int, int4)
WARPLENS_TEXELS(uint, unsigned int, uint4)
WARPLENS_TEXELS(float, float, float4)
WARPLENS_TEXEL(char, int4, static_cast<char>(v.x))
#undef WARPLENS_TEXEL
#undef WARPLENS_TEXELS

}  // namespace warplens_texture

// name: the C++ function, which is a template of the texel; arguments in C++ and as operands.
#define WARPLENS_FETCH_OF(function, vector, letter, ptx, geometry, arguments, operands, ...)                       \
  WARPLENS_DEVICE void function(vector& v, cudaTextureObject_t texture, WARPLENS_UNPACK arguments) {               \
    asm volatile(geometry ".v4." ptx " {%0, %1, %2, %3}, [%4, " operands ";"                                       \
                 : "=" letter(v.x), "=" letter(v.y), "=" letter(v.z), "=" letter(v.w)                              \
                 : "l"(texture), __VA_ARGS__);                                                                     \
  }
#define WARPLENS_UNPACK(...) __VA_ARGS__
#define WARPLENS_FETCHES(name, coordinate, geometry, arguments, operands, ...)                       \
  namespace warplens_texture {                                                                       \
  WARPLENS_FETCH_OF(name, float4, "f", "f32." coordinate, geometry, arguments, operands, __VA_ARGS__) \
  WARPLENS_FETCH_OF(name, int4, "r", "s32." coordinate, geometry, arguments, operands, __VA_ARGS__)   \
  WARPLENS_FETCH_OF(name, uint4, "r", "u32." coordinate, geometry, arguments, operands, __VA_ARGS__)  \
  }
#define WARPLENS_TEXTURE(name, coordinate, geometry, arguments, values, operands, ...)                             \
  WARPLENS_FETCHES(name, coordinate, geometry, arguments, operands, __VA_ARGS__)                                   \
  template <typename T>                                                                                            \
  WARPLENS_DEVICE T name(cudaTextureObject_t texture, WARPLENS_UNPACK arguments) {                                 \
    typename warplens_texture::Texel<T>::fetched v;                                                                \
    warplens_texture::name(v, texture, WARPLENS_UNPACK values);                                                    \
    return warplens_texture::Texel<T>::of(v);                                                                      \
  }                                                                                                                \
  template <typename T>                                                                                            \
  WARPLENS_DEVICE void name(T* result, cudaTextureObject_t texture, WARPLENS_UNPACK arguments) {                   \
    *result = name<T>(texture, WARPLENS_UNPACK values);                                                            \
  }
WARPLENS_TEXTURE(tex1Dfetch, "s32", "tex.1d", (int x), (x), "{%5}]", "r"(x))
WARPLENS_TEXTURE(tex1D, "f32", "tex.1d", (float x), (x), "{%5}]", "f"(x))
WARPLENS_TEXTURE(tex2D, "f32", "tex.2d", (float x, float y), (x, y), "{%5, %6}]", "f"(x), "f"(y))
WARPLENS_TEXTURE(tex3D, "f32", "tex.3d", (float x, float y, float z), (x, y, z), "{%5, %6, %7, %7}]", "f"(x), "f"(y),
                 "f"(z))
WARPLENS_TEXTURE(texCubemap, "f32", "tex.cube", (float x, float y, float z), (x, y, z), "{%5, %6, %7, %7}]", "f"(x),
                 "f"(y), "f"(z))
WARPLENS_TEXTURE(tex1DLayered, "f32", "tex.a1d", (float x, int layer), (x, layer), "{%6, %5}]", "f"(x), "r"(layer))
WARPLENS_TEXTURE(tex2DLayered, "f32", "tex.a2d", (float x, float y, int layer), (x, y, layer), "{%7, %5, %6, %6}]",
                 "f"(x), "f"(y), "r"(layer))
WARPLENS_TEXTURE(texCubemapLayered, "f32", "tex.acube", (float x, float y, float z, int layer), (x, y, z, layer),
                 "{%8, %5, %6, %7}]", "f"(x), "f"(y), "f"(z), "r"(layer))
// At a level of a mipmapped array ...
WARPLENS_TEXTURE(tex1DLod, "f32", "tex.level.1d", (float x, float level), (x, level), "{%5}], %6", "f"(x), "f"(level))
WARPLENS_TEXTURE(tex2DLod, "f32", "tex.level.2d", (float x, float y, float level), (x, y, level), "{%5, %6}], %7",
                 "f"(x), "f"(y), "f"(level))
WARPLENS_TEXTURE(tex3DLod, "f32", "tex.level.3d", (float x, float y, float z, float level), (x, y, z, level),
                 "{%5, %6, %7, %7}], %8", "f"(x), "f"(y), "f"(z), "f"(level))
WARPLENS_TEXTURE(texCubemapLod, "f32", "tex.level.cube", (float x, float y, float z, float level), (x, y, z, level),
                 "{%5, %6, %7, %7}], %8", "f"(x), "f"(y), "f"(z), "f"(level))
WARPLENS_TEXTURE(tex1DLayeredLod, "f32", "tex.level.a1d", (float x, int layer, float level), (x, layer, level),
                 "{%6, %5}], %7", "f"(x), "r"(layer), "f"(level))
WARPLENS_TEXTURE(tex2DLayeredLod, "f32", "tex.level.a2d", (float x, float y, int layer, float level),
                 (x, y, layer, level), "{%7, %5, %6, %6}], %8", "f"(x), "f"(y), "r"(layer), "f"(level))
WARPLENS_TEXTURE(texCubemapLayeredLod, "f32", "tex.level.acube", (float x, float y, float z, int layer, float level),
                 (x, y, z, layer, level), "{%8, %5, %6, %7}], %9", "f"(x), "f"(y), "f"(z), "r"(layer), "f"(level))
// ... or at the one that suits how fast the coordinates change.
WARPLENS_TEXTURE(tex1DGrad, "f32", "tex.grad.1d", (float x, float dx, float dy), (x, dx, dy), "{%5}], {%6}, {%7}",
                 "f"(x), "f"(dx), "f"(dy))
WARPLENS_TEXTURE(tex2DGrad, "f32", "tex.grad.2d", (float x, float y, float2 dx, float2 dy), (x, y, dx, dy),
                 "{%5, %6}], {%7, %8}, {%9, %10}", "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))
WARPLENS_TEXTURE(tex3DGrad, "f32", "tex.grad.3d", (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy),
                 "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}", "f"(x), "f"(y), "f"(z), "f"(dx.x),
                 "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z))
WARPLENS_TEXTURE(texCubemapGrad, "f32", "tex.grad.cube", (float x, float y, float z, float4 dx, float4 dy),
                 (x, y, z, dx, dy), "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}", "f"(x), "f"(y),
                 "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z))
WARPLENS_TEXTURE(tex1DLayeredGrad, "f32", "tex.grad.a1d", (float x, int layer, float dx, float dy), (x, layer, dx, dy),
                 "{%6, %5}], {%7}, {%8}", "f"(x), "r"(layer), "f"(dx), "f"(dy))
WARPLENS_TEXTURE(tex2DLayeredGrad, "f32", "tex.grad.a2d", (float x, float y, int layer, float2 dx, float2 dy),
                 (x, y, layer, dx, dy), "{%7, %5, %6, %6}], {%8, %9}, {%10, %11}", "f"(x), "f"(y), "r"(layer),
                 "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))
WARPLENS_TEXTURE(texCubemapLayeredGrad, "f32", "tex.grad.acube",
                 (float x, float y, float z, int layer, float4 dx, float4 dy), (x, y, z, layer, dx, dy),
                 "{%8, %5, %6, %7}], {%9, %10, %11, %11}, {%12, %13, %14, %14}", "f"(x), "f"(y), "f"(z), "r"(layer),
                 "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z))

// The four texels that filtering would mix, of one component, which the instruction names.
WARPLENS_FETCHES(gather_x, "f32", "tld4.r.2d", (float x, float y), "{%5, %6}]", "f"(x), "f"(y))
WARPLENS_FETCHES(gather_y, "f32", "tld4.g.2d", (float x, float y), "{%5, %6}]", "f"(x), "f"(y))
WARPLENS_FETCHES(gather_z, "f32", "tld4.b.2d", (float x, float y), "{%5, %6}]", "f"(x), "f"(y))
WARPLENS_FETCHES(gather_w, "f32", "tld4.a.2d", (float x, float y), "{%5, %6}]", "f"(x), "f"(y))
template <typename T>
WARPLENS_DEVICE T tex2Dgather(cudaTextureObject_t texture, float x, float y, int component = 0) {
  typename warplens_texture::Texel<T>::fetched v;
  if (component == 1)
    warplens_texture::gather_y(v, texture, x, y);
  else if (component == 2)
    warplens_texture::gather_z(v, texture, x, y);
  else if (component == 3)
    warplens_texture::gather_w(v, texture, x, y);
  else
    warplens_texture::gather_x(v, texture, x, y);
  return warplens_texture::Texel<T>::of(v);
}
template <typename T>
WARPLENS_DEVICE void tex2Dgather(T* result, cudaTextureObject_t texture, float x, float y, int component = 0) {
  *result = tex2Dgather<T>(texture, x, y, component);
}
#undef WARPLENS_TEXTURE
#undef WARPLENS_FETCHES
#undef WARPLENS_FETCH_OF

#include "warplens/surfaces.h"
#undef WARPLENS_UNPACK
