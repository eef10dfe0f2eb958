#pragma once
#include "cuda/graph.h"
#include "cuda/runtime.h"

namespace warplens::cuda {

// Makes the work of a launch, with its arguments copied, or says why there is none. `handle`: a host stub or a
// cudaKernel_t.
Error prepare_launch(Runtime& runtime, const void* handle, dim3 grid, dim3 block, void** arguments, size_t shared,
                     Work& work);

}  // namespace warplens::cuda
