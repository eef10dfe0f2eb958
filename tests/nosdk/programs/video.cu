// The video instructions in inline PTX, over edge values: a line a form, with a hash of its results. video.h200.txt is
// what an H200 printed.
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <vector>

// Types, selectors, saturation; a second operation; a part of the destination.
#define SCALAR(X, op)                                                                                     \
  X(op ".u32.u32.u32 %0, %1, %2;")                                                                        \
  X(op ".s32.s32.s32 %0, %1, %2;")                                                                        \
  X(op ".s32.u32.s32 %0, %1.b1, %2.h1;")                                                                  \
  X(op ".u32.s32.u32 %0, %1.h0, %2.b3;")                                                                  \
  X(op ".s32.u32.u32.sat %0, %1, %2;")                                                                    \
  X(op ".s32.s32.s32.sat %0, %1, %2;")                                                                    \
  X(op ".u32.s32.s32.sat %0, %1.b2, %2.b0;")                                                              \
  X(op ".u32.u32.u32.add %0, %1, %2, %3;")                                                                \
  X(op ".u32.u32.u32 %0.b2, %1, %2.b1, %3;")                                                              \
  X(op ".s32.u32.u32 %0.b1, %1, %2, %3;")                                                                \
  X(op ".u32.u32.s32.sat %0, %1, %2;")                                                                    \
  X(op ".s32.u32.s32.sat.add %0, %1, %2.h0, %3;")                                                         \
  X(op ".u32.s32.u32.sat %0.b1, %1, %2.h0, %3;")                                                          \
  X(op ".s32.s32.s32.sat %0.h0, %1, %2, %3;")                                                             \
  X(op ".u32.u32.u32 %0.h1, %1, %2, %3;")                                                                 \
  X(op ".s32.u32.s32.sat %0.h1, %1, %2, %3;")                                                             \
  X(op ".u32.u32.u32.min %0, %1, %2, %3;")                                                                \
  X(op ".u32.s32.u32.sat.max %0, %1, %2, %3;")                                                            \
  X(op ".s32.u32.u32.max %0, %1, %2, %3;")                                                                \
  X(op ".s32.s32.u32.sat.min %0, %1.b1, %2, %3;")
#define EXTREMES(X, op)                       \
  X(op ".s32.s32.s32.min %0, %1, %2.b3, %3;") \
  X(op ".s32.s32.s32.sat.max %0, %1.h0, %2, %3;")
#define SHIFT(X, op)                                     \
  X(op ".u32.u32.u32.clamp %0, %1, %2;")                 \
  X(op ".s32.s32.u32.clamp %0, %1, %2;")                 \
  X(op ".u32.s32.u32.wrap %0, %1, %2;")                  \
  X(op ".s32.u32.u32.wrap %0, %1.b3, %2.b0;") \
  X(op ".u32.u32.u32.clamp.add %0, %1, %2, %3;") \
  X(op ".s32.s32.u32.wrap %0.b2, %1, %2.b1, %3;") \
  X(op ".u32.u32.u32.sat.clamp %0, %1, %2;")             \
  X(op ".s32.u32.u32.sat.wrap %0, %1, %2.b0;")           \
  X(op ".s32.s32.u32.sat.clamp.max %0, %1, %2, %3;")     \
  X(op ".u32.s32.u32.sat.wrap.min %0, %1, %2, %3;")      \
  X(op ".u32.u32.u32.clamp.max %0, %1, %2, %3;")         \
  X(op ".s32.u32.u32.sat.clamp %0.b1, %1, %2, %3;")      \
  X(op ".u32.u32.u32.wrap %0.h1, %1, %2, %3;")           \
  X(op ".s32.s32.u32.sat.wrap %0.h0, %1, %2, %3;")
