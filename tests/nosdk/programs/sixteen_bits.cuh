// Every function of __half or __nv_bfloat16, over all values or many pairs; a line a function. The including file says
// which: T, T2, RAW, NAME(before, after), NAME2(before, after), PAIR_OF (a scalar twice).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

constexpr int kCount = 65536;

template <typename V>
__host__ __device__ unsigned long long bits_of(V v) {
  unsigned long long bits = 0;
  memcpy(&bits, &v, sizeof v);
  return bits;
}
__host__ __device__ T value_of(unsigned bits) {
  RAW raw;
  raw.x = static_cast<unsigned short>(bits);
  return T(raw);
}
// A NaN is a NaN whatever its bits: which those are differs between host and device, with NVIDIA's headers too.
template <typename V>
__host__ __device__ V plain(V v) {
  return v;
}
__host__ __device__ inline float plain(float v) { return v != v ? 0 : v; }
__host__ __device__ inline T plain(T v) { return v != v ? value_of(0x7fff) : v; }
__host__ __device__ inline T2 plain(T2 v) { return NAME2(__halves2, )(plain(v.x), plain(v.y)); }

// The i-th arguments: all values in order, and two that lie near or anywhere.
struct Arguments {
  T a, b, c;
  T2 p, q, r;
  float f;
  double d;
  long long l;
  int i;
  __host__ __device__ explicit Arguments(unsigned n) {
    unsigned h = n * 2654435761u, k = (h ^ h >> 15) * 2246822519u, m = (k ^ k >> 13) * 3266489917u;
    a = value_of(n);
    b = value_of(n % 3 ? k >> 16 : n + (k >> 28) * 64);
    c = value_of(n % 5 ? m >> 16 : ~n);
    p = NAME2(__halves2, )(a, b);
    q = NAME2(__halves2, )(b, c);
    r = NAME2(__halves2, )(c, a);
    unsigned fb = (n << 16) ^ (n % 4 == 0 ? 0x1000 * (k & 15) : k >> 16);
    memcpy(&f, &fb, 4);
    d = n % 7 == 0 ? f : f * (1 + 1e-9 * (k & 7));
    l = static_cast<long long>(static_cast<unsigned long long>(k) << 32 | m) >> (n & 63);
    i = static_cast<int>(k) >> (n & 31);
  }
};

#define BINARY(X)                                                                                                     \
  X(__hadd)                                                                                                           \
  X(__hsub)                                                                                                           \
  X(__hmul) X(__hadd_rn) X(__hsub_rn) X(__hmul_rn) X(__hadd_sat) X(__hsub_sat) X(__hmul_sat) X(__hdiv) X(__hmax)      \
      X(__hmin) X(__hmax_nan) X(__hmin_nan) X(__heq) X(__hne) X(__hlt) X(__hle) X(__hgt) X(__hge) X(__hequ) X(__hneu) \
          X(__hltu) X(__hleu) X(__hgtu) X(__hgeu)
#define BINARY2(X)                                                                                                    \
  X(__hadd2)                                                                                                          \
  X(__hsub2)                                                                                                          \
  X(__hmul2) X(__hadd2_rn) X(__hsub2_rn) X(__hmul2_rn) X(__hadd2_sat) X(__hsub2_sat) X(__hmul2_sat) X(__h2div)        \
      X(__hmax2) X(__hmin2) X(__hmax2_nan) X(__hmin2_nan) X(__heq2) X(__hne2) X(__hlt2) X(__hle2) X(__hgt2) X(__hge2) \
          X(__hequ2) X(__hneu2) X(__hltu2) X(__hleu2) X(__hgtu2) X(__hgeu2) X(__heq2_mask) X(__hne2_mask)             \
              X(__hlt2_mask) X(__hle2_mask) X(__hgt2_mask) X(__hge2_mask) X(__hequ2_mask) X(__hneu2_mask)             \
                  X(__hltu2_mask) X(__hleu2_mask) X(__hgtu2_mask) X(__hgeu2_mask) X(__hbeq2) X(__hbne2) X(__hblt2)    \
                      X(__hble2) X(__hbgt2) X(__hbge2) X(__hbequ2) X(__hbneu2) X(__hbltu2) X(__hbleu2) X(__hbgtu2)    \
                          X(__hbgeu2)
