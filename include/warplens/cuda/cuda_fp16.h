// __half and __half2: storage, conversion and the arithmetic that one instruction of the GPU does, over clang's _Float16.
#pragma once
#pragma GCC system_header
#include "cuda_runtime.h"
#if defined(__cplusplus)

#define WARPLENS_HD WARPLENS_HOST_DEVICE
#define WARPLENS_D WARPLENS_DEVICE
#define WARPLENS_MEMBER __host__ __device__ WARPLENS_NO_LINES

struct __half_raw {
  unsigned short x;
};

struct __align__(2) __half {
  unsigned short bits;

  __half() = default;
  WARPLENS_MEMBER __half(const __half_raw& raw) : bits(raw.x) {}
  WARPLENS_MEMBER __half(_Float16 v) : bits(__builtin_bit_cast(unsigned short, v)) {}
  WARPLENS_MEMBER __half(float v) : __half(static_cast<_Float16>(v)) {}
  WARPLENS_MEMBER __half(double v) : __half(static_cast<_Float16>(v)) {}
  WARPLENS_MEMBER __half(int v) : __half(static_cast<_Float16>(v)) {}
  WARPLENS_MEMBER __half(unsigned int v) : __half(static_cast<_Float16>(v)) {}
  WARPLENS_MEMBER _Float16 value() const { return __builtin_bit_cast(_Float16, bits); }
  WARPLENS_MEMBER operator float() const { return static_cast<float>(value()); }
  WARPLENS_MEMBER operator __half_raw() const { return __half_raw{bits}; }
};
typedef __half half;

struct __align__(4) __half2 {
  __half x, y;
  __half2() = default;
  WARPLENS_MEMBER __half2(const __half& a, const __half& b) : x(a), y(b) {}
};
typedef __half2 half2;

WARPLENS_HD __half __float2half(float a) { return __half(a); }
WARPLENS_HD __half __float2half_rn(float a) { return __half(a); }
WARPLENS_HD __half __double2half(double a) { return __half(a); }
WARPLENS_HD float __half2float(__half a) { return a; }
WARPLENS_HD __half __int2half_rn(int a) { return __half(a); }
WARPLENS_HD __half __ushort_as_half(unsigned short a) { return __half(__half_raw{a}); }
WARPLENS_HD unsigned short __half_as_ushort(__half a) { return a.bits; }
WARPLENS_HD __half2 make_half2(__half a, __half b) { return __half2(a, b); }
WARPLENS_HD __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
WARPLENS_HD __half2 __half2half2(__half a) { return __half2(a, a); }
WARPLENS_HD __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
WARPLENS_HD __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
WARPLENS_HD __half2 __float22half2_rn(float2 a) { return __half2(__half(a.x), __half(a.y)); }
WARPLENS_HD float2 __half22float2(__half2 a) { return float2{a.x, a.y}; }
WARPLENS_HD __half __low2half(__half2 a) { return a.x; }
WARPLENS_HD __half __high2half(__half2 a) { return a.y; }
WARPLENS_HD float __low2float(__half2 a) { return a.x; }
WARPLENS_HD float __high2float(__half2 a) { return a.y; }

// name: scalar and pair function; op: how it is written.
#define WARPLENS_HALF_BINARY(name, op)                                                                     \
  WARPLENS_HD __half __h##name(__half a, __half b) { return __half(static_cast<_Float16>(a.value() op b.value())); } \
  WARPLENS_HD __half2 __h##name##2(__half2 a, __half2 b) { return __half2(__h##name(a.x, b.x), __h##name(a.y, b.y)); } \
  WARPLENS_HD __half operator op(__half a, __half b) { return __h##name(a, b); }                           \
  WARPLENS_HD __half2 operator op(__half2 a, __half2 b) { return __h##name##2(a, b); }                     \
  WARPLENS_HD __half& operator op##=(__half& a, __half b) { return a = a op b; }                           \
  WARPLENS_HD __half2& operator op##=(__half2& a, __half2 b) { return a = a op b; }
WARPLENS_HALF_BINARY(add, +)
WARPLENS_HALF_BINARY(sub, -)
WARPLENS_HALF_BINARY(mul, *)
#undef WARPLENS_HALF_BINARY
WARPLENS_HD __half __hdiv(__half a, __half b) { return __half(static_cast<float>(a) / static_cast<float>(b)); }
WARPLENS_HD __half operator/(__half a, __half b) { return __hdiv(a, b); }
WARPLENS_HD __half __hneg(__half a) { return __half(__half_raw{static_cast<unsigned short>(a.bits ^ 0x8000)}); }
WARPLENS_HD __half operator-(__half a) { return __hneg(a); }
WARPLENS_HD __half __habs(__half a) { return __half(__half_raw{static_cast<unsigned short>(a.bits & 0x7fff)}); }

#define WARPLENS_HALF_COMPARE(name, op)                                                   \
  WARPLENS_HD bool __h##name(__half a, __half b) { return a.value() op b.value(); }       \
  WARPLENS_HD bool operator op(__half a, __half b) { return a.value() op b.value(); }
WARPLENS_HALF_COMPARE(eq, ==)
WARPLENS_HALF_COMPARE(ne, !=)
WARPLENS_HALF_COMPARE(lt, <)
WARPLENS_HALF_COMPARE(le, <=)
WARPLENS_HALF_COMPARE(gt, >)
WARPLENS_HALF_COMPARE(ge, >=)
#undef WARPLENS_HALF_COMPARE

#if defined(__CUDA__)
WARPLENS_D __half __hfma(__half a, __half b, __half c) {
  unsigned short d;
  asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
  return __ushort_as_half(d);
}
WARPLENS_D __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
WARPLENS_D __half __ldg(const __half* p) {
  return __ushort_as_half(__ldg(reinterpret_cast<const unsigned short*>(p)));
}
#endif

#undef WARPLENS_HD
#undef WARPLENS_D
#undef WARPLENS_MEMBER
#endif
