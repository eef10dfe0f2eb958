// Texture and surface objects as the host sees them: what can be made of what, and what they say of themselves; a line an
// answer. tests/api/textures.h200.txt holds what an H200 with driver 580 printed; Warplens must print the same.
// Build: nvcc -arch=sm_80 -cudart shared textures.cu
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

static void say(const char* what, cudaError_t e) {
  printf("%s: %d %s\n", what, (int)e, cudaGetErrorName(e));
  fflush(stdout);
}
static void say(const char* what, CUresult e) {
  printf("%s: %d\n", what, (int)e);
  fflush(stdout);
}
#define SAY(call) say(#call, call)
static void section(const char* title) { printf("== %s\n", title); }

static cudaTextureObject_t texture;
static cudaTextureDesc plain() {
  cudaTextureDesc d{};
  for (auto& m : d.addressMode) m = cudaAddressModeClamp;
  return d;
}
static cudaError_t make(const cudaResourceDesc& r, const cudaTextureDesc& d) {
  texture = 0;
  cudaError_t e = cudaCreateTextureObject(&texture, &r, &d, nullptr);
  printf("  %s ", texture ? "made" : "none");
  if (texture) cudaDestroyTextureObject(texture);
  return e;
}
static cudaResourceDesc of_array(cudaArray_t a) {
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  return r;
}
static cudaResourceDesc of_linear(void* p, cudaChannelFormatDesc d, size_t bytes) {
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = p;
  r.res.linear.desc = d;
  r.res.linear.sizeInBytes = bytes;
  return r;
}
static cudaResourceDesc of_pitch(void* p, cudaChannelFormatDesc d, size_t w, size_t h, size_t pitch) {
  cudaResourceDesc r{};
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = p;
  r.res.pitch2D.desc = d;
  r.res.pitch2D.width = w;
  r.res.pitch2D.height = h;
  r.res.pitch2D.pitchInBytes = pitch;
  return r;
}
static cudaArray_t array_of(cudaChannelFormatDesc d, size_t w, size_t h, size_t depth = 0, unsigned flags = 0) {
  cudaArray_t a = nullptr;
  say("  array", cudaMalloc3DArray(&a, &d, make_cudaExtent(w, h, depth), flags));
  return a;
}

static void wrong_arguments() {
  section("wrong arguments");
  cudaArray_t a = array_of(cudaCreateChannelDesc<float>(), 8, 8);
  cudaResourceDesc r = of_array(a);
  cudaTextureDesc d = plain();
  SAY(cudaCreateTextureObject(nullptr, &r, &d, nullptr));
  SAY(cudaCreateTextureObject(&texture, nullptr, &d, nullptr));
  SAY(cudaCreateTextureObject(&texture, &r, nullptr, nullptr));
  r.res.array.array = nullptr;
  SAY(make(r, d));
  r = of_array(a);
  r.resType = (cudaResourceType)7;
  SAY(make(r, d));
  r.resType = cudaResourceTypeMipmappedArray;
  r.res.mipmap.mipmap = nullptr;
  SAY(make(r, d));
  r = of_array(a);
  d.filterMode = (cudaTextureFilterMode)2;
  SAY(make(r, d));
  d = plain();
  d.addressMode[0] = (cudaTextureAddressMode)4;
  SAY(make(r, d));
  d = plain();
  d.readMode = (cudaTextureReadMode)2;
  SAY(make(r, d));
  d = plain();
  d.mipmapFilterMode = (cudaTextureFilterMode)2;
  SAY(make(r, d));
  d = plain();
  d.maxAnisotropy = 17;
  SAY(make(r, d));
  d = plain();
  d.normalizedCoords = 5;
  SAY(make(r, d));
  d = plain();
  d.sRGB = 1;
  SAY(make(r, d));
  d = plain();
  d.seamlessCubemap = 1;
  SAY(make(r, d));
  d = plain();
  d.addressMode[0] = cudaAddressModeWrap;
  SAY(make(r, d));
  d.addressMode[0] = cudaAddressModeMirror;
  SAY(make(r, d));
  d = plain();
  d.readMode = cudaReadModeNormalizedFloat;
  SAY(make(r, d));
  SAY(cudaFreeArray(a));
  SAY(cudaDestroyTextureObject(0));
  SAY(cudaDestroyTextureObject(123456));
}

