// Prints what the binary interface of the CUDA runtime fixes: built once with our headers, once with NVIDIA's.
#include <cuda_runtime_api.h>
#include <vector_types.h>

#include <cstddef>
#include <cstdio>

#define SIZE(type) std::printf(#type " %zu %zu\n", sizeof(type), alignof(type));
#define FIELD(type, field) std::printf(#type "." #field " %zu\n", offsetof(type, field));
#define VALUE(name) std::printf(#name " %lld\n", static_cast<long long>(name));
#define VECTORS(name) SIZE(name##1) SIZE(name##2) SIZE(name##3) SIZE(name##4)

int main() {
  VECTORS(char)
  VECTORS(uchar)
  VECTORS(short)
  VECTORS(ushort)
  VECTORS(int)
  VECTORS(uint)
  VECTORS(long)
  VECTORS(ulong)
  VECTORS(longlong)
  VECTORS(ulonglong)
  VECTORS(float) VECTORS(double) SIZE(dim3) SIZE(cudaUUID_t) SIZE(cudaExtent) SIZE(cudaPos) SIZE(cudaPitchedPtr) SIZE(
      cudaMemcpy3DParms) SIZE(cudaMemLocation) SIZE(cudaPointerAttributes) SIZE(cudaFuncAttributes) SIZE(cudaDeviceProp)
      FIELD(cudaMemcpy3DParms, srcPtr) FIELD(cudaMemcpy3DParms, dstArray) FIELD(cudaMemcpy3DParms, extent) FIELD(
          cudaMemcpy3DParms, kind) FIELD(cudaPointerAttributes,
                                         device) FIELD(cudaPointerAttributes,
                                                       devicePointer) FIELD(cudaPointerAttributes,
                                                                            hostPointer) FIELD(cudaFuncAttributes,
                                                                                               sharedSizeBytes)
          FIELD(cudaFuncAttributes, localSizeBytes) FIELD(cudaFuncAttributes, maxThreadsPerBlock) FIELD(
              cudaFuncAttributes, numRegs) FIELD(cudaFuncAttributes,
                                                 maxDynamicSharedSizeBytes) FIELD(cudaFuncAttributes,
                                                                                  clusterSchedulingPolicyPreference)
#define WARPLENS_PROPERTY(field) FIELD(cudaDeviceProp, field)
              WARPLENS_PROPERTY(uuid) WARPLENS_PROPERTY(totalGlobalMem) WARPLENS_PROPERTY(
                  sharedMemPerBlock) WARPLENS_PROPERTY(regsPerBlock) WARPLENS_PROPERTY(warpSize)
                  WARPLENS_PROPERTY(maxThreadsPerBlock) WARPLENS_PROPERTY(maxThreadsDim) WARPLENS_PROPERTY(
                      maxGridSize) WARPLENS_PROPERTY(totalConstMem) WARPLENS_PROPERTY(major) WARPLENS_PROPERTY(minor)
                      WARPLENS_PROPERTY(textureAlignment) WARPLENS_PROPERTY(multiProcessorCount) WARPLENS_PROPERTY(
                          integrated) WARPLENS_PROPERTY(canMapHostMemory) WARPLENS_PROPERTY(maxTexture3DAlt)
                          WARPLENS_PROPERTY(surfaceAlignment) WARPLENS_PROPERTY(concurrentKernels) WARPLENS_PROPERTY(
                              pciBusID) WARPLENS_PROPERTY(asyncEngineCount) WARPLENS_PROPERTY(memoryBusWidth)
                              WARPLENS_PROPERTY(l2CacheSize) WARPLENS_PROPERTY(maxThreadsPerMultiProcessor) WARPLENS_PROPERTY(
                                  sharedMemPerMultiprocessor) WARPLENS_PROPERTY(regsPerMultiprocessor)
                                  WARPLENS_PROPERTY(managedMemory) WARPLENS_PROPERTY(cooperativeLaunch) WARPLENS_PROPERTY(
                                      sharedMemPerBlockOptin) WARPLENS_PROPERTY(maxBlocksPerMultiProcessor)
                                      WARPLENS_PROPERTY(reservedSharedMemPerBlock) WARPLENS_PROPERTY(
                                          hostRegisterSupported) WARPLENS_PROPERTY(memoryPoolsSupported)
                                          WARPLENS_PROPERTY(clusterLaunch) WARPLENS_PROPERTY(mpsEnabled) WARPLENS_PROPERTY(
                                              reserved) VALUE(cudaSuccess) VALUE(cudaErrorInvalidValue)
                                              VALUE(cudaErrorMemoryAllocation) VALUE(cudaErrorInvalidConfiguration) VALUE(
                                                  cudaErrorInvalidSymbol) VALUE(cudaErrorInvalidMemcpyDirection)
                                                  VALUE(cudaErrorNoDevice) VALUE(cudaErrorInvalidDevice) VALUE(
                                                      cudaErrorNoKernelImageForDevice) VALUE(cudaErrorInvalidPtx)
                                                      VALUE(cudaErrorInvalidResourceHandle) VALUE(cudaErrorNotReady) VALUE(
                                                          cudaErrorIllegalAddress) VALUE(cudaErrorLaunchOutOfResources)
                                                          VALUE(cudaErrorLaunchTimeout) VALUE(cudaErrorAssert) VALUE(
                                                              cudaErrorMisalignedAddress) VALUE(cudaErrorLaunchFailure)
                                                              VALUE(cudaErrorNotSupported) VALUE(cudaErrorUnknown) VALUE(
                                                                  cudaMemcpyHostToDevice) VALUE(cudaMemcpyDeviceToHost)
                                                                  VALUE(cudaMemcpyDefault) VALUE(
                                                                      cudaFuncAttributeMaxDynamicSharedMemorySize)
                                                                      VALUE(cudaFuncAttributePreferredSharedMemoryCarveout) VALUE(
                                                                          cudaLimitMallocHeapSize) VALUE(cudaMemoryTypeManaged)
                                                                          VALUE(cudaMemAdviseSetAccessedBy) VALUE(
                                                                              cudaMemLocationTypeHost) VALUE(cudaComputeModeExclusiveProcess)
                                                                              VALUE(cudaFuncCachePreferEqual) VALUE(
                                                                                  cudaStreamNonBlocking) VALUE(cudaEventDisableTiming)
                                                                                  VALUE(cudaHostAllocWriteCombined) VALUE(
                                                                                      cudaHostRegisterMapped) VALUE(cudaMemAttachSingle)
                                                                                      VALUE(cudaDeviceMapHost) VALUE(
                                                                                          cudaDevAttrMaxThreadsPerBlock)
                                                                                          VALUE(cudaDevAttrMultiProcessorCount) VALUE(
                                                                                              cudaDevAttrComputeCapabilityMajor)
                                                                                              VALUE(
                                                                                                  cudaDevAttrMaxSharedMemoryPerBlockOptin)
                                                                                                  VALUE(
                                                                                                      cudaDevAttrCooperativeLaunch)
                                                                                                      VALUE(
                                                                                                          CUDART_VERSION) return 0;
}
