// make_char1 ... make_double4.
#pragma once
#pragma GCC system_header
#define __VECTOR_FUNCTIONS_H__  // programs ask for it
#include "vector_types.h"
#if defined(__cplusplus)

#define WARPLENS_MAKE(name, type)                                                                               \
  WARPLENS_HOST_DEVICE name##1 make_##name##1(type x) { return name##1{x}; }                   \
  WARPLENS_HOST_DEVICE name##2 make_##name##2(type x, type y) { return name##2{x, y}; }        \
  WARPLENS_HOST_DEVICE name##3 make_##name##3(type x, type y, type z) { return name##3{x, y, z}; } \
  WARPLENS_HOST_DEVICE name##4 make_##name##4(type x, type y, type z, type w) {                \
    return name##4{x, y, z, w};                                                                                 \
  }

WARPLENS_MAKE(char, signed char)
WARPLENS_MAKE(uchar, unsigned char)
WARPLENS_MAKE(short, short)
WARPLENS_MAKE(ushort, unsigned short)
WARPLENS_MAKE(int, int)
WARPLENS_MAKE(uint, unsigned int)
WARPLENS_MAKE(long, long)
WARPLENS_MAKE(ulong, unsigned long)
WARPLENS_MAKE(longlong, long long)
WARPLENS_MAKE(ulonglong, unsigned long long)
WARPLENS_MAKE(float, float)
WARPLENS_MAKE(double, double)
#undef WARPLENS_MAKE
#define WARPLENS_MAKE(name, type)                                                  \
  WARPLENS_HOST_DEVICE name make_##name(type x, type y, type z, type w) { return name{x, y, z, w}; }
WARPLENS_MAKE(long4_16a, long)
WARPLENS_MAKE(ulong4_16a, unsigned long)
WARPLENS_MAKE(longlong4_16a, long long)
WARPLENS_MAKE(ulonglong4_16a, unsigned long long)
WARPLENS_MAKE(double4_16a, double)
WARPLENS_MAKE(long4_32a, long)
WARPLENS_MAKE(ulong4_32a, unsigned long)
WARPLENS_MAKE(longlong4_32a, long long)
WARPLENS_MAKE(ulonglong4_32a, unsigned long long)
WARPLENS_MAKE(double4_32a, double)
#undef WARPLENS_MAKE
#endif
