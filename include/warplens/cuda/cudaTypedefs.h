// Pointers to the driver's functions, as cuGetProcAddress and cudaGetDriverEntryPoint give them: PFN_NAME_vVERSION is the function
// as that version of CUDA made it, PFN_NAME the one of this version.
#pragma once
#pragma GCC system_header
#include "cuda.h"

typedef CUresult(CUDAAPI* PFN_cuInit_v2000)(unsigned int flags);
#define PFN_cuInit PFN_cuInit_v2000
typedef CUresult(CUDAAPI* PFN_cuDriverGetVersion_v2020)(int* version);
#define PFN_cuDriverGetVersion PFN_cuDriverGetVersion_v2020
typedef CUresult(CUDAAPI* PFN_cuGetErrorName_v6000)(CUresult error, const char** name);
#define PFN_cuGetErrorName PFN_cuGetErrorName_v6000
typedef CUresult(CUDAAPI* PFN_cuGetErrorString_v6000)(CUresult error, const char** text);
#define PFN_cuGetErrorString PFN_cuGetErrorString_v6000
typedef CUresult(CUDAAPI* PFN_cuGetProcAddress_v12000)(
    const char* symbol, void** function, int version, cuuint64_t flags, CUdriverProcAddressQueryResult* status);
#define PFN_cuGetProcAddress PFN_cuGetProcAddress_v12000

// ---- devices
typedef CUresult(CUDAAPI* PFN_cuDeviceGet_v2000)(CUdevice* device, int ordinal);
#define PFN_cuDeviceGet PFN_cuDeviceGet_v2000
typedef CUresult(CUDAAPI* PFN_cuDeviceGetCount_v2000)(int* count);
#define PFN_cuDeviceGetCount PFN_cuDeviceGetCount_v2000
typedef CUresult(CUDAAPI* PFN_cuDeviceGetName_v2000)(char* name, int length, CUdevice device);
#define PFN_cuDeviceGetName PFN_cuDeviceGetName_v2000
typedef CUresult(CUDAAPI* PFN_cuDeviceGetUuid_v11040)(CUuuid* uuid, CUdevice device);
#define PFN_cuDeviceGetUuid PFN_cuDeviceGetUuid_v11040
typedef CUresult(CUDAAPI* PFN_cuDeviceTotalMem_v3020)(size_t* bytes, CUdevice device);
#define PFN_cuDeviceTotalMem PFN_cuDeviceTotalMem_v3020
typedef CUresult(CUDAAPI* PFN_cuDeviceGetAttribute_v2000)(int* value, CUdevice_attribute attribute, CUdevice device);
#define PFN_cuDeviceGetAttribute PFN_cuDeviceGetAttribute_v2000
typedef CUresult(CUDAAPI* PFN_cuDeviceGetProperties_v2000)(CUdevprop* properties, CUdevice device);
#define PFN_cuDeviceGetProperties PFN_cuDeviceGetProperties_v2000
typedef CUresult(CUDAAPI* PFN_cuDeviceComputeCapability_v2000)(int* major, int* minor, CUdevice device);
#define PFN_cuDeviceComputeCapability PFN_cuDeviceComputeCapability_v2000
typedef CUresult(CUDAAPI* PFN_cuDeviceGetByPCIBusId_v4010)(CUdevice* device, const char* text);
#define PFN_cuDeviceGetByPCIBusId PFN_cuDeviceGetByPCIBusId_v4010
typedef CUresult(CUDAAPI* PFN_cuDeviceGetPCIBusId_v4010)(char* text, int length, CUdevice device);
#define PFN_cuDeviceGetPCIBusId PFN_cuDeviceGetPCIBusId_v4010
typedef CUresult(CUDAAPI* PFN_cuDeviceGetExecAffinitySupport_v11040)(
    int* supported, CUexecAffinityType type, CUdevice device);
#define PFN_cuDeviceGetExecAffinitySupport PFN_cuDeviceGetExecAffinitySupport_v11040
typedef CUresult(CUDAAPI* PFN_cuDeviceGetDefaultMemPool_v11020)(CUmemoryPool* pool, CUdevice device);
#define PFN_cuDeviceGetDefaultMemPool PFN_cuDeviceGetDefaultMemPool_v11020
typedef CUresult(CUDAAPI* PFN_cuDeviceGetMemPool_v11020)(CUmemoryPool* pool, CUdevice device);
#define PFN_cuDeviceGetMemPool PFN_cuDeviceGetMemPool_v11020
typedef CUresult(CUDAAPI* PFN_cuDeviceSetMemPool_v11020)(CUdevice device, CUmemoryPool pool);
#define PFN_cuDeviceSetMemPool PFN_cuDeviceSetMemPool_v11020
typedef CUresult(CUDAAPI* PFN_cuDeviceCanAccessPeer_v4000)(int* can, CUdevice device, CUdevice peer);
#define PFN_cuDeviceCanAccessPeer PFN_cuDeviceCanAccessPeer_v4000
typedef CUresult(CUDAAPI* PFN_cuDeviceGetP2PAttribute_v8000)(
    int* value, CUdevice_P2PAttribute attribute, CUdevice device, CUdevice peer);
#define PFN_cuDeviceGetP2PAttribute PFN_cuDeviceGetP2PAttribute_v8000

// ---- contexts
typedef CUresult(CUDAAPI* PFN_cuDevicePrimaryCtxRetain_v7000)(CUcontext* context, CUdevice device);
#define PFN_cuDevicePrimaryCtxRetain PFN_cuDevicePrimaryCtxRetain_v7000
typedef CUresult(CUDAAPI* PFN_cuDevicePrimaryCtxRelease_v11000)(CUdevice device);
#define PFN_cuDevicePrimaryCtxRelease PFN_cuDevicePrimaryCtxRelease_v11000
typedef CUresult(CUDAAPI* PFN_cuDevicePrimaryCtxSetFlags_v11000)(CUdevice device, unsigned int flags);
#define PFN_cuDevicePrimaryCtxSetFlags PFN_cuDevicePrimaryCtxSetFlags_v11000
typedef CUresult(CUDAAPI* PFN_cuDevicePrimaryCtxGetState_v7000)(CUdevice device, unsigned int* flags, int* active);
#define PFN_cuDevicePrimaryCtxGetState PFN_cuDevicePrimaryCtxGetState_v7000
typedef CUresult(CUDAAPI* PFN_cuDevicePrimaryCtxReset_v11000)(CUdevice device);
#define PFN_cuDevicePrimaryCtxReset PFN_cuDevicePrimaryCtxReset_v11000
typedef CUresult(CUDAAPI* PFN_cuCtxCreate_v12050)(
    CUcontext* context, CUctxCreateParams* parameters, unsigned int flags, CUdevice device);
