// What a texture fetch gives: every kind of texture, format, filter, address and read mode at many coordinates, among them
// edges, negative ones, infinities and NaN. A line a case: the error of making it, else a hash of all results.
// textures.h200.txt holds what an H200 printed. With a file's name as argument the results themselves are written there.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <vector>

enum Kind {
  k1D,
  k2D,
  k3D,
  kFetch,
  kPitch,
  k1DLayered,
  k2DLayered,
  kCube,
  kCubeLayered,
  kGather,
  k1DLod,
  k2DLod,
  k3DLod,
  k2DGrad,
  kCubeLod,
  k2DLayeredLod,
};
static const char* const kKindNames[] = {"1d",   "2d",        "3d",     "fetch",  "pitch",  "1d layered", "2d layered", "cube",
                                         "cube layered", "gather", "1d lod", "2d lod", "3d lod", "2d grad", "cube lod",
                                         "2d layered lod"};

template <typename T>
__global__ void fetch(cudaTextureObject_t t, Kind kind, const float4* at, T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 c = at[i];
  T r{};
  switch (kind) {
    case k1D: r = tex1D<T>(t, c.x); break;
    case k2D: r = tex2D<T>(t, c.x, c.y); break;
    case kPitch: r = tex2D<T>(t, c.x, c.y); break;
    case k3D: r = tex3D<T>(t, c.x, c.y, c.z); break;
    case kFetch: r = tex1Dfetch<T>(t, (int)c.x); break;
    case k1DLayered: r = tex1DLayered<T>(t, c.x, (int)c.w); break;
    case k2DLayered: r = tex2DLayered<T>(t, c.x, c.y, (int)c.w); break;
    case kCube: r = texCubemap<T>(t, c.x, c.y, c.z); break;
    case kCubeLayered: r = texCubemapLayered<T>(t, c.x, c.y, c.z, (int)c.w); break;
    case kGather:
      switch (i & 3) {
        case 0: r = tex2Dgather<T>(t, c.x, c.y, 0); break;
        case 1: r = tex2Dgather<T>(t, c.x, c.y, 1); break;
        case 2: r = tex2Dgather<T>(t, c.x, c.y, 2); break;
        default: r = tex2Dgather<T>(t, c.x, c.y, 3); break;
      }
      break;
    case k1DLod: r = tex1DLod<T>(t, c.x, c.w); break;
    case k2DLod: r = tex2DLod<T>(t, c.x, c.y, c.w); break;
    case k3DLod: r = tex3DLod<T>(t, c.x, c.y, c.z, c.w); break;
    case k2DGrad: r = tex2DGrad<T>(t, c.x, c.y, make_float2(c.z, 0), make_float2(0, c.w)); break;
    case kCubeLod: r = texCubemapLod<T>(t, c.x, c.y, c.z, c.w); break;
    case k2DLayeredLod: r = tex2DLayeredLod<T>(t, c.x, c.y, (int)c.z, c.w); break;
  }
  out[i] = r;
}

struct Format {
  const char* name;
  int bits, channels;
  cudaChannelFormatKind kind;
};
static const Format kFormats[] = {
    {"u8x4", 8, 4, cudaChannelFormatKindUnsigned},  {"f32x1", 32, 1, cudaChannelFormatKindFloat},
    {"s16x4", 16, 4, cudaChannelFormatKindSigned},  {"u32x4", 32, 4, cudaChannelFormatKindUnsigned},
    {"f16x4", 16, 4, cudaChannelFormatKindFloat},   {"u8x1", 8, 1, cudaChannelFormatKindUnsigned},
    {"s8x2", 8, 2, cudaChannelFormatKindSigned},    {"s8x4", 8, 4, cudaChannelFormatKindSigned},
    {"u16x1", 16, 1, cudaChannelFormatKindUnsigned}, {"u16x2", 16, 2, cudaChannelFormatKindUnsigned},
    {"u32x1", 32, 1, cudaChannelFormatKindUnsigned}, {"s32x2", 32, 2, cudaChannelFormatKindSigned},
    {"f16x1", 16, 1, cudaChannelFormatKindFloat},   {"f32x2", 32, 2, cudaChannelFormatKindFloat},
    {"f32x4", 32, 4, cudaChannelFormatKindFloat},
};
static const int kManyFormats = 15, kFewFormats = 5;

static unsigned seed;
static unsigned random_bits() {
  seed = seed * 1664525u + 1013904223u;
  return seed ^ seed >> 15;
}
static float random_in(float low, float high) {
  return low + (high - low) * (float)(random_bits() & 0xffff) / 65536.0f;
}

