// One request a launch to the units that Nsight Compute's per-instruction counters leave out: the constant cache and the
// texture unit. Their hardware counters, less those of the launch without a request, are in units.csv: see README.md.
//   nvcc -arch=sm_90 -std=c++17 -o units_probe units_probe.cu
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <utility>

#include "request_tables.h"

struct Lanes {
  uint32_t mask, x[32], y[32];
};

__constant__ uint32_t constants[12288];

enum Kind { Nothing, Const1, Const4, Const8, Fetch1, Fetch4, Point, Point4, Linear, Linear4, PitchPoint, PitchLinear, SurfaceRead, SurfaceWrite, Surface4, Gather, Kinds };
const char* const kNames[] = {"nothing", "const1", "const4", "const8", "fetch1", "fetch4", "point", "point4", "linear", "linear4", "pitch_point", "pitch_linear", "surface_read", "surface_write", "surface_read4", "gather"};

template <int K>
__global__ void request(const Lanes* lanes, cudaTextureObject_t tex, cudaSurfaceObject_t surface, uint32_t* out) {
  const int l = threadIdx.x;
  const uint32_t x = lanes->x[l], y = lanes->y[l];
  uint32_t r = x + y;
  float4 v = {0, 0, 0, 0};
  if (lanes->mask >> l & 1) {
    if (K == Const1) r = ((const uint8_t*)constants)[x];
    if (K == Const4) r = constants[x];
    if (K == Const8) {
      uint2 c = ((const uint2*)constants)[x];
      r = c.x + c.y;
    }
    if (K == Fetch1) v.x = tex1Dfetch<float>(tex, int(x));
    if (K == Fetch4) v = tex1Dfetch<float4>(tex, int(x));
    if (K == Point || K == Linear || K == PitchPoint || K == PitchLinear) v.x = tex2D<float>(tex, float(x) / 4, float(y) / 4);
    if (K == Point4 || K == Linear4) v = tex2D<float4>(tex, float(x) / 4, float(y) / 4);
    if (K == Gather) v = tex2Dgather<float4>(tex, float(x) / 4, float(y) / 4);
    if (K == SurfaceRead) v.x = surf2Dread<float>(surface, int(x) / 4 * 4, int(y) / 4);
    if (K == Surface4) v = surf2Dread<float4>(surface, int(x) / 4 * 16, int(y) / 4);
    if (K == SurfaceWrite) surf2Dwrite<float>(1.5f, surface, int(x) / 4 * 4, int(y) / 4);
  }
  out[l] = r + uint32_t(v.x + v.y + v.z + v.w);
}

constexpr int kSide = 256;

struct Objects {
  cudaTextureObject_t fetch1, fetch4, point, point4, linear, linear4, pitch_point, pitch_linear;
  cudaSurfaceObject_t surface, surface4;
};

cudaTextureObject_t texture(const cudaResourceDesc& resource, cudaTextureFilterMode filter) {
  cudaTextureDesc d{};
  d.filterMode = filter;
  d.readMode = cudaReadModeElementType;
  d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t t = 0;
  const cudaError_t e = cudaCreateTextureObject(&t, &resource, &d, nullptr);
  if (e != cudaSuccess) fprintf(stderr, "texture: %s\n", cudaGetErrorString(e)), exit(1);
  return t;
}

Objects objects() {
  Objects o{};
  const auto one = cudaCreateChannelDesc<float>(), four = cudaCreateChannelDesc<float4>();
  void *memory, *pitched;
  size_t pitch;
  cudaMalloc(&memory, 1 << 20), cudaMemset(memory, 0, 1 << 20);
  cudaMallocPitch(&pitched, &pitch, kSide * 4, kSide), cudaMemset2D(pitched, pitch, 0, kSide * 4, kSide);
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = memory, r.res.linear.sizeInBytes = 1 << 20, r.res.linear.desc = one;
  o.fetch1 = texture(r, cudaFilterModePoint);
  r.res.linear.desc = four;
  o.fetch4 = texture(r, cudaFilterModePoint);
  r = {};
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = pitched, r.res.pitch2D.pitchInBytes = pitch, r.res.pitch2D.width = r.res.pitch2D.height = kSide;
  r.res.pitch2D.desc = one;
  o.pitch_point = texture(r, cudaFilterModePoint), o.pitch_linear = texture(r, cudaFilterModeLinear);
  cudaArray_t a1, a4;
  cudaMallocArray(&a1, &one, kSide, kSide, cudaArraySurfaceLoadStore | cudaArrayTextureGather);
  cudaMallocArray(&a4, &four, kSide, kSide, cudaArraySurfaceLoadStore);
  r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a1;
  o.point = texture(r, cudaFilterModePoint), o.linear = texture(r, cudaFilterModeLinear);
  cudaCreateSurfaceObject(&o.surface, &r);
  r.res.array.array = a4;
  o.point4 = texture(r, cudaFilterModePoint), o.linear4 = texture(r, cudaFilterModeLinear);
  cudaCreateSurfaceObject(&o.surface4, &r);
  return o;
}

