// Texture and surface functions. They become PTX's tex, tld4, suld and sust, which Warplens refuses by name where a kernel
// reaches one.
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
#define WARPLENS_TEXTURE(name, coordinate, geometry, arguments, values, operands, ...)                             \
  namespace warplens_texture {                                                                                     \
  WARPLENS_FETCH_OF(name, float4, "f", "f32." coordinate, geometry, arguments, operands, __VA_ARGS__)              \
  WARPLENS_FETCH_OF(name, int4, "r", "s32." coordinate, geometry, arguments, operands, __VA_ARGS__)                \
  WARPLENS_FETCH_OF(name, uint4, "r", "u32." coordinate, geometry, arguments, operands, __VA_ARGS__)               \
  }                                                                                                                \
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
WARPLENS_TEXTURE(tex1DLod, "f32", "tex.level.1d", (float x, float level), (x, level), "{%5}], %6", "f"(x), "f"(level))
WARPLENS_TEXTURE(tex2DLod, "f32", "tex.level.2d", (float x, float y, float level), (x, y, level), "{%5, %6}], %7",
                 "f"(x), "f"(y), "f"(level))
WARPLENS_TEXTURE(tex3DLod, "f32", "tex.level.3d", (float x, float y, float z, float level), (x, y, z, level),
                 "{%5, %6, %7, %7}], %8", "f"(x), "f"(y), "f"(z), "f"(level))
#undef WARPLENS_TEXTURE
#undef WARPLENS_FETCH_OF

// The four texels that filtering would mix, of one component; a constant, which the instruction names.
template <typename T>
WARPLENS_DEVICE T tex2Dgather(cudaTextureObject_t texture, float x, float y, int component = 0) {
  typename warplens_texture::Texel<T>::fetched v{};
  float4 f;
  asm volatile("tld4.r.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
               : "=f"(f.x), "=f"(f.y), "=f"(f.z), "=f"(f.w) : "l"(texture), "f"(x), "f"(y));
  v.x = f.x, v.y = f.y, v.z = f.z, v.w = f.w;
  return component >= 0 ? warplens_texture::Texel<T>::of(v) : T{};
}

// Surfaces: x counts bytes. The number of bytes of T makes the instruction.
#define WARPLENS_SURFACE(name, geometry, arguments, coordinates, ...)                                                \
  template <typename T>                                                                                              \
  WARPLENS_DEVICE T name##read(cudaSurfaceObject_t surface, WARPLENS_UNPACK arguments,                               \
                               cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) {                                     \
    unsigned int word[(sizeof(T) + 3) / 4 * 4] = {};                                                                 \
    for (unsigned int i = 0; i < (sizeof(T) + 3) / 4; ++i)                                                           \
      asm volatile("suld.b." geometry ".b32.trap {%0}, [%1, " coordinates "];"                                       \
                   : "=r"(word[i]) : "l"(surface), __VA_ARGS__);                                                     \
    T v;                                                                                                             \
    __builtin_memcpy(&v, word, sizeof v);                                                                            \
    return v;                                                                                                        \
  }                                                                                                                  \
  template <typename T>                                                                                              \
  WARPLENS_DEVICE void name##read(T* result, cudaSurfaceObject_t surface, WARPLENS_UNPACK arguments,                 \
                                  cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) {                                  \
    *result = name##read<T>(surface, WARPLENS_SURFACE_VALUES_##name);                                                \
  }                                                                                                                  \
  template <typename T>                                                                                              \
  WARPLENS_DEVICE void name##write(T v, cudaSurfaceObject_t surface, WARPLENS_UNPACK arguments,                      \
                                   cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) {                                 \
    unsigned int word[(sizeof(T) + 3) / 4] = {};                                                                     \
    __builtin_memcpy(word, &v, sizeof v);                                                                            \
    for (unsigned int i = 0; i < (sizeof(T) + 3) / 4; ++i)                                                           \
      asm volatile("sust.b." geometry ".b32.trap [%1, " coordinates "], {%0};" ::"r"(word[i]), "l"(surface), __VA_ARGS__); \
  }
#define WARPLENS_SURFACE_VALUES_surf1D x
#define WARPLENS_SURFACE_VALUES_surf2D x, y
#define WARPLENS_SURFACE_VALUES_surf3D x, y, z
#define WARPLENS_SURFACE_VALUES_surf2DLayered x, y, layer
WARPLENS_SURFACE(surf1D, "1d", (int x), "{%2}", "r"(x))
WARPLENS_SURFACE(surf2D, "2d", (int x, int y), "{%2, %3}", "r"(x), "r"(y))
WARPLENS_SURFACE(surf3D, "3d", (int x, int y, int z), "{%2, %3, %4, %4}", "r"(x), "r"(y), "r"(z))
WARPLENS_SURFACE(surf2DLayered, "a2d", (int x, int y, int layer), "{%4, %2, %3, %3}", "r"(x), "r"(y), "r"(layer))
#undef WARPLENS_SURFACE
#undef WARPLENS_SURFACE_VALUES_surf1D
#undef WARPLENS_SURFACE_VALUES_surf2D
#undef WARPLENS_SURFACE_VALUES_surf3D
#undef WARPLENS_SURFACE_VALUES_surf2DLayered
#undef WARPLENS_UNPACK
