// Two devices: which one a thread uses, what belongs to one, what another may do with it; one line an answer.
// tests/api/devices.h200x2.txt holds what two H200s with driver 580 printed; Warplens must print the same with two
// GPUs. Build: nvcc -arch=sm_80 -cudart shared devices.cu
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

__device__ int counter = 7;
__constant__ int table[2] = {1, 2};
__managed__ int shared_by_all = 3;

__global__ void bump(int by) { counter += by + table[0]; }
__global__ void bump_shared() { shared_by_all += 1; }
__global__ void add_one(int* data) { data[threadIdx.x] += 1; }
__global__ void store_at(char* base, long offset) { *(int*)(base + offset) = 1; }

static void say(const char* what, cudaError_t e) {
  printf("%s: %d %s\n", what, (int)e, cudaGetErrorName(e));
  fflush(stdout);
}
#define SAY(call) say(#call, call)
#define SHOW(value) printf("  " #value ": %lld\n", (long long)(value)), fflush(stdout)
static void section(const char* title) { printf("== %s\n", title), fflush(stdout); }
static int current() {
  int device = -1;
  cudaGetDevice(&device);
  return device;
}

static void choosing() {
  int count = 0;
  SAY(cudaGetDeviceCount(&count));
  SHOW(count);
  SHOW(current());
  SAY(cudaSetDevice(1));
  SHOW(current());
  std::thread([] {
    SHOW(current());
    SAY(cudaSetDevice(1));
    SHOW(current());
  }).join();
  SAY(cudaSetDevice(0));
  SAY(cudaSetDevice(2));
  SAY(cudaSetDevice(-1));
  SHOW(current());
  cudaDeviceProp a, b, c;
  SAY(cudaGetDeviceProperties(&a, 0));
  SAY(cudaGetDeviceProperties(&b, 1));
  SAY(cudaGetDeviceProperties(&c, 2));
  SHOW(strcmp(a.name, b.name));
  SHOW(a.multiProcessorCount == b.multiProcessorCount);
  SHOW(memcmp(&a.uuid, &b.uuid, 16) == 0);
  char id0[32], id1[32];
  SAY(cudaDeviceGetPCIBusId(id0, 32, 0));
  SAY(cudaDeviceGetPCIBusId(id1, 32, 1));
  SHOW(strcmp(id0, id1) == 0);
  int found = -1;
  SAY(cudaDeviceGetByPCIBusId(&found, id1));
  SHOW(found);
  SAY(cudaDeviceGetByPCIBusId(&found, "ffff:ff:1f.0"));
}

static void peers() {
  int can = -1;
  SAY(cudaDeviceCanAccessPeer(&can, 0, 1));
  SHOW(can);
  SAY(cudaDeviceCanAccessPeer(&can, 1, 1));
  SHOW(can);
  SAY(cudaDeviceCanAccessPeer(&can, 0, 2));
  SAY(cudaDeviceDisablePeerAccess(1));
  SAY(cudaDeviceEnablePeerAccess(0, 0));
  SAY(cudaDeviceEnablePeerAccess(1, 1));
  SAY(cudaDeviceEnablePeerAccess(2, 0));
  SAY(cudaDeviceEnablePeerAccess(1, 0));
  SAY(cudaDeviceEnablePeerAccess(1, 0));
  SAY(cudaDeviceDisablePeerAccess(1));
  SAY(cudaDeviceDisablePeerAccess(1));
  SAY(cudaDeviceDisablePeerAccess(0));
  SAY(cudaDeviceEnablePeerAccess(1, 0));
  int value = -1;
  SAY(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1));
  SHOW(value);
  SAY(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrNativeAtomicSupported, 0, 1));
  SHOW(value);
  SAY(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0));
  SAY(cudaDeviceGetP2PAttribute(&value, (cudaDeviceP2PAttr)9, 0, 1));
  SAY(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 2));
  SAY(cudaGetLastError());
}

