// Surface functions, which become PTX's suld.b and sust.b: x counts bytes. Included by textures.h.
#pragma once
#pragma GCC system_header

namespace warplens_surface {

// An element as the instruction moves it: by its size.
template <unsigned long kBytes>
struct Words;
template <>
struct Words<1> {
  unsigned short a;
};
template <>
struct Words<2> {
  unsigned short a;
};
template <>
struct Words<4> {
  unsigned int a;
};
template <>
struct Words<8> {
  unsigned int a, b;
};
template <>
struct Words<16> {
  unsigned int a, b, c, d;
};

// %0 on: the words, then the surface, then the coordinates, whose operands differ in their numbers for that reason.
#define WARPLENS_SURFACE_MOVES(name, geometry, mode, bytes, type, list, outs, ins, surface_operand, coordinates, ...)  \
  WARPLENS_DEVICE void name##_read_##mode(Words<bytes>& w, cudaSurfaceObject_t s, WARPLENS_SURFACE_ARGUMENTS_##name) {  \
    asm volatile("suld.b." geometry "." type "." #mode " {" list "}, [" surface_operand ", {" coordinates "}];"        \
                 : WARPLENS_UNPACK outs : "l"(s), __VA_ARGS__ : "memory");                                             \
  }                                                                                                                    \
  WARPLENS_DEVICE void name##_write_##mode(const Words<bytes>& w, cudaSurfaceObject_t s,                               \
                                           WARPLENS_SURFACE_ARGUMENTS_##name) {                                        \
    asm volatile("sust.b." geometry "." type "." #mode " [" surface_operand ", {" coordinates "}], {" list "};"        \
                 ::WARPLENS_UNPACK ins, "l"(s), __VA_ARGS__ : "memory");                                               \
  }
#define WARPLENS_SURFACE_MODE(name, geometry, mode, after1, after2, after4, ...)                                       \
  WARPLENS_SURFACE_MOVES(name, geometry, mode, 1, "b8", "%0", ("=h"(w.a)), ("h"(w.a)), "%1", after1, __VA_ARGS__)      \
  WARPLENS_SURFACE_MOVES(name, geometry, mode, 2, "b16", "%0", ("=h"(w.a)), ("h"(w.a)), "%1", after1, __VA_ARGS__)     \
  WARPLENS_SURFACE_MOVES(name, geometry, mode, 4, "b32", "%0", ("=r"(w.a)), ("r"(w.a)), "%1", after1, __VA_ARGS__)     \
  WARPLENS_SURFACE_MOVES(name, geometry, mode, 8, "v2.b32", "%0, %1", ("=r"(w.a), "=r"(w.b)), ("r"(w.a), "r"(w.b)),    \
                         "%2", after2, __VA_ARGS__)                                                                    \
  WARPLENS_SURFACE_MOVES(name, geometry, mode, 16, "v4.b32", "%0, %1, %2, %3",                                         \
                         ("=r"(w.a), "=r"(w.b), "=r"(w.c), "=r"(w.d)), ("r"(w.a), "r"(w.b), "r"(w.c), "r"(w.d)), "%4", \
                         after4, __VA_ARGS__)
#define WARPLENS_SURFACE_MODES(name, geometry, after1, after2, after4, ...)                   \
  WARPLENS_SURFACE_MODE(name, geometry, trap, after1, after2, after4, __VA_ARGS__)            \
  WARPLENS_SURFACE_MODE(name, geometry, clamp, after1, after2, after4, __VA_ARGS__)           \
  WARPLENS_SURFACE_MODE(name, geometry, zero, after1, after2, after4, __VA_ARGS__)

