// Copies from global to shared memory that a program may wait for later: the primitives of the programming guide. They are
// done when the call returns, as loads and stores: cp.async is not run yet (docs/coverage.md).
#pragma once
#pragma GCC system_header
#include "cuda_runtime.h"

#if defined(__CUDA__)
// bytes: 4, 8 or 16. The last `zfill` of them are not read but set to zero.
WARPLENS_DEVICE void __pipeline_memcpy_async(void* __restrict__ shared, const void* __restrict__ global, size_t bytes,
                                             size_t zfill = 0) {
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
}
WARPLENS_DEVICE void __pipeline_commit() {}
WARPLENS_DEVICE void __pipeline_wait_prior(size_t) {}
#endif
