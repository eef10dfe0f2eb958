// Asynchronous copies from global to shared memory: the primitives of the programming guide, as cp.async instructions.
#pragma once
#pragma GCC system_header
#include "cuda_runtime.h"

#if defined(__CUDA__)
// bytes: 4, 8 or 16. The last `zfill` of them are not read but set to zero.
WARPLENS_DEVICE void __pipeline_memcpy_async(void* shared, const void* global, size_t bytes,
                                                              size_t zfill = 0) {
  unsigned int target = static_cast<unsigned int>(__cvta_generic_to_shared(shared));
  unsigned int source_bytes = static_cast<unsigned int>(bytes - zfill);
  size_t source = __cvta_generic_to_global(global);
  if (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source), "r"(source_bytes) : "memory");
  else if (bytes == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(target), "l"(source), "r"(source_bytes) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(target), "l"(source), "r"(source_bytes) : "memory");
}
WARPLENS_DEVICE void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until all but the `prior` most recent commits are done; `prior` is a constant.
#define __pipeline_wait_prior(prior) asm volatile("cp.async.wait_group %0;" ::"n"(prior) : "memory")
#endif
