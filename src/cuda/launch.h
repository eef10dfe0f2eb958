#pragma once
#include "cuda/graph.h"
#include "cuda/runtime.h"

namespace warplens::cuda {

// The kernel behind a host stub, a cudaKernel_t or cudaFunction_t, or a handle of the driver's; null: there is none.
Function* find_function(Runtime& runtime, const void* handle);

// A launch with its arguments copied, or why there can be none. `handle` as above.
Error describe_launch(Runtime& runtime, const void* handle, dim3 grid, dim3 block, void** arguments, size_t shared,
                      KernelCall& out);
// Its work, on the current device.
Error prepare_launch(Runtime& runtime, const KernelCall& call, Work& work);

}  // namespace warplens::cuda
