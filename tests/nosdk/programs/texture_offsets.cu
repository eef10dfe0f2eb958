// Fetches that only inline PTX reaches: with offsets, and with results of 16 bits. A line a case, with a hash of its results. texture_offsets.h200.txt is what an H200 printed.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <vector>

constexpr int kSamples = 128;

struct Sample {
  float x, y, z, level;
  int offset[3], layer;
};

#define V4 "{%0,%1,%2,%3}"
#define HALVES(text)                                                                                              \
  "{.reg .b16 a,b,c,d;" text "cvt.u32.u16 %0,a;cvt.u32.u16 %1,b;cvt.u32.u16 %2,c;cvt.u32.u16 %3,d;}"
// %4: the texture; %5 to %8: coordinates and level; %9 to %11: offsets; %12: layer.
#define OPERATIONS(X)                                                                                  \
  X(k1D, "tex.1d.v4.f32.f32 " V4 ",[%4,{%5}],{%9};")                                                   \
  X(k2D, "tex.2d.v4.f32.f32 " V4 ",[%4,{%5,%6}],{%9,%10};")                                            \
  X(k2DFixed, "tex.2d.v4.f32.f32 " V4 ",[%4,{%5,%6}],{9,-20};")                                        \
  X(k3D, "tex.3d.v4.f32.f32 " V4 ",[%4,{%5,%6,%7,%7}],{%9,%10,%11,%11};")                              \
  X(k1DLayers, "tex.a1d.v4.f32.f32 " V4 ",[%4,{%12,%5}],{%9};")                                        \
  X(k2DLayers, "tex.a2d.v4.f32.f32 " V4 ",[%4,{%12,%5,%6,%6}],{%9,%10};")                              \
  X(k2DLevel, "tex.level.2d.v4.f32.f32 " V4 ",[%4,{%5,%6}],%8,{%9,%10};")                              \
  X(k2DGrad, "tex.grad.2d.v4.f32.f32 " V4 ",[%4,{%5,%6}],{%8,%8},{%8,%8},{%9,%10};")                   \
  X(k3DLevel, "tex.level.3d.v4.f32.f32 " V4 ",[%4,{%5,%6,%7,%7}],%8,{%9,%10,%11,%11};")                \
  X(kLinear, "tex.1d.v4.f32.s32 " V4 ",[%4,{%12}],{%9};")                                              \
  X(kGather, "tld4.r.2d.v4.f32.f32 " V4 ",[%4,{%5,%6}],{%9,%10};")                                     \
  X(kHalves, HALVES("tex.2d.v4.f16.f32 {a,b,c,d},[%4,{%5,%6}];"))                                      \
  X(kPairs, "tex.2d.v2.f16x2.f32 {%0,%1},[%4,{%5,%6}];mov.b32 %2,0;mov.b32 %3,0;")                     \
  X(kHalves3D, HALVES("tex.3d.v4.f16.f32 {a,b,c,d},[%4,{%5,%6,%7,%7}],{%9,%10,%11,%11};"))

#define NAME(name, text) name,
enum Operation { OPERATIONS(NAME) };
#define CASE(name, text)                                                                                          \
  case name:                                                                                                      \
    asm volatile(text : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)                                                \
                 : "l"(t), "f"(s.x), "f"(s.y), "f"(s.z), "f"(s.level), "r"(s.offset[0]), "r"(s.offset[1]),        \
                   "r"(s.offset[2]), "r"(s.layer));                                                               \
    break;
__global__ void fetch(Operation operation, cudaTextureObject_t t, const Sample* samples, uint4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Sample s = samples[i];
  uint4 r = {};
  switch (operation) { OPERATIONS(CASE) }
  out[i] = r;
}

static unsigned seed;
static unsigned random_bits() {
  seed = seed * 1664525u + 1013904223u;
  return seed ^ seed >> 15;
}
static float random_in(float low, float high) { return low + (high - low) * (float)(random_bits() & 0xffff) / 65536.0f; }

