// The 8-bit floating-point types of the CUDA math API: e4m3 (4 bits of exponent, 3 of mantissa, no infinity) and e5m2.
// They are for storage: conversion is all there is, in integer arithmetic that gives what the documentation defines.
#pragma once
#pragma GCC system_header
#define __CUDA_FP8_H__  // programs ask for it
#include "cuda_bf16.h"
#if defined(__cplusplus)
#define CUDA_FP8_TYPES_EXIST

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

// Past the largest number: that number, if it is to saturate; else infinity, for e4m3 not a number.
WARPLENS_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                               __nv_fp8_interpretation_t format) {
  unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
  const unsigned int sign = static_cast<unsigned int>(bits >> 56 & 0x80);
  bits &= ~0ull >> 1;
  if (bits > 0x7ffull << 52) return 0x7f;
  const unsigned int largest = format == __NV_E4M3 ? 0x7e : 0x7b;
  unsigned long long kept = format == __NV_E4M3 ? warplens_sixteen::rounded_bits<3, 7>(bits, true, false)
                                                : warplens_sixteen::rounded_bits<2, 15>(bits, true, false);
  if (kept > largest) kept = saturate == __NV_SATFINITE ? largest : largest + 1;
  return static_cast<__nv_fp8_storage_t>(sign | kept);
}
WARPLENS_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                              __nv_fp8_interpretation_t format) {
  return __nv_cvt_double_to_fp8(x, saturate, format);
}
WARPLENS_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                                __nv_fp8_interpretation_t format) {
  return __nv_cvt_double_to_fp8(warplens_sixteen::Half::widen(x.x), saturate, format);
}
WARPLENS_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                                                                    __nv_fp8_interpretation_t format) {
  return __nv_cvt_double_to_fp8(warplens_sixteen::Bfloat::widen(x.x), saturate, format);
}
#define WARPLENS_FP8_PAIR(name, type, one, x_, y_)                                                                  \
  WARPLENS_HOST_DEVICE __nv_fp8x2_storage_t name(type v, __nv_saturation_t saturate,                                \
                                                 __nv_fp8_interpretation_t format) {                                \
    return static_cast<__nv_fp8x2_storage_t>(one(x_, saturate, format) | one(y_, saturate, format) << 8);           \
  }
WARPLENS_FP8_PAIR(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8, v.x, v.y)
WARPLENS_FP8_PAIR(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8, v.x, v.y)
WARPLENS_FP8_PAIR(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __nv_cvt_halfraw_to_fp8, __half_raw{v.x}, __half_raw{v.y})
WARPLENS_FP8_PAIR(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_fp8,
                  __nv_bfloat16_raw{v.x}, __nv_bfloat16_raw{v.y})
#undef WARPLENS_FP8_PAIR

WARPLENS_HOST_DEVICE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t format) {
  if (format == __NV_E5M2) return __half_raw{static_cast<unsigned short>((x & 0x7f) > 0x7c ? 0x7fff : x << 8)};
  const unsigned int sign = (x & 0x80u) << 8, exponent = x >> 3 & 15, mantissa = x & 7;
  if ((x & 0x7f) == 0x7f) return __half_raw{0x7fff};
  // The exponent's bias grows from 7 to 15; numbers below 2^-6 have none, but as a half they do.
  if (exponent) return __half_raw{static_cast<unsigned short>(sign | ((exponent + 8) << 10) | mantissa << 7)};
  const float value = static_cast<float>(mantissa) / 512;
  return __half_raw{static_cast<unsigned short>(
      sign | warplens_sixteen::narrow<warplens_sixteen::Half>(value, warplens_sixteen::Rounding::Nearest))};
}
WARPLENS_HOST_DEVICE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t format) {
  return __half2_raw{__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x), format).x,
                     __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x >> 8), format).x};
}

