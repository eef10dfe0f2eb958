// What the CUDA runtime answers to right and wrong calls, one line a call. Each case runs in its own process, because
// some leave a process's context unusable. tests/api/error_semantics.h200.txt holds what an H200 with driver 580
// printed; Warplens must print the same. Build: nvcc -arch=sm_80 -cudart shared error_semantics.cu
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cassert>

__device__ int counter = 7;
__constant__ float table[16];
__managed__ int shared_with_host = 3;

__global__ void nothing() {}
__global__ void store(int* out, int value) { out[threadIdx.x] = value; }
__global__ void store_at(char* base, long offset) { *(int*)(base + offset) = 1; }
__global__ void traps() { __trap(); }
__global__ void asserts(int n) { assert(n == 0); }
__global__ __launch_bounds__(128) void bounded(int* out) { out[threadIdx.x] = 1; }
__global__ void static_shared(int* out) {
  __shared__ int tile[10240];  // 40 KiB
  tile[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
__global__ void dynamic_shared(int* out) {
  extern __shared__ int window[];
  window[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = window[blockDim.x - 1 - threadIdx.x];
}
__global__ void shared_past_end(int* out, int i) {
  __shared__ int tile[32];
  tile[threadIdx.x + i] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void bump() { counter += 1; }

static void say(const char* what, cudaError_t e) {
  printf("%s: %d %s\n", what, (int)e, cudaGetErrorName(e));
  fflush(stdout);
}
#define SAY(call) say(#call, call)
#define LAUNCH(...)                        \
  do {                                     \
    __VA_ARGS__;                           \
    say(#__VA_ARGS__, cudaGetLastError()); \
  } while (0)

static void launches() {
  int* d;
  cudaMalloc(&d, 1 << 20);
  LAUNCH(nothing<<<1, 1024>>>());
  LAUNCH(nothing<<<1, 1025>>>());
  SAY(cudaGetLastError());
  SAY(cudaDeviceSynchronize());
  LAUNCH(nothing<<<1, dim3(1024, 2)>>>());
  LAUNCH(nothing<<<1, dim3(1, 1, 64)>>>());
  LAUNCH(nothing<<<1, dim3(1, 1, 65)>>>());
  LAUNCH(nothing<<<1, 0>>>());
  LAUNCH(nothing<<<0, 1>>>());
  LAUNCH(nothing<<<dim3(1, 65535), 1>>>());
  LAUNCH(nothing<<<dim3(1, 65536), 1>>>());
  LAUNCH(nothing<<<dim3(1, 1, 65536), 1>>>());
  LAUNCH(nothing<<<0x80000000u, 1>>>());
  LAUNCH(bounded<<<1, 128>>>(d));
  LAUNCH(bounded<<<1, 129>>>(d));
  LAUNCH(dynamic_shared<<<1, 32, 48 * 1024>>>(d));
  LAUNCH(dynamic_shared<<<1, 32, 48 * 1024 + 1>>>(d));
  LAUNCH(static_shared<<<1, 32, 8 * 1024>>>(d));
  LAUNCH(static_shared<<<1, 32, 8 * 1024 + 1>>>(d));
  SAY(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  LAUNCH(dynamic_shared<<<1, 32, 227 * 1024>>>(d));
  LAUNCH(dynamic_shared<<<1, 32, 227 * 1024 + 1>>>(d));
  SAY(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024 + 1));
  SAY(cudaFuncSetAttribute(static_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 187 * 1024));
  SAY(cudaFuncSetAttribute(static_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 187 * 1024 + 1));
  SAY(cudaFuncSetAttribute(static_shared, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  SAY(cudaFuncSetAttribute(static_shared, (cudaFuncAttribute)77, 1));
  SAY(cudaGetLastError());
  void* no_arguments[1] = {0};
  SAY(cudaLaunchKernel((const void*)launches, dim3(1), dim3(1), no_arguments, 0, 0));
  SAY(cudaLaunchKernel((const void*)0, dim3(1), dim3(1), no_arguments, 0, 0));
  SAY(cudaLaunchKernel((const void*)nothing, dim3(1), dim3(2048), no_arguments, 0, 0));
  SAY(cudaMalloc(&d, 16));
  SAY(cudaPeekAtLastError());
  SAY(cudaGetLastError());
  SAY(cudaGetLastError());
  SAY(cudaDeviceSynchronize());
}

static void memory() {
  void *p = (void*)8, *q, *none = 0;
  size_t pitch = 0;
  char host[4096] = {0};
  SAY(cudaMalloc(&p, 0));
  printf("malloc(0) is null: %d\n", p == 0);
  SAY(cudaMalloc((void**)0, 16));
  SAY(cudaFree(0));
  SAY(cudaFree(host));
  SAY(cudaMalloc(&p, 4096));
  SAY(cudaMalloc(&q, 4096));
  printf("aligned: %d %d\n", (int)((size_t)p % 512), (int)((size_t)q % 512));
  SAY(cudaMalloc(&none, (size_t)1 << 50));
  SAY(cudaMemcpy(p, host, 4096, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(p, host, 0, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(0, host, 0, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(0, host, 16, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(host, p, 16, (cudaMemcpyKind)99));
  SAY(cudaMemcpy(host, p, 16, cudaMemcpyDefault));
  SAY(cudaMemcpy(host, host + 64, 16, cudaMemcpyHostToHost));
  SAY(cudaMemcpy(host, host + 64, 16, cudaMemcpyDefault));
  SAY(cudaMemcpy(host, p, 16, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(p, host, 16, cudaMemcpyDeviceToHost));
  SAY(cudaMemcpy(host, host + 64, 16, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpy(p, host, 16, cudaMemcpyHostToHost));
  SAY(cudaGetLastError());
  SAY(cudaMemset(p, 1, 4096));
  SAY(cudaMemset(0, 1, 0));
  SAY(cudaMemset(0, 1, 16));
  SAY(cudaMemset(host, 1, 16));
  SAY(cudaFree((char*)p + 512));
  SAY(cudaFree(p));
  SAY(cudaFree(p));
  SAY(cudaMallocPitch(&p, &pitch, 100, 10));
  printf("pitch of 100: %d\n", (int)pitch);
  SAY(cudaMallocPitch(&none, &pitch, 513, 10));
  printf("pitch of 513: %d\n", (int)pitch);
  SAY(cudaMallocPitch(&none, &pitch, 0, 10));
  SAY(cudaMemcpy2D(p, 512, host, 50, 100, 10, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2D(p, 512, host, 100, 100, 10, cudaMemcpyHostToDevice));
  SAY(cudaMemset2D(p, 512, 0, 513, 10));
  SAY(cudaMemset2D(p, 512, 0, 100, 10));
  SAY(cudaMallocManaged(&none, 64, 0));
  SAY(cudaMallocManaged(&none, 0));
  SAY(cudaMallocManaged(&none, 64));
  SAY(cudaFreeHost(0));
  SAY(cudaFreeHost(host));
  SAY(cudaMallocHost(&none, 100));
  SAY(cudaFree(none));
  SAY(cudaFreeHost(none));
  SAY(cudaMallocHost(&none, 0));
  SAY(cudaHostAlloc(&none, 100, 0x80));
  void* page = aligned_alloc(4096, 8192);
  SAY(cudaHostRegister(page, 8192, cudaHostRegisterDefault));
  SAY(cudaHostRegister(page, 8192, cudaHostRegisterDefault));
  SAY(cudaHostGetDevicePointer(&none, page, 0));
  SAY(cudaHostUnregister(page));
  SAY(cudaHostUnregister(page));
  SAY(cudaMallocAsync(&none, 100, 0));
  SAY(cudaFreeAsync(none, 0));
  SAY(cudaFreeAsync(0, 0));
}

static void past_the_end() {  // where an allocation's size decides
  char* p;
  char* host = (char*)calloc(1, 16 << 20);
  cudaMalloc((void**)&p, 4 << 20);
  SAY(cudaMemcpy(p, host, (4 << 20) + 1, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(host, p + (4 << 20) - 16, 17, cudaMemcpyDeviceToHost));
  SAY(cudaMemset(p, 0, (4 << 20) + 1));
  SAY(cudaGetLastError());
  cudaFree(p);
  SAY(cudaMemcpy(host, p, 16, cudaMemcpyDeviceToHost));
  SAY(cudaMemset(p, 0, 16));
}

static void pointers() {
  void *d, *pinned, *managed;
  int local = 0;
  cudaPointerAttributes a;
  cudaMalloc(&d, 4096);
  cudaMallocHost(&pinned, 4096);
  cudaMallocManaged(&managed, 4096);
  void* all[] = {d, (char*)d + 100, pinned, managed, &local, 0, &shared_with_host};
  const char* names[] = {"device", "inside device", "pinned", "managed", "host", "null", "managed variable"};
  for (int i = 0; i < 7; i++) {
    memset(&a, 0x55, sizeof a);
    cudaError_t e = cudaPointerGetAttributes(&a, all[i]);
    printf("attributes of %s: %d type %d device %d same device pointer %d same host pointer %d null host pointer %d\n",
           names[i], e, a.type, a.device, a.devicePointer == all[i], a.hostPointer == all[i], a.hostPointer == 0);
  }
  SAY(cudaPointerGetAttributes(0, d));
}

static void symbols() {
  int value = 0;
  float f[17] = {0};
  size_t size = 0;
  void* address = 0;
  SAY(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  printf("counter %d\n", value);
  LAUNCH(bump<<<1, 1>>>());
  SAY(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  printf("counter %d\n", value);
  SAY(cudaMemcpyToSymbol(table, f, 64));
  SAY(cudaMemcpyToSymbol(table, f, 68));
  SAY(cudaMemcpyToSymbol(table, f, 4, 64));
  SAY(cudaMemcpyToSymbol(table, f, 0, 64));
  SAY(cudaMemcpyToSymbol(table, f, 4, 0, cudaMemcpyDeviceToHost));
  SAY(cudaMemcpyToSymbol((const void*)f, f, 4));
  SAY(cudaGetSymbolSize(&size, table));
  printf("size %d\n", (int)size);
  SAY(cudaGetSymbolAddress(&address, counter));
  printf("address is null: %d\n", address == 0);
  SAY(cudaGetSymbolAddress(&address, (const void*)f));
  SAY(cudaMemcpy(&value, address, 0, cudaMemcpyDeviceToHost));
  printf("managed %d\n", shared_with_host);
}

static void devices() {
  int n = 0;
  cudaDeviceProp prop;
  SAY(cudaGetDeviceCount(&n));
  SAY(cudaGetDeviceCount(0));
  SAY(cudaSetDevice(0));
  SAY(cudaSetDevice(99));
  SAY(cudaSetDevice(-1));
  SAY(cudaGetDevice(&n));
  SAY(cudaGetDevice(0));
  SAY(cudaGetDeviceProperties(&prop, 99));
  SAY(cudaGetDeviceProperties(0, 0));
  SAY(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
  SAY(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)9999, 0));
  SAY(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 99));
  SAY(cudaDeviceCanAccessPeer(&n, 0, 0));
  printf("can access itself %d\n", n);
  SAY(cudaDeviceEnablePeerAccess(0, 0));
  SAY(cudaDeviceDisablePeerAccess(0));
  SAY(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  SAY(cudaSetDeviceFlags(0xffff));
  size_t bytes = 0, total = 0;
  SAY(cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
  printf("stack %d\n", (int)bytes);
  SAY(cudaDeviceGetLimit(&bytes, cudaLimitPrintfFifoSize));
  printf("printf %d\n", (int)bytes);
  SAY(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
  printf("heap %d\n", (int)bytes);
  SAY(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  SAY(cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
  printf("stack %d\n", (int)bytes);
  SAY(cudaDeviceSetLimit((cudaLimit)99, 4096));
  SAY(cudaMemGetInfo(&bytes, &total));
  SAY(cudaMemGetInfo(0, 0));
  SAY(cudaRuntimeGetVersion(&n));
  printf("runtime %d\n", n);
  SAY(cudaRuntimeGetVersion(0));
  SAY(cudaDeviceReset());
  SAY(cudaGetDeviceCount(&n));
  printf("%s|%s|%s\n", cudaGetErrorString((cudaError_t)700), cudaGetErrorString((cudaError_t)12345),
         cudaGetErrorName((cudaError_t)12345));
}

static int host_calls = 0, callback_status = -1;
static void host_function(void*) { host_calls++; }
static void callback(cudaStream_t, cudaError_t status, void*) { callback_status = status; }

static void streams_and_events() {
  cudaStream_t s;
  cudaEvent_t a, b, c;
  float ms = -1;
  int low = 9, high = 9, priority = 9;
  unsigned flags = 9;
  cudaStreamCaptureStatus capture;
  SAY(cudaStreamCreate(&s));
  SAY(cudaStreamCreate(0));
  SAY(cudaStreamCreateWithFlags(&s, 0xff));
  SAY(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  SAY(cudaStreamGetFlags(s, &flags));
  printf("flags %u\n", flags);
  SAY(cudaDeviceGetStreamPriorityRange(&low, &high));
  printf("priorities %d %d\n", low, high);
  SAY(cudaStreamCreateWithPriority(&s, cudaStreamDefault, -99));
  SAY(cudaStreamGetPriority(s, &priority));
  printf("priority %d\n", priority);
  SAY(cudaStreamIsCapturing(s, &capture));
  SAY(cudaStreamQuery(s));
  SAY(cudaStreamQuery(0));
  SAY(cudaStreamSynchronize(0));
  SAY(cudaEventCreate(&a));
  SAY(cudaEventCreate(&b));
  SAY(cudaEventCreate(0));
  SAY(cudaEventCreateWithFlags(&c, 0xff));
  SAY(cudaEventCreateWithFlags(&c, cudaEventDisableTiming));
  SAY(cudaEventQuery(a));
  SAY(cudaEventSynchronize(a));
  SAY(cudaEventElapsedTime(&ms, a, b));
  SAY(cudaEventRecord(0));
  SAY(cudaEventRecord(a, s));
  SAY(cudaEventElapsedTime(&ms, a, b));
  SAY(cudaEventRecord(b, s));
  SAY(cudaEventSynchronize(b));
  SAY(cudaEventElapsedTime(&ms, a, b));
  printf("elapsed at least 0: %d\n", ms >= 0);
  SAY(cudaEventElapsedTime(0, a, b));
  SAY(cudaEventRecord(c, s));
  SAY(cudaEventSynchronize(c));
  SAY(cudaEventElapsedTime(&ms, a, c));
  SAY(cudaEventSynchronize(0));
  SAY(cudaEventQuery(0));
  SAY(cudaStreamWaitEvent(s, a, 0));
  SAY(cudaStreamWaitEvent(s, 0, 0));
  SAY(cudaLaunchHostFunc(s, host_function, 0));
  SAY(cudaStreamSynchronize(s));
  printf("host functions called: %d\n", host_calls);
  SAY(cudaStreamAddCallback(s, callback, 0, 0));
  SAY(cudaStreamSynchronize(s));
  printf("callback's status: %d\n", callback_status);
  SAY(cudaStreamAddCallback(s, callback, 0, 1));
  SAY(cudaEventDestroy(a));
  SAY(cudaEventDestroy(0));
  SAY(cudaStreamDestroy(s));
  SAY(cudaStreamDestroy(0));
  SAY(cudaGetLastError());
}

static void functions() {
  cudaFuncAttributes f;
  int n = 0;
  SAY(cudaFuncGetAttributes(&f, static_shared));
  printf("static_shared: shared %d const %d local %d threads %d dynamic %d carveout %d\n", (int)f.sharedSizeBytes,
         (int)f.constSizeBytes, (int)f.localSizeBytes, f.maxThreadsPerBlock, f.maxDynamicSharedSizeBytes,
         f.preferredShmemCarveout);
  SAY(cudaFuncGetAttributes(&f, bounded));
  printf("bounded: shared %d threads %d dynamic %d\n", (int)f.sharedSizeBytes, f.maxThreadsPerBlock,
         f.maxDynamicSharedSizeBytes);
  SAY(cudaFuncGetAttributes(&f, (const void*)functions));
  SAY(cudaFuncGetAttributes(0, nothing));
  SAY(cudaFuncSetAttribute((const void*)functions, cudaFuncAttributeMaxDynamicSharedMemorySize, 100));
  SAY(cudaFuncSetCacheConfig(nothing, cudaFuncCachePreferL1));
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 256, 0));
  printf("blocks %d\n", n);
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 32, 0));
  printf("blocks %d\n", n);
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 33, 0));
  printf("blocks %d\n", n);
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 1024, 0));
  printf("blocks %d\n", n);
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 1025, 0));
  printf("blocks %d\n", n);
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 0, 0));
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, static_shared, 128, 0));
  printf("blocks %d\n", n);
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, dynamic_shared, 128, 20000));
  printf("blocks %d\n", n);
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, dynamic_shared, 128, 48 * 1024));
  printf("blocks %d\n", n);
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, dynamic_shared, 128, 60 * 1024));
  printf("blocks %d\n", n);
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, bounded, 129, 0));
  printf("blocks %d\n", n);
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(0, nothing, 256, 0));
  int grid = 0, block = 0;
  SAY(cudaOccupancyMaxPotentialBlockSize(&grid, &block, nothing, 0, 0));
  printf("potential %d\n", block);
  SAY(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded, 0, 0));
  printf("potential %d\n", block);
}

