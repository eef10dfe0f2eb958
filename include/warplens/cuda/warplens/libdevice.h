// clang turns CUDA's mathematical and bit functions into calls of __nv_* functions that NVIDIA's libdevice would supply.
// Those that are one instruction of the GPU, or a few, are defined here so that they become that instruction; the others
// (sinf, powf, ...) stay calls, which Warplens answers when the kernel runs.
#pragma once
#pragma GCC system_header

#define WARPLENS_NV extern "C" __device__ __forceinline__ WARPLENS_NO_LINES

// ---- integers
WARPLENS_NV int __nv_abs(int a) { return a < 0 ? static_cast<int>(0u - a) : a; }
WARPLENS_NV long long __nv_llabs(long long a) { return a < 0 ? static_cast<long long>(0ull - a) : a; }
WARPLENS_NV int __nv_min(int a, int b) { return a < b ? a : b; }
WARPLENS_NV int __nv_max(int a, int b) { return a > b ? a : b; }
WARPLENS_NV unsigned int __nv_umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
WARPLENS_NV unsigned int __nv_umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
WARPLENS_NV long long __nv_llmin(long long a, long long b) { return a < b ? a : b; }
WARPLENS_NV long long __nv_llmax(long long a, long long b) { return a > b ? a : b; }
WARPLENS_NV unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
WARPLENS_NV unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
WARPLENS_NV int __nv_popc(int a) { return __builtin_popcount(a); }
WARPLENS_NV int __nv_popcll(long long a) { return __builtin_popcountll(a); }
WARPLENS_NV int __nv_clz(int a) { return a ? __builtin_clz(a) : 32; }
WARPLENS_NV int __nv_clzll(long long a) { return a ? __builtin_clzll(a) : 64; }
WARPLENS_NV int __nv_ffs(int a) { return __builtin_ffs(a); }
WARPLENS_NV int __nv_ffsll(long long a) { return __builtin_ffsll(a); }
WARPLENS_NV int __nv_brev(int a) { return static_cast<int>(__builtin_bitreverse32(a)); }
WARPLENS_NV long long __nv_brevll(long long a) { return static_cast<long long>(__builtin_bitreverse64(a)); }
WARPLENS_NV int __nv_mulhi(int a, int b) { return static_cast<int>((static_cast<long long>(a) * b) >> 32); }
WARPLENS_NV unsigned int __nv_umulhi(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(a) * b) >> 32);
}
WARPLENS_NV long long __nv_mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
WARPLENS_NV unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}
WARPLENS_NV int __nv_mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
WARPLENS_NV unsigned int __nv_umul24(unsigned int a, unsigned int b) { return __nvvm_mul24_ui(a, b); }
WARPLENS_NV unsigned int __nv_byte_perm(unsigned int a, unsigned int b, unsigned int selector) {
  return __nvvm_prmt(a, b, selector & 0x7777u);  // the fourth bit would ask for copies of the sign
}
WARPLENS_NV unsigned int __nv_sad(int a, int b, unsigned int c) { return __nvvm_sad_i(a, b, c); }
WARPLENS_NV unsigned int __nv_usad(unsigned int a, unsigned int b, unsigned int c) { return __nvvm_sad_ui(a, b, c); }
WARPLENS_NV int __nv_hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
WARPLENS_NV int __nv_rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
WARPLENS_NV int __nv_uhadd(unsigned int a, unsigned int b) {
  return static_cast<int>((static_cast<unsigned long long>(a) + b) >> 1);
}
WARPLENS_NV unsigned int __nv_urhadd(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}

// ---- bits of floats
WARPLENS_NV int __nv_float_as_int(float a) { return __builtin_bit_cast(int, a); }
WARPLENS_NV unsigned int __nv_float_as_uint(float a) { return __builtin_bit_cast(unsigned int, a); }
WARPLENS_NV float __nv_int_as_float(int a) { return __builtin_bit_cast(float, a); }
WARPLENS_NV float __nv_uint_as_float(unsigned int a) { return __builtin_bit_cast(float, a); }
WARPLENS_NV unsigned long long __nv_double_as_longlong(double a) { return __builtin_bit_cast(unsigned long long, a); }
WARPLENS_NV double __nv_longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
WARPLENS_NV int __nv_double2hiint(double a) { return static_cast<int>(__builtin_bit_cast(long long, a) >> 32); }
WARPLENS_NV int __nv_double2loint(double a) { return static_cast<int>(__builtin_bit_cast(long long, a)); }
WARPLENS_NV double __nv_hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, static_cast<long long>(high) << 32 | static_cast<unsigned int>(low));
}

