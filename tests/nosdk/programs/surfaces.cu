// Surfaces of every kind, read and written by elements of every size, inside and outside. surfaces.h200.txt holds what an H200 printed.
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#include <vector>

template <typename T>
__device__ T made(unsigned seed) {
  T v{};
  unsigned char bytes[sizeof(T)];
  for (unsigned i = 0; i < sizeof(T); i++) bytes[i] = (unsigned char)((seed * 2654435761u >> 7) + i * 37);
  memcpy(&v, bytes, sizeof v);
  return v;
}

// Reads at x, y, z and writes at another place. dims: 1, 2, 3; 11, 12: layered; 20, 21: cube, layered cubes.
template <typename T, cudaSurfaceBoundaryMode kMode>
__global__ void touch(cudaSurfaceObject_t s, int dims, const int4* at, T* out) {
  int i = threadIdx.x;
  int4 c = at[i];
  int x = c.x * (int)sizeof(T);
  T v{};
  switch (dims) {
    case 1: v = surf1Dread<T>(s, x, kMode); break;
    case 2: v = surf2Dread<T>(s, x, c.y, kMode); break;
    case 3: v = surf3Dread<T>(s, x, c.y, c.z, kMode); break;
    case 11: v = surf1DLayeredread<T>(s, x, c.w, kMode); break;
    case 12: v = surf2DLayeredread<T>(s, x, c.y, c.w, kMode); break;
    case 20: v = surfCubemapread<T>(s, x, c.y, c.w, kMode); break;
    case 21: v = surfCubemapLayeredread<T>(s, x, c.y, c.w, kMode); break;
  }
  out[i] = v;
  __syncthreads();
  if (i % 7) return;
  T w = made<T>(dims);  // the same by all: some meet at one place
  switch (dims) {
    case 1: surf1Dwrite(w, s, x, kMode); break;
    case 2: surf2Dwrite(w, s, x, c.y, kMode); break;
    case 3: surf3Dwrite(w, s, x, c.y, c.z, kMode); break;
    case 11: surf1DLayeredwrite(w, s, x, c.w, kMode); break;
    case 12: surf2DLayeredwrite(w, s, x, c.y, c.w, kMode); break;
    case 20: surfCubemapwrite(w, s, x, c.y, c.w, kMode); break;
    case 21: surfCubemapLayeredwrite(w, s, x, c.y, c.w, kMode); break;
  }
}

static unsigned sum(const void* memory, size_t bytes) {
  unsigned value = 0;
  for (size_t i = 0; i < bytes; i++) value = value * 31 + ((const unsigned char*)memory)[i];
  return value;
}

static unsigned seed;
static int random_in(int low, int high) {
  seed = seed * 1664525u + 1013904223u;
  return low + (int)((seed >> 10) % (unsigned)(high - low));
}

template <typename T>
static void element(const char* name, int bits, int channels, cudaChannelFormatKind kind) {
  cudaChannelFormatDesc desc =
      cudaCreateChannelDesc(bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0, kind);
  struct {
    int dims, w, h, d;
    unsigned flags;
  } const kKinds[] = {{1, 9, 0, 0, 0},
                      {2, 9, 6, 0, 0},
                      {3, 9, 6, 4, 0},
                      {11, 9, 0, 5, cudaArrayLayered},
                      {12, 9, 6, 5, cudaArrayLayered},
                      {20, 6, 6, 6, cudaArrayCubemap},
                      {21, 6, 6, 12, cudaArrayCubemap | cudaArrayLayered}};
  for (const auto& k : kKinds)
    for (int mode = 0; mode < 3; mode++) {
      cudaArray_t array = nullptr;
      cudaError_t e = cudaMalloc3DArray(&array, &desc, make_cudaExtent(k.w, k.h, k.d), k.flags | cudaArraySurfaceLoadStore);
      const int h = k.h ? k.h : 1, d = k.d ? k.d : 1;
      const size_t bytes = sizeof(T) * k.w * h * d;
      std::vector<unsigned char> data(bytes);
      for (size_t i = 0; i < bytes; i++) data[i] = (unsigned char)(i * 7 + i / 251);
      cudaMemcpy3DParms p{};
      p.srcPtr = make_cudaPitchedPtr(data.data(), k.w * sizeof(T), k.w, h);
      p.dstArray = array;
      p.extent = make_cudaExtent(k.w, h, d);
      p.kind = cudaMemcpyHostToDevice;
      if (!e) e = cudaMemcpy3D(&p);
      cudaResourceDesc resource{};
      resource.resType = cudaResourceTypeArray;
      resource.res.array.array = array;
      cudaSurfaceObject_t s = 0;
      if (!e) e = cudaCreateSurfaceObject(&s, &resource);
      printf("%s %d mode %d: %s", name, k.dims, mode, cudaGetErrorName(e));
      seed = 3;
      std::vector<int4> at(64);
      const int outside = mode == 2 ? 0 : 3;  // out of bounds is a fault in the last
      for (int4& c : at) {
        c.w = random_in(0, d);
        c.z = random_in(-outside, d + outside);
        c.y = random_in(-outside, h + outside);
        c.x = random_in(-outside, k.w + outside);
      }
      if (outside) at[0].x = -100000, at[7].x = 100000, at[14].x = 0x7fffff, at[21].y = -70000, at[28].y = 70000;
      int4* device_at;
      T* out;
      cudaMalloc(&device_at, sizeof(int4) * 64);
      cudaMalloc(&out, sizeof(T) * 64);
      cudaMemcpy(device_at, at.data(), sizeof(int4) * 64, cudaMemcpyHostToDevice);
      if (mode == 0) touch<T, cudaBoundaryModeZero><<<1, 64>>>(s, k.dims, device_at, out);
      if (mode == 1) touch<T, cudaBoundaryModeClamp><<<1, 64>>>(s, k.dims, device_at, out);
      if (mode == 2) touch<T, cudaBoundaryModeTrap><<<1, 64>>>(s, k.dims, device_at, out);
      if ((e = cudaGetLastError())) printf(", launch %s", cudaGetErrorName(e));
      std::vector<T> got(64);
      e = cudaMemcpy(got.data(), out, sizeof(T) * 64, cudaMemcpyDeviceToHost);
      p.dstPtr = p.srcPtr, p.srcPtr = {}, p.srcArray = array, p.dstArray = nullptr, p.kind = cudaMemcpyDeviceToHost;
      cudaMemcpy3D(&p);
      printf(", %s read %08x, there %08x\n", cudaGetErrorName(e), sum(got.data(), sizeof(T) * 64), sum(data.data(), bytes));
      cudaDestroySurfaceObject(s);
      cudaFreeArray(array);
      cudaFree(device_at);
      cudaFree(out);
    }
}