static void formats() {
  section("formats and modes");
  const cudaChannelFormatKind kKinds[] = {cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat};
  for (auto kind : kKinds)
    for (int bits = 8; bits <= 32; bits *= 2)
      for (int channels = 1; channels <= 4; channels *= 2) {
        if (kind == cudaChannelFormatKindFloat && bits == 8) continue;
        cudaArray_t a = nullptr;
        cudaChannelFormatDesc desc = cudaCreateChannelDesc(bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0, kind);
        cudaMallocArray(&a, &desc, 8, 8);
        cudaResourceDesc r = of_array(a);
        printf("%d x%d kind %d:", bits, channels, (int)kind);
        for (int filter = 0; filter < 2; filter++)
          for (int read = 0; read < 2; read++)
            for (int srgb = 0; srgb < 2; srgb++) {
              cudaTextureDesc d = plain();
              d.filterMode = (cudaTextureFilterMode)filter;
              d.readMode = (cudaTextureReadMode)read;
              d.sRGB = srgb;
              texture = 0;
              printf(" %d", (int)cudaCreateTextureObject(&texture, &r, &d, nullptr));
              if (texture) cudaDestroyTextureObject(texture);
            }
        printf("\n");
        cudaFreeArray(a);
      }
  cudaGetLastError();
}

static void memory() {
  section("memory");
  char* p;
  cudaMalloc(&p, 1 << 20);
  cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
  cudaTextureDesc d = plain();
  SAY(make(of_linear(nullptr, f, 1024), d));
  SAY(make(of_linear(p, f, 0), d));
  SAY(make(of_linear(p, f, 2), d));
  SAY(make(of_linear(p, f, 1022), d));
  SAY(make(of_linear(p + 4, f, 1024), d));
  SAY(make(of_linear(p + 16, f, 1024), d));
  SAY(make(of_linear(p + 32, f, 1024), d));
  SAY(make(of_linear(p + 256, f, 1024), d));
  SAY(make(of_linear(p + 512, f, 1024), d));
  SAY(make(of_linear(p, three, 1024), d));
  SAY(make(of_linear(p, f, 2 << 20), d));
  SAY(make(of_linear(p, f, (size_t)4 << 28), d));
  SAY(make(of_linear(p, f, ((size_t)4 << 28) + 4), d));
  float host[64];
  SAY(make(of_linear(host, f, 64), d));
  d.filterMode = cudaFilterModeLinear;
  SAY(make(of_linear(p, f, 1024), d));
  d = plain();
  d.normalizedCoords = 1;
  SAY(make(of_linear(p, f, 1024), d));
  d = plain();
  d.readMode = cudaReadModeNormalizedFloat;
  SAY(make(of_linear(p, f, 1024), d));
  SAY(make(of_linear(p, cudaCreateChannelDesc<uchar4>(), 1024), d));
  d = plain();
  d.addressMode[0] = cudaAddressModeBorder;
  SAY(make(of_linear(p, f, 1024), d));
  d = plain();
  SAY(make(of_pitch(nullptr, f, 16, 4, 512), d));
  SAY(make(of_pitch(p, f, 0, 4, 512), d));
  SAY(make(of_pitch(p, f, 16, 0, 512), d));
  SAY(make(of_pitch(p, f, 16, 4, 0), d));
  SAY(make(of_pitch(p, f, 16, 4, 32), d));
  SAY(make(of_pitch(p, f, 16, 4, 64), d));
  SAY(make(of_pitch(p, f, 16, 4, 80), d));
  SAY(make(of_pitch(p, f, 16, 4, 96), d));
  SAY(make(of_pitch(p, f, 13, 4, 64), d));
  SAY(make(of_pitch(p + 32, f, 16, 4, 64), d));
  SAY(make(of_pitch(p + 256, f, 16, 4, 64), d));
  SAY(make(of_pitch(p + 512, f, 16, 4, 64), d));
  SAY(make(of_pitch(p, f, 131073, 1, 1 << 20), d));
  SAY(make(of_pitch(p, f, 16, 65001, 64), d));
  SAY(make(of_pitch(p, f, 16, 4, 2097152), d));
  SAY(make(of_pitch(p, three, 16, 4, 64), d));
  d.filterMode = cudaFilterModeLinear;
  d.normalizedCoords = 1;
  d.addressMode[0] = cudaAddressModeWrap;
  SAY(make(of_pitch(p, f, 16, 4, 64), d));
  SAY(make(of_pitch(p, cudaCreateChannelDesc<int>(), 16, 4, 64), d));
  cudaFree(p);
  size_t most = 7;
  SAY(cudaDeviceGetTexture1DLinearMaxWidth(&most, &f, 0));
  printf("%zu\n", most);
  cudaChannelFormatDesc c4 = cudaCreateChannelDesc<uchar4>(), f4 = cudaCreateChannelDesc<float4>(), c1 = cudaCreateChannelDesc<char>();
  SAY(cudaDeviceGetTexture1DLinearMaxWidth(&most, &c4, 0));
  printf("%zu\n", most);
  SAY(cudaDeviceGetTexture1DLinearMaxWidth(&most, &f4, 0));
  printf("%zu\n", most);
  SAY(cudaDeviceGetTexture1DLinearMaxWidth(&most, &c1, 0));
  printf("%zu\n", most);
  SAY(cudaDeviceGetTexture1DLinearMaxWidth(&most, &three, 0));
  SAY(cudaDeviceGetTexture1DLinearMaxWidth(nullptr, &f, 0));
  SAY(cudaDeviceGetTexture1DLinearMaxWidth(&most, nullptr, 0));
  SAY(cudaDeviceGetTexture1DLinearMaxWidth(&most, &f, 9));
}

