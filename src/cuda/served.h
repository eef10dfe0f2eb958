// The runtime's functions that the driver's are made of. Whoever defines one includes this, so that the two agree.
#pragma once
#include "cuda/abi.h"
#include "cuda/graph.h"

namespace warplens::cuda {

struct Pool;

// texture.cpp
WL_API wl_cudaCreateTextureObject(uint64_t* out, const ResourceDesc* resource, const TextureDesc* texture,
                                  const ResourceViewDesc* view);
WL_API wl_cudaDestroyTextureObject(uint64_t handle);
WL_API wl_cudaGetTextureObjectResourceDesc(ResourceDesc* out, uint64_t handle);
WL_API wl_cudaGetTextureObjectTextureDesc(TextureDesc* out, uint64_t handle);
WL_API wl_cudaGetTextureObjectResourceViewDesc(ResourceViewDesc* out, uint64_t handle);
WL_API wl_cudaCreateSurfaceObject(uint64_t* out, const ResourceDesc* resource);
WL_API wl_cudaDestroySurfaceObject(uint64_t handle);
WL_API wl_cudaGetSurfaceObjectResourceDesc(ResourceDesc* out, uint64_t handle);
WL_API wl_cudaDeviceGetTexture1DLinearMaxWidth(size_t* out, const ChannelDesc* desc, int device);

// memory.cpp
WL_API wl_cudaMalloc(void** out, size_t bytes);
WL_API wl_cudaMallocAsync(void** out, size_t bytes, StreamHandle stream);
WL_API wl_cudaMallocFromPoolAsync(void** out, size_t bytes, Pool* pool, StreamHandle stream);
WL_API wl_cudaFree(void* pointer);
WL_API wl_cudaFreeAsync(void* pointer, StreamHandle stream);
WL_API wl_cudaMallocManaged(void** out, size_t bytes, unsigned flags);
WL_API wl_cudaMallocPitch(void** out, size_t* pitch, size_t width, size_t height);
WL_API wl_cudaHostAlloc(void** out, size_t bytes, unsigned flags);
WL_API wl_cudaFreeHost(void* pointer);
WL_API wl_cudaHostRegister(void* pointer, size_t bytes, unsigned flags);
WL_API wl_cudaHostUnregister(void* pointer);
WL_API wl_cudaHostGetDevicePointer(void** out, void* host, unsigned flags);
WL_API wl_cudaHostGetFlags(unsigned* flags, void* host);
WL_API wl_cudaMemGetInfo(size_t* free_bytes, size_t* total);
WL_API wl_cudaMemPrefetchAsync(const void* pointer, size_t bytes);
WL_API wl_cudaMemAdvise(const void* pointer, size_t bytes);
WL_API wl_cudaStreamAttachMemAsync(StreamHandle stream, void* pointer, size_t bytes, unsigned flags);
// pool.cpp
WL_API wl_cudaDeviceGetDefaultMemPool(Pool** out, int device);
WL_API wl_cudaDeviceGetMemPool(Pool** out, int device);
WL_API wl_cudaDeviceSetMemPool(int device, Pool* pool);
WL_API wl_cudaMemPoolCreate(Pool** out, const void* properties);
WL_API wl_cudaMemPoolDestroy(Pool* pool);
WL_API wl_cudaMemPoolTrimTo(Pool* pool, size_t bytes);
WL_API wl_cudaMemPoolSetAccess(Pool* pool, const void* accesses, size_t count);
WL_API wl_cudaMemPoolGetAccess(int* out, Pool* pool, const void* location);
WL_API wl_cudaMemPoolSetAttribute(Pool* pool, int attribute, void* value);
WL_API wl_cudaMemPoolGetAttribute(Pool* pool, int attribute, void* value);
// array.cpp
WL_API wl_cudaMalloc3DArray(Array** out, const ChannelDesc* desc, Extent extent, unsigned flags);
// copy.cpp
WL_API wl_cudaMemcpy(void* target, const void* source, size_t bytes, int kind);
WL_API wl_cudaMemcpyAsync(void* target, const void* source, size_t bytes, int kind, StreamHandle stream);
WL_API wl_cudaMemcpy3D(const Memcpy3DParams* params);
WL_API wl_cudaMemcpyPeer(void* target, int target_device, const void* source, int source_device, size_t bytes);
WL_API wl_cudaMemcpy3DAsync(const Memcpy3DParams* params, StreamHandle stream);
// stream.cpp
WL_API wl_cudaStreamCreateWithFlags(StreamHandle* out, unsigned flags);
WL_API wl_cudaStreamCreateWithPriority(StreamHandle* out, unsigned flags, int priority);
WL_API wl_cudaStreamDestroy(StreamHandle stream);
WL_API wl_cudaStreamSynchronize(StreamHandle stream);
WL_API wl_cudaStreamQuery(StreamHandle stream);
WL_API wl_cudaDeviceSynchronize();
WL_API wl_cudaStreamGetFlags(StreamHandle stream, unsigned* out);
WL_API wl_cudaStreamGetPriority(StreamHandle stream, int* out);
WL_API wl_cudaStreamGetId(StreamHandle stream, unsigned long long* out);
WL_API wl_cudaStreamGetDevice(StreamHandle stream, int* out);
WL_API wl_cudaStreamSetAttribute(StreamHandle stream, int attribute, const void* value);
WL_API wl_cudaStreamCopyAttributes(StreamHandle target, StreamHandle source);
WL_API wl_cudaThreadExchangeStreamCaptureMode(int* mode);
WL_API wl_cudaStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned flags);
WL_API wl_cudaLaunchHostFunc(StreamHandle stream, void (*function)(void*), void* data);
WL_API wl_cudaStreamAddCallback(StreamHandle stream, void (*function)(StreamHandle, int, void*), void* data,
                                unsigned flags);
