// The functions that every kernel may call and the compiler knows by name, and conversions of threadIdx and its kin.
#pragma once
#pragma GCC system_header

extern "C" {
__device__ int vprintf(const char* format, const char* arguments);
__device__ int printf(const char* format, ...);
__device__ void* malloc(size_t bytes) __attribute__((nothrow)) __attribute__((malloc));
__device__ void free(void* pointer) __attribute__((nothrow));
__device__ void __assertfail(const char* condition, const char* file, unsigned int line, const char* function,
                             size_t char_size) __attribute__((noreturn));
// What assert() of the C library calls.
__device__ static inline WARPLENS_NO_LINES void __assert_fail(const char* condition, const char* file, unsigned int line,
                                            const char* function) {
  __assertfail(condition, file, line, function, 1);
}
}
namespace std {
__device__ static inline WARPLENS_NO_LINES void* malloc(size_t bytes) { return ::malloc(bytes); }
__device__ static inline WARPLENS_NO_LINES void free(void* pointer) { ::free(pointer); }
}  // namespace std

#include <new>  // by clang's wrapper, which defines new and delete for kernels

#define WARPLENS_CONVERSIONS(name)                                                              \
  __device__ inline WARPLENS_NO_LINES __cuda_builtin_##name##_t::operator dim3() const { return dim3(x, y, z); }  \
  __device__ inline WARPLENS_NO_LINES __cuda_builtin_##name##_t::operator uint3() const { return uint3{x, y, z}; }
WARPLENS_CONVERSIONS(threadIdx)
WARPLENS_CONVERSIONS(blockIdx)
WARPLENS_CONVERSIONS(blockDim)
WARPLENS_CONVERSIONS(gridDim)
#undef WARPLENS_CONVERSIONS