#define PFN_cuCtxCreate PFN_cuCtxCreate_v12050
typedef CUresult(CUDAAPI* PFN_cuCtxDestroy_v4000)(CUcontext context);
#define PFN_cuCtxDestroy PFN_cuCtxDestroy_v4000
typedef CUresult(CUDAAPI* PFN_cuCtxPushCurrent_v4000)(CUcontext context);
#define PFN_cuCtxPushCurrent PFN_cuCtxPushCurrent_v4000
typedef CUresult(CUDAAPI* PFN_cuCtxPopCurrent_v4000)(CUcontext* context);
#define PFN_cuCtxPopCurrent PFN_cuCtxPopCurrent_v4000
typedef CUresult(CUDAAPI* PFN_cuCtxSetCurrent_v4000)(CUcontext context);
#define PFN_cuCtxSetCurrent PFN_cuCtxSetCurrent_v4000
typedef CUresult(CUDAAPI* PFN_cuCtxGetCurrent_v4000)(CUcontext* context);
#define PFN_cuCtxGetCurrent PFN_cuCtxGetCurrent_v4000
typedef CUresult(CUDAAPI* PFN_cuCtxGetDevice_v2000)(CUdevice* device);
#define PFN_cuCtxGetDevice PFN_cuCtxGetDevice_v2000
typedef CUresult(CUDAAPI* PFN_cuCtxGetFlags_v7000)(unsigned int* flags);
#define PFN_cuCtxGetFlags PFN_cuCtxGetFlags_v7000
typedef CUresult(CUDAAPI* PFN_cuCtxSetFlags_v12010)(unsigned int flags);
#define PFN_cuCtxSetFlags PFN_cuCtxSetFlags_v12010
typedef CUresult(CUDAAPI* PFN_cuCtxGetId_v12000)(CUcontext context, unsigned long long* id);
#define PFN_cuCtxGetId PFN_cuCtxGetId_v12000
typedef CUresult(CUDAAPI* PFN_cuCtxSynchronize_v2000)(void);
#define PFN_cuCtxSynchronize PFN_cuCtxSynchronize_v2000
typedef CUresult(CUDAAPI* PFN_cuCtxSetLimit_v3010)(CUlimit limit, size_t value);
#define PFN_cuCtxSetLimit PFN_cuCtxSetLimit_v3010
typedef CUresult(CUDAAPI* PFN_cuCtxGetLimit_v3010)(size_t* value, CUlimit limit);
#define PFN_cuCtxGetLimit PFN_cuCtxGetLimit_v3010
typedef CUresult(CUDAAPI* PFN_cuCtxGetCacheConfig_v3020)(CUfunc_cache* config);
#define PFN_cuCtxGetCacheConfig PFN_cuCtxGetCacheConfig_v3020
typedef CUresult(CUDAAPI* PFN_cuCtxSetCacheConfig_v3020)(CUfunc_cache config);
#define PFN_cuCtxSetCacheConfig PFN_cuCtxSetCacheConfig_v3020
typedef CUresult(CUDAAPI* PFN_cuCtxGetSharedMemConfig_v4020)(CUsharedconfig* config);
#define PFN_cuCtxGetSharedMemConfig PFN_cuCtxGetSharedMemConfig_v4020
typedef CUresult(CUDAAPI* PFN_cuCtxSetSharedMemConfig_v4020)(CUsharedconfig config);
#define PFN_cuCtxSetSharedMemConfig PFN_cuCtxSetSharedMemConfig_v4020
typedef CUresult(CUDAAPI* PFN_cuCtxGetApiVersion_v3020)(CUcontext context, unsigned int* version);
#define PFN_cuCtxGetApiVersion PFN_cuCtxGetApiVersion_v3020
typedef CUresult(CUDAAPI* PFN_cuCtxGetStreamPriorityRange_v5050)(int* least, int* greatest);
#define PFN_cuCtxGetStreamPriorityRange PFN_cuCtxGetStreamPriorityRange_v5050
typedef CUresult(CUDAAPI* PFN_cuCtxResetPersistingL2Cache_v11000)(void);
#define PFN_cuCtxResetPersistingL2Cache PFN_cuCtxResetPersistingL2Cache_v11000
typedef CUresult(CUDAAPI* PFN_cuCtxEnablePeerAccess_v4000)(CUcontext peer, unsigned int flags);
#define PFN_cuCtxEnablePeerAccess PFN_cuCtxEnablePeerAccess_v4000
typedef CUresult(CUDAAPI* PFN_cuCtxDisablePeerAccess_v4000)(CUcontext peer);
#define PFN_cuCtxDisablePeerAccess PFN_cuCtxDisablePeerAccess_v4000
typedef CUresult(CUDAAPI* PFN_cuCtxRecordEvent_v12050)(CUcontext context, CUevent event);
#define PFN_cuCtxRecordEvent PFN_cuCtxRecordEvent_v12050
typedef CUresult(CUDAAPI* PFN_cuCtxWaitEvent_v12050)(CUcontext context, CUevent event);
#define PFN_cuCtxWaitEvent PFN_cuCtxWaitEvent_v12050
typedef CUresult(CUDAAPI* PFN_cuCtxAttach_v2000)(CUcontext* context, unsigned int flags);
#define PFN_cuCtxAttach PFN_cuCtxAttach_v2000
typedef CUresult(CUDAAPI* PFN_cuCtxDetach_v2000)(CUcontext context);
#define PFN_cuCtxDetach PFN_cuCtxDetach_v2000

// ---- modules, libraries, linking
typedef CUresult(CUDAAPI* PFN_cuModuleLoad_v2000)(CUmodule* module, const char* path);
#define PFN_cuModuleLoad PFN_cuModuleLoad_v2000
typedef CUresult(CUDAAPI* PFN_cuModuleLoadData_v2000)(CUmodule* module, const void* image);
#define PFN_cuModuleLoadData PFN_cuModuleLoadData_v2000
typedef CUresult(CUDAAPI* PFN_cuModuleLoadDataEx_v2010)(
    CUmodule* module, const void* image, unsigned int count, CUjit_option* options, void** values);
#define PFN_cuModuleLoadDataEx PFN_cuModuleLoadDataEx_v2010
typedef CUresult(CUDAAPI* PFN_cuModuleLoadFatBinary_v2000)(CUmodule* module, const void* image);
#define PFN_cuModuleLoadFatBinary PFN_cuModuleLoadFatBinary_v2000
typedef CUresult(CUDAAPI* PFN_cuModuleUnload_v2000)(CUmodule module);
#define PFN_cuModuleUnload PFN_cuModuleUnload_v2000
typedef CUresult(CUDAAPI* PFN_cuModuleGetFunction_v2000)(CUfunction* function, CUmodule module, const char* name);
#define PFN_cuModuleGetFunction PFN_cuModuleGetFunction_v2000
typedef CUresult(CUDAAPI* PFN_cuModuleGetFunctionCount_v12040)(unsigned int* count, CUmodule module);
#define PFN_cuModuleGetFunctionCount PFN_cuModuleGetFunctionCount_v12040
typedef CUresult(CUDAAPI* PFN_cuModuleEnumerateFunctions_v12040)(
    CUfunction* functions, unsigned int count, CUmodule module);
#define PFN_cuModuleEnumerateFunctions PFN_cuModuleEnumerateFunctions_v12040
typedef CUresult(CUDAAPI* PFN_cuModuleGetGlobal_v3020)(
    CUdeviceptr* pointer, size_t* bytes, CUmodule module, const char* name);
#define PFN_cuModuleGetGlobal PFN_cuModuleGetGlobal_v3020
typedef CUresult(CUDAAPI* PFN_cuModuleGetLoadingMode_v11070)(CUmoduleLoadingMode* mode);
#define PFN_cuModuleGetLoadingMode PFN_cuModuleGetLoadingMode_v11070
typedef CUresult(CUDAAPI* PFN_cuModuleGetTexRef_v2000)(CUtexref* texture, CUmodule module, const char* name);
#define PFN_cuModuleGetTexRef PFN_cuModuleGetTexRef_v2000
typedef CUresult(CUDAAPI* PFN_cuModuleGetSurfRef_v3000)(CUsurfref* surface, CUmodule module, const char* name);
#define PFN_cuModuleGetSurfRef PFN_cuModuleGetSurfRef_v3000
typedef CUresult(CUDAAPI* PFN_cuLinkCreate_v6050)(
    unsigned int count, CUjit_option* options, void** values, CUlinkState* state);
