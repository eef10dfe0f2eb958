// __half and __half2 of the CUDA math API: conversion, arithmetic, comparison, functions. The functions that
// __nv_bfloat16 has as well are in warplens/sixteen_bits_functions.h.
#pragma once
#pragma GCC system_header
#define __CUDA_FP16_H__  // programs ask for it
#include "cuda_runtime.h"
#include "vector_functions.h"
#if defined(__cplusplus)
#define CUDA_FP16_TYPES_EXIST
#include "warplens/sixteen_bits.h"

typedef struct __align__(2) {
  unsigned short x;
} __half_raw;
typedef struct __align__(4) {
  unsigned short x, y;
} __half2_raw;

#if defined(__CUDA_NO_HALF_CONVERSIONS__)
#define T16_NO_CONVERSIONS 1
#else
#define T16_NO_CONVERSIONS 0
#endif

struct __nv_bfloat16;

struct __align__(2) __half {
  unsigned short __x;  // ours; programs use __half_raw

  __half() = default;
  WARPLENS_MEMBER constexpr __half(const __half_raw& raw) : __x(raw.x) {}
  WARPLENS_MEMBER __half& operator=(const __half_raw& raw) { __x = raw.x; return *this; }
  WARPLENS_MEMBER operator __half_raw() const { return __half_raw{__x}; }
  WARPLENS_MEMBER operator __half_raw() const volatile { return __half_raw{__x}; }
#include "warplens/sixteen_bits_members.h"
  WARPLENS_MEMBERS_16(__half)
#if !T16_NO_CONVERSIONS
  WARPLENS_MEMBER explicit __half(const __nv_bfloat16& v);
#endif
};
typedef __half half;
typedef __half __nv_half;
typedef __half nv_half;

struct __align__(4) __half2 {
  __half x, y;
  __half2() = default;
  WARPLENS_MEMBER constexpr __half2(const __half& a, const __half& b) : x(a), y(b) {}
  WARPLENS_MEMBER __half2(const __half2_raw& raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
  WARPLENS_MEMBER __half2& operator=(const __half2_raw& raw) { return *this = __half2(raw); }
  WARPLENS_MEMBER operator __half2_raw() const { return __half2_raw{x.__x, y.__x}; }
};
typedef __half2 half2;
typedef __half2 __nv_half2;
typedef __half2 nv_half2;

#define T16 __half
#define T16X2 __half2
#define T16_RAW __half_raw
#define T16_FORMAT warplens_sixteen::Half
#define T16_NAME(before, after) before##half##after
#define T16_NAME2(before, after) before##half2##after
#define T16_CONCAT(a, b) __half2half2
#define T16_PTX "f16"
#define T16_HAS_ALL_ROUNDINGS 1
#define T16_VALUE(a) __builtin_bit_cast(_Float16, (a).__x)
#define T16_ONLY_FUSED 0
#define T16_ADD(x2) "add.f16" x2 " %0, %1, %2;"
#define T16_SUB(x2) "sub.f16" x2 " %0, %1, %2;"
#define T16_MUL(x2) "mul.f16" x2 " %0, %1, %2;"
#define T16_ADD_RN(x2) "add.rn.f16" x2 " %0, %1, %2;"
#define T16_SUB_RN(x2) "sub.rn.f16" x2 " %0, %1, %2;"
#define T16_MUL_RN(x2) "mul.rn.f16" x2 " %0, %1, %2;"
#define T16_TANH_SINCE 750
#define T16_ATOMIC_SINCE 700
#define T16_ATOMIC_PAIR_SINCE 600
#if defined(__CUDA_NO_HALF_OPERATORS__)
#define T16_NO_OPERATORS 1
#else
#define T16_NO_OPERATORS 0
#endif
#if defined(__CUDA_NO_HALF2_OPERATORS__)
#define T16_NO_PAIR_OPERATORS 1
#else
#define T16_NO_PAIR_OPERATORS 0
#endif
#include "warplens/sixteen_bits_functions.h"
#include "warplens/sixteen_bits_end.h"

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
#endif
