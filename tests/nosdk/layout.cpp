// Prints what the binary interface of the CUDA runtime fixes: built once with our headers, once with NVIDIA's.
#include <cuda_runtime_api.h>
#include <vector_types.h>

#include <cstddef>
#include <cstdio>

#define SIZE(type) std::printf(#type " %zu %zu\n", sizeof(type), alignof(type));
#define FIELD(type, field) std::printf(#type "." #field " %zu\n", offsetof(type, field));
#define VALUE(name) std::printf(#name " %lld\n", static_cast<long long>(name));
#define VECTORS(name) SIZE(name##1) SIZE(name##2) SIZE(name##3) SIZE(name##4)

void more() {
  SIZE(cudaMemcpy3DPeerParms);
  SIZE(cudaIpcMemHandle_t);
  SIZE(cudaIpcEventHandle_t);
  SIZE(cudaMemPoolProps);
  SIZE(cudaMemAccessDesc);
  SIZE(cudaKernelNodeParams);
  SIZE(cudaGraphInstantiateParams);
  SIZE(cudaMemsetParams);
  SIZE(cudaHostNodeParams);
  SIZE(cudaGraphEdgeData);
  SIZE(cudaGraphExecUpdateResultInfo);
  SIZE(cudaAccessPolicyWindow);
  SIZE(cudaLaunchAttributeValue);
  SIZE(cudaLaunchAttribute);
  SIZE(cudaLaunchConfig_t);
  SIZE(cudaChannelFormatDesc);
  SIZE(cudaResourceDesc);
  SIZE(cudaResourceViewDesc);
  SIZE(cudaTextureDesc);
  SIZE(cudaTextureObject_t);
  SIZE(cudaGraphExec_t);
  FIELD(cudaMemcpy3DPeerParms, srcDevice);
  FIELD(cudaMemcpy3DPeerParms, dstArray);
  FIELD(cudaMemcpy3DPeerParms, extent);
  FIELD(cudaMemPoolProps, location);
  FIELD(cudaMemPoolProps, maxSize);
  FIELD(cudaKernelNodeParams, sharedMemBytes);
  FIELD(cudaKernelNodeParams, extra);
  FIELD(cudaGraphInstantiateParams, result_out);
  FIELD(cudaMemsetParams, elementSize);
  FIELD(cudaLaunchAttribute, val);
  FIELD(cudaLaunchConfig_t, dynamicSmemBytes);
  FIELD(cudaLaunchConfig_t, numAttrs);
  FIELD(cudaResourceDesc, res);
  FIELD(cudaResourceDesc, res.pitch2D.pitchInBytes);
  FIELD(cudaTextureDesc, readMode);
  FIELD(cudaTextureDesc, normalizedCoords);
  FIELD(cudaTextureDesc, seamlessCubemap);
  FIELD(cudaResourceViewDesc, firstMipmapLevel);
  FIELD(cudaAccessPolicyWindow, missProp);
  VALUE(cudaFuncAttributeClusterSchedulingPolicyPreference);
  VALUE(cudaLimitPersistingL2CacheSize);
  VALUE(cudaMemLocationTypeHostNumaCurrent);
  VALUE(cudaHostRegisterReadOnly);
  VALUE(cudaOccupancyDisableCachingOverride);
  VALUE(cudaDeviceLmemResizeToMax);
  VALUE(cudaEventRecordExternal);
  VALUE(cudaArrayTextureGather);
  VALUE(cudaArrayCubemap);
  VALUE(cudaDevP2PAttrCudaArrayAccessSupported);
  VALUE(cudaMemRangeAttributeLastPrefetchLocation);
  VALUE(cudaMemAllocationTypeManaged);
  VALUE(cudaMemHandleTypeFabric);
  VALUE(cudaMemPoolAttrReleaseThreshold);
  VALUE(cudaMemPoolAttrUsedMemHigh);
  VALUE(cudaMemAccessFlagsProtReadWrite);
  VALUE(cudaStreamCaptureStatusInvalidated);
  VALUE(cudaStreamCaptureModeRelaxed);
  VALUE(cudaGraphNodeTypeConditional);
  VALUE(cudaGraphNodeTypeMemFree);
  VALUE(cudaGraphExecUpdateErrorAttributesChanged);
  VALUE(cudaGraphInstantiateFlagUseNodePriority);
  VALUE(cudaGraphMemAttrReservedMemHigh);
  VALUE(cudaAccessPropertyPersisting);
  VALUE(cudaSyncPolicyBlockingSync);
  VALUE(cudaClusterSchedulingPolicyLoadBalancing);
  VALUE(cudaLaunchAttributeMemSyncDomain);
  VALUE(cudaLaunchAttributePreferredSharedMemoryCarveout);
  VALUE(cudaStreamAttributeAccessPolicyWindow);
  VALUE(cudaChannelFormatKindNV12);
  VALUE(cudaResourceTypePitch2D);
  VALUE(cudaBoundaryModeTrap);
  VALUE(cudaFormatModeAuto);
  VALUE(cudaTextureTypeCubemapLayered);
  VALUE(cudaAddressModeBorder);
  VALUE(cudaFilterModeLinear);
  VALUE(cudaReadModeNormalizedFloat);
  VALUE(cudaGraphicsRegisterFlagsTextureGather);
  VALUE(cudaGraphicsMapFlagsWriteDiscard);
}