WL_API wl_cudaDeviceGetStreamPriorityRange(int* lowest, int* highest);
WL_API wl_cudaEventCreateWithFlags(EventHandle* out, unsigned flags);
WL_API wl_cudaEventDestroy(EventHandle event);
WL_API wl_cudaEventRecord(EventHandle event, StreamHandle stream);
WL_API wl_cudaEventSynchronize(EventHandle event);
WL_API wl_cudaEventQuery(EventHandle event);
WL_API wl_cudaEventElapsedTime(float* milliseconds, EventHandle from, EventHandle to);
// device.cpp
WL_API wl_cudaDriverGetVersion(int* out);
WL_API wl_cudaDeviceGetAttribute(int* out, int number, int device);
WL_API wl_cudaDeviceGetPCIBusId(char* out, int length, int device);
WL_API wl_cudaDeviceGetByPCIBusId(int* out, const char* id);
WL_API wl_cudaDeviceGetP2PAttribute(int* out, int attribute, int device, int peer);
WL_API wl_cudaDeviceCanAccessPeer(int* out, int device, int peer);
WL_API wl_cudaDeviceSetLimit(int limit, size_t value);
WL_API wl_cudaDeviceGetLimit(size_t* out, int limit);
WL_API wl_cudaDeviceSetCacheConfig(int preference);
WL_API wl_cudaDeviceGetCacheConfig(int* out);
WL_API wl_cudaDeviceSetSharedMemConfig(int banks);
WL_API wl_cudaDeviceGetSharedMemConfig(int* out);
WL_API wl_cudaCtxResetPersistingL2Cache();
WL_API wl_cudaProfilerStart();
WL_API wl_cudaProfilerStop();
// function.cpp
WL_API wl_cudaFuncGetAttributes_v12(FuncAttributes* out, const void* function);
WL_API wl_cudaFuncSetAttribute(const void* function, int attribute, int value);
WL_API wl_cudaFuncSetCacheConfig(const void* function, int preference);
WL_API wl_cudaFuncSetSharedMemConfig(const void* function, int banks);
WL_API wl_cudaFuncGetName(const char** out, const void* function);
WL_API wl_cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* bytes);
WL_API wl_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* out, const void* function, int threads,
                                                                 size_t dynamic_shared, unsigned flags);
