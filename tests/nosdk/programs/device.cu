// Device functions that give the same bits everywhere: integers, SIMD within a word, DPX, conversions, exchange within
// a warp, atomics. A line each: its place in the list and a sum of hashes over all threads.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kLines = 512, kThreads = 2048;

__device__ unsigned mixed(unsigned v) {
  v = (v ^ v >> 16) * 0x7feb352du;
  v = (v ^ v >> 15) * 0x846ca68bu;
  return v ^ v >> 16;
}
struct See {
  unsigned long long* to;
  unsigned id;
  int at = 0;
  template <typename V>
  __device__ void operator()(V v) {
    unsigned long long bits = 0;
    memcpy(&bits, &v, sizeof v);
    bits = (bits ^ id) * 0x9E3779B97F4A7C15ull;
    atomicAdd(to + at++, bits ^ bits >> 31);
  }
};

__device__ void simd(See& see, unsigned a, unsigned b, unsigned c) {
#define TWO(f) see(__v##f##2(a, b)), see(__v##f##4(a, b));
#define ONE(f) see(__v##f##2(a)), see(__v##f##4(a));
  ONE(abs)
  ONE(absss)
  ONE(neg) ONE(negss) TWO(add) TWO(addss) TWO(addus) TWO(sub) TWO(subss) TWO(subus) TWO(avgs) TWO(avgu) TWO(haddu)
      TWO(maxs) TWO(maxu) TWO(mins) TWO(minu) TWO(absdiffs) TWO(absdiffu) TWO(sads) TWO(sadu) TWO(cmpeq) TWO(cmpne)
          TWO(cmpges) TWO(cmpgeu) TWO(cmpgts) TWO(cmpgtu) TWO(cmples) TWO(cmpleu) TWO(cmplts) TWO(cmpltu) TWO(seteq)
              TWO(setne) TWO(setges) TWO(setgeu) TWO(setgts) TWO(setgtu) TWO(setles) TWO(setleu) TWO(setlts) TWO(setltu)
#undef ONE
#undef TWO
                  int x = a,
                      y = b, z = c;
  bool p, q;
  see(__viaddmax_s32(x, y, z)), see(__viaddmax_s32_relu(x, y, z)), see(__viaddmax_u32(a, b, c));
  see(__viaddmin_s32(x, y, z)), see(__viaddmin_s32_relu(x, y, z)), see(__viaddmin_u32(a, b, c));
  see(__vimax3_s32(x, y, z)), see(__vimax3_s32_relu(x, y, z)), see(__vimax3_u32(a, b, c));
  see(__vimin3_s32(x, y, z)), see(__vimin3_s32_relu(x, y, z)), see(__vimin3_u32(a, b, c));
  see(__vimax_s32_relu(x, y)), see(__vimin_s32_relu(x, y));
  see(__viaddmax_s16x2(a, b, c)), see(__viaddmax_s16x2_relu(a, b, c)), see(__viaddmax_u16x2(a, b, c));
  see(__viaddmin_s16x2(a, b, c)), see(__viaddmin_s16x2_relu(a, b, c)), see(__viaddmin_u16x2(a, b, c));
  see(__vimax3_s16x2(a, b, c)), see(__vimax3_s16x2_relu(a, b, c)), see(__vimax3_u16x2(a, b, c));
  see(__vimin3_s16x2(a, b, c)), see(__vimin3_s16x2_relu(a, b, c)), see(__vimin3_u16x2(a, b, c));
  see(__vimax_s16x2_relu(a, b)), see(__vimin_s16x2_relu(a, b));
  see(__vibmax_s32(x, y, &p)), see(p), see(__vibmin_s32(x, y, &p)), see(p);
  see(__vibmax_u32(a, b, &p)), see(p), see(__vibmin_u32(a, b, &p)), see(p);
  see(__vibmax_s16x2(a, b, &p, &q)), see(p), see(q), see(__vibmin_s16x2(a, b, &p, &q)), see(p), see(q);
  see(__vibmax_u16x2(a, b, &p, &q)), see(p), see(q), see(__vibmin_u16x2(a, b, &p, &q)), see(p), see(q);
}

