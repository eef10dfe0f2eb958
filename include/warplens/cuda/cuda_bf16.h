// __nv_bfloat16 and __nv_bfloat162 of the CUDA math API; see cuda_fp16.h.
#pragma once
#pragma GCC system_header
#define __CUDA_BF16_H__  // programs ask for it
#include "cuda_fp16.h"
#if defined(__cplusplus)
#define CUDA_BF16_TYPES_EXIST

typedef struct __align__(2) {
  unsigned short x;
} __nv_bfloat16_raw;
typedef struct __align__(4) {
  unsigned short x, y;
} __nv_bfloat162_raw;

#if defined(__CUDA_NO_BFLOAT16_CONVERSIONS__)
#define T16_NO_CONVERSIONS 1
#else
#define T16_NO_CONVERSIONS 0
#endif

struct __align__(2) __nv_bfloat16 {
  unsigned short __x;  // ours; programs use __nv_bfloat16_raw

  __nv_bfloat16() = default;
  WARPLENS_MEMBER constexpr __nv_bfloat16(const __nv_bfloat16_raw& raw) : __x(raw.x) {}
  WARPLENS_MEMBER __nv_bfloat16& operator=(const __nv_bfloat16_raw& raw) { __x = raw.x; return *this; }
  WARPLENS_MEMBER operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
  WARPLENS_MEMBER operator __nv_bfloat16_raw() const volatile { return __nv_bfloat16_raw{__x}; }
#include "warplens/sixteen_bits_members.h"
  WARPLENS_MEMBERS_16(__nv_bfloat16)
#if !T16_NO_CONVERSIONS
  WARPLENS_MEMBER explicit __nv_bfloat16(const __half& v)
      : __x(warplens_sixteen::narrow<warplens_sixteen::Bfloat>(warplens_sixteen::Half::widen(v.__x),
                                                               warplens_sixteen::Rounding::Nearest)) {}
#endif
};
typedef __nv_bfloat16 nv_bfloat16;

struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  WARPLENS_MEMBER constexpr __nv_bfloat162(const __nv_bfloat16& a, const __nv_bfloat16& b) : x(a), y(b) {}
  WARPLENS_MEMBER __nv_bfloat162(const __nv_bfloat162_raw& raw)
      : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y}) {}
  WARPLENS_MEMBER __nv_bfloat162& operator=(const __nv_bfloat162_raw& raw) { return *this = __nv_bfloat162(raw); }
  WARPLENS_MEMBER operator __nv_bfloat162_raw() const { return __nv_bfloat162_raw{x.__x, y.__x}; }
};
typedef __nv_bfloat162 nv_bfloat162;

#if !defined(__CUDA_NO_HALF_CONVERSIONS__)
WARPLENS_MEMBER __half::__half(const __nv_bfloat16& v)
    : __x(warplens_sixteen::narrow<warplens_sixteen::Half>(warplens_sixteen::Bfloat::widen(v.__x),
                                                           warplens_sixteen::Rounding::Nearest)) {}
#endif

#define T16 __nv_bfloat16
#define T16X2 __nv_bfloat162
#define T16_RAW __nv_bfloat16_raw
#define T16_FORMAT warplens_sixteen::Bfloat
#define T16_NAME(before, after) before##bfloat16##after
#define T16_NAME2(before, after) before##bfloat162##after
#define T16_CONCAT(a, b) __bfloat162bfloat162
#define T16_PTX "bf16"
#define T16_HAS_ALL_ROUNDINGS 0
#define T16_VALUE(a) warplens_sixteen::Bfloat::widen((a).__x)
#define T16_ONLY_FUSED 0
#define T16_ADD(x2) "add.bf16" x2 " %0, %1, %2;"
#define T16_SUB(x2) "sub.bf16" x2 " %0, %1, %2;"
#define T16_MUL(x2) "mul.bf16" x2 " %0, %1, %2;"
#define T16_ADD_RN(x2) "add.rn.bf16" x2 " %0, %1, %2;"
#define T16_SUB_RN(x2) "sub.rn.bf16" x2 " %0, %1, %2;"
#define T16_MUL_RN(x2) "mul.rn.bf16" x2 " %0, %1, %2;"
#define T16_TANH_SINCE 900
#define T16_ATOMIC_SINCE 900
#define T16_ATOMIC_PAIR_SINCE 900
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#undef T16_ONLY_FUSED
#define T16_ONLY_FUSED 1
#endif
#if defined(__CUDA_NO_BFLOAT16_OPERATORS__)
#define T16_NO_OPERATORS 1
#else
#define T16_NO_OPERATORS 0
#endif
#if defined(__CUDA_NO_BFLOAT162_OPERATORS__)
#define T16_NO_PAIR_OPERATORS 1
#else
#define T16_NO_PAIR_OPERATORS 0
#endif
#include "warplens/sixteen_bits_functions.h"
#include "warplens/sixteen_bits_end.h"

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
#endif