#define PFN_cuLinkCreate PFN_cuLinkCreate_v6050
typedef CUresult(CUDAAPI* PFN_cuLinkAddData_v6050)(
    CUlinkState state, CUjitInputType type, void* data, size_t bytes, const char* name, unsigned int count,
    CUjit_option* options, void** values);
#define PFN_cuLinkAddData PFN_cuLinkAddData_v6050
typedef CUresult(CUDAAPI* PFN_cuLinkAddFile_v6050)(
    CUlinkState state, CUjitInputType type, const char* path, unsigned int count, CUjit_option* options, void** values);
#define PFN_cuLinkAddFile PFN_cuLinkAddFile_v6050
typedef CUresult(CUDAAPI* PFN_cuLinkComplete_v5050)(CUlinkState state, void** image, size_t* bytes);
#define PFN_cuLinkComplete PFN_cuLinkComplete_v5050
typedef CUresult(CUDAAPI* PFN_cuLinkDestroy_v5050)(CUlinkState state);
#define PFN_cuLinkDestroy PFN_cuLinkDestroy_v5050
typedef CUresult(CUDAAPI* PFN_cuLibraryLoadData_v12000)(
    CUlibrary* library, const void* code, CUjit_option* jit_options, void** jit_values, unsigned int jit_count,
    CUlibraryOption* options, void** values, unsigned int count);
#define PFN_cuLibraryLoadData PFN_cuLibraryLoadData_v12000
typedef CUresult(CUDAAPI* PFN_cuLibraryLoadFromFile_v12000)(
    CUlibrary* library, const char* path, CUjit_option* jit_options, void** jit_values, unsigned int jit_count,
    CUlibraryOption* options, void** values, unsigned int count);
#define PFN_cuLibraryLoadFromFile PFN_cuLibraryLoadFromFile_v12000
typedef CUresult(CUDAAPI* PFN_cuLibraryUnload_v12000)(CUlibrary library);
#define PFN_cuLibraryUnload PFN_cuLibraryUnload_v12000
typedef CUresult(CUDAAPI* PFN_cuLibraryGetKernel_v12000)(CUkernel* kernel, CUlibrary library, const char* name);
#define PFN_cuLibraryGetKernel PFN_cuLibraryGetKernel_v12000
typedef CUresult(CUDAAPI* PFN_cuLibraryGetKernelCount_v12040)(unsigned int* count, CUlibrary library);
#define PFN_cuLibraryGetKernelCount PFN_cuLibraryGetKernelCount_v12040
typedef CUresult(CUDAAPI* PFN_cuLibraryEnumerateKernels_v12040)(
    CUkernel* kernels, unsigned int count, CUlibrary library);
#define PFN_cuLibraryEnumerateKernels PFN_cuLibraryEnumerateKernels_v12040
typedef CUresult(CUDAAPI* PFN_cuLibraryGetModule_v12000)(CUmodule* module, CUlibrary library);
#define PFN_cuLibraryGetModule PFN_cuLibraryGetModule_v12000
typedef CUresult(CUDAAPI* PFN_cuLibraryGetGlobal_v12000)(
    CUdeviceptr* pointer, size_t* bytes, CUlibrary library, const char* name);
#define PFN_cuLibraryGetGlobal PFN_cuLibraryGetGlobal_v12000
typedef CUresult(CUDAAPI* PFN_cuLibraryGetManaged_v12000)(
    CUdeviceptr* pointer, size_t* bytes, CUlibrary library, const char* name);
#define PFN_cuLibraryGetManaged PFN_cuLibraryGetManaged_v12000
typedef CUresult(CUDAAPI* PFN_cuKernelGetFunction_v12000)(CUfunction* function, CUkernel kernel);
#define PFN_cuKernelGetFunction PFN_cuKernelGetFunction_v12000
typedef CUresult(CUDAAPI* PFN_cuKernelGetLibrary_v12050)(CUlibrary* library, CUkernel kernel);
#define PFN_cuKernelGetLibrary PFN_cuKernelGetLibrary_v12050
typedef CUresult(CUDAAPI* PFN_cuKernelGetAttribute_v12000)(
    int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device);
#define PFN_cuKernelGetAttribute PFN_cuKernelGetAttribute_v12000
typedef CUresult(CUDAAPI* PFN_cuKernelSetAttribute_v12000)(
    CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device);
#define PFN_cuKernelSetAttribute PFN_cuKernelSetAttribute_v12000
typedef CUresult(CUDAAPI* PFN_cuKernelSetCacheConfig_v12000)(CUkernel kernel, CUfunc_cache config, CUdevice device);
#define PFN_cuKernelSetCacheConfig PFN_cuKernelSetCacheConfig_v12000
typedef CUresult(CUDAAPI* PFN_cuKernelGetName_v12030)(const char** name, CUkernel kernel);
#define PFN_cuKernelGetName PFN_cuKernelGetName_v12030
typedef CUresult(CUDAAPI* PFN_cuKernelGetParamInfo_v12040)(
    CUkernel kernel, size_t index, size_t* offset, size_t* bytes);
#define PFN_cuKernelGetParamInfo PFN_cuKernelGetParamInfo_v12040

// ---- memory
typedef CUresult(CUDAAPI* PFN_cuMemGetInfo_v3020)(size_t* free, size_t* total);
#define PFN_cuMemGetInfo PFN_cuMemGetInfo_v3020
typedef CUresult(CUDAAPI* PFN_cuMemAlloc_v3020)(CUdeviceptr* pointer, size_t bytes);
#define PFN_cuMemAlloc PFN_cuMemAlloc_v3020
typedef CUresult(CUDAAPI* PFN_cuMemAllocPitch_v3020)(
    CUdeviceptr* pointer, size_t* pitch, size_t width, size_t height, unsigned int element_bytes);
#define PFN_cuMemAllocPitch PFN_cuMemAllocPitch_v3020
typedef CUresult(CUDAAPI* PFN_cuMemFree_v3020)(CUdeviceptr pointer);
#define PFN_cuMemFree PFN_cuMemFree_v3020
typedef CUresult(CUDAAPI* PFN_cuMemGetAddressRange_v3020)(CUdeviceptr* base, size_t* bytes, CUdeviceptr pointer);
#define PFN_cuMemGetAddressRange PFN_cuMemGetAddressRange_v3020
typedef CUresult(CUDAAPI* PFN_cuMemAllocHost_v3020)(void** pointer, size_t bytes);
#define PFN_cuMemAllocHost PFN_cuMemAllocHost_v3020
typedef CUresult(CUDAAPI* PFN_cuMemFreeHost_v2000)(void* pointer);
#define PFN_cuMemFreeHost PFN_cuMemFreeHost_v2000
typedef CUresult(CUDAAPI* PFN_cuMemHostAlloc_v2020)(void** pointer, size_t bytes, unsigned int flags);
#define PFN_cuMemHostAlloc PFN_cuMemHostAlloc_v2020
typedef CUresult(CUDAAPI* PFN_cuMemHostGetDevicePointer_v3020)(CUdeviceptr* device, void* host, unsigned int flags);
#define PFN_cuMemHostGetDevicePointer PFN_cuMemHostGetDevicePointer_v3020
typedef CUresult(CUDAAPI* PFN_cuMemHostGetFlags_v2030)(unsigned int* flags, void* pointer);
#define PFN_cuMemHostGetFlags PFN_cuMemHostGetFlags_v2030
typedef CUresult(CUDAAPI* PFN_cuMemHostRegister_v6050)(void* pointer, size_t bytes, unsigned int flags);
#define PFN_cuMemHostRegister PFN_cuMemHostRegister_v6050
typedef CUresult(CUDAAPI* PFN_cuMemHostUnregister_v4000)(void* pointer);
#define PFN_cuMemHostUnregister PFN_cuMemHostUnregister_v4000
typedef CUresult(CUDAAPI* PFN_cuMemAllocManaged_v6000)(CUdeviceptr* pointer, size_t bytes, unsigned int flags);
#define PFN_cuMemAllocManaged PFN_cuMemAllocManaged_v6000
typedef CUresult(CUDAAPI* PFN_cuMemAllocAsync_v11020)(CUdeviceptr* pointer, size_t bytes, CUstream stream);
#define PFN_cuMemAllocAsync PFN_cuMemAllocAsync_v11020
typedef CUresult(CUDAAPI* PFN_cuMemAllocFromPoolAsync_v11020)(
    CUdeviceptr* pointer, size_t bytes, CUmemoryPool pool, CUstream stream);
