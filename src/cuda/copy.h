#pragma once
#include "cuda/runtime.h"

namespace warplens::cuda {

struct Array;

// Copies as cudaMemcpy does: the side that `kind` calls the device's must be memory that the runtime knows, whole.
Error copy(Runtime& runtime, void* target, const void* source, size_t bytes, int kind);
// An extent is in elements of the array, if there is one on either side, else in bytes.
Error copy_3d(Runtime& runtime, const Memcpy3DParams* params);
// One side of a copy of rows: an array from byte `x` of row `y` on, or memory.
struct ArrayPart {
  const Array* array;
  size_t x, y;
  void* memory;
  size_t pitch;
};
Error copy_rows(Runtime& runtime, const ArrayPart& target, const ArrayPart& source, size_t width, size_t height,
                int kind);
// Sets `height` rows of `width` elements of 1, 2 or 4 bytes; `pitch` in bytes.
Error fill_elements(Runtime& runtime, void* target, unsigned value, unsigned element_bytes, size_t pitch, size_t width,
                    size_t height);

}  // namespace warplens::cuda