static void memory() {
  int *on0, *on1, *pinned, *managed, back[4] = {};
  SAY(cudaMalloc(&on0, 64));
  SAY(cudaSetDevice(1));
  SAY(cudaMalloc(&on1, 64));
  SAY(cudaMallocHost(&pinned, 64));
  SAY(cudaMallocManaged(&managed, 64));
  SAY(cudaSetDevice(0));
  cudaPointerAttributes p{};
  SAY(cudaPointerGetAttributes(&p, on0));
  SHOW(p.device);
  SAY(cudaPointerGetAttributes(&p, on1));
  SHOW(p.device);
  SAY(cudaPointerGetAttributes(&p, pinned));
  SHOW(p.device);
  SAY(cudaPointerGetAttributes(&p, managed));
  SHOW(p.device);
  int four[4] = {1, 2, 3, 4};
  SAY(cudaMemcpy(on1, four, 16, cudaMemcpyHostToDevice));  // from any device
  SAY(cudaMemcpyPeer(on0, 0, on1, 1, 16));
  SAY(cudaMemcpy(back, on0, 16, cudaMemcpyDeviceToHost));
  SHOW(back[3]);
  SAY(cudaMemcpyPeer(on0, 0, on1, 2, 16));
  SAY(cudaMemcpyPeerAsync(on1, 1, on0, 0, 16, 0));
  SAY(cudaMemcpy(on0, on1, 16, cudaMemcpyDefault));
  SAY(cudaDeviceEnablePeerAccess(1, 0));
  add_one<<<1, 4>>>(on1);  // device 0 writes what device 1 has
  SAY(cudaDeviceSynchronize());
  SAY(cudaMemcpy(back, on1, 16, cudaMemcpyDeviceToHost));
  SHOW(back[3]);
  cudaMemcpy3DPeerParms q{};
  q.srcPtr = make_cudaPitchedPtr(on1, 16, 16, 1);
  q.srcDevice = 1;
  q.dstPtr = make_cudaPitchedPtr(on0, 16, 16, 1);
  q.extent = make_cudaExtent(16, 1, 1);
  SAY(cudaMemcpy3DPeer(&q));
  SAY(cudaMemcpy(back, on0, 16, cudaMemcpyDeviceToHost));
  SHOW(back[3]);
  SAY(cudaFree(on1));
  SAY(cudaFree(on0));
  size_t free0, free1, now0, now1, all;
  cudaMemGetInfo(&free0, &all);
  cudaSetDevice(1);
  cudaMemGetInfo(&free1, &all);
  SAY(cudaMalloc(&on1, 256 << 20));
  cudaMemGetInfo(&now1, &all);
  cudaSetDevice(0);
  cudaMemGetInfo(&now0, &all);
  SHOW(free0 - now0);
  SHOW(free1 - now1);
}

static void variables() {
  int value = 0;
  void *at0, *at1;
  SAY(cudaGetSymbolAddress(&at0, counter));
  bump<<<1, 1>>>(1);
  SAY(cudaMemcpyFromSymbol(&value, counter, 4));
  SHOW(value);
  SAY(cudaSetDevice(1));
  SAY(cudaMemcpyFromSymbol(&value, counter, 4));
  SHOW(value);
  int ten = 10;
  SAY(cudaMemcpyToSymbol(table, &ten, 4));
  bump<<<1, 1>>>(5);
  SAY(cudaMemcpyFromSymbol(&value, counter, 4));
  SHOW(value);
  SAY(cudaGetSymbolAddress(&at1, counter));
  SHOW(at0 == at1);
  cudaPointerAttributes p{};
  SAY(cudaPointerGetAttributes(&p, at1));
  SHOW(p.device);
  bump_shared<<<1, 1>>>();
  SAY(cudaDeviceSynchronize());
  SAY(cudaSetDevice(0));
  SAY(cudaMemcpyFromSymbol(&value, counter, 4));
  SHOW(value);
  bump_shared<<<1, 1>>>();
  SAY(cudaDeviceSynchronize());
  SHOW(shared_by_all);
}