#define PFN_cuMemAllocFromPoolAsync PFN_cuMemAllocFromPoolAsync_v11020
typedef CUresult(CUDAAPI* PFN_cuMemFreeAsync_v11020)(CUdeviceptr pointer, CUstream stream);
#define PFN_cuMemFreeAsync PFN_cuMemFreeAsync_v11020
typedef CUresult(CUDAAPI* PFN_cuMemPoolCreate_v11020)(CUmemoryPool* pool, const CUmemPoolProps* properties);
#define PFN_cuMemPoolCreate PFN_cuMemPoolCreate_v11020
typedef CUresult(CUDAAPI* PFN_cuMemPoolDestroy_v11020)(CUmemoryPool pool);
#define PFN_cuMemPoolDestroy PFN_cuMemPoolDestroy_v11020
typedef CUresult(CUDAAPI* PFN_cuMemPoolTrimTo_v11020)(CUmemoryPool pool, size_t bytes);
#define PFN_cuMemPoolTrimTo PFN_cuMemPoolTrimTo_v11020
typedef CUresult(CUDAAPI* PFN_cuMemPoolSetAttribute_v11020)(
    CUmemoryPool pool, CUmemPool_attribute attribute, void* value);
#define PFN_cuMemPoolSetAttribute PFN_cuMemPoolSetAttribute_v11020
typedef CUresult(CUDAAPI* PFN_cuMemPoolGetAttribute_v11020)(
    CUmemoryPool pool, CUmemPool_attribute attribute, void* value);
#define PFN_cuMemPoolGetAttribute PFN_cuMemPoolGetAttribute_v11020
typedef CUresult(CUDAAPI* PFN_cuMemPoolSetAccess_v11020)(
    CUmemoryPool pool, const CUmemAccessDesc* accesses, size_t count);
#define PFN_cuMemPoolSetAccess PFN_cuMemPoolSetAccess_v11020
typedef CUresult(CUDAAPI* PFN_cuMemPoolGetAccess_v11020)(
    CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* location);
#define PFN_cuMemPoolGetAccess PFN_cuMemPoolGetAccess_v11020
typedef CUresult(CUDAAPI* PFN_cuMemGetDefaultMemPool_v13000)(
    CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type);
#define PFN_cuMemGetDefaultMemPool PFN_cuMemGetDefaultMemPool_v13000
typedef CUresult(CUDAAPI* PFN_cuMemAddressReserve_v10020)(
    CUdeviceptr* pointer, size_t bytes, size_t alignment, CUdeviceptr address, unsigned long long flags);
#define PFN_cuMemAddressReserve PFN_cuMemAddressReserve_v10020
typedef CUresult(CUDAAPI* PFN_cuMemAddressFree_v10020)(CUdeviceptr pointer, size_t bytes);
#define PFN_cuMemAddressFree PFN_cuMemAddressFree_v10020
typedef CUresult(CUDAAPI* PFN_cuMemCreate_v10020)(
    CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* properties,
    unsigned long long flags);
#define PFN_cuMemCreate PFN_cuMemCreate_v10020
typedef CUresult(CUDAAPI* PFN_cuMemRelease_v10020)(CUmemGenericAllocationHandle handle);
#define PFN_cuMemRelease PFN_cuMemRelease_v10020
typedef CUresult(CUDAAPI* PFN_cuMemMap_v10020)(
    CUdeviceptr pointer, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags);
#define PFN_cuMemMap PFN_cuMemMap_v10020
typedef CUresult(CUDAAPI* PFN_cuMemUnmap_v10020)(CUdeviceptr pointer, size_t bytes);
#define PFN_cuMemUnmap PFN_cuMemUnmap_v10020
typedef CUresult(CUDAAPI* PFN_cuMemSetAccess_v10020)(
    CUdeviceptr pointer, size_t bytes, const CUmemAccessDesc* accesses, size_t count);
#define PFN_cuMemSetAccess PFN_cuMemSetAccess_v10020
typedef CUresult(CUDAAPI* PFN_cuMemGetAccess_v10020)(
    unsigned long long* flags, const CUmemLocation* location, CUdeviceptr pointer);
#define PFN_cuMemGetAccess PFN_cuMemGetAccess_v10020
typedef CUresult(CUDAAPI* PFN_cuMemGetAllocationGranularity_v10020)(
    size_t* bytes, const CUmemAllocationProp* properties, CUmemAllocationGranularity_flags option);
#define PFN_cuMemGetAllocationGranularity PFN_cuMemGetAllocationGranularity_v10020
typedef CUresult(CUDAAPI* PFN_cuMemGetAllocationPropertiesFromHandle_v10020)(
    CUmemAllocationProp* properties, CUmemGenericAllocationHandle handle);
#define PFN_cuMemGetAllocationPropertiesFromHandle PFN_cuMemGetAllocationPropertiesFromHandle_v10020
typedef CUresult(CUDAAPI* PFN_cuMemRetainAllocationHandle_v11000)(CUmemGenericAllocationHandle* handle, void* address);
#define PFN_cuMemRetainAllocationHandle PFN_cuMemRetainAllocationHandle_v11000
typedef CUresult(CUDAAPI* PFN_cuMemcpy_v4000)(CUdeviceptr target, CUdeviceptr source, size_t bytes);
#define PFN_cuMemcpy PFN_cuMemcpy_v4000
typedef CUresult(CUDAAPI* PFN_cuMemcpyPeer_v4000)(
    CUdeviceptr target, CUcontext target_context, CUdeviceptr source, CUcontext source_context, size_t bytes);
