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
WARPLENS_ATOMIC(atomicMin, unsigned int, __uAtomicMin)
WARPLENS_ATOMIC(atomicMin, long long, __illAtomicMin)
WARPLENS_ATOMIC(atomicMin, unsigned long long, __ullAtomicMin)
WARPLENS_ATOMIC(atomicMax, int, __iAtomicMax)
WARPLENS_ATOMIC(atomicMax, unsigned int, __uAtomicMax)
WARPLENS_ATOMIC(atomicMax, long long, __illAtomicMax)
WARPLENS_ATOMIC(atomicMax, unsigned long long, __ullAtomicMax)
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

WARPLENS_DEVICE int atomicSub(int* p, int v) { return atomicAdd(p, static_cast<int>(0u - v)); }
WARPLENS_DEVICE unsigned int atomicSub(unsigned int* p, unsigned int v) { return atomicAdd(p, 0u - v); }

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
#undef WARPLENS_CAS
