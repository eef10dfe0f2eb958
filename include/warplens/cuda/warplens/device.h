// Device functions that clang's own CUDA headers leave to NVIDIA's: what CUDA C++ offers inside a kernel.
#pragma once
#pragma GCC system_header
#include "warplens/atomics.h"
#include "warplens/minmax.h"

WARPLENS_DEVICE float rsqrt(float a) { return rsqrtf(a); }

// Dot products of four bytes (compute capability 6.1).
WARPLENS_DEVICE int __dp4a(int a, int b, int c) {
  int d;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
WARPLENS_DEVICE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  unsigned int d;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}