#define PFN_cuMemcpyPeer PFN_cuMemcpyPeer_v4000
typedef CUresult(CUDAAPI* PFN_cuMemcpyHtoD_v3020)(CUdeviceptr target, const void* source, size_t bytes);
#define PFN_cuMemcpyHtoD PFN_cuMemcpyHtoD_v3020
typedef CUresult(CUDAAPI* PFN_cuMemcpyDtoH_v3020)(void* target, CUdeviceptr source, size_t bytes);
#define PFN_cuMemcpyDtoH PFN_cuMemcpyDtoH_v3020
typedef CUresult(CUDAAPI* PFN_cuMemcpyDtoD_v3020)(CUdeviceptr target, CUdeviceptr source, size_t bytes);
#define PFN_cuMemcpyDtoD PFN_cuMemcpyDtoD_v3020
typedef CUresult(CUDAAPI* PFN_cuMemcpy2D_v3020)(const CUDA_MEMCPY2D* copy);
#define PFN_cuMemcpy2D PFN_cuMemcpy2D_v3020
typedef CUresult(CUDAAPI* PFN_cuMemcpy2DUnaligned_v3020)(const CUDA_MEMCPY2D* copy);
#define PFN_cuMemcpy2DUnaligned PFN_cuMemcpy2DUnaligned_v3020
typedef CUresult(CUDAAPI* PFN_cuMemcpy3D_v3020)(const CUDA_MEMCPY3D* copy);
#define PFN_cuMemcpy3D PFN_cuMemcpy3D_v3020
typedef CUresult(CUDAAPI* PFN_cuMemcpy3DPeer_v4000)(const CUDA_MEMCPY3D_PEER* copy);
#define PFN_cuMemcpy3DPeer PFN_cuMemcpy3DPeer_v4000
typedef CUresult(CUDAAPI* PFN_cuMemcpyAsync_v4000)(
    CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream stream);
#define PFN_cuMemcpyAsync PFN_cuMemcpyAsync_v4000
typedef CUresult(CUDAAPI* PFN_cuMemcpyPeerAsync_v4000)(
    CUdeviceptr target, CUcontext target_context, CUdeviceptr source, CUcontext source_context, size_t bytes,
    CUstream stream);
#define PFN_cuMemcpyPeerAsync PFN_cuMemcpyPeerAsync_v4000
typedef CUresult(CUDAAPI* PFN_cuMemcpyHtoDAsync_v3020)(
    CUdeviceptr target, const void* source, size_t bytes, CUstream stream);
#define PFN_cuMemcpyHtoDAsync PFN_cuMemcpyHtoDAsync_v3020
typedef CUresult(CUDAAPI* PFN_cuMemcpyDtoHAsync_v3020)(void* target, CUdeviceptr source, size_t bytes, CUstream stream);
#define PFN_cuMemcpyDtoHAsync PFN_cuMemcpyDtoHAsync_v3020
typedef CUresult(CUDAAPI* PFN_cuMemcpyDtoDAsync_v3020)(
    CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream stream);
#define PFN_cuMemcpyDtoDAsync PFN_cuMemcpyDtoDAsync_v3020
typedef CUresult(CUDAAPI* PFN_cuMemcpy2DAsync_v3020)(const CUDA_MEMCPY2D* copy, CUstream stream);
#define PFN_cuMemcpy2DAsync PFN_cuMemcpy2DAsync_v3020
typedef CUresult(CUDAAPI* PFN_cuMemcpy3DAsync_v3020)(const CUDA_MEMCPY3D* copy, CUstream stream);
#define PFN_cuMemcpy3DAsync PFN_cuMemcpy3DAsync_v3020
typedef CUresult(CUDAAPI* PFN_cuMemcpy3DPeerAsync_v4000)(const CUDA_MEMCPY3D_PEER* copy, CUstream stream);
#define PFN_cuMemcpy3DPeerAsync PFN_cuMemcpy3DPeerAsync_v4000
typedef CUresult(CUDAAPI* PFN_cuMemcpyBatchAsync_v13000)(
    CUdeviceptr* targets, CUdeviceptr* sources, size_t* bytes, size_t count, CUmemcpyAttributes* attributes,
    size_t* attribute_indices, size_t attribute_count, CUstream stream);
#define PFN_cuMemcpyBatchAsync PFN_cuMemcpyBatchAsync_v13000
typedef CUresult(CUDAAPI* PFN_cuMemsetD8_v3020)(CUdeviceptr pointer, unsigned char value, size_t count);
#define PFN_cuMemsetD8 PFN_cuMemsetD8_v3020
typedef CUresult(CUDAAPI* PFN_cuMemsetD16_v3020)(CUdeviceptr pointer, unsigned short value, size_t count);
#define PFN_cuMemsetD16 PFN_cuMemsetD16_v3020
typedef CUresult(CUDAAPI* PFN_cuMemsetD32_v3020)(CUdeviceptr pointer, unsigned int value, size_t count);
#define PFN_cuMemsetD32 PFN_cuMemsetD32_v3020
typedef CUresult(CUDAAPI* PFN_cuMemsetD2D8_v3020)(
    CUdeviceptr pointer, size_t pitch, unsigned char value, size_t width, size_t height);
#define PFN_cuMemsetD2D8 PFN_cuMemsetD2D8_v3020
typedef CUresult(CUDAAPI* PFN_cuMemsetD2D16_v3020)(
    CUdeviceptr pointer, size_t pitch, unsigned short value, size_t width, size_t height);
#define PFN_cuMemsetD2D16 PFN_cuMemsetD2D16_v3020
typedef CUresult(CUDAAPI* PFN_cuMemsetD2D32_v3020)(
    CUdeviceptr pointer, size_t pitch, unsigned int value, size_t width, size_t height);
#define PFN_cuMemsetD2D32 PFN_cuMemsetD2D32_v3020
typedef CUresult(CUDAAPI* PFN_cuMemsetD8Async_v3020)(
    CUdeviceptr pointer, unsigned char value, size_t count, CUstream stream);
#define PFN_cuMemsetD8Async PFN_cuMemsetD8Async_v3020
typedef CUresult(CUDAAPI* PFN_cuMemsetD16Async_v3020)(
    CUdeviceptr pointer, unsigned short value, size_t count, CUstream stream);
#define PFN_cuMemsetD16Async PFN_cuMemsetD16Async_v3020
typedef CUresult(CUDAAPI* PFN_cuMemsetD32Async_v3020)(
    CUdeviceptr pointer, unsigned int value, size_t count, CUstream stream);
#define PFN_cuMemsetD32Async PFN_cuMemsetD32Async_v3020
typedef CUresult(CUDAAPI* PFN_cuMemsetD2D8Async_v3020)(
    CUdeviceptr pointer, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream);
#define PFN_cuMemsetD2D8Async PFN_cuMemsetD2D8Async_v3020
typedef CUresult(CUDAAPI* PFN_cuMemsetD2D16Async_v3020)(
    CUdeviceptr pointer, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream);
#define PFN_cuMemsetD2D16Async PFN_cuMemsetD2D16Async_v3020
typedef CUresult(CUDAAPI* PFN_cuMemsetD2D32Async_v3020)(
    CUdeviceptr pointer, size_t pitch, unsigned int value, size_t width, size_t height, CUstream stream);
#define PFN_cuMemsetD2D32Async PFN_cuMemsetD2D32Async_v3020
typedef CUresult(CUDAAPI* PFN_cuMemPrefetchAsync_v12020)(
    CUdeviceptr pointer, size_t bytes, CUmemLocation location, unsigned int flags, CUstream stream);
#define PFN_cuMemPrefetchAsync PFN_cuMemPrefetchAsync_v12020
typedef CUresult(CUDAAPI* PFN_cuMemAdvise_v12020)(
    CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUmemLocation location);
#define PFN_cuMemAdvise PFN_cuMemAdvise_v12020
typedef CUresult(CUDAAPI* PFN_cuPointerGetAttribute_v4000)(
    void* value, CUpointer_attribute attribute, CUdeviceptr pointer);
#define PFN_cuPointerGetAttribute PFN_cuPointerGetAttribute_v4000
typedef CUresult(CUDAAPI* PFN_cuPointerGetAttributes_v7000)(
    unsigned int count, CUpointer_attribute* attributes, void** values, CUdeviceptr pointer);