// Texels: any bits for integers, numbers of a few magnitudes for floats.
static std::vector<unsigned char> texels(const Format& f, size_t count) {
  std::vector<unsigned char> out(count * f.bits / 8 * f.channels);
  for (size_t i = 0; i < count * f.channels; i++) {
    unsigned v = random_bits();
    if (f.kind == cudaChannelFormatKindFloat && f.bits == 32) v = (v & 0x807fffff) | (124 + (v >> 24) % 7) << 23;
    if (f.kind == cudaChannelFormatKindFloat && f.bits == 16) v = (v & 0x83ff) | (12 + (v >> 24) % 7) << 10;
    memcpy(&out[i * f.bits / 8], &v, f.bits / 8);
  }
  return out;
}

static const int kSamples = 128;
static float one_coordinate(int i, float size) {
  const float kSpecial[] = {0,       -0.0f,   0.25f,  0.5f,        0.49999997f, 0.501953125f, 0.50390625f, 0.75f,  1.0f,  0.99999994f, -0.25f,
                            -0.5f,   -1e-3f,  1e-3f,  -1.0f,       -1.5f,       1e9f,         -1e9f,       1e30f,  -1e30f, INFINITY,    -INFINITY,
                            NAN,     1e-30f,  -1e-40f};
  const int n = sizeof kSpecial / sizeof *kSpecial;
  if (i < n) return kSpecial[i];
  i -= n;
  const float kAtEnd[] = {0, 0.25f, 0.5f, 0.75f, 1, -0.25f, -0.5f, -0.75f, -1, 1e-3f, -1e-3f};
  const int m = sizeof kAtEnd / sizeof *kAtEnd;
  if (i < m) return size + kAtEnd[i];
  return random_in(-1.5f * size, 2.5f * size);
}

static std::vector<float4> coordinates(Kind kind, bool normalized, int w, int h, int d) {
  std::vector<float4> out(kSamples);
  const bool cube = kind == kCube || kind == kCubeLayered || kind == kCubeLod;
  for (int i = 0; i < kSamples; i++) {
    float x = one_coordinate(i, (float)w), y = one_coordinate((i * 17 + 3) % kSamples, (float)h),
          z = one_coordinate((i * 29 + 7) % kSamples, (float)d), layer = (float)((int)(random_bits() % 9) - 2);
    if (cube) {
      x = random_in(-1, 1), y = random_in(-1, 1), z = random_in(-1, 1);
      if (i % 8 == 0) y = x;
      if (i % 8 == 1) z = -x;
      if (i % 8 == 2) z = y;
      if (i == 3) x = y = z = 0;
      if (i == 4) x = NAN;
      if (i == 5) z = INFINITY;
      if (i == 6) x = y = z = 1;
    } else if (normalized) {
      x /= (float)w, y /= (float)h, z /= (float)d;
    }
    float4 c = make_float4(x, y, z, layer);
    if (kind == k1DLod || kind == k2DLod || kind == k3DLod || kind == kCubeLod || kind == k2DLayeredLod)
      c.w = random_in(-1, 4);
    if (kind == k2DLayeredLod) c.z = layer;
    if (kind == k2DGrad) c.z = random_in(0, 0.5f), c.w = random_in(0, 0.5f);
    out[i] = c;
  }
  return out;
}

static FILE* dump;
static float4* device_at;
static float4* device_out;

static void run(const char* name, cudaTextureObject_t t, Kind kind, bool floats, bool is_signed, const std::vector<float4>& at) {
  std::vector<unsigned> out(kSamples * 4, 0xdeadbeef);
  cudaMemcpy(device_at, at.data(), kSamples * sizeof(float4), cudaMemcpyHostToDevice);
  if (floats)
    fetch<float4><<<kSamples / 64, 64>>>(t, kind, device_at, device_out, kSamples);
  else if (is_signed)
    fetch<int4><<<kSamples / 64, 64>>>(t, kind, device_at, (int4*)device_out, kSamples);
  else
    fetch<uint4><<<kSamples / 64, 64>>>(t, kind, device_at, (uint4*)device_out, kSamples);
  cudaError_t e = cudaMemcpy(out.data(), device_out, kSamples * sizeof(float4), cudaMemcpyDeviceToHost);
  unsigned long long hash = 0xcbf29ce484222325ull;
  for (unsigned v : out) hash = (hash ^ v) * 0x100000001b3ull;
  printf("%s: %s %016llx\n", name, e ? cudaGetErrorName(e) : "", hash);
  if (dump) fwrite(out.data(), 16, kSamples, dump);
}

