#pragma once
#include <vector>

#include "cuda/driver/abi.h"
#include "cuda/runtime.h"

namespace warplens::cuda::driver {

// One pointer a parameter of the kernel, from what cuLaunchKernel is given: an array of them, or `extra` with the
// buffer that holds all. None where the kernel has no parameters, or its image no code that can run, which the launch
// then says.
CuResult arguments_of(Runtime& runtime, const void* handle, void** given, void** extra, std::vector<void*>& out);

}  // namespace warplens::cuda::driver
