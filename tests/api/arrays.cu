// Arrays as memory: making them, asking about them, copying to, from and between them; one line an answer.
// tests/api/arrays.h200.txt holds what an H200 with driver 580 printed; Warplens must print the same.
// Build: nvcc -arch=sm_80 -cudart shared arrays.cu
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#include <vector>

static void say(const char* what, cudaError_t e) {
  printf("%s: %d %s\n", what, (int)e, cudaGetErrorName(e));
  fflush(stdout);
}
#define SAY(call) say(#call, call)
static void section(const char* title) { printf("== %s\n", title); }

// What is in host memory, as one number.
static unsigned sum(const void* memory, size_t bytes) {
  unsigned value = 0;
  for (size_t i = 0; i < bytes; i++) value = value * 31 + ((const unsigned char*)memory)[i];
  return value;
}
static std::vector<unsigned char> ramp(size_t bytes, int step) {
  std::vector<unsigned char> out(bytes);
  for (size_t i = 0; i < bytes; i++) out[i] = (unsigned char)(i * step + i / 251);
  return out;
}

static void info(cudaArray_t array) {
  cudaChannelFormatDesc d{};
  cudaExtent e{};
  unsigned flags = 99;
  SAY(cudaArrayGetInfo(&d, &e, &flags, array));
  printf("  %d %d %d %d kind %d, %zu x %zu x %zu, flags %u\n", d.x, d.y, d.z, d.w, d.f, e.width, e.height, e.depth,
         flags);
  cudaChannelFormatDesc again{};
  SAY(cudaGetChannelDesc(&again, array));
  printf("  the same format: %d\n", !memcmp(&d, &again, sizeof d));
}

static void making() {
  section("making");
  cudaArray_t a = nullptr;
  cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), f4 = cudaCreateChannelDesc<float4>();
  cudaChannelFormatDesc three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
  cudaChannelFormatDesc unequal = cudaCreateChannelDesc(8, 16, 0, 0, cudaChannelFormatKindUnsigned);
  cudaChannelFormatDesc wide = cudaCreateChannelDesc(64, 0, 0, 0, cudaChannelFormatKindUnsigned);
  cudaChannelFormatDesc none = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindNone);
  cudaChannelFormatDesc small_float = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindFloat);
  SAY(cudaMallocArray(nullptr, &f, 4, 4));
  SAY(cudaMallocArray(&a, nullptr, 4, 4));
  SAY(cudaMallocArray(&a, &f, 0, 4));
  SAY(cudaMallocArray(&a, &f, 0, 0));
  SAY(cudaMallocArray(&a, &three, 4, 4));
  SAY(cudaMallocArray(&a, &unequal, 4, 4));
  SAY(cudaMallocArray(&a, &wide, 4, 4));
  SAY(cudaMallocArray(&a, &none, 4, 4));
  SAY(cudaMallocArray(&a, &small_float, 4, 4));
  SAY(cudaMallocArray(&a, &f, 131073));
  SAY(cudaMallocArray(&a, &f, 4, 65537));
  SAY(cudaMallocArray(&a, &f, 4, 4, 0x10000));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 0, 4)));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 4, 5), cudaArrayCubemap));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 5, 6), cudaArrayCubemap));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 4, 0), cudaArrayLayered));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 4, 3000), cudaArrayLayered));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(20000, 4, 4)));
  SAY(cudaMallocArray(&a, &f, 16));
  info(a);
  SAY(cudaFreeArray(a));
  SAY(cudaMallocArray(&a, &f4, 7, 5));
  info(a);
  SAY(cudaFreeArray(a));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 5, 6)));
  info(a);
  SAY(cudaFreeArray(a));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 4, 6), cudaArrayCubemap));
  info(a);
  SAY(cudaFreeArray(a));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 0, 3), cudaArrayLayered));
  info(a);
  SAY(cudaFreeArray(a));
  SAY(cudaMallocArray(&a, &f, 8, 8, cudaArraySurfaceLoadStore));
  info(a);
  SAY(cudaFreeArray(a));
  SAY(cudaFreeArray(nullptr));
}