#define PFN_cuPointerGetAttributes PFN_cuPointerGetAttributes_v7000
typedef CUresult(CUDAAPI* PFN_cuPointerSetAttribute_v6000)(
    const void* value, CUpointer_attribute attribute, CUdeviceptr pointer);
#define PFN_cuPointerSetAttribute PFN_cuPointerSetAttribute_v6000
typedef CUresult(CUDAAPI* PFN_cuIpcGetMemHandle_v4010)(CUipcMemHandle* handle, CUdeviceptr pointer);
#define PFN_cuIpcGetMemHandle PFN_cuIpcGetMemHandle_v4010
typedef CUresult(CUDAAPI* PFN_cuIpcOpenMemHandle_v11000)(
    CUdeviceptr* pointer, CUipcMemHandle handle, unsigned int flags);
#define PFN_cuIpcOpenMemHandle PFN_cuIpcOpenMemHandle_v11000
typedef CUresult(CUDAAPI* PFN_cuIpcCloseMemHandle_v4010)(CUdeviceptr pointer);
#define PFN_cuIpcCloseMemHandle PFN_cuIpcCloseMemHandle_v4010
typedef CUresult(CUDAAPI* PFN_cuArrayCreate_v3020)(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* description);
#define PFN_cuArrayCreate PFN_cuArrayCreate_v3020
typedef CUresult(CUDAAPI* PFN_cuArray3DCreate_v3020)(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* description);
#define PFN_cuArray3DCreate PFN_cuArray3DCreate_v3020
typedef CUresult(CUDAAPI* PFN_cuArrayDestroy_v2000)(CUarray array);
#define PFN_cuArrayDestroy PFN_cuArrayDestroy_v2000

// ---- streams and events
typedef CUresult(CUDAAPI* PFN_cuStreamCreate_v2000)(CUstream* stream, unsigned int flags);
#define PFN_cuStreamCreate PFN_cuStreamCreate_v2000
typedef CUresult(CUDAAPI* PFN_cuStreamCreateWithPriority_v5050)(CUstream* stream, unsigned int flags, int priority);
#define PFN_cuStreamCreateWithPriority PFN_cuStreamCreateWithPriority_v5050
typedef CUresult(CUDAAPI* PFN_cuStreamGetPriority_v5050)(CUstream stream, int* priority);
#define PFN_cuStreamGetPriority PFN_cuStreamGetPriority_v5050
typedef CUresult(CUDAAPI* PFN_cuStreamGetFlags_v5050)(CUstream stream, unsigned int* flags);
#define PFN_cuStreamGetFlags PFN_cuStreamGetFlags_v5050
typedef CUresult(CUDAAPI* PFN_cuStreamGetId_v12000)(CUstream stream, unsigned long long* id);
#define PFN_cuStreamGetId PFN_cuStreamGetId_v12000
typedef CUresult(CUDAAPI* PFN_cuStreamGetDevice_v12080)(CUstream stream, CUdevice* device);
#define PFN_cuStreamGetDevice PFN_cuStreamGetDevice_v12080
typedef CUresult(CUDAAPI* PFN_cuStreamGetCtx_v9020)(CUstream stream, CUcontext* context);
#define PFN_cuStreamGetCtx PFN_cuStreamGetCtx_v9020
typedef CUresult(CUDAAPI* PFN_cuStreamGetCtx_v2_v12050)(CUstream stream, CUcontext* context, CUgreenCtx* green);
#define PFN_cuStreamGetCtx_v2 PFN_cuStreamGetCtx_v2_v12050
typedef CUresult(CUDAAPI* PFN_cuStreamWaitEvent_v3020)(CUstream stream, CUevent event, unsigned int flags);
#define PFN_cuStreamWaitEvent PFN_cuStreamWaitEvent_v3020
typedef CUresult(CUDAAPI* PFN_cuStreamAddCallback_v5000)(
    CUstream stream, CUstreamCallback callback, void* data, unsigned int flags);
#define PFN_cuStreamAddCallback PFN_cuStreamAddCallback_v5000
typedef CUresult(CUDAAPI* PFN_cuStreamBeginCapture_v10010)(CUstream stream, CUstreamCaptureMode mode);
#define PFN_cuStreamBeginCapture PFN_cuStreamBeginCapture_v10010
typedef CUresult(CUDAAPI* PFN_cuStreamEndCapture_v10000)(CUstream stream, CUgraph* graph);
#define PFN_cuStreamEndCapture PFN_cuStreamEndCapture_v10000
typedef CUresult(CUDAAPI* PFN_cuStreamIsCapturing_v10000)(CUstream stream, CUstreamCaptureStatus* status);
#define PFN_cuStreamIsCapturing PFN_cuStreamIsCapturing_v10000
typedef CUresult(CUDAAPI* PFN_cuStreamGetCaptureInfo_v12030)(
    CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph, const CUgraphNode** dependencies,
    const CUgraphEdgeData** edges, size_t* count);
#define PFN_cuStreamGetCaptureInfo PFN_cuStreamGetCaptureInfo_v12030
typedef CUresult(CUDAAPI* PFN_cuThreadExchangeStreamCaptureMode_v10010)(CUstreamCaptureMode* mode);
#define PFN_cuThreadExchangeStreamCaptureMode PFN_cuThreadExchangeStreamCaptureMode_v10010
typedef CUresult(CUDAAPI* PFN_cuStreamAttachMemAsync_v6000)(
    CUstream stream, CUdeviceptr pointer, size_t bytes, unsigned int flags);
#define PFN_cuStreamAttachMemAsync PFN_cuStreamAttachMemAsync_v6000
typedef CUresult(CUDAAPI* PFN_cuStreamQuery_v2000)(CUstream stream);
#define PFN_cuStreamQuery PFN_cuStreamQuery_v2000
typedef CUresult(CUDAAPI* PFN_cuStreamSynchronize_v2000)(CUstream stream);
#define PFN_cuStreamSynchronize PFN_cuStreamSynchronize_v2000
typedef CUresult(CUDAAPI* PFN_cuStreamDestroy_v4000)(CUstream stream);
#define PFN_cuStreamDestroy PFN_cuStreamDestroy_v4000
typedef CUresult(CUDAAPI* PFN_cuStreamCopyAttributes_v11000)(CUstream target, CUstream source);
#define PFN_cuStreamCopyAttributes PFN_cuStreamCopyAttributes_v11000
typedef CUresult(CUDAAPI* PFN_cuStreamGetAttribute_v11000)(
    CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue* value);
#define PFN_cuStreamGetAttribute PFN_cuStreamGetAttribute_v11000
typedef CUresult(CUDAAPI* PFN_cuStreamSetAttribute_v11000)(
    CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue* value);
#define PFN_cuStreamSetAttribute PFN_cuStreamSetAttribute_v11000
typedef CUresult(CUDAAPI* PFN_cuStreamWaitValue32_v11070)(
    CUstream stream, CUdeviceptr pointer, cuuint32_t value, unsigned int flags);
#define PFN_cuStreamWaitValue32 PFN_cuStreamWaitValue32_v11070
typedef CUresult(CUDAAPI* PFN_cuStreamWaitValue64_v11070)(
    CUstream stream, CUdeviceptr pointer, cuuint64_t value, unsigned int flags);
#define PFN_cuStreamWaitValue64 PFN_cuStreamWaitValue64_v11070
typedef CUresult(CUDAAPI* PFN_cuStreamWriteValue32_v11070)(
    CUstream stream, CUdeviceptr pointer, cuuint32_t value, unsigned int flags);
