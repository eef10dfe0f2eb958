// Reduction of a warp's integers in one instruction (compute capability 8.0).
#pragma once
#pragma GCC system_header

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define WARPLENS_REDUCE(op, type, text)                                              \
  WARPLENS_DEVICE type __reduce_##op##_sync(unsigned int mask, type value) {         \
    type result;                                                                     \
    asm volatile("redux.sync." text " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask)); \
    return result;                                                                   \
  }
WARPLENS_REDUCE(add, int, "add.s32")
WARPLENS_REDUCE(add, unsigned int, "add.u32")
WARPLENS_REDUCE(min, int, "min.s32")
WARPLENS_REDUCE(min, unsigned int, "min.u32")
WARPLENS_REDUCE(max, int, "max.s32")
WARPLENS_REDUCE(max, unsigned int, "max.u32")
WARPLENS_REDUCE(and, int, "and.b32")
WARPLENS_REDUCE(and, unsigned int, "and.b32")
WARPLENS_REDUCE(or, int, "or.b32")
WARPLENS_REDUCE(or, unsigned int, "or.b32")
WARPLENS_REDUCE(xor, int, "xor.b32")
WARPLENS_REDUCE(xor, unsigned int, "xor.b32")
#undef WARPLENS_REDUCE
#endif