static void after_fault() {
  int n = 0, *d = 0;
  size_t bytes, total;
  cudaFuncAttributes f;
  cudaEvent_t e;
  cudaStream_t s;
  cudaDeviceProp prop;
  char host[16];
  SAY(cudaDeviceSynchronize());
  SAY(cudaPeekAtLastError());
  SAY(cudaGetLastError());
  SAY(cudaGetLastError());
  SAY(cudaMalloc(&d, 16));
  SAY(cudaMalloc(&d, 0));
  SAY(cudaFree(0));
  SAY(cudaMemcpy(host, host + 8, 8, cudaMemcpyHostToHost));
  SAY(cudaMemcpyFromSymbol(&n, counter, 4));
  SAY(cudaGetDeviceCount(&n));
  SAY(cudaSetDevice(0));
  SAY(cudaGetDevice(&n));
  SAY(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
  SAY(cudaGetDeviceProperties(&prop, 0));
  SAY(cudaMemGetInfo(&bytes, &total));
  SAY(cudaFuncGetAttributes(&f, nothing));
  SAY(cudaEventCreate(&e));
  SAY(cudaStreamCreate(&s));
  SAY(cudaStreamSynchronize(0));
  SAY(cudaStreamQuery(0));
  SAY(cudaRuntimeGetVersion(&n));
  LAUNCH(nothing<<<1, 1>>>());
  LAUNCH(nothing<<<1, 2000>>>());
  SAY(cudaDeviceReset());
  SAY(cudaGetLastError());
  SAY(cudaMalloc(&d, 4096));
  LAUNCH(store<<<1, 32>>>(d, 5));
  SAY(cudaDeviceSynchronize());
}
static void illegal_address() {
  char* d;
  cudaMalloc((void**)&d, 4 << 20);
  LAUNCH(store_at<<<1, 1>>>(d, 1l << 44));
  after_fault();
}
static void null_address() {
  LAUNCH(store_at<<<1, 1>>>(0, 0));
  SAY(cudaDeviceSynchronize());
}
static void misaligned() {
  char* d;
  cudaMalloc((void**)&d, 4096);
  LAUNCH(store_at<<<1, 1>>>(d, 2));
  after_fault();
}
static void trap() {
  LAUNCH(traps<<<1, 1>>>());
  after_fault();
}
static void assertion() {
  LAUNCH(asserts<<<1, 1>>>(1));
  after_fault();
}
static void shared_memory() {
  int* d;
  cudaMalloc(&d, 4096);
  LAUNCH(shared_past_end<<<1, 32>>>(d, 1 << 20));
  SAY(cudaDeviceSynchronize());
}
static void surfaces_in_copy() {
  char *d, host[16];
  cudaMalloc((void**)&d, 4096);
  LAUNCH(store_at<<<1, 1>>>(d, 1l << 44));
  SAY(cudaMemcpy(host, d, 16, cudaMemcpyDeviceToHost));
  SAY(cudaFree(d));
  SAY(cudaGetLastError());
}
static void surfaces_in_event() {
  char* d;
  cudaEvent_t a, b;
  float ms;
  cudaMalloc((void**)&d, 4096);
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  SAY(cudaEventRecord(a));
  LAUNCH(store_at<<<1, 1>>>(d, 1l << 44));
  cudaEventRecord(b);
  SAY(cudaEventSynchronize(b));
  SAY(cudaEventElapsedTime(&ms, a, b));
  SAY(cudaEventDestroy(a));
}
static void surfaces_in_free() {
  char* d;
  cudaMalloc((void**)&d, 4096);
  LAUNCH(store_at<<<1, 1>>>(d, 1l << 44));
  SAY(cudaFree(d));
}

#define CASE(name) {#name, name}
static const struct {
  const char* name;
  void (*run)();
} kCases[] = {CASE(launches),        CASE(memory),        CASE(past_the_end),       CASE(pointers),
              CASE(symbols),         CASE(devices),       CASE(streams_and_events), CASE(functions),
              CASE(illegal_address), CASE(null_address),  CASE(misaligned),         CASE(trap),
              CASE(assertion),       CASE(shared_memory), CASE(surfaces_in_copy),   CASE(surfaces_in_event),
              CASE(surfaces_in_free)};

int main(int argc, char** argv) {
  for (const auto& c : kCases) {
    if (argc > 1 && strcmp(argv[1], c.name) != 0) continue;
    printf("== %s\n", c.name);
    fflush(stdout);
    pid_t child = fork();  // before this process touches CUDA
    if (child == 0) {
      c.run();
      fflush(stdout);
      exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) printf("ended with status %d\n", status);
  }
}