// ---- one instruction each
WARPLENS_NV float __nv_fabsf(float a) { return __builtin_fabsf(a); }
WARPLENS_NV double __nv_fabs(double a) { return __builtin_fabs(a); }
WARPLENS_NV float __nv_fminf(float a, float b) { return __builtin_fminf(a, b); }
WARPLENS_NV float __nv_fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
WARPLENS_NV double __nv_fmin(double a, double b) { return __builtin_fmin(a, b); }
WARPLENS_NV double __nv_fmax(double a, double b) { return __builtin_fmax(a, b); }
WARPLENS_NV float __nv_floorf(float a) { return __builtin_floorf(a); }
WARPLENS_NV double __nv_floor(double a) { return __builtin_floor(a); }
WARPLENS_NV float __nv_ceilf(float a) { return __builtin_ceilf(a); }
WARPLENS_NV double __nv_ceil(double a) { return __builtin_ceil(a); }
WARPLENS_NV float __nv_truncf(float a) { return __builtin_truncf(a); }
WARPLENS_NV double __nv_trunc(double a) { return __builtin_trunc(a); }
WARPLENS_NV float __nv_rintf(float a) { return __builtin_rintf(a); }
WARPLENS_NV double __nv_rint(double a) { return __builtin_rint(a); }
WARPLENS_NV float __nv_nearbyintf(float a) { return __builtin_rintf(a); }
WARPLENS_NV double __nv_nearbyint(double a) { return __builtin_rint(a); }
WARPLENS_NV float __nv_copysignf(float a, float b) { return __builtin_copysignf(a, b); }
WARPLENS_NV double __nv_copysign(double a, double b) { return __builtin_copysign(a, b); }
WARPLENS_NV float __nv_fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WARPLENS_NV double __nv_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
WARPLENS_NV float __nv_sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
WARPLENS_NV double __nv_sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
WARPLENS_NV float __nv_rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
WARPLENS_NV float __nv_saturatef(float a) { return __nvvm_saturate_f(a); }
WARPLENS_NV int __nv_signbitf(float a) { return __builtin_bit_cast(unsigned int, a) >> 31; }
WARPLENS_NV int __nv_signbitd(double a) { return static_cast<int>(__builtin_bit_cast(unsigned long long, a) >> 63); }
WARPLENS_NV int __nv_isnanf(float a) { return a != a; }
WARPLENS_NV int __nv_isnand(double a) { return a != a; }
WARPLENS_NV int __nv_isinff(float a) { return __builtin_fabsf(a) == __builtin_inff(); }
WARPLENS_NV int __nv_isinfd(double a) { return __builtin_fabs(a) == __builtin_inf(); }
WARPLENS_NV int __nv_finitef(float a) { return __builtin_fabsf(a) < __builtin_inff(); }
WARPLENS_NV int __nv_isfinited(double a) { return __builtin_fabs(a) < __builtin_inf(); }

// ---- the fast versions, as the programming guide defines them by ex2.approx, lg2.approx, sin.approx, cos.approx
WARPLENS_NV float __nv_fast_fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
WARPLENS_NV float __nv_fast_sinf(float a) { return __nvvm_sin_approx_f(a); }
WARPLENS_NV float __nv_fast_cosf(float a) { return __nvvm_cos_approx_f(a); }
WARPLENS_NV float __nv_fast_expf(float a) { return __nvvm_ex2_approx_f(a * 1.44269504088896340736f); }
WARPLENS_NV float __nv_fast_exp10f(float a) { return __nvvm_ex2_approx_f(a * 3.32192809488736234787f); }
WARPLENS_NV float __nv_fast_log2f(float a) { return __nvvm_lg2_approx_f(a); }
WARPLENS_NV float __nv_fast_logf(float a) { return __nvvm_lg2_approx_f(a) * 0.69314718055994530942f; }
WARPLENS_NV float __nv_fast_log10f(float a) { return __nvvm_lg2_approx_f(a) * 0.30102999566398119521f; }
WARPLENS_NV float __nv_fast_powf(float a, float b) { return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a)); }
WARPLENS_NV float __nv_fast_tanf(float a) { return __nvvm_div_approx_f(__nvvm_sin_approx_f(a), __nvvm_cos_approx_f(a)); }
WARPLENS_NV void __nv_fast_sincosf(float a, float* sine, float* cosine) {
  *sine = __nvvm_sin_approx_f(a);
  *cosine = __nvvm_cos_approx_f(a);
}