#define PFN_cuStreamWriteValue32 PFN_cuStreamWriteValue32_v11070
typedef CUresult(CUDAAPI* PFN_cuStreamWriteValue64_v11070)(
    CUstream stream, CUdeviceptr pointer, cuuint64_t value, unsigned int flags);
#define PFN_cuStreamWriteValue64 PFN_cuStreamWriteValue64_v11070
typedef CUresult(CUDAAPI* PFN_cuLaunchHostFunc_v10000)(CUstream stream, CUhostFn function, void* data);
#define PFN_cuLaunchHostFunc PFN_cuLaunchHostFunc_v10000
typedef CUresult(CUDAAPI* PFN_cuEventCreate_v2000)(CUevent* event, unsigned int flags);
#define PFN_cuEventCreate PFN_cuEventCreate_v2000
typedef CUresult(CUDAAPI* PFN_cuEventRecord_v2000)(CUevent event, CUstream stream);
#define PFN_cuEventRecord PFN_cuEventRecord_v2000
typedef CUresult(CUDAAPI* PFN_cuEventRecordWithFlags_v11010)(CUevent event, CUstream stream, unsigned int flags);
#define PFN_cuEventRecordWithFlags PFN_cuEventRecordWithFlags_v11010
typedef CUresult(CUDAAPI* PFN_cuEventQuery_v2000)(CUevent event);
#define PFN_cuEventQuery PFN_cuEventQuery_v2000
typedef CUresult(CUDAAPI* PFN_cuEventSynchronize_v2000)(CUevent event);
#define PFN_cuEventSynchronize PFN_cuEventSynchronize_v2000
typedef CUresult(CUDAAPI* PFN_cuEventDestroy_v4000)(CUevent event);
#define PFN_cuEventDestroy PFN_cuEventDestroy_v4000
typedef CUresult(CUDAAPI* PFN_cuEventElapsedTime_v12080)(float* milliseconds, CUevent start, CUevent end);
#define PFN_cuEventElapsedTime PFN_cuEventElapsedTime_v12080

// ---- functions and launches
typedef CUresult(CUDAAPI* PFN_cuFuncGetAttribute_v2020)(
    int* value, CUfunction_attribute attribute, CUfunction function);
#define PFN_cuFuncGetAttribute PFN_cuFuncGetAttribute_v2020
typedef CUresult(CUDAAPI* PFN_cuFuncSetAttribute_v9000)(CUfunction function, CUfunction_attribute attribute, int value);
#define PFN_cuFuncSetAttribute PFN_cuFuncSetAttribute_v9000
typedef CUresult(CUDAAPI* PFN_cuFuncSetCacheConfig_v3000)(CUfunction function, CUfunc_cache config);
#define PFN_cuFuncSetCacheConfig PFN_cuFuncSetCacheConfig_v3000
typedef CUresult(CUDAAPI* PFN_cuFuncSetSharedMemConfig_v4020)(CUfunction function, CUsharedconfig config);
#define PFN_cuFuncSetSharedMemConfig PFN_cuFuncSetSharedMemConfig_v4020
typedef CUresult(CUDAAPI* PFN_cuFuncGetModule_v11000)(CUmodule* module, CUfunction function);
#define PFN_cuFuncGetModule PFN_cuFuncGetModule_v11000
typedef CUresult(CUDAAPI* PFN_cuFuncGetName_v12030)(const char** name, CUfunction function);
#define PFN_cuFuncGetName PFN_cuFuncGetName_v12030
typedef CUresult(CUDAAPI* PFN_cuFuncGetParamInfo_v12040)(
    CUfunction function, size_t index, size_t* offset, size_t* bytes);
#define PFN_cuFuncGetParamInfo PFN_cuFuncGetParamInfo_v12040
typedef CUresult(CUDAAPI* PFN_cuFuncIsLoaded_v12040)(CUfunctionLoadingState* state, CUfunction function);
#define PFN_cuFuncIsLoaded PFN_cuFuncIsLoaded_v12040
typedef CUresult(CUDAAPI* PFN_cuFuncLoad_v12040)(CUfunction function);
#define PFN_cuFuncLoad PFN_cuFuncLoad_v12040
typedef CUresult(CUDAAPI* PFN_cuLaunchKernel_v4000)(
    CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
    unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, CUstream stream, void** arguments,
    void** extra);
#define PFN_cuLaunchKernel PFN_cuLaunchKernel_v4000
typedef CUresult(CUDAAPI* PFN_cuLaunchKernelEx_v11060)(
    const CUlaunchConfig* config, CUfunction function, void** arguments, void** extra);
#define PFN_cuLaunchKernelEx PFN_cuLaunchKernelEx_v11060
typedef CUresult(CUDAAPI* PFN_cuLaunchCooperativeKernel_v9000)(
    CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
    unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, CUstream stream, void** arguments);
#define PFN_cuLaunchCooperativeKernel PFN_cuLaunchCooperativeKernel_v9000
typedef CUresult(CUDAAPI* PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050)(
    int* blocks, CUfunction function, int block_size, size_t dynamic_shared_bytes);
#define PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050
typedef CUresult(CUDAAPI* PFN_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_v7000)(
    int* blocks, CUfunction function, int block_size, size_t dynamic_shared_bytes, unsigned int flags);
#define PFN_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags PFN_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_v7000
typedef CUresult(CUDAAPI* PFN_cuOccupancyMaxPotentialBlockSize_v6050)(
    int* grid_size, int* block_size, CUfunction function, CUoccupancyB2DSize shared_bytes, size_t dynamic_shared_bytes,
    int block_limit);
#define PFN_cuOccupancyMaxPotentialBlockSize PFN_cuOccupancyMaxPotentialBlockSize_v6050
typedef CUresult(CUDAAPI* PFN_cuOccupancyMaxPotentialBlockSizeWithFlags_v7000)(
    int* grid_size, int* block_size, CUfunction function, CUoccupancyB2DSize shared_bytes, size_t dynamic_shared_bytes,
    int block_limit, unsigned int flags);
#define PFN_cuOccupancyMaxPotentialBlockSizeWithFlags PFN_cuOccupancyMaxPotentialBlockSizeWithFlags_v7000
typedef CUresult(CUDAAPI* PFN_cuOccupancyAvailableDynamicSMemPerBlock_v10020)(
    size_t* bytes, CUfunction function, int blocks, int block_size);
#define PFN_cuOccupancyAvailableDynamicSMemPerBlock PFN_cuOccupancyAvailableDynamicSMemPerBlock_v10020

// ---- graphs
typedef CUresult(CUDAAPI* PFN_cuGraphCreate_v10000)(CUgraph* graph, unsigned int flags);
#define PFN_cuGraphCreate PFN_cuGraphCreate_v10000
typedef CUresult(CUDAAPI* PFN_cuGraphDestroy_v10000)(CUgraph graph);
#define PFN_cuGraphDestroy PFN_cuGraphDestroy_v10000
typedef CUresult(CUDAAPI* PFN_cuUserObjectCreate_v11030)(CUuserObject* object, void* data, CUhostFn destroy,
                                                          unsigned int references, unsigned int flags);
#define PFN_cuUserObjectCreate PFN_cuUserObjectCreate_v11030
typedef CUresult(CUDAAPI* PFN_cuUserObjectRetain_v11030)(CUuserObject object, unsigned int references);
#define PFN_cuUserObjectRetain PFN_cuUserObjectRetain_v11030
typedef CUresult(CUDAAPI* PFN_cuUserObjectRelease_v11030)(CUuserObject object, unsigned int references);
#define PFN_cuUserObjectRelease PFN_cuUserObjectRelease_v11030
typedef CUresult(CUDAAPI* PFN_cuGraphRetainUserObject_v11030)(CUgraph graph, CUuserObject object,
                                                               unsigned int references, unsigned int flags);