__device__ void integers(See& see, unsigned a, unsigned b, unsigned c) {
  int x = a, y = b, z = c;
  long long l = static_cast<long long>(a) << 32 | b, m = static_cast<long long>(c) << 32 | a;
  see(__popc(a)), see(__popcll(l)), see(__clz(a)), see(__clzll(l)), see(__ffs(x)), see(__ffsll(l)), see(__brev(a)),
      see(__brevll(l));
  see(__byte_perm(a, b, c)), see(__mul24(x, y)), see(__umul24(a, b)), see(__mulhi(x, y)), see(__umulhi(a, b));
  see(__mul64hi(l, m)), see(__umul64hi(l, m)), see(__sad(x, y, c)), see(__usad(a, b, c)), see(__hadd(x, y)),
      see(__rhadd(x, y));
  see(__uhadd(a, b)), see(__urhadd(a, b)), see(__funnelshift_l(a, b, c)), see(__funnelshift_r(a, b, c));
  see(__funnelshift_lc(a, b, c & 63)), see(__funnelshift_rc(a, b, c & 63)), see(__fns(a, b & 31, z % 7));
  see(__dp4a(x, y, z)), see(__dp4a(a, b, c)), see(__dp2a_lo(x, y, z)), see(__dp2a_hi(a, b, c));
  see(__dp4a(make_char4(x, y, z, 3), make_char4(z, x, y, -4), z)),
      see(__dp2a_lo(make_ushort2(a, b), make_uchar4(a, b, c, 9), c));
  see(min(x, y)), see(max(a, b)), see(min(l, m)),
      see(max(static_cast<unsigned long long>(l), static_cast<unsigned long long>(m)));
  see(abs(x)), see(llabs(l)), see(min(a, 7)), see(max(x, 7u));
}