// Coordinates in quarters of a texel for textures of two dimensions, else elements.
const int kPatterns = 40;  // from 20 on: at random, with lanes off
void make(Lanes& lanes, int pattern, int kind) {
  requests::Random r(pattern * 100 + 7);
  lanes.mask = pattern == 17 ? 0xffff : pattern == 18 ? 0x11111111 : pattern == 19 ? 1u << 5 : ~0u;
  const bool flat = kind <= Fetch4;
  uint32_t u[32];
  if (pattern >= 20) lanes.mask = requests::make_mask(r), requests::make_units(r, 1024, u);
  for (uint32_t l = 0; l < 32; ++l) {
    uint32_t x = 0, y = 0;
    switch (pattern < 20 ? pattern : 20) {
      case 0: x = 64; break;
      case 1: x = 64 + l; break;
      case 2: x = 64 + l / 2; break;
      case 3: x = 64 + l % 2; break;
      case 4: x = 64 + 2 * l; break;
      case 5: x = 7 * l; break;
      case 6: x = 32 * l; flat ? 0 : (x = 8 * l); break;
      case 7: y = l; break;
      case 8: x = l % 8, y = l / 8; break;
      case 9: x = l % 2 + l / 4 * 2, y = l / 2 % 2; break;
      case 10: x = l % 4, y = l / 4; break;
      case 11: x = r.below(16), y = r.below(16); break;
      case 12: x = r.below(128), y = r.below(128); break;
      case 13: x = r.below(200), y = r.below(4); break;
      case 14: x = l & 1 ? 9 : 100, y = 3; break;
      case 15: x = 31 - l; break;
      case 16: x = l / 8 * 8; break;
      case 20: x = u[l] % 64, y = u[l] / 64; break;
      default: x = 64 + l; break;
    }
    if (flat) lanes.x[l] = x + 256 * y, lanes.y[l] = 0;
    else if (kind == Linear || kind == Linear4 || kind == PitchLinear) lanes.x[l] = 4 * x + (pattern & 1 ? 2 : 3), lanes.y[l] = 4 * y + (pattern & 2 ? 2 : 1);
    else lanes.x[l] = 4 * x + 2, lanes.y[l] = 4 * y + 2;
  }
}

template <int K>
void launches(Lanes* lanes, uint32_t* out, const Objects& o, int patterns) {
  const cudaTextureObject_t textures[] = {0, 0, 0, 0, o.fetch1, o.fetch4, o.point, o.point4, o.linear, o.linear4, o.pitch_point, o.pitch_linear, 0, 0, 0, o.point};
  for (int p = 0; p < patterns; ++p) {
    make(*lanes, p, K);
    request<K><<<1, 32>>>(lanes, textures[K], K == Surface4 ? o.surface4 : o.surface, out);
    const cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) fprintf(stderr, "%s: %s\n", kNames[K], cudaGetErrorString(e)), exit(1);
    printf("%s,%d\n", kNames[K], p);
  }
}
template <int... K>
void every(Lanes* lanes, uint32_t* out, const Objects& o, int patterns, std::integer_sequence<int, K...>) {
  (launches<K>(lanes, out, o, K == Nothing ? 1 : K <= Const8 ? kPatterns : patterns), ...);
}

// units_probe PATTERNS
int main(int argc, char** argv) {
  Lanes* lanes;
  uint32_t* out;
  cudaMallocManaged(&lanes, sizeof *lanes);
  cudaMalloc(&out, 4096);
  every(lanes, out, objects(), argc > 1 ? atoi(argv[1]) : kPatterns, std::make_integer_sequence<int, Kinds>());
  return 0;
}