// e8m0 is a power of two, 2^(x - 127), or not a number (255): the scale of a block of small numbers. It has no sign.
WARPLENS_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturate,
                                                                enum cudaRoundMode rounding) {
  unsigned long long bits = __builtin_bit_cast(unsigned long long, x) & (~0ull >> 1);
  if (bits > 0x7ffull << 52) return 0xff;
  const bool more = (bits & ((1ull << 52) - 1)) != 0;
  int exponent = static_cast<int>(bits >> 52) - 1023 + 127;
  if (exponent < 0) return 0;
  if (rounding == cudaRoundPosInf && more) ++exponent;
  if (exponent > 0xfe) return saturate == __NV_SATFINITE ? 0xfe : 0xff;
  return static_cast<__nv_fp8_storage_t>(exponent);
}
WARPLENS_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturate,
                                                               enum cudaRoundMode rounding) {
  return __nv_cvt_double_to_e8m0(x, saturate, rounding);
}
WARPLENS_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                                                                     enum cudaRoundMode rounding) {
  return __nv_cvt_double_to_e8m0(warplens_sixteen::Bfloat::widen(x.x), saturate, rounding);
}
WARPLENS_HOST_DEVICE __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
  return __nv_bfloat16_raw{static_cast<unsigned short>(x == 0xff ? 0x7fff : x ? x << 7 : 0x40)};
}
struct __nv_fp8_e8m0 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e8m0() = default;
  WARPLENS_MEMBER explicit __nv_fp8_e8m0(float v) : __x(__nv_cvt_float_to_e8m0(v, __NV_SATFINITE, cudaRoundPosInf)) {}
  WARPLENS_MEMBER explicit __nv_fp8_e8m0(double v) : __x(__nv_cvt_double_to_e8m0(v, __NV_SATFINITE, cudaRoundPosInf)) {}
  WARPLENS_MEMBER explicit operator __nv_bfloat16() const { return __nv_cvt_e8m0_to_bf16raw(__x); }
  WARPLENS_MEMBER explicit operator float() const { return __bfloat162float(__nv_cvt_e8m0_to_bf16raw(__x)); }
  WARPLENS_MEMBER explicit operator double() const { return static_cast<float>(*this); }
};

#define WARPLENS_FP8_FROM(name, type, format)                                                       \
  WARPLENS_MEMBER explicit name(type v)                                                             \
      : __x(__nv_cvt_double_to_fp8(static_cast<double>(v), __NV_SATFINITE, format)) {}
#define WARPLENS_FP8_TO(type)                                                                       \
  WARPLENS_MEMBER explicit operator type() const {                                                  \
    return warplens_sixteen::integer<type>(static_cast<float>(*this), warplens_sixteen::Rounding::Zero); \
  }
#define WARPLENS_FP8(name, format)                                                                  \
  struct name {                                                                                     \
    __nv_fp8_storage_t __x;                                                                         \
    name() = default;                                                                               \
    WARPLENS_MEMBER explicit name(__half v) : __x(__nv_cvt_halfraw_to_fp8(v, __NV_SATFINITE, format)) {}           \
    WARPLENS_MEMBER explicit name(__nv_bfloat16 v) : __x(__nv_cvt_bfloat16raw_to_fp8(v, __NV_SATFINITE, format)) {} \
    WARPLENS_FP8_FROM(name, float, format)                                                          \
    WARPLENS_FP8_FROM(name, double, format)                                                         \
    WARPLENS_FP8_FROM(name, short, format)                                                          \
    WARPLENS_FP8_FROM(name, unsigned short, format)                                                 \
    WARPLENS_FP8_FROM(name, int, format)                                                            \
    WARPLENS_FP8_FROM(name, unsigned int, format)                                                   \
    WARPLENS_FP8_FROM(name, long, format)                                                           \
    WARPLENS_FP8_FROM(name, unsigned long, format)                                                  \
    WARPLENS_FP8_FROM(name, long long, format)                                                      \
    WARPLENS_FP8_FROM(name, unsigned long long, format)                                             \
    WARPLENS_MEMBER explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, format)); }      \
    WARPLENS_MEMBER explicit operator float() const {                                               \
      return warplens_sixteen::Half::widen(__nv_cvt_fp8_to_halfraw(__x, format).x);                 \
    }                                                                                               \
    WARPLENS_MEMBER explicit operator double() const { return static_cast<float>(*this); }          \
    WARPLENS_MEMBER explicit operator __nv_bfloat16() const { return __float2bfloat16(static_cast<float>(*this)); } \
    WARPLENS_MEMBER explicit operator bool() const { return (__x & 0x7f) != 0; }                    \
    WARPLENS_FP8_TO(signed char)                                                                    \
    WARPLENS_FP8_TO(unsigned char)                                                                  \
    WARPLENS_MEMBER explicit operator char() const { return static_cast<char>(static_cast<signed char>(*this)); }  \
    WARPLENS_FP8_TO(short)                                                                          \
    WARPLENS_FP8_TO(unsigned short)                                                                 \
    WARPLENS_FP8_TO(int)                                                                            \
    WARPLENS_FP8_TO(unsigned int)                                                                   \
    WARPLENS_FP8_TO(long)                                                                           \
    WARPLENS_FP8_TO(unsigned long)                                                                  \
    WARPLENS_FP8_TO(long long)                                                                      \
    WARPLENS_FP8_TO(unsigned long long)                                                             \
  };
