#pragma once
#include "cuda/runtime.h"

namespace warplens::cuda {

// Copies as cudaMemcpy does: the side that `kind` calls the device's must be memory that the runtime knows, whole.
Error copy(Runtime& runtime, void* target, const void* source, size_t bytes, int kind);

}  // namespace warplens::cuda
