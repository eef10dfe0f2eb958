// Copies from global to shared memory that a program may wait for later: the primitives of the programming guide. As
// nvcc makes them, cp.async from sm_80 on, else loads and stores.
#pragma once
#pragma GCC system_header
#include "cuda_runtime.h"

#if defined(__CUDA__)
// bytes: 4, 8 or 16. The last `zfill` of them are not read but set to zero.
WARPLENS_DEVICE void __pipeline_memcpy_async(void* __restrict__ shared, const void* __restrict__ global, size_t bytes,
                                             size_t zfill = 0) {
#if __CUDA_ARCH__ >= 800
  const unsigned int to = static_cast<unsigned int>(__cvta_generic_to_shared(shared));
  const unsigned int from_memory = static_cast<unsigned int>(bytes - zfill);
  if (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(to), "l"(global), "r"(from_memory) : "memory");
  else if (bytes == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" : : "r"(to), "l"(global), "r"(from_memory) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" : : "r"(to), "l"(global), "r"(from_memory) : "memory");
#else
  if (zfill == 0 && bytes == 16) {
    *static_cast<uint4*>(shared) = *static_cast<const uint4*>(global);
  } else if (zfill == 0 && bytes == 8) {
    *static_cast<uint2*>(shared) = *static_cast<const uint2*>(global);
  } else if (zfill == 0 && bytes == 4) {
    *static_cast<unsigned int*>(shared) = *static_cast<const unsigned int*>(global);
  } else {
    for (size_t i = 0; i < bytes; ++i)
      static_cast<char*>(shared)[i] = i < bytes - zfill ? static_cast<const char*>(global)[i] : char(0);
  }
#endif
}
#if __CUDA_ARCH__ >= 800
WARPLENS_DEVICE void __pipeline_commit() { asm volatile("cp.async.commit_group;" : : : "memory"); }
// Waits for more than is asked for: a group's number would have to be a constant.
WARPLENS_DEVICE void __pipeline_wait_prior(size_t) { asm volatile("cp.async.wait_all;" : : : "memory"); }
#else
WARPLENS_DEVICE void __pipeline_commit() {}
WARPLENS_DEVICE void __pipeline_wait_prior(size_t) {}
#endif
#endif