#define PFN_cuGraphRetainUserObject PFN_cuGraphRetainUserObject_v11030
typedef CUresult(CUDAAPI* PFN_cuGraphReleaseUserObject_v11030)(CUgraph graph, CUuserObject object,
                                                                unsigned int references);
#define PFN_cuGraphReleaseUserObject PFN_cuGraphReleaseUserObject_v11030
typedef CUresult(CUDAAPI* PFN_cuGraphInstantiateWithParams_v12000)(CUgraphExec* exec, CUgraph graph,
                                                                    CUDA_GRAPH_INSTANTIATE_PARAMS* parameters);
#define PFN_cuGraphInstantiateWithParams PFN_cuGraphInstantiateWithParams_v12000
typedef CUresult(CUDAAPI* PFN_cuGraphClone_v10000)(CUgraph* clone, CUgraph graph);
#define PFN_cuGraphClone PFN_cuGraphClone_v10000
typedef CUresult(CUDAAPI* PFN_cuGraphAddKernelNode_v12000)(
    CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
    const CUDA_KERNEL_NODE_PARAMS* parameters);
#define PFN_cuGraphAddKernelNode PFN_cuGraphAddKernelNode_v12000
typedef CUresult(CUDAAPI* PFN_cuGraphAddMemcpyNode_v10000)(
    CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count, const CUDA_MEMCPY3D* copy,
    CUcontext context);
#define PFN_cuGraphAddMemcpyNode PFN_cuGraphAddMemcpyNode_v10000
typedef CUresult(CUDAAPI* PFN_cuGraphAddMemsetNode_v10000)(
    CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count, const CUDA_MEMSET_NODE_PARAMS* parameters,
    CUcontext context);
#define PFN_cuGraphAddMemsetNode PFN_cuGraphAddMemsetNode_v10000
typedef CUresult(CUDAAPI* PFN_cuGraphAddHostNode_v10000)(
    CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count, const CUDA_HOST_NODE_PARAMS* parameters);
#define PFN_cuGraphAddHostNode PFN_cuGraphAddHostNode_v10000
typedef CUresult(CUDAAPI* PFN_cuGraphAddChildGraphNode_v10000)(
    CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count, CUgraph child);
#define PFN_cuGraphAddChildGraphNode PFN_cuGraphAddChildGraphNode_v10000
typedef CUresult(CUDAAPI* PFN_cuGraphAddEmptyNode_v10000)(
    CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count);
#define PFN_cuGraphAddEmptyNode PFN_cuGraphAddEmptyNode_v10000
typedef CUresult(CUDAAPI* PFN_cuGraphAddDependencies_v12030)(
    CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData* edges, size_t count);
#define PFN_cuGraphAddDependencies PFN_cuGraphAddDependencies_v12030
typedef CUresult(CUDAAPI* PFN_cuGraphNodeGetType_v10000)(CUgraphNode node, CUgraphNodeType* type);
#define PFN_cuGraphNodeGetType PFN_cuGraphNodeGetType_v10000
typedef CUresult(CUDAAPI* PFN_cuGraphGetNodes_v10000)(CUgraph graph, CUgraphNode* nodes, size_t* count);
#define PFN_cuGraphGetNodes PFN_cuGraphGetNodes_v10000
typedef CUresult(CUDAAPI* PFN_cuGraphGetRootNodes_v10000)(CUgraph graph, CUgraphNode* nodes, size_t* count);
#define PFN_cuGraphGetRootNodes PFN_cuGraphGetRootNodes_v10000
typedef CUresult(CUDAAPI* PFN_cuGraphInstantiate_v12000)(CUgraphExec* exec, CUgraph graph, unsigned long long flags);
#define PFN_cuGraphInstantiate PFN_cuGraphInstantiate_v12000
typedef CUresult(CUDAAPI* PFN_cuGraphInstantiateWithFlags_v11040)(
    CUgraphExec* exec, CUgraph graph, unsigned long long flags);
#define PFN_cuGraphInstantiateWithFlags PFN_cuGraphInstantiateWithFlags_v11040
typedef CUresult(CUDAAPI* PFN_cuGraphUpload_v11010)(CUgraphExec exec, CUstream stream);
#define PFN_cuGraphUpload PFN_cuGraphUpload_v11010
typedef CUresult(CUDAAPI* PFN_cuGraphLaunch_v10000)(CUgraphExec exec, CUstream stream);
#define PFN_cuGraphLaunch PFN_cuGraphLaunch_v10000
typedef CUresult(CUDAAPI* PFN_cuGraphExecDestroy_v10000)(CUgraphExec exec);
#define PFN_cuGraphExecDestroy PFN_cuGraphExecDestroy_v10000
typedef CUresult(CUDAAPI* PFN_cuGraphExecKernelNodeSetParams_v12000)(
    CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* parameters);
#define PFN_cuGraphExecKernelNodeSetParams PFN_cuGraphExecKernelNodeSetParams_v12000
typedef CUresult(CUDAAPI* PFN_cuGraphExecUpdate_v12000)(
    CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* result);
#define PFN_cuGraphExecUpdate PFN_cuGraphExecUpdate_v12000
typedef CUresult(CUDAAPI* PFN_cuGraphKernelNodeSetAttribute_v11000)(
    CUgraphNode node, CUkernelNodeAttrID attribute, const CUkernelNodeAttrValue* value);
#define PFN_cuGraphKernelNodeSetAttribute PFN_cuGraphKernelNodeSetAttribute_v11000

// ---- green contexts and tensor maps, which are refused
typedef CUresult(CUDAAPI* PFN_cuGreenCtxCreate_v12040)(
    CUgreenCtx* context, CUdevResourceDesc description, CUdevice device, unsigned int flags);
#define PFN_cuGreenCtxCreate PFN_cuGreenCtxCreate_v12040
typedef CUresult(CUDAAPI* PFN_cuGreenCtxDestroy_v12040)(CUgreenCtx context);
#define PFN_cuGreenCtxDestroy PFN_cuGreenCtxDestroy_v12040
typedef CUresult(CUDAAPI* PFN_cuCtxFromGreenCtx_v12040)(CUcontext* context, CUgreenCtx green);
#define PFN_cuCtxFromGreenCtx PFN_cuCtxFromGreenCtx_v12040
typedef CUresult(CUDAAPI* PFN_cuGreenCtxGetId_v12090)(CUgreenCtx context, unsigned long long* id);
#define PFN_cuGreenCtxGetId PFN_cuGreenCtxGetId_v12090
typedef CUresult(CUDAAPI* PFN_cuTensorMapEncodeTiled_v12000)(
    CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address, const cuuint64_t* dimensions,
    const cuuint64_t* strides, const cuuint32_t* box, const cuuint32_t* element_strides,
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill);
#define PFN_cuTensorMapEncodeTiled PFN_cuTensorMapEncodeTiled_v12000

// ---- profiler
typedef CUresult(CUDAAPI* PFN_cuProfilerStart_v4000)(void);
#define PFN_cuProfilerStart PFN_cuProfilerStart_v4000
typedef CUresult(CUDAAPI* PFN_cuProfilerStop_v4000)(void);
#define PFN_cuProfilerStop PFN_cuProfilerStop_v4000