#define OPERATORS(X) X(+) X(-) X(*) X(/) X(==) X(!=) X(<) X(<=) X(>) X(>=)
#define UNARY(X) X(__hneg) X(__habs) X(__hisnan) X(__hisinf) X(hfloor) X(hceil) X(htrunc) X(hrint) X(hsqrt)
#define UNARY2(X) \
  X(__hneg2)      \
  X(__habs2)      \
  X(__hisnan2) X(h2floor) X(h2ceil) X(h2trunc) X(h2rint) X(h2sqrt) X(__lowhigh2highlow) X(__low2float) X(__high2float)
#define APPROXIMATE(X) X(hrsqrt) X(hrcp) X(hexp) X(hexp2) X(hexp10) X(hlog) X(hlog2) X(hlog10) X(hsin) X(hcos) X(htanh)
#define INTEGERS(X) \
  X(short, short)   \
  X(ushort, unsigned short) X(int, int) X(uint, unsigned int) X(ll, long long) X(ull, unsigned long long)
#define MODES(X, w, t) X(w, t, rn) X(w, t, rz) X(w, t, ru) X(w, t, rd)
#define TYPES(X) \
  X(float)       \
  X(bool)        \
  X(signed char) X(unsigned char) X(short) X(unsigned short) X(int) X(unsigned int) X(long long) X(unsigned long long)

constexpr int kFunctions = 400;