static cudaChannelFormatDesc channels(const Format& f) {
  int b = f.bits;
  return cudaCreateChannelDesc(b, f.channels > 1 ? b : 0, f.channels > 2 ? b : 0, f.channels > 2 ? b : 0, f.kind);
}

static cudaArray_t filled_array(const Format& f, int w, int h, int d, unsigned flags) {
  cudaArray_t array = nullptr;
  cudaChannelFormatDesc desc = channels(f);
  cudaError_t e = cudaMalloc3DArray(&array, &desc, make_cudaExtent(w, h, d), flags);
  if (e) printf("array %s %d %d %d %u: %s\n", f.name, w, h, d, flags, cudaGetErrorName(e));
  if (e) return nullptr;
  std::vector<unsigned char> data = texels(f, (size_t)w * (h ? h : 1) * (d ? d : 1));
  cudaMemcpy3DParms p{};
  p.srcPtr = make_cudaPitchedPtr(data.data(), (size_t)w * f.bits / 8 * f.channels, w, h ? h : 1);
  p.dstArray = array;
  p.extent = make_cudaExtent(w, h ? h : 1, d ? d : 1);
  p.kind = cudaMemcpyHostToDevice;
  e = cudaMemcpy3D(&p);
  if (e) printf("copy %s: %s\n", f.name, cudaGetErrorName(e));
  return array;
}

static void modes(const cudaResourceDesc& resource, const Format& f, Kind kind, int w, int h, int d) {
  for (int filter = 0; filter < 2; filter++)
    for (int read = 0; read < 2; read++)
      for (int normalized = 0; normalized < 2; normalized++)
        for (int address = 0; address < 4; address++) {
          cudaTextureDesc desc{};
          // In the modes that are the same in all directions, and one more where they differ.
          for (int k = 0; k < 3; k++) desc.addressMode[k] = (cudaTextureAddressMode)address;
          if (kind == k2D && address == 1 && normalized) desc.addressMode[1] = cudaAddressModeWrap;
          desc.filterMode = (cudaTextureFilterMode)filter;
          desc.readMode = (cudaTextureReadMode)read;
          desc.normalizedCoords = normalized;
          for (int k = 0; k < 4; k++) desc.borderColor[k] = 0.3f + 0.25f * k;
          char name[200];
          snprintf(name, sizeof name, "%s %s %s %s %s %s", kKindNames[kind], f.name, filter ? "linear" : "point",
                   read ? "normalized" : "element", normalized ? "0-1" : "0-n",
                   (const char*[]){"wrap", "clamp", "mirror", "border"}[address]);
          seed = 77;
          std::vector<float4> at = coordinates(kind, normalized, w, h, d);
          cudaTextureObject_t t = 0;
          cudaError_t e = cudaCreateTextureObject(&t, &resource, &desc, nullptr);
          if (e) {
            printf("%s: %s\n", name, cudaGetErrorName(e));
            cudaGetLastError();
            continue;
          }
          bool floats = f.kind == cudaChannelFormatKindFloat || read;
          run(name, t, kind, floats, f.kind == cudaChannelFormatKindSigned, at);
          cudaDestroyTextureObject(t);
        }
}

static void arrays() {
  struct {
    Kind kind;
    int w, h, d, formats;
    unsigned flags;
  } const kArrays[] = {
      {k1D, 7, 0, 0, kManyFormats, 0},
      {k2D, 7, 5, 0, kManyFormats, 0},
      {k3D, 7, 5, 3, kManyFormats, 0},
      {k1DLayered, 16, 0, 5, kFewFormats, cudaArrayLayered},
      {k2DLayered, 8, 6, 5, kFewFormats, cudaArrayLayered},
      {kCube, 5, 5, 6, kFewFormats, cudaArrayCubemap},
      {kCubeLayered, 4, 4, 18, kFewFormats, cudaArrayCubemap | cudaArrayLayered},
      {kGather, 7, 5, 0, kManyFormats, cudaArrayTextureGather},
  };
  for (const auto& a : kArrays)
    for (int f = 0; f < a.formats; f++) {
      seed = 5;
      cudaArray_t array = filled_array(kFormats[f], a.w, a.h, a.d, a.flags);
      if (!array) continue;
      cudaResourceDesc resource{};
      resource.resType = cudaResourceTypeArray;
      resource.res.array.array = array;
      modes(resource, kFormats[f], a.kind, a.w, a.h ? a.h : 1, a.d ? a.d : 1);
      cudaFreeArray(array);
    }
}