WL_API wl_cudaOccupancyAvailableDynamicSMemPerBlock(size_t* out, const void* function, int blocks, int threads);
// launch.cpp
WL_API wl_cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                           StreamHandle stream);
WL_API wl_cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                                      StreamHandle stream);
WL_API wl_cudaLaunchKernelExC(const LaunchConfigEx* config, const void* function, void** arguments);
// graph.cpp
WL_API wl_cudaGraphCreate(Graph** out, unsigned flags);
WL_API wl_cudaGraphDestroy(Graph* graph);
WL_API wl_cudaGraphClone(Graph** out, Graph* graph);
WL_API wl_cudaGraphNodeFindInClone(Node** out, Node* original, Graph* clone);
WL_API wl_cudaGraphInstantiateWithFlags(GraphExec** out, Graph* graph, unsigned long long flags);
WL_API wl_cudaGraphInstantiate(GraphExec** out, Graph* graph);
WL_API wl_cudaGraphInstantiateWithParams(GraphExec** out, Graph* graph, InstantiateParams* params);
WL_API wl_cudaGraphExecDestroy(GraphExec* exec);
WL_API wl_cudaGraphExecGetFlags(GraphExec* exec, unsigned long long* out);
WL_API wl_cudaGraphUpload(GraphExec* exec, StreamHandle);
WL_API wl_cudaGraphExecUpdate_v11(GraphExec* exec, Graph* graph, Node** error_node, int* result);
WL_API wl_cudaGraphExecUpdate_v12(GraphExec* exec, Graph* graph, UpdateResult* out);
WL_API wl_cudaGraphLaunch(GraphExec* exec, StreamHandle stream);
// graph_nodes.cpp
WL_API wl_cudaGraphAddNode(Node** out, Graph* graph, Node* const* after, size_t count, NodeParams* p);
WL_API wl_cudaGraphAddNode_v13(Node** out, Graph* graph, Node* const* after, const void* edges, size_t count,
                               NodeParams* p);
WL_API wl_cudaGraphAddKernelNode(Node** out, Graph* graph, Node* const* after, size_t count, const KernelParams* p);
WL_API wl_cudaGraphAddMemcpyNode(Node** out, Graph* graph, Node* const* after, size_t count, const Memcpy3DParams* p);
WL_API wl_cudaGraphAddMemcpyNode1D(Node** out, Graph* graph, Node* const* after, size_t count, void* target,
                                   const void* source, size_t bytes, int kind);
WL_API wl_cudaGraphAddMemcpyNodeToSymbol(Node** out, Graph* graph, Node* const* after, size_t count, const void* symbol,
                                         const void* source, size_t bytes, size_t offset, int kind);
WL_API wl_cudaGraphAddMemcpyNodeFromSymbol(Node** out, Graph* graph, Node* const* after, size_t count, void* target,
                                           const void* symbol, size_t bytes, size_t offset, int kind);
