// Arrays: memory with a format and up to three dimensions, of which only the driver knows the layout. Copies reach them
// by element; kernels only through textures and surfaces. Here the rows simply follow each other.
#pragma once
#include <vector>

#include "cuda/runtime.h"

namespace warplens::cuda {

enum ArrayFlag : unsigned {  // cudaArray..., CUDA_ARRAY3D_...
  kArrayLayered = 1,
  kArraySurface = 2,
  kArrayCubemap = 4,
  kArrayGather = 8,
  kArrayColor = 0x20,
  kArraySparse = 0x40,
  kArrayDeferred = 0x80,
};

struct Array {  // cudaArray_t, CUarray
  ChannelDesc desc;
  Extent extent;  // as asked for: 0 where a dimension is not there; the depth counts layers and faces too
  unsigned flags = 0;
  unsigned channels = 1;
  int driver_format = 0;  // CUarray_format
  size_t element_bytes = 0;
  uint64_t memory = 0;
  bool is_level = false;  // of a mipmapped array: it goes with that

  size_t row_bytes() const { return extent.width * element_bytes; }
  size_t rows() const { return extent.height ? extent.height : 1; }
  size_t planes() const { return extent.depth ? extent.depth : 1; }
  size_t plane_bytes() const { return row_bytes() * rows(); }
  size_t bytes() const { return plane_bytes() * planes(); }
};

struct MipmappedArray {  // cudaMipmappedArray_t, CUmipmappedArray
  std::vector<Array*> levels;
};

// ---- under Runtime::mutex

bool is_array(const Array* array);
// Error: a format that no array can have, a size that the GPU does not take, memory.
Error make_array(Runtime& runtime, const ChannelDesc* desc, const Extent& extent, unsigned flags, Array*& out);
Error make_mipmapped(Runtime& runtime, const ChannelDesc* desc, const Extent& extent, unsigned levels, unsigned flags,
                     MipmappedArray*& out);
Error free_array(Runtime& runtime, Array* array);
Error free_mipmapped(Runtime& runtime, MipmappedArray* array);
Array* level_of(const MipmappedArray* array, unsigned level);  // null: none

// The driver's way to write down a format.
bool desc_of(int driver_format, unsigned channels, ChannelDesc& out);  // false: there is no such format
bool format_of(const ChannelDesc& desc, int& driver_format, unsigned& channels);

}  // namespace warplens::cuda