// Calls see(value) for each function in turn; the host's part is what the host offers as well.
template <typename See>
__host__ __device__ void functions(const Arguments& x, See&& see) {
#define B(f) see(#f, f(x.a, x.b));
  BINARY(B)
#undef B
#define B(f) see(#f, f(x.p, x.q));
  BINARY2(B)
#undef B
#define B(op)                     \
  see("scalar " #op, x.a op x.b); \
  see("pair " #op, x.p op x.q);
  OPERATORS(B)
#undef B
  T t = x.a;
  t += x.b, t *= x.c, t -= x.a, t /= x.b;
  see("assignments", t);
  see("++", ++t), see("++", t++), see("--", --t), see("--", t--), see("-", -t), see("+", +t);
  T2 u = x.p;
  u += x.q, u *= x.r, u -= x.p, u /= x.q;
  see("pair assignments", u);
  see("++", ++u), see("++", u++), see("--", --u), see("--", u--), see("-", -u), see("+", +u);
#define C(t) see("to " #t, static_cast<t>(x.a));
  TYPES(C)
#undef C
#define C(t) see("from " #t, T(static_cast<t>(x.l)));
  C(short)
  C(unsigned short)
  C(int) C(unsigned int) C(long long) C(unsigned long long)
#undef C
      see("from float", T(x.f)),
      see("from double", T(x.d));
  see("float2", NAME(__float2, )(x.f)), see("float2_rn", NAME(__float2, _rn)(x.f)), see("rz", NAME(__float2, _rz)(x.f));
  see("ru", NAME(__float2, _ru)(x.f)), see("rd", NAME(__float2, _rd)(x.f)), see("double2", NAME(__double2, )(x.d));
  see("2float", NAME(__, 2float)(x.a)), see("2char_rz", NAME(__, 2char_rz)(x.a)),
      see("2uchar_rz", NAME(__, 2uchar_rz)(x.a));
  see("as_short", NAME(__, _as_short)(x.a)), see("short_as", NAME(__short_as_, )(static_cast<short>(x.l)));
  see("floats2", NAME2(__floats2, _rn)(x.f, x.f * 3)), see("float22", NAME2(__float22, _rn)(make_float2(x.f, 1)));
  see("float2", NAME2(__float2, _rn)(x.f)), see("twice", PAIR_OF(x.a)), see("make", NAME2(make_, )(x.c, x.b));
  see("lows", NAME2(__lows2, )(x.p, x.q)), see("highs", NAME2(__highs2, )(x.p, x.q)), see("low", NAME2(__low2, )(x.p));
  see("high", NAME2(__high2, )(x.p)), see("low", NAME(__low2, )(x.p)), see("high", NAME(__high2, )(x.p));
  float2 w = NAME2(__, 2float2)(x.p);
  see("2float2", w.x), see("2float2", w.y);
}

template <typename See>
__device__ void device_functions(const Arguments& x, See&& see) {
#define I(w, t, mode)                          \
  see(#w #mode, NAME(__, 2##w##_##mode)(x.a)); \
  see("from " #w #mode, NAME(__##w##2, _##mode)(static_cast<t>(x.l)));
#define M(w, t) MODES(I, w, t)
  INTEGERS(M)
#undef M
#undef I
  see("fma", __hfma(x.a, x.b, x.c)), see("fma2", __hfma2(x.p, x.q, x.r)), see("cmadd", __hcmadd(x.p, x.q, x.r));
  see("fma sat", __hfma_sat(x.a, x.b, x.c)), see("fma2 sat", __hfma2_sat(x.p, x.q, x.r));
  see("fma relu", __hfma_relu(x.a, x.b, x.c)), see("fma2 relu", __hfma2_relu(x.p, x.q, x.r));
#define U(f) see(#f, f(x.a));
  UNARY(U)
#undef U
#define U(f) see(#f, f(x.p));
  UNARY2(U)
#undef U
  see("shfl", __shfl_sync(~0u, x.a, 3)), see("shfl", __shfl_up_sync(~0u, x.p, 2)),
      see("shfl", __shfl_down_sync(~0u, x.b, 1, 8));
  see("shfl", __shfl_xor_sync(~0u, x.q, 9));
}

struct Hash {
  unsigned long long* to;
  int at = 0;
  template <typename V>
  __host__ __device__ void operator()(const char*, V v) {
    // Summed over all arguments, so that the order of the threads does not matter.
    unsigned long long h = (bits_of(plain(v)) ^ seed) * 0x9E3779B97F4A7C15ull;
    h = (h ^ h >> 29) * 0xBF58476D1CE4E5B9ull;
#if defined(__CUDA_ARCH__)
    atomicAdd(to + at++, h ^ h >> 32);
#else
    to[at++] += h ^ h >> 32;
#endif
  }
  unsigned long long seed;
};
__global__ void hashes(unsigned long long* to) {
  unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
  Arguments x(n);
  Hash hash{to, 0, n};
  functions(x, hash);
  device_functions(x, hash);
}
#define A(f)                                            \
  __global__ void k_##f(float* out) {                   \
    unsigned n = blockIdx.x * blockDim.x + threadIdx.x; \
    out[n] = NAME(__, 2float)(f(value_of(n)));          \
  }
APPROXIMATE(A)
#undef A

struct Names {
  const char** to;
  int at = 0;
  template <typename V>
  __host__ __device__ void operator()(const char* name, V) {
    to[at++] = name;
  }
};

__global__ void memory(T* a, T2* p, const T* in, const T2* pairs) {
  int i = threadIdx.x;
  atomicAdd(a, value_of(0x3c00 + 0x40 * i)), atomicAdd(p, pairs[1]);
  T2 v = __ldg(pairs + i);
  T w = __ldg(in + i);
  __stcg(a + 1 + i, __hadd(__ldcg(in + i), __ldcs(in + 32 + i)));
  __stwt(p + 1 + i, __hadd2(__ldca(pairs + i), __ldcv(pairs + 32 + i)));
  a[40 + i] = __hadd(w, v.x);
}

int main(int argc, char** argv) {
  static const char* names[kFunctions];
  Names name{names};
  functions(Arguments(1), name);
  unsigned long long *device, host[kFunctions] = {};
  cudaMallocManaged(&device, sizeof host);
  hashes<<<kCount / 64, 64>>>(device);
  cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(error));
  for (unsigned n = 0; n < kCount; ++n) functions(Arguments(n), Hash{host, 0, n});
  for (int i = 0; i < kFunctions; ++i)
    if (device[i])
      std::printf("%3d %-20s %016llx %s\n", i, names[i] ? names[i] : "", device[i],
                  !names[i]              ? ""
                  : host[i] == device[i] ? "as the host"
                                         : "unlike the host");
  float* out;
  cudaMallocManaged(&out, kCount * sizeof *out);
#define A(f)                         \
  k_##f<<<kCount / 256, 256>>>(out); \
  cudaDeviceSynchronize();           \
  for (int i = 0; i < kCount; ++i) std::printf("%s %04x %a\n", #f, i, plain(out[i]));
  if (argc > 1) {
    APPROXIMATE(A)
  }
#undef A
  T* a;
  T2* p;
  cudaMallocManaged(&a, 1000 * sizeof *a), cudaMallocManaged(&p, 1000 * sizeof *p);
  for (int i = 0; i < 500; ++i) a[i] = T(i % 17), p[i] = NAME2(__halves2, )(T(i % 13), T(i % 11));
  memory<<<1, 32>>>(a + 200, p + 200, a, p);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  for (int i = 200; i < 280; ++i)
    std::printf("%g %g %g\n", static_cast<float>(a[i]), static_cast<float>(p[i].x), static_cast<float>(p[i].y));
}