WL_API wl_cudaGraphAddMemsetNode(Node** out, Graph* graph, Node* const* after, size_t count, const MemsetParams* p);
WL_API wl_cudaGraphAddHostNode(Node** out, Graph* graph, Node* const* after, size_t count, const HostParams* p);
WL_API wl_cudaGraphAddEmptyNode(Node** out, Graph* graph, Node* const* after, size_t count);
WL_API wl_cudaGraphAddChildGraphNode(Node** out, Graph* graph, Node* const* after, size_t count, Graph* child);
WL_API wl_cudaGraphAddEventRecordNode(Node** out, Graph* graph, Node* const* after, size_t count, EventHandle event);
WL_API wl_cudaGraphAddEventWaitNode(Node** out, Graph* graph, Node* const* after, size_t count, EventHandle event);
WL_API wl_cudaGraphAddMemAllocNode(Node** out, Graph* graph, Node* const* after, size_t count, MemAllocParams* p);
WL_API wl_cudaGraphAddMemFreeNode(Node** out, Graph* graph, Node* const* after, size_t count, void* address);
WL_API wl_cudaGraphDestroyNode(Node* node);
WL_API wl_cudaGraphKernelNodeGetParams(Node* node, KernelParams* out);
WL_API wl_cudaGraphMemcpyNodeGetParams(Node* node, Memcpy3DParams* out);
WL_API wl_cudaGraphMemsetNodeGetParams(Node* node, MemsetParams* out);
WL_API wl_cudaGraphHostNodeGetParams(Node* node, HostParams* out);
WL_API wl_cudaGraphEventRecordNodeGetEvent(Node* node, EventHandle* out);
WL_API wl_cudaGraphEventWaitNodeGetEvent(Node* node, EventHandle* out);
WL_API wl_cudaGraphChildGraphNodeGetGraph(Node* node, Graph** out);
WL_API wl_cudaGraphMemAllocNodeGetParams(Node* node, MemAllocParams* out);
WL_API wl_cudaGraphMemFreeNodeGetParams(Node* node, void** out);
WL_API wl_cudaGraphNodeSetParams(Node* node, const NodeParams* p);
WL_API wl_cudaGraphKernelNodeSetParams(Node* node, const KernelParams* p);
WL_API wl_cudaGraphMemcpyNodeSetParams(Node* node, const Memcpy3DParams* p);
WL_API wl_cudaGraphMemcpyNodeSetParams1D(Node* node, void* target, const void* source, size_t bytes, int kind);
WL_API wl_cudaGraphMemcpyNodeSetParamsToSymbol(Node* node, const void* symbol, const void* source, size_t bytes,
                                               size_t offset, int kind);
WL_API wl_cudaGraphMemcpyNodeSetParamsFromSymbol(Node* node, void* target, const void* symbol, size_t bytes,
                                                 size_t offset, int kind);
WL_API wl_cudaGraphMemsetNodeSetParams(Node* node, const MemsetParams* p);
WL_API wl_cudaGraphHostNodeSetParams(Node* node, const HostParams* p);
WL_API wl_cudaGraphEventRecordNodeSetEvent(Node* node, EventHandle event);
WL_API wl_cudaGraphEventWaitNodeSetEvent(Node* node, EventHandle event);
WL_API wl_cudaGraphExecNodeSetParams(GraphExec* exec, Node* node, const NodeParams* p);
WL_API wl_cudaGraphExecKernelNodeSetParams(GraphExec* exec, Node* node, const KernelParams* p);
WL_API wl_cudaGraphExecMemcpyNodeSetParams(GraphExec* exec, Node* node, const Memcpy3DParams* p);
WL_API wl_cudaGraphExecMemcpyNodeSetParams1D(GraphExec* exec, Node* node, void* target, const void* source,
                                             size_t bytes, int kind);
WL_API wl_cudaGraphExecMemcpyNodeSetParamsToSymbol(GraphExec* exec, Node* node, const void* symbol, const void* source,
                                                   size_t bytes, size_t offset, int kind);
WL_API wl_cudaGraphExecMemcpyNodeSetParamsFromSymbol(GraphExec* exec, Node* node, void* target, const void* symbol,
                                                     size_t bytes, size_t offset, int kind);
