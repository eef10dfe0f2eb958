// char1 ... double4 and dim3, with the sizes and alignments of the CUDA C++ Programming Guide (built-in vector types).
#pragma once
#pragma GCC system_header
#define __VECTOR_TYPES_H__  // programs ask for it
#include "crt/host_defines.h"

// A single is as aligned as its element, a pair and a quad as their size, up to 16 bytes; a triple is packed.
//
// Vectors of 16 bytes or more are assigned member by member, which clang makes one access of where a plain copy of the
// structure may end in several. They are aggregates all the same; only a union that holds one cannot be assigned whole.
#if defined(__cplusplus)
#define WARPLENS_ASSIGN(name, members)                                       \
  __host__ __device__ WARPLENS_NO_LINES name& operator=(const name& other) { \
    members;                                                                 \
    return *this;                                                            \
  }
#else
#define WARPLENS_ASSIGN(name, members)
#endif
#define WARPLENS_PLAIN(name, members)

#define WARPLENS_VECTORS(name, type, align1, align2, align4, assign2, assign4) \
  struct __align__(align1) name##1 { type x; };                                \
  struct __align__(align2) name##2 {                                           \
    type x, y;                                                                 \
    assign2(name##2, (x = other.x, y = other.y))                               \
  };                                                                           \
  struct __align__(align1) name##3 { type x, y, z; };                          \
  struct __align__(align4) name##4 {                                           \
    type x, y, z, w;                                                           \
    assign4(name##4, (x = other.x, y = other.y, z = other.z, w = other.w))     \
  };

WARPLENS_VECTORS(char, signed char, 1, 2, 4, WARPLENS_PLAIN, WARPLENS_PLAIN)
WARPLENS_VECTORS(uchar, unsigned char, 1, 2, 4, WARPLENS_PLAIN, WARPLENS_PLAIN)
WARPLENS_VECTORS(short, short, 2, 4, 8, WARPLENS_PLAIN, WARPLENS_PLAIN)
WARPLENS_VECTORS(ushort, unsigned short, 2, 4, 8, WARPLENS_PLAIN, WARPLENS_PLAIN)
WARPLENS_VECTORS(int, int, 4, 8, 16, WARPLENS_PLAIN, WARPLENS_ASSIGN)
WARPLENS_VECTORS(uint, unsigned int, 4, 8, 16, WARPLENS_PLAIN, WARPLENS_ASSIGN)
WARPLENS_VECTORS(long, long, 8, 16, 16, WARPLENS_ASSIGN, WARPLENS_ASSIGN)
WARPLENS_VECTORS(ulong, unsigned long, 8, 16, 16, WARPLENS_ASSIGN, WARPLENS_ASSIGN)
WARPLENS_VECTORS(longlong, long long, 8, 16, 16, WARPLENS_ASSIGN, WARPLENS_ASSIGN)
WARPLENS_VECTORS(ulonglong, unsigned long long, 8, 16, 16, WARPLENS_ASSIGN, WARPLENS_ASSIGN)
WARPLENS_VECTORS(float, float, 4, 8, 16, WARPLENS_PLAIN, WARPLENS_ASSIGN)
WARPLENS_VECTORS(double, double, 8, 16, 16, WARPLENS_ASSIGN, WARPLENS_ASSIGN)
#undef WARPLENS_VECTORS
#undef WARPLENS_ASSIGN
#undef WARPLENS_PLAIN

struct dim3 {
  unsigned int x, y, z;
#if defined(__cplusplus)
  __host__ __device__ WARPLENS_NO_LINES constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
      : x(x_), y(y_), z(z_) {}
  __host__ __device__ WARPLENS_NO_LINES constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ WARPLENS_NO_LINES constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
#if !defined(__cplusplus)
typedef struct dim3 dim3;
#endif

// CUDA 13's names for the vectors of 32 bytes, by their alignment.
#if defined(__cplusplus)
struct __align__(16) long4_16a { long x, y, z, w; };
struct __align__(16) ulong4_16a { unsigned long x, y, z, w; };
struct __align__(16) longlong4_16a { long long x, y, z, w; };
struct __align__(16) ulonglong4_16a { unsigned long long x, y, z, w; };
struct __align__(16) double4_16a { double x, y, z, w; };
struct __align__(32) long4_32a { long x, y, z, w; };
struct __align__(32) ulong4_32a { unsigned long x, y, z, w; };
struct __align__(32) longlong4_32a { long long x, y, z, w; };
struct __align__(32) ulonglong4_32a { unsigned long long x, y, z, w; };
struct __align__(32) double4_32a { double x, y, z, w; };
#endif
