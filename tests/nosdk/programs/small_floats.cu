// Conversions to and from 8-bit floats and tf32 in inline PTX, over every half and edge values of f32: a line a form, with
// a hash of its results. small_floats.h200.txt is what an H200 printed.
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <vector>

#define FROM_HALVES(X)                          \
  X("cvt.rn.satfinite.e4m3x2.f16x2 r, %1;")      \
  X("cvt.rn.satfinite.e5m2x2.f16x2 r, %1;")      \
  X("cvt.rn.satfinite.relu.e4m3x2.f16x2 r, %1;") \
  X("cvt.rn.satfinite.relu.e5m2x2.f16x2 r, %1;")
#define FROM_FLOATS(X)                             \
  X("cvt.rn.satfinite.e4m3x2.f32 r, %1, %2;")      \
  X("cvt.rn.satfinite.e5m2x2.f32 r, %1, %2;")      \
  X("cvt.rn.satfinite.relu.e4m3x2.f32 r, %1, %2;") \
  X("cvt.rn.satfinite.relu.e5m2x2.f32 r, %1, %2;")
#define TO_HALVES(X)                     \
  X("cvt.rn.f16x2.e4m3x2 %0, r;")        \
  X("cvt.rn.f16x2.e5m2x2 %0, r;")        \
  X("cvt.rn.relu.f16x2.e4m3x2 %0, r;")   \
  X("cvt.rn.relu.f16x2.e5m2x2 %0, r;")
#define TF32(X)                        \
  X("cvt.rna.tf32.f32 %0, %1;")        \
  X("cvt.rn.tf32.f32 %0, %1;")         \
  X("cvt.rz.tf32.f32 %0, %1;")         \
  X("cvt.rn.relu.tf32.f32 %0, %1;")    \
  X("cvt.rz.relu.tf32.f32 %0, %1;")    \
  X("cvt.rna.satfinite.tf32.f32 %0, %1;")

#define DOWN(text)                                                                                       \
  {                                                                                                      \
    unsigned d;                                                                                          \
    asm volatile("{ .reg .b16 r; " text " cvt.u32.u16 %0, r; }" : "=r"(d) : "r"(a), "r"(b));             \
    out[k++ * n + i] = d;                                                                                \
  }
#define DOWN_FLOAT(text)                                                                                         \
  {                                                                                                              \
    unsigned d;                                                                                                  \
    asm volatile("{ .reg .b16 r; " text " cvt.u32.u16 %0, r; }"                                                  \
                 : "=r"(d) : "f"(__uint_as_float(a)), "f"(__uint_as_float(b)));                                  \
    out[k++ * n + i] = d;                                                                                        \
  }
#define UP(text)                                                                                     \
  {                                                                                                  \
    unsigned d;                                                                                      \
    asm volatile("{ .reg .b16 r; cvt.u16.u32 r, %1; " text " }" : "=r"(d) : "r"(a));                 \
    out[k++ * n + i] = d;                                                                            \
  }
#define ROUND(text)                                                                  \
  {                                                                                  \
    unsigned d;                                                                      \
    asm volatile(text : "=r"(d) : "f"(__uint_as_float(a)));                          \
    out[k++ * n + i] = d;                                                            \
  }
#define KERNEL(name, LIST, RUN)                                                               \
  __global__ void name(const uint32_t* in, uint32_t* out, unsigned n) {                       \
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                 \
    if (i >= n) return;                                                                       \
    const unsigned a = in[i], b = in[(i + 7) % n];                                            \
    unsigned k = 0;                                                                           \
    (void)b;                                                                                  \
    LIST(RUN)                                                                                 \
  }
KERNEL(halves_down, FROM_HALVES, DOWN)
KERNEL(floats_down, FROM_FLOATS, DOWN_FLOAT)
KERNEL(up, TO_HALVES, UP)
KERNEL(tf32, TF32, ROUND)

#define NAME(text) text,
static const char* const kHalves[] = {FROM_HALVES(NAME)};
static const char* const kFloats[] = {FROM_FLOATS(NAME)};
static const char* const kUp[] = {TO_HALVES(NAME)};
static const char* const kTf32[] = {TF32(NAME)};

int main(int argc, char** argv) {
  FILE* raw = argc > 1 ? fopen(argv[1], "wb") : nullptr;
  std::vector<uint32_t> halves, bytes, floats;
  for (uint32_t h = 0; h < 65536; ++h) halves.push_back(h | (h * 40503u << 16));
  for (uint32_t h = 0; h < 65536; h += 7) bytes.push_back(h);
  for (uint32_t h = 0; h < 256; ++h) bytes.push_back(h | h << 8);
  // Around every place where the narrow types round.
  for (uint32_t high = 0; high < 4096; high += 1)
    for (uint32_t low : {0u, 1u, 0x7ffffu, 0x80000u, 0x80001u, 0xfffffu, 0xfffu, 0x1000u, 0x1001u, 0x2000u, 0x3000u}) floats.push_back(high << 20 | low);
  const auto show = [&](void (*kernel)(const uint32_t*, uint32_t*, unsigned), const std::vector<uint32_t>& in, const char* const* names, size_t count) {
    uint32_t *device_in, *device_out;
    const unsigned n = static_cast<unsigned>(in.size());
    std::vector<uint32_t> out(count * n);
    cudaMalloc(&device_in, in.size() * 4);
    cudaMalloc(&device_out, out.size() * 4);
    cudaMemcpy(device_in, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
    kernel<<<(n + 255) / 256, 256>>>(device_in, device_out, n);
    cudaMemcpy(out.data(), device_out, out.size() * 4, cudaMemcpyDeviceToHost);
    for (size_t f = 0; f < count; ++f) {
      uint64_t hash = 14695981039346656037u;
      for (unsigned k = 0; k < n; ++k) hash = (hash ^ out[f * n + k]) * 1099511628211u;
      printf("%016llx %s\n", (unsigned long long)hash, names[f]);
    }
    if (raw) fwrite(out.data(), 4, out.size(), raw);
    cudaFree(device_in);
    cudaFree(device_out);
  };
  show(halves_down, halves, kHalves, 4);
  show(floats_down, floats, kFloats, 4);
  show(up, bytes, kUp, 4);
  show(tf32, floats, kTf32, 6);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  if (raw) fclose(raw);
}