WL_API wl_cudaGraphExecMemsetNodeSetParams(GraphExec* exec, Node* node, const MemsetParams* p);
WL_API wl_cudaGraphExecHostNodeSetParams(GraphExec* exec, Node* node, const HostParams* p);
WL_API wl_cudaGraphExecChildGraphNodeSetParams(GraphExec* exec, Node* node, Graph* child);
WL_API wl_cudaGraphExecEventRecordNodeSetEvent(GraphExec* exec, Node* node, EventHandle event);
WL_API wl_cudaGraphExecEventWaitNodeSetEvent(GraphExec* exec, Node* node, EventHandle event);
WL_API wl_cudaGraphNodeSetEnabled(GraphExec* exec, Node* node, unsigned enabled);
WL_API wl_cudaGraphNodeGetEnabled(GraphExec* exec, Node* node, unsigned* out);
WL_API wl_cudaGraphKernelNodeSetAttribute(Node* node, int attribute, const AttributeValue* value);
WL_API wl_cudaGraphKernelNodeGetAttribute(Node* node, int attribute, AttributeValue* out);
WL_API wl_cudaGraphKernelNodeCopyAttributes(Node* target, Node* source);
// graph_shape.cpp
WL_API wl_cudaGraphGetNodes(Graph* graph, Node** out, size_t* count);
WL_API wl_cudaGraphGetRootNodes(Graph* graph, Node** out, size_t* count);
WL_API wl_cudaGraphNodeGetType(const Node* node, int* out);
WL_API wl_cudaGraphGetEdges(Graph* graph, Node** from, Node** to, size_t* count);
WL_API wl_cudaGraphGetEdges_v13(Graph* graph, Node** from, Node** to, EdgeData* edges, size_t* count);
WL_API wl_cudaGraphNodeGetDependencies_v13(Node* node, Node** out, EdgeData* edges, size_t* count);
WL_API wl_cudaGraphNodeGetDependencies(Node* node, Node** out, size_t* count);
WL_API wl_cudaGraphNodeGetDependentNodes_v13(Node* node, Node** out, EdgeData* edges, size_t* count);
WL_API wl_cudaGraphNodeGetDependentNodes(Node* node, Node** out, size_t* count);
WL_API wl_cudaGraphAddDependencies_v12(Graph* graph, Node* const* from, Node* const* to, size_t count);
WL_API wl_cudaGraphAddDependencies_v13(Graph* graph, Node* const* from, Node* const* to, const void* edge_data,
                                       size_t count);
WL_API wl_cudaGraphRemoveDependencies(Graph* graph, Node* const* from, Node* const* to, size_t count);
WL_API wl_cudaGraphRemoveDependencies_v13(Graph* graph, Node* const* from, Node* const* to, const void* edge_data,
                                          size_t count);
WL_API wl_cudaGraphDebugDotPrint(Graph* graph, const char* path, unsigned flags);
// graph_memory.cpp
WL_API wl_cudaDeviceGetGraphMemAttribute(int device, int attribute, void* out);
WL_API wl_cudaDeviceSetGraphMemAttribute(int device, int attribute, void* value);
WL_API wl_cudaDeviceGraphMemTrim(int device);
// capture.cpp
WL_API wl_cudaStreamBeginCapture(StreamHandle stream, int mode);
WL_API wl_cudaStreamBeginCaptureToGraph(StreamHandle stream, Graph* graph, Node* const* after, const void* edges,
                                        size_t count, int mode);
WL_API wl_cudaStreamEndCapture(StreamHandle stream, Graph** out);
WL_API wl_cudaStreamIsCapturing(StreamHandle stream, int* status);
WL_API wl_cudaStreamGetCaptureInfo(StreamHandle stream, int* status, unsigned long long* id);
WL_API wl_cudaStreamGetCaptureInfo_v2(StreamHandle stream, int* status, unsigned long long* id, Graph** graph,
                                      Node* const** tips, size_t* count);
WL_API wl_cudaStreamGetCaptureInfo_v3(StreamHandle stream, int* status, unsigned long long* id, Graph** graph,
                                      Node* const** tips, const void** edges, size_t* count);
WL_API wl_cudaStreamUpdateCaptureDependencies(StreamHandle stream, Node* const* nodes, size_t count, unsigned flags);
WL_API wl_cudaStreamUpdateCaptureDependencies_v13(StreamHandle stream, Node* const* nodes, const void* edges,
                                                  size_t count, unsigned flags);
// user_object.cpp
WL_API wl_cudaUserObjectCreate(UserObject** out, void* data, UserObject::Destroy destroy, unsigned count,
                               unsigned flags);
WL_API wl_cudaUserObjectRetain(UserObject* object, unsigned count);
WL_API wl_cudaUserObjectRelease(UserObject* object, unsigned count);
WL_API wl_cudaGraphRetainUserObject(Graph* graph, UserObject* object, unsigned count, unsigned flags);
WL_API wl_cudaGraphReleaseUserObject(Graph* graph, UserObject* object, unsigned count);

}  // namespace warplens::cuda
