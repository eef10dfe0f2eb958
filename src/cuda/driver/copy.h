#pragma once
#include "cuda/driver/abi.h"

namespace warplens::cuda::driver {

// The same copy in the runtime's words. What makes no sense is CUDA_ERROR_INVALID_VALUE.
CuResult as_runtime_copy(const Memcpy3D& copy, Memcpy3DParams& out);
CuResult as_driver_copy(const Memcpy3DParams& copy, Memcpy3D& out);

}  // namespace warplens::cuda::driver