WARPLENS_FP8(__nv_fp8_e4m3, __NV_E4M3)
WARPLENS_FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef WARPLENS_FP8
#undef WARPLENS_FP8_FROM
#undef WARPLENS_FP8_TO

// Two and four of them; the first is the lowest byte.
#define WARPLENS_FP8(kind, format)                                                                                   \
  struct __align__(2) __nv_fp8x2_##kind {                                                                                     \
    __nv_fp8x2_storage_t __x;                                                                                        \
    __nv_fp8x2_##kind() = default;                                                                                            \
    WARPLENS_MEMBER explicit __nv_fp8x2_##kind(__half2 v) : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, format)) {}     \
    WARPLENS_MEMBER explicit __nv_fp8x2_##kind(__nv_bfloat162 v)                                                              \
        : __x(__nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, format)) {}                                          \
    WARPLENS_MEMBER explicit __nv_fp8x2_##kind(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, format)) {}        \
    WARPLENS_MEMBER explicit __nv_fp8x2_##kind(double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, format)) {}      \
    WARPLENS_MEMBER explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, format)); }   \
    WARPLENS_MEMBER explicit operator float2() const { return __half22float2(static_cast<__half2>(*this)); }         \
  };                                                                                                                 \
  struct __align__(4) __nv_fp8x4_##kind {                                                                                     \
    __nv_fp8x4_storage_t __x;                                                                                        \
    __nv_fp8x4_##kind() = default;                                                                                            \
    WARPLENS_MEMBER explicit __nv_fp8x4_##kind(__half2 low, __half2 high)                                                     \
        : __x(of(__nv_cvt_halfraw2_to_fp8x2(low, __NV_SATFINITE, format),                                            \
                 __nv_cvt_halfraw2_to_fp8x2(high, __NV_SATFINITE, format))) {}                                       \
    WARPLENS_MEMBER explicit __nv_fp8x4_##kind(__nv_bfloat162 low, __nv_bfloat162 high)                                       \
        : __x(of(__nv_cvt_bfloat16raw2_to_fp8x2(low, __NV_SATFINITE, format),                                        \
                 __nv_cvt_bfloat16raw2_to_fp8x2(high, __NV_SATFINITE, format))) {}                                   \
    WARPLENS_MEMBER explicit __nv_fp8x4_##kind(float4 v)                                                                      \
        : __x(of(__nv_cvt_float2_to_fp8x2(float2{v.x, v.y}, __NV_SATFINITE, format),                                 \
                 __nv_cvt_float2_to_fp8x2(float2{v.z, v.w}, __NV_SATFINITE, format))) {}                             \
    WARPLENS_MEMBER explicit __nv_fp8x4_##kind(double4 v)                                                                     \
        : __x(of(__nv_cvt_double2_to_fp8x2(make_double2(v.x, v.y), __NV_SATFINITE, format),                          \
                 __nv_cvt_double2_to_fp8x2(make_double2(v.z, v.w), __NV_SATFINITE, format))) {}                      \
    WARPLENS_MEMBER explicit operator float4() const {                                                               \
      const float2 low = __half22float2(                                                                             \
          __half2(__nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(__x), format)));                      \
      const float2 high = __half22float2(                                                                            \
          __half2(__nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(__x >> 16), format)));                \
      return make_float4(low.x, low.y, high.x, high.y);                                                              \
    }                                                                                                                \
                                                                                                                     \
   private:                                                                                                          \
    static WARPLENS_MEMBER __nv_fp8x4_storage_t of(unsigned int low, unsigned int high) { return low | high << 16; } \
  };
WARPLENS_FP8(e4m3, __NV_E4M3)
WARPLENS_FP8(e5m2, __NV_E5M2)
#undef WARPLENS_FP8
#endif
