// The CUDA runtime for programs that clang compiles without NVIDIA's toolkit; every .cu file includes it first, as with
// nvcc. Device functions come from clang's own headers, __clang_cuda_*.h, and from warplens/.
#pragma once
#pragma GCC system_header
#define __CUDA_RUNTIME_H__  // programs ask for it

#if defined(__CUDA__)
// clang's order: declarations that <cmath> must see, <cmath>, then everything that builds on it.
#include <__clang_cuda_math_forward_declares.h>
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
// Of the small floats the 8-bit ones are here; what a toolkit's headers beside these have is not to be mixed with them.
#define CCCL_DISABLE_NVFP6_SUPPORT
#define CCCL_DISABLE_NVFP4_SUPPORT
// nvcc makes types of its own of lambdas that are __device__ (--extended-lambda), and headers ask; clang has none.
#define __nv_is_extended_device_lambda_closure_type(type) false
#define __nv_is_extended_host_device_lambda_closure_type(type) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(type) false
#endif

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#if defined(__cplusplus)
#include <cmath>
#include <cstdlib>
#include <utility>
#endif
#include <math.h>
#include <stdlib.h>

#include "cuda_runtime_api.h"
#include "channel_descriptor.h"
#include "library_types.h"
#include "vector_functions.h"

#if defined(__CUDA__)
extern "C" unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void* stream = nullptr);

// clang's headers expect the meaning that NVIDIA's device headers give to __forceinline__. That, and inline, carry our
// attribute into them.
#pragma push_macro("__forceinline__")
#pragma push_macro("inline")
#undef __forceinline__
#define __forceinline__ __device__ __inline__ __attribute__((always_inline, nodebug))
#define inline inline WARPLENS_NO_LINES
#include <__clang_cuda_builtin_vars.h>
#include <__clang_cuda_libdevice_declares.h>
#include "warplens/libdevice.h"
#include "warplens/hide_simd.h"
#include <__clang_cuda_device_functions.h>
#include "warplens/show_simd.h"
#include <__clang_cuda_math.h>
#include "warplens/builtins.h"
#include <__clang_cuda_cmath.h>
#include "warplens/address_spaces.h"
// clang-19's __reduce_*_sync pass mask and value in the wrong order; ours are in warplens/warp.h.
#define __reduce_add_sync warplens_unused_reduce_add_sync
#define __reduce_min_sync warplens_unused_reduce_min_sync
#define __reduce_max_sync warplens_unused_reduce_max_sync
#define __reduce_and_sync warplens_unused_reduce_and_sync
#define __reduce_or_sync warplens_unused_reduce_or_sync
#define __reduce_xor_sync warplens_unused_reduce_xor_sync
// Its atomicAdd of vectors is dropped where nobody looks at the result; ours is in warplens/atomics.h.
#define atomicAdd warplens_unused_atomic_add
#define atomicAdd_block warplens_unused_atomic_add_block
#define atomicAdd_system warplens_unused_atomic_add_system
#include <__clang_cuda_intrinsics.h>
#undef atomicAdd
#undef atomicAdd_block
#undef atomicAdd_system
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_and_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync
#include "warplens/device.h"
#pragma pop_macro("inline")
#pragma pop_macro("__forceinline__")
#endif

#include "warplens/host_templates.h"