static void memory() {
  for (int f = 0; f < kFewFormats; f++) {
    const Format& format = kFormats[f];
    seed = 5;
    const size_t element = format.bits / 8 * format.channels;
    std::vector<unsigned char> data = texels(format, 64 * 5);
    char* device;
    cudaMalloc(&device, 1024 * 5);
    cudaMemcpy2D(device, 1024, data.data(), 64 * element, 64 * element, 5, cudaMemcpyHostToDevice);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = device;
    resource.res.linear.desc = channels(format);
    resource.res.linear.sizeInBytes = 20 * element;
    modes(resource, format, kFetch, 20, 1, 1);
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = device;
    resource.res.pitch2D.desc = channels(format);
    resource.res.pitch2D.width = 13;
    resource.res.pitch2D.height = 5;
    resource.res.pitch2D.pitchInBytes = 1024;
    modes(resource, format, kPitch, 13, 5, 1);
    cudaFree(device);
  }
}

static void mipmaps() {
  struct {
    Kind kind;
    int w, h, d;
    unsigned flags;
  } const kMipmaps[] = {{k1DLod, 16, 0, 0, 0},         {k2DLod, 16, 12, 0, 0}, {k3DLod, 16, 8, 12, 0},
                        {k2DGrad, 16, 12, 0, 0},       {kCubeLod, 16, 16, 6, cudaArrayCubemap},
                        {k2DLayeredLod, 16, 8, 3, cudaArrayLayered}};
  for (const auto& m : kMipmaps)
    for (int f = 0; f < kFewFormats; f++) {
      const Format& format = kFormats[f];
      cudaChannelFormatDesc desc = channels(format);
      cudaMipmappedArray_t mipmap = nullptr;
      cudaError_t e = cudaMallocMipmappedArray(&mipmap, &desc, make_cudaExtent(m.w, m.h, m.d), 4, m.flags);
      if (e) {
        printf("mipmap %s %s: %s\n", kKindNames[m.kind], format.name, cudaGetErrorName(e));
        continue;
      }
      seed = 5;
      for (unsigned level = 0; level < 4; level++) {
        cudaArray_t array = nullptr;
        cudaGetMipmappedArrayLevel(&array, mipmap, level);
        cudaExtent extent;
        cudaArrayGetInfo(nullptr, &extent, nullptr, array);
        extent.height = extent.height ? extent.height : 1, extent.depth = extent.depth ? extent.depth : 1;
        std::vector<unsigned char> data = texels(format, extent.width * extent.height * extent.depth);
        cudaMemcpy3DParms p{};
        p.srcPtr = make_cudaPitchedPtr(data.data(), extent.width * format.bits / 8 * format.channels, extent.width,
                                       extent.height);
        p.dstArray = array;
        p.extent = extent;
        p.kind = cudaMemcpyHostToDevice;
        cudaMemcpy3D(&p);
      }
      cudaResourceDesc resource{};
      resource.resType = cudaResourceTypeMipmappedArray;
      resource.res.mipmap.mipmap = mipmap;
      const bool integer = format.kind != cudaChannelFormatKindFloat;
      for (int filter = 0; filter < 2; filter++)
        for (int between = 0; between < 2; between++)
          for (int variant = 0; variant < 3; variant++) {
            cudaTextureDesc t{};
            for (auto& mode : t.addressMode) mode = variant == 1 ? cudaAddressModeWrap : cudaAddressModeClamp;
            t.filterMode = (cudaTextureFilterMode)filter;
            t.mipmapFilterMode = (cudaTextureFilterMode)between;
            t.readMode = integer && format.bits < 32 ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
            t.normalizedCoords = 1;
            t.maxMipmapLevelClamp = variant == 2 ? 2.25f : 10;
            t.minMipmapLevelClamp = variant == 2 ? 0.75f : 0;
            t.mipmapLevelBias = variant == 1 ? 0.7f : 0;
            char name[200];
            snprintf(name, sizeof name, "mipmap %s %s %s %s %d", kKindNames[m.kind], format.name, filter ? "linear" : "point",
                     between ? "linear" : "point", variant);
            seed = 77;
            std::vector<float4> at = coordinates(m.kind, true, m.w, m.h ? m.h : 1, m.d ? m.d : 1);
            cudaTextureObject_t object = 0;
            e = cudaCreateTextureObject(&object, &resource, &t, nullptr);
            if (e) {
              printf("%s: %s\n", name, cudaGetErrorName(e));
              cudaGetLastError();
              continue;
            }
            run(name, object, m.kind, !integer || format.bits < 32, false, at);
            cudaDestroyTextureObject(object);
          }
      cudaFreeMipmappedArray(mipmap);
    }
}