static Sample *samples;
static uint4* results;

// Coordinates from -1 to 2 times the size, some far away. Most offsets fit four bits.
static void make_samples(bool normalized, int w, int h, int d) {
  const float far[] = {1e9f, -1e9f, INFINITY, -INFINITY, NAN, -0.0f, 0.5f, -1.0f};
  seed = 77;
  for (int i = 0; i < kSamples; i++) {
    Sample& s = samples[i];
    const float scale[3] = {normalized ? 1.0f : w, normalized ? 1.0f : h, normalized ? 1.0f : d};
    float at[3];
    for (int k = 0; k < 3; k++) at[k] = random_in(-1, 2) * scale[k];
    if (i < 8) at[i % 3] = far[i];
    s.x = at[0], s.y = at[1], s.z = at[2], s.level = random_in(-1, 3);
    for (int k = 0; k < 3; k++) s.offset[k] = i % 8 == 7 ? (int)(random_bits() % 200) - 100 : (int)(random_bits() % 16) - 8;
    s.layer = (int)(random_bits() % 24) - 2;
  }
}

static void run(Operation operation, const char* name, cudaTextureObject_t t) {
  memset(results, 0xcd, kSamples * sizeof(uint4));
  fetch<<<kSamples / 64, 64>>>(operation, t, samples, results);
  const cudaError_t e = cudaDeviceSynchronize();
  unsigned long long hash = 0xcbf29ce484222325ull;
  for (int i = 0; i < kSamples * 4; i++) hash = (hash ^ ((unsigned*)results)[i]) * 0x100000001b3ull;
  printf("%s: %s %016llx\n", name, e ? cudaGetErrorName(e) : "", hash);
}

static unsigned texel_bits(bool floats) {
  const unsigned v = random_bits();
  return floats ? (v & 0x807fffff) | (124 + (v >> 24) % 7) << 23 : v & 255;
}
static void fill(cudaArray_t array, bool floats, int w, int h, int d) {
  const int each = floats ? 4 : 1;
  std::vector<unsigned char> data((size_t)w * h * d * 4 * each);
  for (size_t i = 0; i < data.size(); i += each) {
    const unsigned v = texel_bits(floats);
    memcpy(&data[i], &v, each);
  }
  cudaMemcpy3DParms p{};
  p.srcPtr = make_cudaPitchedPtr(data.data(), (size_t)w * 4 * each, w, h);
  p.dstArray = array;
  p.extent = make_cudaExtent(w, h, d);
  p.kind = cudaMemcpyHostToDevice;
  const cudaError_t e = cudaMemcpy3D(&p);
  if (e) printf("copy: %s\n", cudaGetErrorName(e));
}

static void in_all_modes(const char* name, const cudaResourceDesc& resource, bool floats, bool only_normalized, int w, int h, int d, std::vector<Operation> operations) {
  for (int filter = 0; filter < 2; filter++)
    for (int normalized = only_normalized; normalized < 2; normalized++)
      for (int address = 0; address < 4; address++) {
        // Volumes whose floats are filtered, or that lie between levels, have a rule that is not known to the last bit.
        const bool volume = operations[0] == k3D || operations[0] == k3DLevel;
        if (volume && filter && floats) continue;
        cudaTextureDesc desc{};
        for (auto& mode : desc.addressMode) mode = (cudaTextureAddressMode)address;
        desc.filterMode = (cudaTextureFilterMode)filter;
        desc.mipmapFilterMode = (cudaTextureFilterMode)(!volume && address & 1);
        desc.maxMipmapLevelClamp = 10;
        desc.readMode = floats ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
        desc.normalizedCoords = normalized;
        for (int k = 0; k < 4; k++) desc.borderColor[k] = 0.3f + 0.25f * k;
        cudaTextureObject_t t = 0;
        if (const cudaError_t e = cudaCreateTextureObject(&t, &resource, &desc, nullptr)) {
          printf("%s: %s\n", name, cudaGetErrorName(e));
          continue;
        }
        make_samples(normalized, w, h, d);
        for (const Operation operation : operations) {
          char full[100];
          const char* modes[] = {"wrap", "clamp", "mirror", "border"};
          snprintf(full, sizeof full, "%s %d %s %s %s %s", name, operation, floats ? "f32" : "u8",
                   filter ? "linear" : "point", normalized ? "0-1" : "0-n", modes[address]);
          run(operation, full, t);
        }
        cudaDestroyTextureObject(t);
      }
}