static void rows() {
  section("rows");
  cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
  cudaArray_t a, b;
  SAY(cudaMallocArray(&a, &f, 8, 4));
  SAY(cudaMallocArray(&b, &f, 8, 4));
  std::vector<unsigned char> in = ramp(256, 3), out(256);
  SAY(cudaMemcpy2DToArray(a, 0, 0, in.data(), 40, 32, 4, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2DFromArray(out.data(), 32, a, 0, 0, 32, 4, cudaMemcpyDeviceToHost));
  printf("  %u\n", sum(out.data(), 128));
  SAY(cudaMemcpy2DToArray(a, 8, 1, in.data() + 100, 12, 12, 2, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2DFromArray(out.data(), 64, a, 4, 1, 20, 3, cudaMemcpyDefault));
  printf("  %u\n", sum(out.data(), 256));
  SAY(cudaMemcpy2DArrayToArray(b, 4, 1, a, 0, 0, 16, 3));
  SAY(cudaMemcpy2DFromArray(out.data(), 32, b, 4, 1, 16, 3, cudaMemcpyDeviceToHost));
  printf("  %u\n", sum(out.data(), 256));
  float* d;
  cudaMalloc(&d, 256);
  cudaMemset(d, 5, 256);
  SAY(cudaMemcpy2DToArray(a, 0, 0, d, 64, 32, 4, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpy2DFromArray(out.data(), 32, a, 0, 0, 32, 4, cudaMemcpyDeviceToHost));
  printf("  %u\n", sum(out.data(), 128));
  SAY(cudaMemcpy2DToArrayAsync(a, 0, 0, in.data(), 32, 32, 4, cudaMemcpyHostToDevice, 0));
  SAY(cudaMemcpy2DFromArrayAsync(out.data(), 32, a, 0, 0, 32, 4, cudaMemcpyDeviceToHost, 0));
  SAY(cudaDeviceSynchronize());
  printf("  %u\n", sum(out.data(), 128));
  // What is wrong.
  SAY(cudaMemcpy2DToArray(a, 0, 0, in.data(), 16, 32, 1, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2DToArray(a, 4, 0, in.data(), 64, 32, 1, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2DToArray(a, 0, 1, in.data(), 32, 32, 4, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2DToArray(a, 0, 0, in.data(), 32, 32, 1, cudaMemcpyDeviceToHost));
  SAY(cudaMemcpy2DToArray(a, 0, 0, in.data(), 32, 32, 1, cudaMemcpyHostToHost));
  SAY(cudaMemcpy2DToArray(a, 0, 0, in.data(), 32, 32, 1, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpy2DToArray(a, 0, 0, in.data(), 32, 32, 1, (cudaMemcpyKind)9));
  SAY(cudaMemcpy2DFromArray(out.data(), 32, a, 0, 0, 32, 1, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2DToArray(a, 0, 0, nullptr, 32, 32, 1, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2DToArray(a, 0, 0, in.data(), 32, 0, 1, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2DToArray(nullptr, 0, 0, in.data(), 32, 32, 1, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2DToArray(a, 0, 0, d, 64, 32, 5, cudaMemcpyDeviceToDevice));
  cudaFree(d);
  SAY(cudaFreeArray(a));
  SAY(cudaFreeArray(b));
}

// Deprecated, and still called: bytes that go on in the next row.
static void lines() {
  section("bytes that go on in the next row");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  cudaChannelFormatDesc c = cudaCreateChannelDesc<uchar4>();
  cudaArray_t a, b;
  SAY(cudaMallocArray(&a, &c, 5, 3));
  SAY(cudaMallocArray(&b, &c, 5, 3));
  std::vector<unsigned char> in = ramp(64, 7), out(64);
  SAY(cudaMemcpyToArray(a, 0, 0, in.data(), 60, cudaMemcpyHostToDevice));
  SAY(cudaMemcpyFromArray(out.data(), a, 0, 0, 60, cudaMemcpyDeviceToHost));
  printf("  %u\n", sum(out.data(), 60));
  SAY(cudaMemcpyToArray(a, 8, 1, in.data(), 24, cudaMemcpyHostToDevice));
  SAY(cudaMemcpyFromArray(out.data(), a, 12, 0, 40, cudaMemcpyDeviceToHost));
  printf("  %u\n", sum(out.data(), 60));
  SAY(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, 60, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpyFromArray(out.data(), b, 0, 0, 60, cudaMemcpyDeviceToHost));
  printf("  %u\n", sum(out.data(), 60));
  SAY(cudaMemcpyArrayToArray(b, 4, 0, a, 0, 1, 32, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpyFromArray(out.data(), b, 0, 0, 60, cudaMemcpyDeviceToHost));
  printf("  %u\n", sum(out.data(), 60));
  SAY(cudaMemcpyToArray(a, 0, 0, in.data(), 61, cudaMemcpyHostToDevice));
  SAY(cudaMemcpyToArray(a, 0, 0, in.data(), 64, cudaMemcpyHostToDevice));
  SAY(cudaMemcpyToArray(a, 0, 0, in.data(), 0, cudaMemcpyHostToDevice));
  SAY(cudaMemcpyToArray(a, 20, 0, in.data(), 4, cudaMemcpyHostToDevice));
  SAY(cudaMemcpyToArray(a, 0, 3, in.data(), 4, cudaMemcpyHostToDevice));
  SAY(cudaFreeArray(a));
  SAY(cudaFreeArray(b));
#pragma GCC diagnostic pop
}

static void volumes() {
  section("volumes");
  cudaChannelFormatDesc s = cudaCreateChannelDesc<short2>(), f = cudaCreateChannelDesc<float2>();
  cudaArray_t a, b, other;
  SAY(cudaMalloc3DArray(&a, &s, make_cudaExtent(6, 4, 3)));
  SAY(cudaMalloc3DArray(&b, &s, make_cudaExtent(6, 4, 3)));
  SAY(cudaMalloc3DArray(&other, &f, make_cudaExtent(6, 4, 3)));
  std::vector<unsigned char> in = ramp(512, 5), out(512);
  cudaMemcpy3DParms p{};
  p.srcPtr = make_cudaPitchedPtr(in.data(), 32, 8, 4);
  p.dstArray = a;
  p.extent = make_cudaExtent(6, 4, 3);
  p.kind = cudaMemcpyHostToDevice;
  SAY(cudaMemcpy3D(&p));
  cudaMemcpy3DParms back{};
  back.srcArray = a;
  back.dstPtr = make_cudaPitchedPtr(out.data(), 24, 6, 4);
  back.extent = make_cudaExtent(6, 4, 3);
  back.kind = cudaMemcpyDeviceToHost;
  SAY(cudaMemcpy3D(&back));
  printf("  %u\n", sum(out.data(), 512));
  // Positions: in elements for the array, in bytes for memory.
  p.srcPos = make_cudaPos(4, 1, 0);
  p.dstPos = make_cudaPos(1, 2, 1);
  p.extent = make_cudaExtent(3, 2, 2);
  SAY(cudaMemcpy3DAsync(&p, 0));
  SAY(cudaMemcpy3D(&back));
  printf("  %u\n", sum(out.data(), 512));
  cudaMemcpy3DParms between{};
  between.srcArray = a;
  between.dstArray = b;
  between.srcPos = make_cudaPos(1, 1, 1);
  between.extent = make_cudaExtent(5, 3, 2);
  between.kind = cudaMemcpyDeviceToDevice;
  SAY(cudaMemcpy3D(&between));
  back.srcArray = b;
  back.extent = make_cudaExtent(5, 3, 2);
  SAY(cudaMemcpy3D(&back));
  printf("  %u\n", sum(out.data(), 512));
  between.dstArray = other;
  SAY(cudaMemcpy3D(&between));
  between.dstArray = b;
  between.srcPos = make_cudaPos(2, 1, 1);
  SAY(cudaMemcpy3D(&between));
  between.extent = make_cudaExtent(0, 3, 2);
  SAY(cudaMemcpy3D(&between));
  p.dstPtr = make_cudaPitchedPtr(out.data(), 24, 6, 4);
  SAY(cudaMemcpy3D(&p));
  p.dstPtr = {};
  p.kind = cudaMemcpyDeviceToHost;
  SAY(cudaMemcpy3D(&p));
  p.kind = cudaMemcpyHostToDevice;
  p.srcPtr = {};
  SAY(cudaMemcpy3D(&p));
  cudaFreeArray(a), cudaFreeArray(b), cudaFreeArray(other);
}

static void levels() {
  section("levels");
  cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t m;
  cudaArray_t level;
  SAY(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(12, 6, 0), 0));
  SAY(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(12, 6, 0), 3));
  for (unsigned i = 0; i < 4; i++) {
    cudaError_t e = cudaGetMipmappedArrayLevel(&level, m, i);
    printf("level %u: %s\n", i, cudaGetErrorName(e));
    if (e == cudaSuccess) info(level);
  }
  SAY(cudaGetMipmappedArrayLevel(&level, m, 1));
  std::vector<unsigned char> in = ramp(72, 11), out(72);
  SAY(cudaMemcpy2DToArray(level, 0, 0, in.data(), 24, 24, 3, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2DFromArray(out.data(), 24, level, 0, 0, 24, 3, cudaMemcpyDeviceToHost));
  printf("  %u\n", sum(out.data(), 72));
  SAY(cudaFreeMipmappedArray(m));
  SAY(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(8, 0, 0), 20));
  SAY(cudaGetMipmappedArrayLevel(&level, m, 3));
  SAY(cudaGetMipmappedArrayLevel(&level, m, 4));
  SAY(cudaFreeMipmappedArray(m));
  SAY(cudaFreeMipmappedArray(nullptr));
}

int main() {
  making();
  rows();
  lines();
  volumes();
  levels();
  section("the last error");
  SAY(cudaGetLastError());
  return 0;
}