#define WARPLENS_SURFACE_ARGUMENTS_d1 int x
#define WARPLENS_SURFACE_ARGUMENTS_d2 int x, int y
#define WARPLENS_SURFACE_ARGUMENTS_d3 int x, int y, int z
#define WARPLENS_SURFACE_ARGUMENTS_layers1 int x, int layer
#define WARPLENS_SURFACE_ARGUMENTS_layers2 int x, int y, int layer
WARPLENS_SURFACE_MODES(d1, "1d", "%2", "%3", "%5", "r"(x))
WARPLENS_SURFACE_MODES(d2, "2d", "%2, %3", "%3, %4", "%5, %6", "r"(x), "r"(y))
WARPLENS_SURFACE_MODES(d3, "3d", "%2, %3, %4, %4", "%3, %4, %5, %5", "%5, %6, %7, %7", "r"(x), "r"(y), "r"(z))
WARPLENS_SURFACE_MODES(layers1, "a1d", "%2, %3", "%3, %4", "%5, %6", "r"(layer), "r"(x))
WARPLENS_SURFACE_MODES(layers2, "a2d", "%2, %3, %4, %4", "%3, %4, %5, %5", "%5, %6, %7, %7", "r"(layer), "r"(x), "r"(y))
#undef WARPLENS_SURFACE_ARGUMENTS_d1
#undef WARPLENS_SURFACE_ARGUMENTS_d2
#undef WARPLENS_SURFACE_ARGUMENTS_d3
#undef WARPLENS_SURFACE_ARGUMENTS_layers1
#undef WARPLENS_SURFACE_ARGUMENTS_layers2
#undef WARPLENS_SURFACE_MOVES
#undef WARPLENS_SURFACE_MODE
#undef WARPLENS_SURFACE_MODES

}  // namespace warplens_surface

#define WARPLENS_SURFACE(name, instruction, arguments, values)                                                       \
  template <typename T>                                                                                              \
  WARPLENS_DEVICE T name##read(cudaSurfaceObject_t surface, WARPLENS_UNPACK arguments,                               \
                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                \
    warplens_surface::Words<sizeof(T)> w;                                                                            \
    if (mode == cudaBoundaryModeZero)                                                                                \
      warplens_surface::instruction##_read_zero(w, surface, WARPLENS_UNPACK values);                                 \
    else if (mode == cudaBoundaryModeClamp)                                                                          \
      warplens_surface::instruction##_read_clamp(w, surface, WARPLENS_UNPACK values);                                \
    else                                                                                                             \
      warplens_surface::instruction##_read_trap(w, surface, WARPLENS_UNPACK values);                                 \
    T v;                                                                                                             \
    __builtin_memcpy(&v, &w, sizeof v);                                                                              \
    return v;                                                                                                        \
  }                                                                                                                  \
  template <typename T>                                                                                              \
  WARPLENS_DEVICE void name##read(T* result, cudaSurfaceObject_t surface, WARPLENS_UNPACK arguments,                 \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                             \
    *result = name##read<T>(surface, WARPLENS_UNPACK values, mode);                                                  \
  }                                                                                                                  \
  template <typename T>                                                                                              \
  WARPLENS_DEVICE void name##write(T v, cudaSurfaceObject_t surface, WARPLENS_UNPACK arguments,                      \
                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                            \
    warplens_surface::Words<sizeof(T)> w = {};                                                                       \
    __builtin_memcpy(&w, &v, sizeof v);                                                                              \
    if (mode == cudaBoundaryModeZero)                                                                                \
      warplens_surface::instruction##_write_zero(w, surface, WARPLENS_UNPACK values);                                \
    else if (mode == cudaBoundaryModeClamp)                                                                          \
      warplens_surface::instruction##_write_clamp(w, surface, WARPLENS_UNPACK values);                               \
    else                                                                                                             \
      warplens_surface::instruction##_write_trap(w, surface, WARPLENS_UNPACK values);                                \
  }
WARPLENS_SURFACE(surf1D, d1, (int x), (x))
WARPLENS_SURFACE(surf2D, d2, (int x, int y), (x, y))
WARPLENS_SURFACE(surf3D, d3, (int x, int y, int z), (x, y, z))
WARPLENS_SURFACE(surf1DLayered, layers1, (int x, int layer), (x, layer))
WARPLENS_SURFACE(surf2DLayered, layers2, (int x, int y, int layer), (x, y, layer))
// A cube's faces are layers.
WARPLENS_SURFACE(surfCubemap, layers2, (int x, int y, int face), (x, y, face))
WARPLENS_SURFACE(surfCubemapLayered, layers2, (int x, int y, int layerFace), (x, y, layerFace))
#undef WARPLENS_SURFACE