// ---- arithmetic with a given rounding: rn nearest even, rz towards zero, ru up, rd down; the compiler says rp and rm
#define WARPLENS_ROUNDED(mode, nvvm)                                                                         \
  WARPLENS_NV float __nv_fadd_##mode(float a, float b) { return __nvvm_add_##nvvm##_f(a, b); }                 \
  WARPLENS_NV float __nv_fsub_##mode(float a, float b) { return __nvvm_add_##nvvm##_f(a, -b); }                \
  WARPLENS_NV float __nv_fmul_##mode(float a, float b) { return __nvvm_mul_##nvvm##_f(a, b); }                 \
  WARPLENS_NV float __nv_fdiv_##mode(float a, float b) { return __nvvm_div_##nvvm##_f(a, b); }                 \
  WARPLENS_NV float __nv_frcp_##mode(float a) { return __nvvm_rcp_##nvvm##_f(a); }                             \
  WARPLENS_NV float __nv_fsqrt_##mode(float a) { return __nvvm_sqrt_##nvvm##_f(a); }                           \
  WARPLENS_NV float __nv_fmaf_##mode(float a, float b, float c) { return __nvvm_fma_##nvvm##_f(a, b, c); }     \
  WARPLENS_NV double __nv_dadd_##mode(double a, double b) { return __nvvm_add_##nvvm##_d(a, b); }              \
  WARPLENS_NV double __nv_dsub_##mode(double a, double b) { return __nvvm_add_##nvvm##_d(a, -b); }             \
  WARPLENS_NV double __nv_dmul_##mode(double a, double b) { return __nvvm_mul_##nvvm##_d(a, b); }              \
  WARPLENS_NV double __nv_ddiv_##mode(double a, double b) { return __nvvm_div_##nvvm##_d(a, b); }              \
  WARPLENS_NV double __nv_drcp_##mode(double a) { return __nvvm_rcp_##nvvm##_d(a); }                           \
  WARPLENS_NV double __nv_dsqrt_##mode(double a) { return __nvvm_sqrt_##nvvm##_d(a); }                         \
  WARPLENS_NV double __nv_fma_##mode(double a, double b, double c) { return __nvvm_fma_##nvvm##_d(a, b, c); }  \
  WARPLENS_NV int __nv_float2int_##mode(float a) { return __nvvm_f2i_##nvvm(a); }                              \
  WARPLENS_NV unsigned int __nv_float2uint_##mode(float a) { return __nvvm_f2ui_##nvvm(a); }                   \
  WARPLENS_NV long long __nv_float2ll_##mode(float a) { return __nvvm_f2ll_##nvvm(a); }                        \
  WARPLENS_NV unsigned long long __nv_float2ull_##mode(float a) { return __nvvm_f2ull_##nvvm(a); }             \
  WARPLENS_NV int __nv_double2int_##mode(double a) { return __nvvm_d2i_##nvvm(a); }                            \
  WARPLENS_NV unsigned int __nv_double2uint_##mode(double a) { return __nvvm_d2ui_##nvvm(a); }                 \
  WARPLENS_NV long long __nv_double2ll_##mode(double a) { return __nvvm_d2ll_##nvvm(a); }                      \
  WARPLENS_NV unsigned long long __nv_double2ull_##mode(double a) { return __nvvm_d2ull_##nvvm(a); }           \
  WARPLENS_NV float __nv_double2float_##mode(double a) { return __nvvm_d2f_##nvvm(a); }
WARPLENS_ROUNDED(rn, rn)
WARPLENS_ROUNDED(rz, rz)
WARPLENS_ROUNDED(ru, rp)
WARPLENS_ROUNDED(rd, rm)
#undef WARPLENS_ROUNDED
// LLVM 19 rounds to nearest whatever these say of rz, so they are written out.
#define WARPLENS_FROM_INTEGER(name, result, letter, argument, in, ptx)                                   \
  WARPLENS_NV result name(argument a) {                                                                  \
    result v;                                                                                            \
    asm("cvt." ptx " %0, %1;" : "=" letter(v) : in(a));                                                  \
    return v;                                                                                            \
  }
#define WARPLENS_FROM_INTEGERS(mode, ptx)                                                                       \
  WARPLENS_FROM_INTEGER(__nv_int2float_##mode, float, "f", int, "r", ptx ".f32.s32")                            \
  WARPLENS_FROM_INTEGER(__nv_uint2float_##mode, float, "f", unsigned int, "r", ptx ".f32.u32")                  \
  WARPLENS_FROM_INTEGER(__nv_ll2float_##mode, float, "f", long long, "l", ptx ".f32.s64")                       \
  WARPLENS_FROM_INTEGER(__nv_ull2float_##mode, float, "f", unsigned long long, "l", ptx ".f32.u64")             \
  WARPLENS_FROM_INTEGER(__nv_ll2double_##mode, double, "d", long long, "l", ptx ".f64.s64")                     \
  WARPLENS_FROM_INTEGER(__nv_ull2double_##mode, double, "d", unsigned long long, "l", ptx ".f64.u64")
WARPLENS_FROM_INTEGERS(rn, "rn")
WARPLENS_FROM_INTEGERS(rz, "rz")
WARPLENS_FROM_INTEGERS(ru, "rp")
WARPLENS_FROM_INTEGERS(rd, "rm")
#undef WARPLENS_FROM_INTEGERS
#undef WARPLENS_FROM_INTEGER
WARPLENS_NV double __nv_int2double_rn(int a) { return a; }
WARPLENS_NV double __nv_uint2double_rn(unsigned int a) { return a; }
#undef WARPLENS_NV