__device__ void conversions(See& see, unsigned a, unsigned b) {
  float f = __uint_as_float((a & 0x807fffffu) | (b % 80 + 100) << 23);  // of all sizes that matter
  double d = __longlong_as_double(static_cast<long long>((a & 0x800fffffull) | (b % 100 + 980ull) << 20) << 32 | b);
  long long l = static_cast<long long>(a) << 32 | b;
#define MODES(X) X(rn) X(rz) X(ru) X(rd)
#define M(r)                                                                                                    \
  see(__float2int_##r(f)), see(__float2uint_##r(f)), see(__float2ll_##r(f)), see(__float2ull_##r(f));           \
  see(__double2int_##r(d)), see(__double2uint_##r(d)), see(__double2ll_##r(d)), see(__double2ull_##r(d));       \
  see(__double2float_##r(d)), see(__int2float_##r(a)), see(__uint2float_##r(a)), see(__ll2float_##r(l));        \
  see(__ull2float_##r(l)), see(__ll2double_##r(l)), see(__ull2double_##r(l));                                   \
  see(__fadd_##r(f, 3.1f)), see(__fsub_##r(f, 3.1f)), see(__fmul_##r(f, 3.1f)), see(__fdiv_##r(f, 3.1f)),       \
      see(__frcp_##r(f));                                                                                       \
  see(__fsqrt_##r(fabsf(f))), see(__fmaf_##r(f, 1.7f, 3.1f)), see(__dadd_##r(d, 3.1)), see(__dsub_##r(d, 3.1)); \
  see(__dmul_##r(d, 3.1)), see(__ddiv_##r(d, 3.1)), see(__drcp_##r(d)), see(__dsqrt_##r(fabs(d))),              \
      see(__fma_##r(d, 1.7, 3.1));
  MODES(M)
#undef M
#undef MODES
  see(__int2double_rn(a)), see(__uint2double_rn(a)), see(__float_as_int(f)), see(__double_as_longlong(d));
  see(__double2hiint(d)), see(__double2loint(d)), see(__hiloint2double(a & 0x7fefffff, b)), see(__saturatef(f));
  see(floorf(f)), see(ceil(d)), see(truncf(f)), see(rint(d)), see(rintf(f)), see(copysign(d, -1.)), see(fmaxf(f, 1.f)),
      see(fmin(d, 1.));
  see(isnan(f)), see(isinf(d)), see(isfinite(f)), see(signbit(d)), see(fdimf(f, 2.f)), see(ldexpf(f, 3)), see(ilogb(d)),
      see(logbf(f));
  see(nextafterf(f, 9.f)), see(roundf(f)), see(lrintf(f)), see(llround(d)), see(fmod(d, 3.7)), see(remainder(d, 3.7));
  int e;
  see(frexp(d, &e)), see(e);
  float whole;
  see(modff(f, &whole)), see(whole);
}

__device__ void warps(See& see, unsigned a, unsigned b) {
  unsigned lane = threadIdx.x % 32;
  double d = a * .25;
  long long l = static_cast<long long>(a) << 32 | b;
  see(__shfl_sync(~0u, a, lane * 7 & 31)), see(__shfl_up_sync(~0u, l, 3)), see(__shfl_down_sync(~0u, d, 5, 16));
  see(__shfl_xor_sync(~0u, static_cast<float>(a), 9)), see(__shfl_sync(~0u, b, 2, 8)),
      see(__shfl_up_sync(~0u, b, 1, 4));
  see(__all_sync(~0u, a & 1)), see(__any_sync(~0u, a % 40 == 0)), see(__ballot_sync(~0u, a & 4)),
      see(__uni_sync(~0u, b & 1));
  see(__match_any_sync(~0u, a & 3)), see(__match_any_sync(~0u, static_cast<unsigned long long>(b & 7)));
  int all = 5;
  see(__match_all_sync(~0u, a >> 31, &all)), see(all);
  see(__match_all_sync(~0u, lane / 32 + 3.5, &all)), see(all);
  see(__reduce_add_sync(~0u, a)), see(__reduce_min_sync(~0u, static_cast<int>(a))), see(__reduce_max_sync(~0u, a));
  see(__reduce_min_sync(~0u, b)), see(__reduce_max_sync(~0u, static_cast<int>(b)));
  see(__reduce_and_sync(~0u, a | 0x5500ff)), see(__reduce_or_sync(~0u, a & 0x1234)), see(__reduce_xor_sync(~0u, b));
  if (lane % 3 == 1) {
    see(__activemask());
    see(__reduce_add_sync(__activemask(), static_cast<int>(b)));
    see(__ballot_sync(__activemask(), b & 1));
    see(__shfl_xor_sync(0x92492492, a, 3));
  } else {
    see.at += 4;
  }
  see(__syncthreads_count(a & 1)), see(__syncthreads_and(a | 1)), see(__syncthreads_or(a % 500 == 0));
  __syncwarp();
}

template <typename T>
__device__ void both(See& see, T* p, T v) {
  see(*p);
  *p = v;
}
__device__ void atomics(See& see, unsigned a, unsigned b) {
  __shared__ unsigned words[16 * 64];
  __shared__ unsigned long long longs[16 * 64];
  unsigned* w = words + threadIdx.x;
  unsigned long long* l = longs + threadIdx.x;
  auto i = reinterpret_cast<int*>(w);
  auto f = reinterpret_cast<float*>(w);
  auto s = reinterpret_cast<long long*>(l);
  auto d = reinterpret_cast<double*>(l);
  *w = a, *l = static_cast<unsigned long long>(a) << 32 | b;
#define ALL(name, p, v) see(name(p, v)), see(*p), see(name##_block(p, v)), see(*p), see(name##_system(p, v)), see(*p);
  ALL(atomicAdd, w, b)
  ALL(atomicAdd, i, 7)
  ALL(atomicAdd, l, 9ull << b % 64) ALL(atomicSub, w, b) ALL(atomicSub, i, -3) ALL(atomicExch, w, b)
      ALL(atomicExch, l, 77ull) ALL(atomicMin, w, b / 2) ALL(atomicMin, i, -5) ALL(atomicMin, l, 33ull << 40)
          ALL(atomicMin, s, -1ll) ALL(atomicMax, w, a) ALL(atomicMax, i, 12) ALL(atomicMax, s, 5ll)
              ALL(atomicMax, l, 1ull << 63) ALL(atomicAnd, w, 0xf0f0f0f0u) ALL(atomicOr, w, b) ALL(atomicXor, i, 0x55aa)
                  ALL(atomicAnd, l, 0xff00ffffff00ffffull) ALL(atomicOr, l, 12345ull) ALL(atomicXor, l, 1ull << 33)
                      ALL(atomicInc, w, 1000000u) ALL(atomicDec, w, 55u)* f = 1.5f,
                                                                          *d = 2.5;
  ALL(atomicAdd, f, .25f)
  ALL(atomicAdd, d, .125)
#undef ALL
  *w = 5, *l = 6;
  see(atomicCAS(w, 5u, a)), see(atomicCAS(i, 3, 4)), see(atomicCAS_block(l, 6ull, 7ull)),
      see(atomicCAS_system(l, 7ull, 8ull)), see(*w), see(*l);
}

__global__ void all(unsigned long long* to) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x, a = mixed(id), b = mixed(a + 1), c = mixed(b + 2);
  if (id % 5 == 0) b = a + id % 3 - 1;
  See see{to, id};
  simd(see, a, b, c), see.at = 200;
  integers(see, a, b, c), see.at = 250;
  conversions(see, a, b);
  see.to += kLines, see.at = 0;
  warps(see, a, b), see.at = 60;
  atomics(see, a, b);
}

int main() {
  unsigned long long* to;
  cudaMallocManaged(&to, 2 * kLines * sizeof *to);
  all<<<kThreads / 64, 64>>>(to);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  for (int i = 0; i < 2 * kLines; ++i)
    if (to[i]) std::printf("%d %016llx\n", i, to[i]);
}
