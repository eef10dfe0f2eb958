// Device functions that clang's own CUDA headers leave to NVIDIA's: what CUDA C++ offers inside a kernel.
#pragma once
#pragma GCC system_header
#include "warplens/atomics.h"
#include "warplens/cache_hints.h"
#include "warplens/minmax.h"
#include "warplens/nv_atomic.h"
#include "warplens/simd.h"
#include "warplens/textures.h"
#include "warplens/warp.h"

WARPLENS_DEVICE float rsqrt(float a) { return rsqrtf(a); }

// Dot products of four bytes, or of two halves and two bytes (compute capability 6.1).
#define WARPLENS_DOT(name, ptx, result, first, first_bits, second, second_bits)                            \
  WARPLENS_DEVICE result name(first a, second b, result c) {                                               \
    result d;                                                                                              \
    asm(ptx " %0, %1, %2, %3;" : "=r"(d) : "r"(first_bits), "r"(second_bits), "r"(c));                     \
    return d;                                                                                              \
  }
#define WARPLENS_WORD(v) __builtin_bit_cast(unsigned int, v)
WARPLENS_DOT(__dp4a, "dp4a.s32.s32", int, int, a, int, b)
WARPLENS_DOT(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int, a, unsigned int, b)
WARPLENS_DOT(__dp4a, "dp4a.s32.s32", int, char4, WARPLENS_WORD(a), char4, WARPLENS_WORD(b))
WARPLENS_DOT(__dp4a, "dp4a.u32.u32", unsigned int, uchar4, WARPLENS_WORD(a), uchar4, WARPLENS_WORD(b))
WARPLENS_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int, a, int, b)
WARPLENS_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, unsigned int, a, unsigned int, b)
WARPLENS_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, short2, WARPLENS_WORD(a), char4, WARPLENS_WORD(b))
WARPLENS_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, ushort2, WARPLENS_WORD(a), uchar4, WARPLENS_WORD(b))
WARPLENS_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int, a, int, b)
WARPLENS_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, unsigned int, a, unsigned int, b)
WARPLENS_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, short2, WARPLENS_WORD(a), char4, WARPLENS_WORD(b))
WARPLENS_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, ushort2, WARPLENS_WORD(a), uchar4, WARPLENS_WORD(b))
#undef WARPLENS_DOT
#undef WARPLENS_WORD

WARPLENS_DEVICE float __tanhf(float a) {
  float d;
  asm("tanh.approx.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}
WARPLENS_DEVICE clock_t __clock() { return clock(); }
WARPLENS_DEVICE unsigned long long __globaltimer() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
WARPLENS_DEVICE bool __isGridConstant(const void* p) { return __nvvm_isspacep_const(p); }

// Programmatic dependent launch (compute capability 9.0): kernels run one after another here, so both take no time.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
WARPLENS_DEVICE void cudaGridDependencySynchronize() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
WARPLENS_DEVICE void cudaTriggerProgrammaticLaunchCompletion() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
#endif
