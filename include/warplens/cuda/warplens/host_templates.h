// What the runtime API adds for C++: typed pointers, symbols by name, kernels as function pointers.
#pragma once
#pragma GCC system_header
#if defined(__cplusplus)

template <typename T>
static inline cudaError_t cudaMalloc(T** pointer, size_t bytes) {
  return ::cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
template <typename T>
static inline cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height) {
  return ::cudaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
}
template <typename T>
static inline cudaError_t cudaMallocManaged(T** pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <typename T>
static inline cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned int flags = cudaHostAllocDefault) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <typename T>
static inline cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned int flags) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <typename T>
static inline cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned int flags) {
  return ::cudaHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags);
}
template <typename T>
static inline cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t stream) {
  return ::cudaMallocAsync(reinterpret_cast<void**>(pointer), bytes, stream);
}

template <typename T>
static inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* source, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol(static_cast<const void*>(&symbol), source, bytes, offset, kind);
}
template <typename T>
static inline cudaError_t cudaMemcpyFromSymbol(void* target, const T& symbol, size_t bytes, size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(target, static_cast<const void*>(&symbol), bytes, offset, kind);
}
template <typename T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* source, size_t bytes, size_t offset,
                                                  cudaMemcpyKind kind, cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync(static_cast<const void*>(&symbol), source, bytes, offset, kind, stream);
}
template <typename T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void* target, const T& symbol, size_t bytes, size_t offset,
                                                    cudaMemcpyKind kind, cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(target, static_cast<const void*>(&symbol), bytes, offset, kind, stream);
}
template <typename T>
static inline cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
  return ::cudaGetSymbolAddress(pointer, static_cast<const void*>(&symbol));
}
template <typename T>
static inline cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol) {
  return ::cudaGetSymbolSize(bytes, static_cast<const void*>(&symbol));
}

static inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}
template <typename F>
static inline cudaError_t cudaLaunchKernel(F* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes = 0,
                                           cudaStream_t stream = 0) {
  return ::cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared_bytes, stream);
}
template <typename F>
static inline cudaError_t cudaLaunchCooperativeKernel(F* kernel, dim3 grid, dim3 block, void** arguments,
                                                      size_t shared_bytes = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared_bytes,
                                       stream);
}
template <typename F>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, F* kernel) {
  return ::cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(kernel));
}
template <typename F>
static inline cudaError_t cudaFuncSetAttribute(F* kernel, cudaFuncAttribute attribute, int value) {
  return ::cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
template <typename F>
static inline cudaError_t cudaFuncSetCacheConfig(F* kernel, cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig(reinterpret_cast<const void*>(kernel), config);
}
template <typename F>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F* kernel, int block_size,
                                                                        size_t dynamic_shared_bytes) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void*>(kernel), block_size,
                                                         dynamic_shared_bytes);
}

static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  return cudaExtent{width, height, depth};
}
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return cudaPos{x, y, z}; }
static inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t width, size_t height) {
  return cudaPitchedPtr{pointer, pitch, width, height};
}

#endif