#define MULTIPLY(X)                                          \
  X("vmad.u32.u32.u32 %0, %1, %2, %3;")                      \
  X("vmad.s32.s32.s32 %0, %1, %2, %3;")                      \
  X("vmad.s32.u32.s32 %0, %1.h1, %2.b1, %3;")                \
  X("vmad.s32.s32.s32.sat %0, %1.h0, %2.h1, %3;")            \
  X("vmad.s32.s32.s32.sat.shr15 %0, %1, %2, %3;")            \
  X("vmad.s32.s32.s32 %0, -%1, %2.h1, %3;")                  \
  X("vmad.s32.s32.s32.sat %0, %1.b3, -%2, %3;")              \
  X("vmad.s32.s32.s32 %0, %1.h1, %2.h0, -%3;")               \
  X("vmad.u32.u32.u32.po %0, %1, %2, %3;")                   \
  X("vmad.s32.s32.s32.po.sat %0, %1, %2, %3;")               \
  X("vmad.s32.s32.s32.po.sat.shr7 %0, %1.h1, %2.b2, %3;")   \
  X("vmad.u32.u32.u32.sat %0, %1, %2, %3;")                  \
  X("vmad.u32.s32.u32.sat.shr7 %0, %1, %2, %3;")             \
  X("vmad.s32.u32.u32.shr15 %0, %1, %2, %3;")                \
  X("vmad.u32.u32.u32.sat %0, -%1, %2, %3;")                 \
  X("vmad.u32.s32.s32.po.sat %0, %1, %2.b3, %3;")            \
  X("vmad.s32.u32.s32.shr7 %0, %1, %2, -%3;")
#define SET(X)                                               \
  X("vset.u32.u32.lt %0, %1, %2;")                           \
  X("vset.s32.s32.le %0, %1, %2;")                           \
  X("vset.u32.s32.gt %0, %1, %2;")                           \
  X("vset.s32.u32.ge %0, %1.b3, %2.h0;")                     \
  X("vset.u32.u32.eq %0, %1.b0, %2.b0;")                     \
  X("vset.s32.s32.ne %0, %1.h1, %2.h0;")                     \
  X("vset.u32.u32.lt.add %0, %1, %2, %3;")                   \
  X("vset.u32.s32.ne %0.b2, %1, %2, %3;")                    \
  X("vset.u32.s32.lt.min %0, %1, %2, %3;")                   \
  X("vset.s32.u32.ne.max %0, %1, %2.b0, %3;")                \
  X("vset.s32.s32.gt %0.h0, %1, %2, %3;")                    \
  X("vset.u32.u32.le %0.h1, %1, %2, %3;")
// Two halves, four bytes.
#define HALVES(X, op)                                        \
  X(op ".u32.u32.u32 %0, %1, %2, %3;")                       \
  X(op ".s32.s32.s32 %0, %1, %2, %3;")                       \
  X(op ".s32.u32.s32 %0, %1, %2, %3;")                       \
  X(op ".u32.s32.u32.sat %0, %1, %2, %3;")                   \
  X(op ".s32.s32.s32.sat %0, %1, %2, %3;")                   \
  X(op ".u32.u32.u32.sat %0.h1, %1, %2, %3;")                \
  X(op ".s32.u32.s32.sat %0.h0, %1.h31, %2.h02, %3;")        \
  X(op ".s32.s32.u32 %0.h10, %1.h01, %2.h11, %3;")           \
  X(op ".u32.u32.u32.add %0, %1, %2, %3;")                   \
  X(op ".s32.s32.s32.add %0.h1, %1.h32, %2.h10, %3;")
#define BYTES(X, op)                                         \
  X(op ".u32.u32.u32 %0, %1, %2, %3;")                       \
  X(op ".s32.s32.s32 %0, %1, %2, %3;")                       \
  X(op ".s32.u32.s32 %0, %1, %2, %3;")                       \
  X(op ".u32.s32.u32.sat %0, %1, %2, %3;")                   \
  X(op ".s32.s32.s32.sat %0, %1, %2, %3;")                   \
  X(op ".u32.u32.u32.sat %0.b31, %1, %2, %3;")               \
  X(op ".s32.u32.s32.sat %0.b0, %1.b7610, %2.b0246, %3;")    \
  X(op ".s32.s32.u32 %0.b210, %1.b0123, %2.b1111, %3;")      \
  X(op ".u32.u32.u32.add %0, %1, %2, %3;")                   \
  X(op ".s32.s32.s32.add %0.b20, %1.b4567, %2.b3210, %3;")
#define SET_LANES(X, op, one, select)                        \
  X(op ".u32.u32.lt %0, %1, %2, %3;")                        \
  X(op ".s32.s32.le %0, %1, %2, %3;")                        \
  X(op ".u32.s32.gt %0, %1, %2, %3;")                        \
  X(op ".s32.u32.ge %0" one ", %1" select ", %2, %3;")       \
  X(op ".u32.u32.eq %0, %1, %2" select ", %3;")              \
  X(op ".s32.s32.ne.add %0, %1, %2, %3;")                    \
  X(op ".u32.u32.lt.add %0" one ", %1, %2, %3;")