static void show(const cudaTextureDesc& d) {
  printf("  address %d %d %d filter %d read %d srgb %d border %g %g %g %g normalized %d aniso %u mip %d bias %g %g %g tri %d seam %d\n",
         (int)d.addressMode[0], (int)d.addressMode[1], (int)d.addressMode[2], (int)d.filterMode, (int)d.readMode, d.sRGB,
         d.borderColor[0], d.borderColor[1], d.borderColor[2], d.borderColor[3], d.normalizedCoords, d.maxAnisotropy,
         (int)d.mipmapFilterMode, d.mipmapLevelBias, d.minMipmapLevelClamp, d.maxMipmapLevelClamp, d.disableTrilinearOptimization,
         d.seamlessCubemap);
}

static void answers() {
  section("what they say");
  cudaArray_t a = array_of(cudaCreateChannelDesc<uchar4>(), 8, 8);
  cudaTextureDesc d = plain(), got{};
  d.addressMode[1] = cudaAddressModeBorder, d.filterMode = cudaFilterModeLinear, d.readMode = cudaReadModeNormalizedFloat;
  d.sRGB = 1, d.borderColor[2] = 0.75f, d.normalizedCoords = 1, d.maxAnisotropy = 5, d.mipmapFilterMode = cudaFilterModeLinear;
  d.mipmapLevelBias = 0.3f, d.minMipmapLevelClamp = 1.1f, d.maxMipmapLevelClamp = 3.7f;
  cudaResourceDesc r = of_array(a), back{};
  SAY(cudaCreateTextureObject(&texture, &r, &d, nullptr));
  SAY(cudaGetTextureObjectTextureDesc(&got, texture));
  show(got);
  SAY(cudaGetTextureObjectResourceDesc(&back, texture));
  printf("  %d %d\n", (int)back.resType, back.res.array.array == a);
  cudaResourceViewDesc view{};
  SAY(cudaGetTextureObjectResourceViewDesc(&view, texture));
  SAY(cudaGetTextureObjectTextureDesc(nullptr, texture));
  SAY(cudaGetTextureObjectResourceDesc(nullptr, texture));
  SAY(cudaGetTextureObjectTextureDesc(&got, 0));
  SAY(cudaGetTextureObjectResourceDesc(&back, 77));
  CUDA_TEXTURE_DESC cd{};
  CUDA_RESOURCE_DESC cr{};
  SAY(cuTexObjectGetTextureDesc(&cd, texture));
  printf("  %d %d %d filter %d flags %u aniso %u mip %d %g %g %g\n", cd.addressMode[0], cd.addressMode[1], cd.addressMode[2], cd.filterMode, cd.flags,
         cd.maxAnisotropy, cd.mipmapFilterMode, cd.mipmapLevelBias, cd.minMipmapLevelClamp, cd.maxMipmapLevelClamp);
  SAY(cuTexObjectGetResourceDesc(&cr, texture));
  printf("  %d %d flags %u\n", cr.resType, (void*)cr.res.array.hArray == (void*)a, cr.flags);
  SAY(cudaDestroyTextureObject(texture));
  SAY(cudaGetTextureObjectTextureDesc(&got, texture));
  SAY(cudaDestroyTextureObject(texture));

  float* p;
  cudaMalloc(&p, 4096);
  r = of_linear(p, cudaCreateChannelDesc<float2>(), 1024);
  d = plain();
  SAY(cudaCreateTextureObject(&texture, &r, &d, nullptr));
  memset(&back, 0, sizeof back);
  SAY(cudaGetTextureObjectResourceDesc(&back, texture));
  printf("  %d %d %d %d %zu\n", (int)back.resType, back.res.linear.devPtr == p, back.res.linear.desc.x, back.res.linear.desc.w, back.res.linear.sizeInBytes);
  SAY(cudaGetTextureObjectTextureDesc(&got, texture));
  show(got);
  cudaDestroyTextureObject(texture);
  r = of_pitch(p, cudaCreateChannelDesc<short4>(), 8, 4, 64);
  SAY(cudaCreateTextureObject(&texture, &r, &d, nullptr));
  SAY(cudaGetTextureObjectResourceDesc(&back, texture));
  printf("  %d %d %d %d %zu %zu %zu\n", (int)back.resType, back.res.pitch2D.devPtr == p, back.res.pitch2D.desc.x, back.res.pitch2D.desc.w, back.res.pitch2D.width, back.res.pitch2D.height, back.res.pitch2D.pitchInBytes);
  SAY(cuTexObjectGetResourceDesc(&cr, texture));
  printf("  %d %d x%u %zu %zu %zu\n", cr.resType, cr.res.pitch2D.format, cr.res.pitch2D.numChannels, cr.res.pitch2D.width, cr.res.pitch2D.height, cr.res.pitch2D.pitchInBytes);
  cudaDestroyTextureObject(texture);
}

