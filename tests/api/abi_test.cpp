// Our declarations of the runtime's interface against NVIDIA's own, where the toolkit is installed. The comparison of
// types and codes happens at compile time.
#include "cuda/abi.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "cuda/device.h"

#ifdef WARPLENS_NVIDIA_HEADERS
#include <cuda_runtime_api.h>
#endif

namespace warplens::cuda {
namespace {

model::GpuSpec h200() {
  auto gpu = model::find_gpu("h200");
  EXPECT_TRUE(gpu) << gpu.error().what;
  return *gpu;
}

// sizeof(cudaDeviceProp) of CUDA 11.8, 12.6 and 13.0.
TEST(Abi, PropertiesHaveTheSizeOfEachRelease) {
  EXPECT_EQ(write_properties(h200(), 11, nullptr), 728u);
  EXPECT_EQ(write_properties(h200(), 12, nullptr), 1032u);
  EXPECT_EQ(write_properties(h200(), 13, nullptr), 1008u);
}

// Where CUDA 11.8 and 12.6 have them (the same in both).
TEST(Abi, OlderReleasesHaveTheFieldsInTheirPlaces) {
  struct Place {
    size_t offset;
    int attribute;
  };
  constexpr Place kInts[] = {{324, 2},  {348, 13}, {360, 75}, {384, 15},  {404, 20}, {416, 69},
                             {608, 36}, {668, 87}, {692, 96}, {772, 120}, {776, 129}};
  for (int release : {11, 12}) {
    size_t size = write_properties(h200(), release, nullptr);
    std::vector<char> memory(size);
    write_properties(h200(), release, memory.data());
    for (const Place& place : kInts) {
      if (place.offset >= size) continue;
      int value = 0;
      memcpy(&value, memory.data() + place.offset, sizeof value);
      EXPECT_EQ(value, *attribute(h200(), place.attribute)) << release << ", offset " << place.offset;
    }
    uint64_t total = 0, optin = 0, reserved = 0;
    memcpy(&total, memory.data() + 288, 8);
    memcpy(&optin, memory.data() + 696, 8);
    memcpy(&reserved, memory.data() + 720, 8);
    EXPECT_EQ(total, h200().memory_bytes);
    EXPECT_EQ(optin, h200().shared_bytes_per_block_optin);
    EXPECT_EQ(reserved, h200().shared_bytes_reserved);
  }
}

TEST(Abi, PropertiesStayInTheirStruct) {
  for (int release : {11, 12, 13}) {
    size_t size = write_properties(h200(), release, nullptr);
    std::vector<char> memory(size + 64, 0x5a);
    write_properties(h200(), release, memory.data());
    for (size_t i = size; i < memory.size(); i++) ASSERT_EQ(memory[i], 0x5a) << release << " at " << i;
  }
}

#ifdef WARPLENS_NVIDIA_HEADERS

#if CUDART_VERSION >= 13000
#define WL_ERROR(code, name, text) static_assert(static_cast<int>(::name) == code);
#include "cuda/errors.def"
#undef WL_ERROR
static_assert(sizeof(PointerAttributes13) == sizeof(cudaPointerAttributes));
#endif

static_assert(sizeof(dim3) == 12 && sizeof(Extent) == sizeof(cudaExtent) && sizeof(Pos) == sizeof(cudaPos));
static_assert(sizeof(PitchedPtr) == sizeof(cudaPitchedPtr));
static_assert(offsetof(PitchedPtr, pitch) == offsetof(cudaPitchedPtr, pitch));
static_assert(offsetof(PitchedPtr, ysize) == offsetof(cudaPitchedPtr, ysize));
static_assert(sizeof(ChannelDesc) == sizeof(cudaChannelFormatDesc));
static_assert(offsetof(PointerAttributes, device_pointer) == offsetof(cudaPointerAttributes, devicePointer));
static_assert(offsetof(PointerAttributes, host_pointer) == offsetof(cudaPointerAttributes, hostPointer));
static_assert(sizeof(FuncAttributes) == sizeof(cudaFuncAttributes));
static_assert(offsetof(FuncAttributes, registers) == offsetof(cudaFuncAttributes, numRegs));
static_assert(offsetof(FuncAttributes, preferred_carveout) == offsetof(cudaFuncAttributes, preferredShmemCarveout));
static_assert(sizeof(Memcpy3DParams) == sizeof(cudaMemcpy3DParms));
static_assert(offsetof(Memcpy3DParams, target) == offsetof(cudaMemcpy3DParms, dstPtr));
static_assert(offsetof(Memcpy3DParams, kind) == offsetof(cudaMemcpy3DParms, kind));
static_assert(sizeof(LaunchConfigEx) == sizeof(cudaLaunchConfig_t));
static_assert(offsetof(LaunchConfigEx, attributes) == offsetof(cudaLaunchConfig_t, attrs));
static_assert(int{HostToDevice} == cudaMemcpyHostToDevice && int{Default} == cudaMemcpyDefault);
static_assert(sizeof(cudaLaunchAttribute) == 72 && offsetof(cudaLaunchAttribute, val) == 8);
static_assert(cudaLaunchAttributeCooperative == 2 && cudaLaunchAttributeClusterDimension == 4);
static_assert(cudaFuncAttributeMaxDynamicSharedMemorySize == 8 && cudaFuncAttributePreferredSharedMemoryCarveout == 9);

#if CUDART_VERSION >= 13000
// Every field of NVIDIA's struct that an attribute stands for holds that attribute.
TEST(Abi, PropertiesFillNvidiasStruct) {
  cudaDeviceProp p;
  ASSERT_EQ(write_properties(h200(), 13, nullptr), sizeof p);
  write_properties(h200(), 13, &p);
  EXPECT_STREQ(p.name, "NVIDIA H200");
  EXPECT_EQ(p.totalGlobalMem, h200().memory_bytes);
#define WL_FIELD(releases, type, name, ...)                                                         \
  if (std::string_view(#releases) != "TO12") {                                                      \
    const char* at = reinterpret_cast<const char*>(&p) + offsetof(WL_PROPERTY_OF_##releases, name); \
    for (int number : {__VA_ARGS__}) {                                                              \
      EXPECT_EQ(*reinterpret_cast<const type*>(at), *attribute(h200(), number)) << #name;           \
      at += sizeof(type);                                                                           \
    }                                                                                               \
  }
  // Fields that are gone in 13 are looked up in a struct that has them, and not compared.
  struct Gone {
    int clockRate, deviceOverlap, kernelExecTimeoutEnabled, computeMode, maxTexture1DLinear, memoryClockRate,
        singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch;
  };
#define WL_PROPERTY_OF_ALL cudaDeviceProp
#define WL_PROPERTY_OF_FROM12 cudaDeviceProp
#define WL_PROPERTY_OF_FROM13 cudaDeviceProp
#define WL_PROPERTY_OF_TO12 Gone
#include "cuda/properties.def"
#undef WL_FIELD
}
#endif

#else

TEST(Abi, AgreesWithNvidiasHeaders) { GTEST_SKIP() << "NVIDIA's headers are not installed"; }

#endif

}  // namespace
}  // namespace warplens::cuda
