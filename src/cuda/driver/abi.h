// The CUDA driver's binary interface, as far as Warplens serves it: our own declarations of what NVIDIA documents,
// checked against NVIDIA's header where that is installed (tests/api/abi_test.cpp).
#pragma once
#include <cstddef>
#include <cstdint>

#include "cuda/abi.h"

namespace warplens::cuda::driver {

enum class CuResult : int {
#define WL_RESULT(code, name, text) name = code,
#include "cuda/driver/results.def"
#undef WL_RESULT
};

using DevicePointer = unsigned long long;  // CUdeviceptr
using Device = int;                        // CUdevice: an ordinal

enum MemoryType : unsigned {
  kHostMemory = 1,
  kDeviceMemory = 2,
  kArrayMemory = 3,
  kUnifiedMemory = 4
};  // CUmemorytype

struct Memcpy2D {  // CUDA_MEMCPY2D
  size_t source_x, source_y;
  MemoryType source_type;
  const void* source_host;
  DevicePointer source_device;
  Array* source_array;
  size_t source_pitch;
  size_t target_x, target_y;
  MemoryType target_type;
  void* target_host;
  DevicePointer target_device;
  Array* target_array;
  size_t target_pitch;
  size_t width, height;
};

struct Memcpy3D {  // CUDA_MEMCPY3D, and CUDA_MEMCPY3D_PEER, where the reserved words are the contexts
  size_t source_x, source_y, source_z, source_lod;
  MemoryType source_type;
  const void* source_host;
  DevicePointer source_device;
  Array* source_array;
  void* source_context;
  size_t source_pitch, source_height;
  size_t target_x, target_y, target_z, target_lod;
  MemoryType target_type;
  void* target_host;
  DevicePointer target_device;
  Array* target_array;
  void* target_context;
  size_t target_pitch, target_height;
  size_t width, height, depth;
};

struct ArrayDescriptor {  // CUDA_ARRAY_DESCRIPTOR
  size_t width, height;
  int format;  // CUarray_format
  unsigned channels;
};
struct ArrayDescriptor3D {  // CUDA_ARRAY3D_DESCRIPTOR
  size_t width, height, depth;
  int format;
  unsigned channels, flags;
};

struct DriverResourceDesc {  // CUDA_RESOURCE_DESC
  int type;                  // as cudaResourceType
  union {
    Array* array;
    MipmappedArray* mipmap;
    struct {
      DevicePointer pointer;
      int format;
      unsigned channels;
      size_t bytes;
    } linear;
    struct {
      DevicePointer pointer;
      int format;
      unsigned channels;
      size_t width, height, pitch;
    } pitch;
    int reserved[32];
  };
  unsigned flags;
};
struct DriverTextureDesc {  // CUDA_TEXTURE_DESC
  int address[3], filter;
  unsigned flags, max_anisotropy;
  int mipmap_filter;
  float level_bias, min_level, max_level, border[4];
  int reserved[12];
};

struct LaunchConfig {  // CUlaunchConfig
  dim3 grid, block;
  unsigned shared_bytes;
  StreamHandle stream;
  const void* attributes;
  unsigned attribute_count;
};

struct KernelNodeParams {  // CUDA_KERNEL_NODE_PARAMS_v1; v2 adds `kernel` and a context
  const void* function;
  dim3 grid, block;
  unsigned shared_bytes;
  void** arguments;
  void** extra;
  const void* kernel;
  void* context;
};

struct Location {  // CUmemLocation
  int type, id;
};

struct AllocationProperties {  // CUmemAllocationProp
  int type, handle_types;
  Location location;
  void* win32;
  unsigned char compression, rdma;
  unsigned short usage;
  unsigned char reserved[4];
};

struct AccessDescription {  // CUmemAccessDesc
  Location location;
  int flags;
};

struct ContextParams {  // CUctxCreateParams
  const void* affinity;
  int affinities;
  const void* graphics;
};

struct DeviceProperties {  // CUdevprop, of the first releases of CUDA
  int max_threads_per_block, max_threads_dim[3], max_grid_size[3];
  int shared_bytes_per_block, constant_bytes, warp_size, max_pitch, registers_per_block, clock_khz, texture_alignment;
};

}  // namespace warplens::cuda::driver

// As WL_API, for the functions of libcuda.so.1.
#define WL_DRIVER_API extern "C" __attribute__((visibility("default"))) ::warplens::cuda::driver::CuResult