static void surfaces() {
  section("surfaces");
  cudaArray_t yes = array_of(cudaCreateChannelDesc<float>(), 8, 8, 0, cudaArraySurfaceLoadStore), no = array_of(cudaCreateChannelDesc<float>(), 8, 8);
  cudaResourceDesc r = of_array(yes), back{};
  cudaSurfaceObject_t s = 0;
  SAY(cudaCreateSurfaceObject(nullptr, &r));
  SAY(cudaCreateSurfaceObject(&s, nullptr));
  SAY(cudaCreateSurfaceObject(&s, &r));
  SAY(cudaGetSurfaceObjectResourceDesc(&back, s));
  printf("  %d %d\n", (int)back.resType, back.res.array.array == yes);
  SAY(cudaGetSurfaceObjectResourceDesc(nullptr, s));
  SAY(cudaGetSurfaceObjectResourceDesc(&back, 0));
  SAY(cudaGetTextureObjectResourceDesc(&back, s));
  SAY(cudaDestroyTextureObject(s));
  SAY(cudaDestroySurfaceObject(s));
  SAY(cudaDestroySurfaceObject(s));
  SAY(cudaDestroySurfaceObject(0));
  r = of_array(no);
  SAY(cudaCreateSurfaceObject(&s, &r));
  r = of_array(nullptr);
  SAY(cudaCreateSurfaceObject(&s, &r));
  float* p;
  cudaMalloc(&p, 4096);
  r = of_linear(p, cudaCreateChannelDesc<float>(), 1024);
  SAY(cudaCreateSurfaceObject(&s, &r));
  r = of_pitch(p, cudaCreateChannelDesc<float>(), 16, 4, 64);
  SAY(cudaCreateSurfaceObject(&s, &r));
  r = {};
  r.resType = cudaResourceTypeMipmappedArray;
  SAY(cudaCreateSurfaceObject(&s, &r));
  cudaDestroySurfaceObject(s);
}

