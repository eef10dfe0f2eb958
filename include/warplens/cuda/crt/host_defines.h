// The words that mark host and device code. For clang compiling CUDA they are attributes; for a host compiler, nothing.
#pragma once
#pragma GCC system_header

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
// clang has no __managed__ for this target; the section tells `warplens cc` (src/frontend/managed_variables.h).
#define __managed__ __attribute__((device, section("warplens_managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__ __attribute__((grid_constant))
#else
#define __host__
#define __device__
#define __global__
#define __constant__
#define __shared__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#endif

#define __forceinline__ __inline__ __attribute__((always_inline))
// An attribute name in libstdc++ too: __attribute__((__noinline__)). clang knows the keyword in CUDA mode.
#if !defined(__CUDA__)
#define __noinline__ __attribute__((noinline))
#endif
// Our own functions have no source lines: an access in one counts for the line that calls it.
#if defined(__clang__)
#define WARPLENS_NO_LINES __attribute__((nodebug))
#else
#define WARPLENS_NO_LINES
#endif
#define WARPLENS_DEVICE static __device__ __forceinline__ WARPLENS_NO_LINES
#define WARPLENS_HOST_DEVICE static __inline__ __host__ __device__ WARPLENS_NO_LINES
#define WARPLENS_DEVICE_MEMBER __device__ __forceinline__ WARPLENS_NO_LINES
#define WARPLENS_MEMBER __host__ __device__ __forceinline__ WARPLENS_NO_LINES
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define CUDARTAPI
#define CUDART_CB
#define CUDARTAPI_CDECL
