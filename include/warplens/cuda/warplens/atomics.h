// The overloads of atomicAdd and its family, at device, block (_block) and system (_system) scope.
#pragma once
#pragma GCC system_header

// name: the C++ function; type: its element; call: clang's wrapper without scope.
#define WARPLENS_ATOMIC(name, type, call)                                                                     \
  WARPLENS_DEVICE type name(type* p, type v) { return call(p, v); }                         \
  WARPLENS_DEVICE type name##_block(type* p, type v) { return call##_block(p, v); }         \
  WARPLENS_DEVICE type name##_system(type* p, type v) { return call##_system(p, v); }

WARPLENS_ATOMIC(atomicAdd, int, __iAtomicAdd)
WARPLENS_ATOMIC(atomicAdd, unsigned int, __uAtomicAdd)
WARPLENS_ATOMIC(atomicAdd, unsigned long long, __ullAtomicAdd)
WARPLENS_ATOMIC(atomicAdd, float, __fAtomicAdd)
WARPLENS_ATOMIC(atomicAdd, double, __dAtomicAdd)
WARPLENS_ATOMIC(atomicExch, int, __iAtomicExch)
WARPLENS_ATOMIC(atomicExch, unsigned int, __uAtomicExch)
WARPLENS_ATOMIC(atomicExch, unsigned long long, __ullAtomicExch)
WARPLENS_ATOMIC(atomicExch, float, __fAtomicExch)
WARPLENS_ATOMIC(atomicMin, int, __iAtomicMin)
WARPLENS_ATOMIC(atomicMin, long long, __illAtomicMin)
WARPLENS_ATOMIC(atomicMax, int, __iAtomicMax)
WARPLENS_ATOMIC(atomicMax, long long, __illAtomicMax)
WARPLENS_ATOMIC(atomicAnd, int, __iAtomicAnd)
WARPLENS_ATOMIC(atomicAnd, unsigned int, __uAtomicAnd)
WARPLENS_ATOMIC(atomicAnd, unsigned long long, __ullAtomicAnd)
WARPLENS_ATOMIC(atomicOr, int, __iAtomicOr)
WARPLENS_ATOMIC(atomicOr, unsigned int, __uAtomicOr)
WARPLENS_ATOMIC(atomicOr, unsigned long long, __ullAtomicOr)
WARPLENS_ATOMIC(atomicXor, int, __iAtomicXor)
WARPLENS_ATOMIC(atomicXor, unsigned int, __uAtomicXor)
WARPLENS_ATOMIC(atomicXor, unsigned long long, __ullAtomicXor)
WARPLENS_ATOMIC(atomicInc, unsigned int, __uAtomicInc)
WARPLENS_ATOMIC(atomicDec, unsigned int, __uAtomicDec)
#undef WARPLENS_ATOMIC

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define WARPLENS_VECTOR_ADD(name, scope)                                                                              \
  WARPLENS_DEVICE float2 name(float2* p, float2 v) {                                                                  \
    float2 old;                                                                                                       \
    asm volatile("atom" scope ".global.add.v2.f32 {%0, %1}, [%2], {%3, %4};"                                          \
                 : "=f"(old.x), "=f"(old.y)                                                                           \
                 : "l"(__cvta_generic_to_global(p)), "f"(v.x), "f"(v.y)                                               \
                 : "memory");                                                                                         \
    return old;                                                                                                       \
  }                                                                                                                   \
  WARPLENS_DEVICE float4 name(float4* p, float4 v) {                                                                  \
    float4 old;                                                                                                       \
    asm volatile("atom" scope ".global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"                          \
                 : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)                                                 \
                 : "l"(__cvta_generic_to_global(p)), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)                           \
                 : "memory");                                                                                         \
    return old;                                                                                                       \
  }
WARPLENS_VECTOR_ADD(atomicAdd, "")
WARPLENS_VECTOR_ADD(atomicAdd_block, ".cta")
WARPLENS_VECTOR_ADD(atomicAdd_system, ".sys")
#undef WARPLENS_VECTOR_ADD
#endif

// LLVM 19 makes the signed instruction of an unsigned minimum or maximum with a scope, so these are written out.
#define WARPLENS_UNSIGNED_EXTREME(name, type, call, op, letter)                                             \
  WARPLENS_DEVICE type name(type* p, type v) { return call(p, v); }                                         \
  WARPLENS_DEVICE type name##_block(type* p, type v) {                                                      \
    type old;                                                                                               \
    asm volatile("atom.cta." op " %0, [%1], %2;" : "=" letter(old) : "l"(p), letter(v) : "memory");         \
    return old;                                                                                             \
  }                                                                                                         \
  WARPLENS_DEVICE type name##_system(type* p, type v) {                                                     \
    type old;                                                                                               \
    asm volatile("atom.sys." op " %0, [%1], %2;" : "=" letter(old) : "l"(p), letter(v) : "memory");         \
    return old;                                                                                             \
  }
WARPLENS_UNSIGNED_EXTREME(atomicMin, unsigned int, __uAtomicMin, "min.u32", "r")
WARPLENS_UNSIGNED_EXTREME(atomicMin, unsigned long long, __ullAtomicMin, "min.u64", "l")
WARPLENS_UNSIGNED_EXTREME(atomicMax, unsigned int, __uAtomicMax, "max.u32", "r")
WARPLENS_UNSIGNED_EXTREME(atomicMax, unsigned long long, __ullAtomicMax, "max.u64", "l")
#undef WARPLENS_UNSIGNED_EXTREME

#define WARPLENS_SUB(scope)                                                                                    \
  WARPLENS_DEVICE int atomicSub##scope(int* p, int v) { return atomicAdd##scope(p, static_cast<int>(0u - v)); } \
  WARPLENS_DEVICE unsigned int atomicSub##scope(unsigned int* p, unsigned int v) { return atomicAdd##scope(p, 0u - v); }
WARPLENS_SUB()
WARPLENS_SUB(_block)
WARPLENS_SUB(_system)
#undef WARPLENS_SUB

#define WARPLENS_CAS(type, call)                                                                              \
  WARPLENS_DEVICE type atomicCAS(type* p, type expected, type v) {                          \
    return call(p, expected, v);                                                                              \
  }                                                                                                           \
  WARPLENS_DEVICE type atomicCAS_block(type* p, type expected, type v) {                    \
    return call##_block(p, expected, v);                                                                      \
  }                                                                                                           \
  WARPLENS_DEVICE type atomicCAS_system(type* p, type expected, type v) {                   \
    return call##_system(p, expected, v);                                                                     \
  }
WARPLENS_CAS(int, __iAtomicCAS)
WARPLENS_CAS(unsigned int, __uAtomicCAS)
WARPLENS_CAS(unsigned long long, __ullAtomicCAS)
WARPLENS_DEVICE unsigned short atomicCAS(unsigned short* p, unsigned short expected, unsigned short v) {
  unsigned short old;
  asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(p), "h"(expected), "h"(v) : "memory");
  return old;
}
#undef WARPLENS_CAS
