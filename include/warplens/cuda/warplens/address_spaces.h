// Which memory a generic pointer points to, and its address there.
#pragma once
#pragma GCC system_header

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

WARPLENS_DEVICE unsigned int __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
WARPLENS_DEVICE unsigned int __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
WARPLENS_DEVICE unsigned int __isConstant(const void* p) { return __nvvm_isspacep_const(p); }
WARPLENS_DEVICE unsigned int __isLocal(const void* p) { return __nvvm_isspacep_local(p); }

#define WARPLENS_CONVERT(name, number)                                                        \
  WARPLENS_DEVICE size_t __cvta_generic_to_##name(const void* p) {          \
    return (size_t)(__attribute__((address_space(number))) const void*)p;                     \
  }                                                                                           \
  WARPLENS_DEVICE void* __cvta_##name##_to_generic(size_t address) {        \
    return (void*)(__attribute__((address_space(number))) void*)address;                      \
  }
WARPLENS_CONVERT(global, 1)
WARPLENS_CONVERT(shared, 3)
WARPLENS_CONVERT(constant, 4)
WARPLENS_CONVERT(local, 5)
#undef WARPLENS_CONVERT