int main() {
  more();
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
  VECTORS(float)
  VECTORS(double)
  SIZE(dim3)
  SIZE(cudaUUID_t)
  SIZE(cudaExtent)
  SIZE(cudaPos)
  SIZE(cudaPitchedPtr)
  SIZE(cudaMemcpy3DParms) SIZE(cudaMemLocation) SIZE(cudaPointerAttributes) SIZE(cudaFuncAttributes) SIZE(cudaDeviceProp) FIELD(
      cudaMemcpy3DParms,
      srcPtr) FIELD(cudaMemcpy3DParms,
                    dstArray) FIELD(cudaMemcpy3DParms,
                                    extent) FIELD(cudaMemcpy3DParms,
                                                  kind) FIELD(cudaPointerAttributes,
                                                              device) FIELD(cudaPointerAttributes,
                                                                            devicePointer) FIELD(cudaPointerAttributes,
                                                                                                 hostPointer)
      FIELD(cudaFuncAttributes, sharedSizeBytes) FIELD(cudaFuncAttributes, localSizeBytes) FIELD(
          cudaFuncAttributes,
          maxThreadsPerBlock) FIELD(cudaFuncAttributes,
                                    numRegs) FIELD(cudaFuncAttributes,
                                                   maxDynamicSharedSizeBytes) FIELD(cudaFuncAttributes,
                                                                                    clusterSchedulingPolicyPreference)
#define WARPLENS_PROPERTY(field) FIELD(cudaDeviceProp, field)
          WARPLENS_PROPERTY(uuid) WARPLENS_PROPERTY(totalGlobalMem) WARPLENS_PROPERTY(sharedMemPerBlock) WARPLENS_PROPERTY(
              regsPerBlock) WARPLENS_PROPERTY(warpSize) WARPLENS_PROPERTY(maxThreadsPerBlock) WARPLENS_PROPERTY(maxThreadsDim)
              WARPLENS_PROPERTY(maxGridSize) WARPLENS_PROPERTY(totalConstMem) WARPLENS_PROPERTY(major) WARPLENS_PROPERTY(
                  minor) WARPLENS_PROPERTY(textureAlignment) WARPLENS_PROPERTY(multiProcessorCount)
                  WARPLENS_PROPERTY(integrated) WARPLENS_PROPERTY(canMapHostMemory) WARPLENS_PROPERTY(
                      maxTexture3DAlt) WARPLENS_PROPERTY(surfaceAlignment) WARPLENS_PROPERTY(concurrentKernels)
                      WARPLENS_PROPERTY(pciBusID) WARPLENS_PROPERTY(asyncEngineCount) WARPLENS_PROPERTY(
                          memoryBusWidth) WARPLENS_PROPERTY(l2CacheSize) WARPLENS_PROPERTY(maxThreadsPerMultiProcessor)
                          WARPLENS_PROPERTY(sharedMemPerMultiprocessor) WARPLENS_PROPERTY(
                              regsPerMultiprocessor) WARPLENS_PROPERTY(managedMemory) WARPLENS_PROPERTY(cooperativeLaunch)
                              WARPLENS_PROPERTY(sharedMemPerBlockOptin) WARPLENS_PROPERTY(
                                  maxBlocksPerMultiProcessor) WARPLENS_PROPERTY(reservedSharedMemPerBlock)
                                  WARPLENS_PROPERTY(hostRegisterSupported) WARPLENS_PROPERTY(
                                      memoryPoolsSupported) WARPLENS_PROPERTY(clusterLaunch) WARPLENS_PROPERTY(mpsEnabled)
                                      WARPLENS_PROPERTY(reserved) VALUE(cudaSuccess) VALUE(cudaErrorInvalidValue) VALUE(
                                          cudaErrorMemoryAllocation) VALUE(cudaErrorInvalidConfiguration)
                                          VALUE(cudaErrorInvalidSymbol) VALUE(cudaErrorInvalidMemcpyDirection) VALUE(
                                              cudaErrorNoDevice) VALUE(cudaErrorInvalidDevice) VALUE(cudaErrorNoKernelImageForDevice)
                                              VALUE(cudaErrorInvalidPtx) VALUE(cudaErrorInvalidResourceHandle) VALUE(
                                                  cudaErrorNotReady) VALUE(cudaErrorIllegalAddress)
                                                  VALUE(cudaErrorLaunchOutOfResources) VALUE(cudaErrorLaunchTimeout) VALUE(
                                                      cudaErrorAssert) VALUE(cudaErrorMisalignedAddress)
                                                      VALUE(cudaErrorLaunchFailure) VALUE(cudaErrorNotSupported) VALUE(
                                                          cudaErrorUnknown) VALUE(cudaMemcpyHostToDevice)
                                                          VALUE(cudaMemcpyDeviceToHost) VALUE(cudaMemcpyDefault) VALUE(
                                                              cudaFuncAttributeMaxDynamicSharedMemorySize)
                                                              VALUE(cudaFuncAttributePreferredSharedMemoryCarveout) VALUE(
                                                                  cudaLimitMallocHeapSize) VALUE(cudaMemoryTypeManaged)
                                                                  VALUE(cudaMemAdviseSetAccessedBy) VALUE(
                                                                      cudaMemLocationTypeHost)
                                                                      VALUE(cudaComputeModeExclusiveProcess) VALUE(
                                                                          cudaFuncCachePreferEqual) VALUE(cudaStreamNonBlocking)
                                                                          VALUE(cudaEventDisableTiming) VALUE(
                                                                              cudaHostAllocWriteCombined)
                                                                              VALUE(cudaHostRegisterMapped) VALUE(
                                                                                  cudaMemAttachSingle) VALUE(cudaDeviceMapHost)
                                                                                  VALUE(cudaDevAttrMaxThreadsPerBlock) VALUE(
                                                                                      cudaDevAttrMultiProcessorCount)
                                                                                      VALUE(
                                                                                          cudaDevAttrComputeCapabilityMajor)
                                                                                          VALUE(
                                                                                              cudaDevAttrMaxSharedMemoryPerBlockOptin)
                                                                                              VALUE(
                                                                                                  cudaDevAttrCooperativeLaunch)
                                                                                                  VALUE(
                                                                                                      CUDART_VERSION) return 0;
}
