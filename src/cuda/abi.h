// The CUDA runtime's binary interface, as far as Warplens serves it: our own declarations of what NVIDIA documents.
// Sizes, offsets and values are checked against NVIDIA's headers where those are installed (tests/api/abi.cu).
#pragma once
#include <cstddef>
#include <cstdint>

namespace warplens::cuda {

enum class Error : int {
#define WL_ERROR(code, name, text) name = code,
#include "cuda/errors.def"
#undef WL_ERROR
};

struct dim3 {
  unsigned x, y, z;
};
struct Pos {
  size_t x, y, z;
};
struct Extent {
  size_t width, height, depth;
};
struct PitchedPtr {
  void* ptr;
  size_t pitch, xsize, ysize;
};

enum MemcpyKind : int { HostToHost = 0, HostToDevice = 1, DeviceToHost = 2, DeviceToDevice = 3, Default = 4 };

// Handles are pointers that the program only hands back.
struct Stream;    // cudaStream_t; 0, 1 and 2 are the default streams
struct Event;     // cudaEvent_t
struct Function;  // cudaKernel_t, cudaFunction_t
struct Array;     // cudaArray_t
struct MipmappedArray;
using StreamHandle = Stream*;
using EventHandle = Event*;

struct PointerAttributes {
  int type;  // 0 unregistered, 1 host, 2 device, 3 managed
  int device;
  void* device_pointer;
  void* host_pointer;
};
struct PointerAttributes13 {
  PointerAttributes common;
  long reserved[8];
};

struct FuncAttributes {
  size_t shared_bytes, const_bytes, local_bytes;
  int max_threads_per_block, registers, ptx_version, binary_version, cache_mode_ca;
  int max_dynamic_shared_bytes, preferred_carveout;
  int cluster_dim_must_be_set, required_cluster_width, required_cluster_height, required_cluster_depth;
  int cluster_scheduling_policy, non_portable_cluster_size_allowed;
  int reserved[16];
};

struct LaunchConfigEx {  // cudaLaunchConfig_t
  dim3 grid, block;
  size_t dynamic_shared_bytes;
  StreamHandle stream;
  void* attributes;
  unsigned attribute_count;
};

struct LaunchParams {
  void* function;
  dim3 grid, block;
  void** arguments;
  size_t shared_bytes;
  StreamHandle stream;
};

struct Memcpy3DParams {
  Array* source_array;
  Pos source_pos;
  PitchedPtr source;
  Array* target_array;
  Pos target_pos;
  PitchedPtr target;
  Extent extent;
  int kind;
};

class Graph;
struct GraphExec;
struct Node;

struct InstantiateParams {  // cudaGraphInstantiateParams
  unsigned long long flags;
  StreamHandle upload;
  Node* error_node;
  int result;
};
struct EdgeData {  // cudaGraphEdgeData
  unsigned char from_port, to_port, type, reserved[5];
};
struct UpdateResult {  // cudaGraphExecUpdateResultInfo
  int result;
  Node *error_node, *error_from;
};

struct ChannelDesc {
  int x, y, z, w, kind;
};

enum ResourceType : int { kArrayResource = 0, kMipmappedResource = 1, kLinearResource = 2, kPitchResource = 3 };
struct ResourceDesc {  // cudaResourceDesc; what follows the union came with CUDA 13 and is not touched
  int type;
  union {
    Array* array;
    MipmappedArray* mipmap;
    struct {
      void* pointer;
      ChannelDesc desc;
      size_t bytes;
    } linear;
    struct {
      void* pointer;
      ChannelDesc desc;
      size_t width, height, pitch;
    } pitch;
  };
};
struct TextureDesc {  // cudaTextureDesc
  int address[3], filter, read, srgb;
  float border[4];
  int normalized_coords;
  unsigned max_anisotropy;
  int mipmap_filter;
  float level_bias, min_level, max_level;
  int disable_trilinear_optimization;
  int seamless_cubemap;  // programs of CUDA 11 have it in cudaTextureDesc_v2 only
};
struct ResourceViewDesc {  // cudaResourceViewDesc
  int format;
  size_t width, height, depth;
  unsigned first_level, last_level, first_layer, last_layer;
  unsigned reserved[16];
};

}  // namespace warplens::cuda

// Every function of the interface lives in the core library under this prefix; the thin libcudart.so.N jump to it.
#define WL_API extern "C" __attribute__((visibility("default"))) ::warplens::cuda::Error