// The four texels that a filter would mix, of a cube: only inline PTX asks for them.
__global__ void gather_cube(cudaTextureObject_t t, int which, const float4* at, float4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 c = at[i];
  float4 r;
  if (which == 0)
    asm volatile("tld4.r.cube.v4.f32.f32 {%0,%1,%2,%3},[%4,{%5,%6,%7,%7}];"
                 : "=f"(r.x), "=f"(r.y), "=f"(r.z), "=f"(r.w) : "l"(t), "f"(c.x), "f"(c.y), "f"(c.z));
  else if (which == 1)
    asm volatile("tld4.b.cube.v4.f32.f32 {%0,%1,%2,%3},[%4,{%5,%6,%7,%7}];"
                 : "=f"(r.x), "=f"(r.y), "=f"(r.z), "=f"(r.w) : "l"(t), "f"(c.x), "f"(c.y), "f"(c.z));
  else
    asm volatile("tld4.g.acube.v4.f32.f32 {%0,%1,%2,%3},[%4,{%8,%5,%6,%7}];"
                 : "=f"(r.x), "=f"(r.y), "=f"(r.z), "=f"(r.w) : "l"(t), "f"(c.x), "f"(c.y), "f"(c.z), "r"((int)c.w));
  out[i] = r;
}

static void gathered_cubes() {
  for (int layered = 0; layered < 2; layered++)
    for (const int f : {1, 0, 14, 3, 2}) {
      seed = 5;
      const int w = layered ? 4 : 5, d = layered ? 18 : 6;
      const Format& format = kFormats[f];
      cudaArray_t array = filled_array(format, w, w, d, cudaArrayCubemap | (layered ? cudaArrayLayered : 0));
      cudaResourceDesc resource{};
      resource.resType = cudaResourceTypeArray;
      resource.res.array.array = array;
      for (int filter = 0; filter < 2; filter++)
        for (const int address : {1, 0}) {
          cudaTextureDesc desc{};
          for (auto& mode : desc.addressMode) mode = (cudaTextureAddressMode)address;
          desc.filterMode = (cudaTextureFilterMode)filter;
          desc.readMode = format.kind != cudaChannelFormatKindFloat && format.bits < 32 ? cudaReadModeNormalizedFloat
                                                                                        : cudaReadModeElementType;
          desc.normalizedCoords = 1;
          for (int k = 0; k < 4; k++) desc.borderColor[k] = 0.3f + 0.25f * k;
          cudaTextureObject_t t = 0;
          if (cudaCreateTextureObject(&t, &resource, &desc, nullptr)) {
            cudaGetLastError();
            continue;
          }
          for (int which = layered ? 2 : 0; which < (layered ? 3 : 2); which++) {
            seed = 77;
            const std::vector<float4> at = coordinates(layered ? kCubeLayered : kCube, true, w, w, d);
            std::vector<unsigned> out(kSamples * 4);
            cudaMemcpy(device_at, at.data(), kSamples * sizeof(float4), cudaMemcpyHostToDevice);
            gather_cube<<<kSamples / 64, 64>>>(t, which, device_at, device_out);
            cudaMemcpy(out.data(), device_out, kSamples * sizeof(float4), cudaMemcpyDeviceToHost);
            unsigned long long hash = 0xcbf29ce484222325ull;
            for (unsigned v : out) hash = (hash ^ v) * 0x100000001b3ull;
            printf("gather %s %s seams %s %s: %016llx\n", (const char*[]){"cube r", "cube b", "cubes g"}[which],
                   format.name, filter ? "linear" : "point", address ? "clamp" : "wrap",
                   hash);
          }
          cudaDestroyTextureObject(t);
        }
      cudaFreeArray(array);
    }
}

int main(int argc, char** argv) {
  if (argc > 1) dump = fopen(argv[1], "wb");
  cudaMalloc(&device_at, kSamples * sizeof(float4));
  cudaMalloc(&device_out, kSamples * sizeof(float4));
  arrays();
  memory();
  mipmaps();
  gathered_cubes();
  if (dump) fclose(dump);
  cudaError_t e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorName(e));
  return e != cudaSuccess;
}