static void mipmaps() {
  section("mipmapped arrays");
  cudaMipmappedArray_t m = nullptr;
  cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
  SAY(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(16, 16, 0), 3));
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeMipmappedArray;
  r.res.mipmap.mipmap = m;
  cudaTextureDesc d = plain();
  SAY(make(r, d));
  d.normalizedCoords = 1;
  SAY(make(r, d));
  d.maxMipmapLevelClamp = 2, d.minMipmapLevelClamp = 3;
  SAY(make(r, d));
  cudaArray_t level = nullptr;
  SAY(cudaGetMipmappedArrayLevel(&level, m, 1));
  SAY(make(of_array(level), plain()));
}

static void arrays() {
  section("layered arrays and cubes");
  cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
  cudaArray_t a = nullptr;
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(64, 64, 10), cudaArrayLayered));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(64, 0, 10), cudaArrayLayered));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(64, 64, 6), cudaArrayCubemap));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(64, 64, 12), cudaArrayCubemap | cudaArrayLayered));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(64, 64, 12), cudaArrayCubemap));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(64, 64, 10), cudaArrayLayered | cudaArrayTextureGather));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(64, 64, 10), cudaArrayTextureGather));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(64, 0, 0), cudaArrayTextureGather));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(64, 64, 10), cudaArrayLayered | cudaArraySurfaceLoadStore));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(64, 64, 6), cudaArrayCubemap | cudaArraySurfaceLoadStore));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(64, 64, 2049), cudaArrayLayered));
  SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(64, 64, 2048), cudaArrayLayered));
}

static void driver() {
  section("driver");
  CUtexObject t = 0;
  CUsurfObject s = 0;
  CUDA_RESOURCE_DESC r{};
  CUDA_TEXTURE_DESC d{};
  CUarray a = nullptr;
  CUDA_ARRAY_DESCRIPTOR ad{8, 8, CU_AD_FORMAT_FLOAT, 1};
  SAY(cuArrayCreate(&a, &ad));
  r.resType = CU_RESOURCE_TYPE_ARRAY;
  r.res.array.hArray = a;
  SAY(cuTexObjectCreate(&t, &r, &d, nullptr));
  SAY(cuTexObjectDestroy(t));
  SAY(cuTexObjectDestroy(t));
  SAY(cuTexObjectCreate(nullptr, &r, &d, nullptr));
  SAY(cuTexObjectCreate(&t, nullptr, &d, nullptr));
  SAY(cuTexObjectCreate(&t, &r, nullptr, nullptr));
  r.flags = 1;
  SAY(cuTexObjectCreate(&t, &r, &d, nullptr));
  r.flags = 0;
  d.flags = 0x100;
  SAY(cuTexObjectCreate(&t, &r, &d, nullptr));
  d.flags = CU_TRSF_READ_AS_INTEGER;
  SAY(cuTexObjectCreate(&t, &r, &d, nullptr));
  CUDA_ARRAY_DESCRIPTOR ai{8, 8, CU_AD_FORMAT_UNSIGNED_INT8, 4};
  SAY(cuArrayCreate(&a, &ai));
  r.res.array.hArray = a;
  d.filterMode = CU_TR_FILTER_MODE_LINEAR;
  SAY(cuTexObjectCreate(&t, &r, &d, nullptr));
  d.flags = 0;
  SAY(cuTexObjectCreate(&t, &r, &d, nullptr));
  SAY(cuSurfObjectCreate(&s, &r));
  SAY(cuSurfObjectDestroy(s));
}

int main() {
  SAY(cudaFree(nullptr));
  wrong_arguments();
  formats();
  memory();
  answers();
  surfaces();
  mipmaps();
  arrays();
  driver();
  return 0;
}