static void arrays() {
  struct {
    const char* name;
    int w, h, d;
    unsigned flags;
    std::vector<Operation> operations;
  } const kArrays[] = {
      {"1d", 7, 0, 0, 0, {k1D}},
      {"2d", 7, 5, 0, 0, {k2D, k2DFixed, kHalves, kPairs}},
      {"3d", 7, 5, 3, 0, {k3D, kHalves3D}},
      {"1d layers", 16, 0, 5, cudaArrayLayered, {k1DLayers}},
      {"2d layers", 8, 6, 5, cudaArrayLayered, {k2DLayers}},
      {"gather", 7, 5, 0, cudaArrayTextureGather, {kGather}},
  };
  for (const auto& a : kArrays)
    for (const bool floats : {true, false}) {
      cudaArray_t array = nullptr;
      const cudaChannelFormatDesc desc =
          floats ? cudaCreateChannelDesc(32, 32, 32, 32, cudaChannelFormatKindFloat)
                 : cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
      if (const cudaError_t e = cudaMalloc3DArray(&array, &desc, make_cudaExtent(a.w, a.h, a.d), a.flags)) {
        printf("%s: %s\n", a.name, cudaGetErrorName(e));
        continue;
      }
      seed = 5;
      fill(array, floats, a.w, a.h ? a.h : 1, a.d ? a.d : 1);
      cudaResourceDesc resource{};
      resource.resType = cudaResourceTypeArray;
      resource.res.array.array = array;
      in_all_modes(a.name, resource, floats, false, a.w, a.h ? a.h : 1, a.d ? a.d : 1, a.operations);
      cudaFreeArray(array);
    }
}

static void mipmaps() {
  struct {
    const char* name;
    int d;
    std::vector<Operation> operations;
  } const kMipmaps[] = {{"levels 2d", 0, {k2D, k2DLevel}}, {"levels 3d", 8, {k3DLevel}}};
  for (const auto& m : kMipmaps) {
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
    cudaMipmappedArray_t mipmap = nullptr;
    cudaMallocMipmappedArray(&mipmap, &desc, make_cudaExtent(16, 12, m.d), 4, 0);
    seed = 5;
    for (unsigned level = 0; level < 4; level++) {
      cudaArray_t array = nullptr;
      cudaGetMipmappedArrayLevel(&array, mipmap, level);
      fill(array, false, 16 >> level, 12 >> level, m.d ? m.d >> level : 1);
    }
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    in_all_modes(m.name, resource, false, true, 16, 12, m.d ? m.d : 1, m.operations);
    cudaFreeMipmappedArray(mipmap);
  }
}

static void linear_memory() {
  float* memory;
  cudaMallocManaged(&memory, 1024);
  seed = 5;
  for (int i = 0; i < 256; i++) {
    const unsigned v = texel_bits(true);
    memcpy(&memory[i], &v, 4);
  }
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  resource.res.linear.sizeInBytes = 20 * sizeof(float);
  cudaTextureDesc desc{};
  cudaTextureObject_t t = 0;
  cudaCreateTextureObject(&t, &resource, &desc, nullptr);
  make_samples(false, 20, 1, 1);
  run(kLinear, "linear", t);
}

int main() {
  cudaMallocManaged(&samples, kSamples * sizeof(Sample));
  cudaMallocManaged(&results, kSamples * sizeof(uint4));
  arrays();
  mipmaps();
  linear_memory();
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
