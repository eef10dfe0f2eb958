#pragma once
#include "cuda/runtime.h"

namespace warplens::cuda {

// Copies as cudaMemcpy does: the side that `kind` calls the device's must be memory that the runtime knows, whole.
Error copy(Runtime& runtime, void* target, const void* source, size_t bytes, int kind);
Error copy_3d(Runtime& runtime, const Memcpy3DParams* params);
// Sets `height` rows of `width` elements of 1, 2 or 4 bytes; `pitch` in bytes.
Error fill_elements(Runtime& runtime, void* target, unsigned value, unsigned element_bytes, size_t pitch, size_t width,
                    size_t height);

}  // namespace warplens::cuda
