#pragma once
#include "cuda/graph.h"
#include "cuda/runtime.h"

namespace warplens::cuda {

// The kernel behind a host stub, a cudaKernel_t or cudaFunction_t, or a handle of the driver's; null: there is none.
Function* find_function(Runtime& runtime, const void* handle);

// Makes the work of a launch, with its arguments copied, or says why there is none. `handle` as above.
Error prepare_launch(Runtime& runtime, const void* handle, dim3 grid, dim3 block, void** arguments, size_t shared,
                     Work& work, bool cooperative = false);

}  // namespace warplens::cuda