static void streams() {
  cudaStream_t s0, s1;
  cudaEvent_t e0, e1;
  SAY(cudaStreamCreate(&s0));
  SAY(cudaEventCreate(&e0));
  SAY(cudaSetDevice(1));
  SAY(cudaStreamCreate(&s1));
  SAY(cudaEventCreate(&e1));
  int device = -1;
  SAY(cudaStreamGetDevice(s0, &device));
  SHOW(device);
  SAY(cudaStreamGetDevice(s1, &device));
  SHOW(device);
  bump<<<1, 1, 0, s0>>>(1);
  SAY(cudaGetLastError());
  bump<<<1, 1, 0, s1>>>(1);
  SAY(cudaGetLastError());
  int *data, host[4] = {5, 6, 7, 8};
  SAY(cudaMalloc(&data, 64));
  SAY(cudaMemcpyAsync(data, host, 16, cudaMemcpyHostToDevice, s0));
  SAY(cudaMemsetAsync(data, 0, 16, s0));
  SAY(cudaEventRecord(e0, s1));
  SAY(cudaEventRecord(e1, s0));
  SAY(cudaEventRecord(e0, s0));
  SAY(cudaEventRecord(e1, s1));
  SAY(cudaStreamWaitEvent(s1, e0, 0));
  SAY(cudaStreamSynchronize(s0));
  SAY(cudaStreamQuery(s0));
  SAY(cudaEventSynchronize(e0));
  SAY(cudaEventQuery(e0));
  float ms = 0;
  SAY(cudaEventSynchronize(e1));
  SAY(cudaEventElapsedTime(&ms, e0, e1));
  SAY(cudaStreamDestroy(s0));
  SAY(cudaEventDestroy(e0));
}

static void pools() {
  cudaMemPool_t p0, p1, mine;
  SAY(cudaDeviceGetDefaultMemPool(&p0, 0));
  SAY(cudaDeviceGetDefaultMemPool(&p1, 1));
  SHOW(p0 == p1);
  SAY(cudaDeviceSetMemPool(0, p1));
  cudaMemPoolProps props{};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = 1;
  SAY(cudaMemPoolCreate(&mine, &props));
  cudaMemLocation where{};
  where.type = cudaMemLocationTypeDevice;
  where.id = 0;
  cudaMemAccessFlags flags;
  SAY(cudaMemPoolGetAccess(&flags, mine, &where));
  SHOW(flags);
  cudaMemAccessDesc access{where, cudaMemAccessFlagsProtReadWrite};
  SAY(cudaMemPoolSetAccess(mine, &access, 1));
  SAY(cudaMemPoolGetAccess(&flags, mine, &where));
  SHOW(flags);
  access.location.id = 1;
  access.flags = cudaMemAccessFlagsProtNone;
  SAY(cudaMemPoolSetAccess(mine, &access, 1));
  int* data;
  SAY(cudaMallocFromPoolAsync(&data, 64, mine, 0));
  cudaPointerAttributes p{};
  SAY(cudaPointerGetAttributes(&p, data));
  SHOW(p.device);
  SAY(cudaFreeAsync(data, 0));
  SAY(cudaMemPoolDestroy(mine));
  SAY(cudaMemPoolDestroy(p1));
}

// A kernel that fails takes its device with it, and no other.
static void faults() {
  char* bad;
  int* good;
  cudaSetDevice(1);
  cudaMalloc(&bad, 64);
  cudaSetDevice(0);
  cudaMalloc(&good, 64);
  cudaSetDevice(1);
  store_at<<<1, 1>>>(bad, 1l << 40);
  SAY(cudaDeviceSynchronize());
  SAY(cudaMemset(bad, 0, 64));
  SAY(cudaSetDevice(0));
  SAY(cudaMemset(good, 0, 64));
  add_one<<<1, 4>>>(good);
  SAY(cudaDeviceSynchronize());
}

static void in_process(const char* title, void (*body)()) {
  section(title);
  pid_t child = fork();
  if (child == 0) {
    body();
    fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("ends with %d\n", status);
}

// Asks for times, twice.
static int times() {
  cudaEvent_t from, to;
  float ms = -1;
  cudaEventCreate(&from);
  cudaEventCreate(&to);
  cudaEventRecord(from);
  cudaEventRecord(to);
  bool right = cudaEventElapsedTime(&ms, from, to) == cudaSuccess && cudaEventElapsedTime(&ms, from, to) == cudaSuccess;
  return right && ms >= 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  if (argc > 1) return times();
  in_process("choosing", choosing);
  in_process("peers", peers);
  in_process("memory", memory);
  in_process("variables", variables);
  in_process("streams", streams);
  in_process("pools", pools);
  in_process("faults", faults);
  return 0;
}