__global__ void by_value(cudaSurfaceObject_t s1, cudaSurfaceObject_t s2, const int4* at, int4* out) {
  int i = threadIdx.x;
  int4 c = at[i], v{};
  if (i < 16) {
    asm volatile("suld.b.2d.v4.b8.zero {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(s1), "r"(c.x * 4), "r"(c.y));
  } else if (i < 32) {
    if (i != 17)  // which would write where thread 16 does
      asm volatile("sust.b.2d.v2.b16.clamp [%0, {%1, %2}], {%3, %4};" ::"l"(s1), "r"(c.x * 4), "r"(c.y), "h"((short)i), "h"((short)(i * 3)));
  } else if (i < 48) {
    asm volatile("sust.p.2d.v4.b32.zero [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s1), "r"(c.x), "r"(c.y), "r"(i), "r"(i * 100), "r"(-i), "r"(i + 70000));
  } else if (i < 64) {
    asm volatile("sured.b.2d.add.u32.zero [%0, {%1, %2}], %3;" ::"l"(s2), "r"(c.x * 4), "r"(c.y), "r"(i));
  } else if (i < 72) {
    asm volatile("sured.b.2d.min.s32.clamp [%0, {%1, %2}], %3;" ::"l"(s2), "r"(c.x * 4), "r"(c.y), "r"(-i));
  } else if (i < 80) {
    asm volatile("sured.p.2d.add.b32.zero [%0, {%1, %2}], %3;" ::"l"(s2), "r"(c.x), "r"(c.y), "r"(i));
  } else {
    asm volatile("sured.b.2d.or.b32.zero [%0, {%1, %2}], %3;" ::"l"(s2), "r"(c.x * 4), "r"(c.y), "r"(1 << (i & 31)));
  }
  out[i] = v;
}
static void forms() {
  cudaArray_t arrays[2];
  cudaSurfaceObject_t s[2];
  for (int k = 0; k < 2; k++) {
    cudaChannelFormatDesc desc = k ? cudaCreateChannelDesc<int>() : cudaCreateChannelDesc<uchar4>();
    cudaMallocArray(&arrays[k], &desc, 40, 5, cudaArraySurfaceLoadStore);
    std::vector<unsigned> data(200);
    for (unsigned i = 0; i < 200; i++) data[i] = i * 2654435761u;
    cudaMemcpy2DToArray(arrays[k], 0, 0, data.data(), 160, 160, 5, cudaMemcpyHostToDevice);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = arrays[k];
    cudaCreateSurfaceObject(&s[k], &resource);
  }
  std::vector<int4> at(96), got(96);
  for (int i = 0; i < 96; i++) at[i] = make_int4((i % 16) * 3 - 4, (i / 16) % 6 + (i % 5 == 0 ? 5 : 0), 0, 0);
  int4 *device_at, *out;
  cudaMalloc(&device_at, sizeof(int4) * 96);
  cudaMalloc(&out, sizeof(int4) * 96);
  cudaMemcpy(device_at, at.data(), sizeof(int4) * 96, cudaMemcpyHostToDevice);
  by_value<<<1, 96>>>(s[0], s[1], device_at, out);
  cudaError_t e = cudaMemcpy(got.data(), out, sizeof(int4) * 96, cudaMemcpyDeviceToHost);
  printf("forms: %s\n", cudaGetErrorName(e));
  for (int i = 0; i < 16; i++) printf("%d %d %d %d\n", got[i].x, got[i].y, got[i].z, got[i].w);
  for (int k = 0; k < 2; k++) {
    std::vector<unsigned> data(200);
    cudaMemcpy2DFromArray(data.data(), 160, arrays[k], 0, 0, 160, 5, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < 200; i++) printf("%08x%c", data[i], i % 20 == 19 ? '\n' : ' ');
  }
}

int main() {
  element<char>("char", 8, 1, cudaChannelFormatKindSigned);
  element<uchar2>("uchar2", 8, 2, cudaChannelFormatKindUnsigned);
  element<uchar4>("uchar4", 8, 4, cudaChannelFormatKindUnsigned);
  element<short>("short", 16, 1, cudaChannelFormatKindSigned);
  element<ushort2>("ushort2", 16, 2, cudaChannelFormatKindUnsigned);
  element<short4>("short4", 16, 4, cudaChannelFormatKindSigned);
  element<unsigned>("unsigned", 32, 1, cudaChannelFormatKindUnsigned);
  element<float>("float", 32, 1, cudaChannelFormatKindFloat);
  element<float2>("float2", 32, 2, cudaChannelFormatKindFloat);
  element<int4>("int4", 32, 4, cudaChannelFormatKindSigned);
  forms();
  return 0;
}