#define SCALARS(X)                                                                                   \
  SCALAR(X, "vadd") SCALAR(X, "vsub") SCALAR(X, "vabsdiff") SCALAR(X, "vmin") SCALAR(X, "vmax")    \
  EXTREMES(X, "vadd") EXTREMES(X, "vsub") EXTREMES(X, "vmin") EXTREMES(X, "vmax")
#define OTHERS(X) SHIFT(X, "vshl") SHIFT(X, "vshr") MULTIPLY(X) SET(X)
#define ALL_HALVES(X)                                                                                          \
  HALVES(X, "vadd2") HALVES(X, "vsub2") HALVES(X, "vavrg2") HALVES(X, "vabsdiff2") HALVES(X, "vmin2")          \
  HALVES(X, "vmax2") SET_LANES(X, "vset2", ".h1", ".h13")
#define ALL_BYTES(X)                                                                                           \
  BYTES(X, "vadd4") BYTES(X, "vsub4") BYTES(X, "vavrg4") BYTES(X, "vabsdiff4") BYTES(X, "vmin4")               \
  BYTES(X, "vmax4") SET_LANES(X, "vset4", ".b30", ".b0642")

#define RUN(text)                                                                    \
  {                                                                                  \
    unsigned d;                                                                      \
    asm volatile(text : "=r"(d) : "r"(a), "r"(b), "r"(c));                           \
    out[k++ * n + i] = d;                                                            \
  }
#define KERNEL(name, LIST)                                                           \
  __global__ void name(const uint32_t* in, uint32_t* out, unsigned n) {              \
    const unsigned i = threadIdx.x;                                                  \
    const unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];              \
    unsigned k = 0;                                                                  \
    LIST(RUN)                                                                        \
  }
KERNEL(scalars, SCALARS)
KERNEL(others, OTHERS)
KERNEL(halves, ALL_HALVES)
KERNEL(bytes, ALL_BYTES)

#define NAME(text) text,
static const char* const kScalars[] = {SCALARS(NAME)};
static const char* const kOthers[] = {OTHERS(NAME)};
static const char* const kHalves[] = {ALL_HALVES(NAME)};
static const char* const kBytes[] = {ALL_BYTES(NAME)};

static const uint32_t kEdges[] = {0,          1,          0x7f,       0x80,       0xff,       0x7fff,
                                  0x8000,     0xffff,     0x7fffffff, 0x80000000, 0xffffffff, 0x80808080,
                                  0x7f7f7f7f, 0x80007fff, 0x01ff7f80, 0x12345678};
constexpr unsigned kCases = 512;

int main(int argc, char** argv) {
  FILE* raw = argc > 1 ? fopen(argv[1], "wb") : nullptr;
  std::vector<uint32_t> in;
  uint32_t state = 1;
  for (unsigned k = 0; k < kCases; ++k)
    for (unsigned j = 0; j < 3; ++j) {
      state = state * 1664525u + 1013904223u;
      const bool edge = j == 0 ? k < 256 : j == 1 ? k < 256 : k % 3 == 0;
      const unsigned which = j == 0 ? k % 16 : j == 1 ? k / 16 % 16 : state >> 28;
      in.push_back(edge ? kEdges[which] : state ^ state >> 13);
    }
  uint32_t *device_in, *device_out;
  cudaMalloc(&device_in, in.size() * 4);
  cudaMemcpy(device_in, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
  const auto show = [&](void (*kernel)(const uint32_t*, uint32_t*, unsigned), const char* const* names, size_t count) {
    std::vector<uint32_t> out(count * kCases);
    cudaMalloc(&device_out, out.size() * 4);
    kernel<<<1, kCases>>>(device_in, device_out, kCases);
    cudaMemcpy(out.data(), device_out, out.size() * 4, cudaMemcpyDeviceToHost);
    cudaFree(device_out);
    for (size_t f = 0; f < count; ++f) {
      uint64_t hash = 14695981039346656037u;
      for (unsigned k = 0; k < kCases; ++k) hash = (hash ^ out[f * kCases + k]) * 1099511628211u;
      printf("%016llx %s\n", (unsigned long long)hash, names[f]);
    }
    if (raw) fwrite(out.data(), 4, out.size(), raw);
  };
  show(scalars, kScalars, sizeof kScalars / sizeof *kScalars);
  show(others, kOthers, sizeof kOthers / sizeof *kOthers);
  show(halves, kHalves, sizeof kHalves / sizeof *kHalves);
  show(bytes, kBytes, sizeof kBytes / sizeof *kBytes);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  if (raw) fclose(raw);
}
