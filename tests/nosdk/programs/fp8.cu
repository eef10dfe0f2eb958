// Conversion from and to the 8-bit types: all halves and bfloats, many floats; a line a way of conversion.
#include <cuda_fp8.h>

#include <cstdio>

__host__ __device__ unsigned mixed(unsigned v) {
  v = (v ^ v >> 16) * 0x7feb352du;
  v = (v ^ v >> 15) * 0x846ca68bu;
  return v ^ v >> 16;
}

constexpr int kWays = 96;

template <typename See>
__host__ __device__ void ways(unsigned n, See&& see) {
  __half_raw h;
  h.x = static_cast<unsigned short>(n);
  __nv_bfloat16_raw b;
  b.x = static_cast<unsigned short>(n);
  unsigned bits = n << 16 ^ (n % 4 ? mixed(n) >> 16 : 0);
  float f;
  memcpy(&f, &bits, 4);
  double d = f != f ? 0 : n % 3 ? f : f * (1 + 1e-12);  // the bits of a double's NaN are anybody's
  float2 g = make_float2(f, f * .37f);
  for (int s = 0; s < 2; ++s)
    for (int i = 0; i < 2; ++i) {
      auto sat = static_cast<__nv_saturation_t>(s);
      auto kind = static_cast<__nv_fp8_interpretation_t>(i);
      see(__nv_cvt_float_to_fp8(f, sat, kind));
      see(__nv_cvt_double_to_fp8(d, sat, kind));
      see(__nv_cvt_halfraw_to_fp8(h, sat, kind));
      see(__nv_cvt_bfloat16raw_to_fp8(b, sat, kind));
      see(__nv_cvt_float2_to_fp8x2(g, sat, kind));
      see(__nv_cvt_double2_to_fp8x2(make_double2(d, n), sat, kind));
    }
  unsigned char low = static_cast<unsigned char>(n);
  see(__nv_cvt_fp8_to_halfraw(low, __NV_E4M3).x);
  see(__nv_cvt_fp8_to_halfraw(low, __NV_E5M2).x);
  __half2_raw pair = __nv_cvt_fp8x2_to_halfraw2(static_cast<unsigned short>(n), __NV_E4M3);
  see(pair.x), see(pair.y);
  __nv_fp8_e4m3 e(f);
  __nv_fp8_e5m2 k(f);
  see(e.__x), see(k.__x);
  float back = static_cast<float>(e);
  see(back != back ? 0.f : back);
  see(static_cast<int>(e)), see(static_cast<unsigned>(k)), see(static_cast<short>(k)),
      see(static_cast<unsigned char>(e));
  see(static_cast<bool>(e)), see(__nv_fp8_e4m3(static_cast<int>(n)).__x),
      see(__nv_fp8_e5m2(static_cast<long long>(n) << 20).__x);
  __nv_fp8x2_e4m3 two(g);
  __nv_fp8x4_e5m2 four(make_float4(f, 1, -2, g.y));
  see(two.__x), see(four.__x);
  float4 wide = static_cast<float4>(four);
  for (int m = 0; m < 2; ++m)
    for (int k = 0; k < 2; ++k) {
      auto mode = m ? cudaRoundPosInf : cudaRoundZero;
      auto sat = static_cast<__nv_saturation_t>(k);
      see(__nv_cvt_float_to_e8m0(f, sat, mode)), see(__nv_cvt_double_to_e8m0(d, sat, mode));
      see(__nv_cvt_bfloat16raw_to_e8m0(b, sat, mode));
    }
  see(__nv_cvt_e8m0_to_bf16raw(low).x);
  see(wide.y), see(wide.z);
}

struct Sum {
  unsigned long long* to;
  unsigned n;
  int at = 0;
  template <typename V>
  __host__ __device__ void operator()(V v) {
    unsigned long long bits = 0;
    memcpy(&bits, &v, sizeof v);
    bits = (bits ^ n) * 0x9E3779B97F4A7C15ull;
#if defined(__CUDA_ARCH__)
    atomicAdd(to + at++, bits ^ bits >> 31);
#else
    to[at++] += bits ^ bits >> 31;
#endif
  }
};
__global__ void sums(unsigned long long* to) {
  unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
  ways(n, Sum{to, n});
}

int main() {
  unsigned long long *device, host[kWays] = {};
  cudaMallocManaged(&device, sizeof host);
  sums<<<256, 256>>>(device);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  for (unsigned n = 0; n < 65536; ++n) ways(n, Sum{host, n});
  for (int i = 0; i < kWays; ++i) std::printf("%d %016llx %016llx\n", i, device[i], host[i]);
}
