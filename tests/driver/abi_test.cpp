// Our declarations of the driver's interface against NVIDIA's own, where the toolkit is installed. The comparison
// happens at compile time; what is left to run are the words.
#include "cuda/driver/abi.h"

#include <gtest/gtest.h>

#ifdef WARPLENS_NVIDIA_HEADERS
#include <cuda.h>
#endif

namespace warplens::cuda::driver {
namespace {

#ifdef WARPLENS_NVIDIA_HEADERS

#if CUDA_VERSION >= 13000
#define WL_RESULT(code, name, text) static_assert(static_cast<int>(::name) == code);
#include "cuda/driver/results.def"
#undef WL_RESULT
#endif

#define WL_SAME_SIZE(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs))
#define WL_SAME_PLACE(ours, field, theirs, their_field) \
  static_assert(offsetof(ours, field) == offsetof(theirs, their_field))

WL_SAME_SIZE(Memcpy2D, CUDA_MEMCPY2D);
WL_SAME_PLACE(Memcpy2D, source_pitch, CUDA_MEMCPY2D, srcPitch);
WL_SAME_PLACE(Memcpy2D, target_host, CUDA_MEMCPY2D, dstHost);
WL_SAME_PLACE(Memcpy2D, height, CUDA_MEMCPY2D, Height);
WL_SAME_SIZE(Memcpy3D, CUDA_MEMCPY3D);
WL_SAME_SIZE(Memcpy3D, CUDA_MEMCPY3D_PEER);
WL_SAME_PLACE(Memcpy3D, source_context, CUDA_MEMCPY3D_PEER, srcContext);
WL_SAME_PLACE(Memcpy3D, source_height, CUDA_MEMCPY3D, srcHeight);
WL_SAME_PLACE(Memcpy3D, target_type, CUDA_MEMCPY3D, dstMemoryType);
WL_SAME_PLACE(Memcpy3D, depth, CUDA_MEMCPY3D, Depth);
WL_SAME_SIZE(LaunchConfig, CUlaunchConfig);
WL_SAME_PLACE(LaunchConfig, shared_bytes, CUlaunchConfig, sharedMemBytes);
WL_SAME_PLACE(LaunchConfig, stream, CUlaunchConfig, hStream);
WL_SAME_PLACE(LaunchConfig, attribute_count, CUlaunchConfig, numAttrs);
WL_SAME_SIZE(KernelNodeParams, CUDA_KERNEL_NODE_PARAMS);
WL_SAME_PLACE(KernelNodeParams, arguments, CUDA_KERNEL_NODE_PARAMS, kernelParams);
WL_SAME_PLACE(KernelNodeParams, kernel, CUDA_KERNEL_NODE_PARAMS, kern);
WL_SAME_SIZE(Location, CUmemLocation);
WL_SAME_SIZE(AllocationProperties, CUmemAllocationProp);
WL_SAME_PLACE(AllocationProperties, location, CUmemAllocationProp, location);
WL_SAME_SIZE(AccessDescription, CUmemAccessDesc);
WL_SAME_PLACE(AccessDescription, flags, CUmemAccessDesc, flags);
#if CUDA_VERSION >= 12050
WL_SAME_SIZE(ContextParams, CUctxCreateParams);
WL_SAME_PLACE(ContextParams, graphics, CUctxCreateParams, cigParams);
#endif
WL_SAME_SIZE(DeviceProperties, CUdevprop);
WL_SAME_PLACE(DeviceProperties, registers_per_block, CUdevprop, regsPerBlock);
static_assert(sizeof(CUlaunchAttribute) == 72 && offsetof(CUlaunchAttribute, value) == 8);
static_assert(CU_JIT_INFO_LOG_BUFFER == 3 && CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES == 6 && CU_JIT_NUM_OPTIONS <= 36);
static_assert(int(CU_MEMORYTYPE_HOST) == int(kHostMemory) && int(CU_MEMORYTYPE_UNIFIED) == int(kUnifiedMemory));
static_assert(CU_POINTER_ATTRIBUTE_CONTEXT == 1 && CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE == 21);

#endif

TEST(DriverAbi, ResultsAreInOrder) {
  int last = -1;
#define WL_RESULT(code, name, text) \
  EXPECT_GT(code, last) << #name;   \
  EXPECT_NE(text[0], 0);            \
  last = code;
#include "cuda/driver/results.def"
#undef WL_RESULT
}

}  // namespace
}  // namespace warplens::cuda::driver
