// What cuda_fp16.h and cuda_bf16.h offer alike; each includes this file once. They define
//   T16, T16X2, T16_RAW, T16X2_RAW   the types             T16_FORMAT   of warplens_sixteen
//   T16_NAME(before, after)          before##half##after   T16_NAME2(before, after)   before##half2##after
//   T16_PTX                          "f16"
//   T16_ADD, T16_SUB, T16_MUL(x2)    the instruction for %0, %1, %2; x2 is "" or "x2"
#define HD16 WARPLENS_HOST_DEVICE
#define D16 WARPLENS_DEVICE
#define FLOAT16(v) T16_FORMAT::widen((v).__x)

// ---- bits
HD16 T16 T16_NAME(__ushort_as_, )(unsigned short bits) { return T16(T16_RAW{bits}); }
HD16 T16 T16_NAME(__short_as_, )(short bits) { return T16(T16_RAW{static_cast<unsigned short>(bits)}); }
HD16 unsigned short T16_NAME(__, _as_ushort)(T16 a) { return a.__x; }
HD16 short T16_NAME(__, _as_short)(T16 a) { return static_cast<short>(a.__x); }
#define BITS16(bits) T16_NAME(__ushort_as_, )(static_cast<unsigned short>(bits))
HD16 T16X2 T16_NAME(warplens_pair_of_, )(unsigned int word) { return T16X2(BITS16(word), BITS16(word >> 16)); }
#define PAIR16(word) T16_NAME(warplens_pair_of_, )(word)
#define WORD16(a) (static_cast<unsigned int>((a).x.__x) | static_cast<unsigned int>((a).y.__x) << 16)

// ---- conversion from and to float and double
HD16 T16 T16_NAME(__double2, )(double a) {
  return BITS16(warplens_sixteen::narrow<T16_FORMAT>(a, warplens_sixteen::Rounding::Nearest));
}
#if defined(__CUDA_ARCH__)
#define NARROW16(name, ptx, mode)                                            \
  HD16 T16 name(float a) {                                                   \
    unsigned short d;                                                        \
    asm("cvt." ptx "." T16_PTX ".f32 %0, %1;" : "=h"(d) : "f"(a));           \
    return BITS16(d);                                                        \
  }
#else
#define NARROW16(name, ptx, mode)                                                                    \
  HD16 T16 name(float a) {                                                                           \
    return BITS16(warplens_sixteen::narrow<T16_FORMAT>(a, warplens_sixteen::Rounding::mode));        \
  }
#endif
#define NARROW16_SOFT(name, mode)                                                                    \
  HD16 T16 name(float a) {                                                                           \
    return BITS16(warplens_sixteen::narrow<T16_FORMAT>(a, warplens_sixteen::Rounding::mode));        \
  }
#if !T16_HAS_ALL_ROUNDINGS && defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
NARROW16_SOFT(T16_NAME(__float2, ), Nearest)
NARROW16_SOFT(T16_NAME(__float2, _rn), Nearest)
NARROW16_SOFT(T16_NAME(__float2, _rz), Zero)
#else
NARROW16(T16_NAME(__float2, ), "rn", Nearest)
NARROW16(T16_NAME(__float2, _rn), "rn", Nearest)
NARROW16(T16_NAME(__float2, _rz), "rz", Zero)
#endif
#if T16_HAS_ALL_ROUNDINGS
NARROW16(T16_NAME(__float2, _ru), "rp", Up)
NARROW16(T16_NAME(__float2, _rd), "rm", Down)
#else
NARROW16_SOFT(T16_NAME(__float2, _ru), Up)
NARROW16_SOFT(T16_NAME(__float2, _rd), Down)
#endif
#undef NARROW16
#undef NARROW16_SOFT
HD16 float T16_NAME(__, 2float)(T16 a) { return FLOAT16(a); }

// ---- conversion from and to integers
#define TO_INTEGER16(name, type, mode)                                                                     \
  HD16 type name(T16 a) { return warplens_sixteen::integer<type>(FLOAT16(a), warplens_sixteen::Rounding::mode); }
#define FROM_INTEGER16(name, type, wide, mode)                                                             \
  HD16 T16 name(type a) {                                                                                  \
    return BITS16(warplens_sixteen::narrow<T16_FORMAT>(warplens_sixteen::sticky(static_cast<wide>(a)),     \
                                                       warplens_sixteen::Rounding::mode));                 \
  }
#define INTEGER16(word, type, wide)                           \
  TO_INTEGER16(T16_NAME(__, 2##word##_rn), type, Nearest)     \
  TO_INTEGER16(T16_NAME(__, 2##word##_rz), type, Zero)        \
  TO_INTEGER16(T16_NAME(__, 2##word##_ru), type, Up)          \
  TO_INTEGER16(T16_NAME(__, 2##word##_rd), type, Down)        \
  FROM_INTEGER16(T16_NAME(__##word##2, _rn), type, wide, Nearest) \
  FROM_INTEGER16(T16_NAME(__##word##2, _rz), type, wide, Zero)    \
  FROM_INTEGER16(T16_NAME(__##word##2, _ru), type, wide, Up)      \
  FROM_INTEGER16(T16_NAME(__##word##2, _rd), type, wide, Down)
INTEGER16(short, short, long long)
INTEGER16(ushort, unsigned short, unsigned long long)
INTEGER16(int, int, long long)
INTEGER16(uint, unsigned int, unsigned long long)
INTEGER16(ll, long long, long long)
INTEGER16(ull, unsigned long long, unsigned long long)
TO_INTEGER16(T16_NAME(__, 2char_rz), signed char, Zero)
TO_INTEGER16(T16_NAME(__, 2uchar_rz), unsigned char, Zero)
#undef TO_INTEGER16
#undef FROM_INTEGER16
#undef INTEGER16

// ---- members that convert
#if !T16_NO_CONVERSIONS
#define MEMBER16(type, word, wide)                                                                              \
  __host__ __device__ inline WARPLENS_NO_LINES T16::T16(type v) : __x(warplens_sixteen::narrow<T16_FORMAT>(     \
      warplens_sixteen::sticky(static_cast<wide>(v)), warplens_sixteen::Rounding::Nearest)) {}                  \
  __host__ __device__ inline WARPLENS_NO_LINES T16::operator type() const {                                     \
    return warplens_sixteen::integer<type>(FLOAT16(*this), warplens_sixteen::Rounding::Zero);                   \
  }                                                                                                             \
  __host__ __device__ inline WARPLENS_NO_LINES T16& T16::operator=(type v) { return *this = T16(v); }
MEMBER16(short, short, long long)
MEMBER16(unsigned short, ushort, unsigned long long)
MEMBER16(int, int, long long)
MEMBER16(unsigned int, uint, unsigned long long)
MEMBER16(long, ll, long long)
MEMBER16(unsigned long, ull, unsigned long long)
MEMBER16(long long, ll, long long)
MEMBER16(unsigned long long, ull, unsigned long long)
#undef MEMBER16
__host__ __device__ inline WARPLENS_NO_LINES T16::T16(float v) : __x(T16_NAME(__float2, )(v).__x) {}
__host__ __device__ inline WARPLENS_NO_LINES T16::T16(double v) : __x(T16_NAME(__double2, )(v).__x) {}
__host__ __device__ inline WARPLENS_NO_LINES T16& T16::operator=(float v) { return *this = T16(v); }
__host__ __device__ inline WARPLENS_NO_LINES T16& T16::operator=(double v) { return *this = T16(v); }
__host__ __device__ inline WARPLENS_NO_LINES T16::operator float() const { return FLOAT16(*this); }
__host__ __device__ inline WARPLENS_NO_LINES T16::operator bool() const { return (__x & 0x7fff) != 0; }
__host__ __device__ inline WARPLENS_NO_LINES T16::operator char() const {
  return static_cast<char>(warplens_sixteen::integer<signed char>(FLOAT16(*this), warplens_sixteen::Rounding::Zero));
}
__host__ __device__ inline WARPLENS_NO_LINES T16::operator signed char() const {
  return warplens_sixteen::integer<signed char>(FLOAT16(*this), warplens_sixteen::Rounding::Zero);
}
__host__ __device__ inline WARPLENS_NO_LINES T16::operator unsigned char() const {
  return warplens_sixteen::integer<unsigned char>(FLOAT16(*this), warplens_sixteen::Rounding::Zero);
}
#endif

// ---- pairs
HD16 T16X2 T16_NAME2(make_, )(T16 a, T16 b) { return T16X2(a, b); }
HD16 T16X2 T16_NAME2(__halves2, )(T16 a, T16 b) { return T16X2(a, b); }
HD16 T16X2 T16_CONCAT(T16_NAME(__, 2), T16_NAME2(, ))(T16 a) { return T16X2(a, a); }
HD16 T16X2 T16_NAME2(__float2, _rn)(float a) { return T16X2(T16_NAME(__float2, )(a), T16_NAME(__float2, )(a)); }
HD16 T16X2 T16_NAME2(__floats2, _rn)(float a, float b) {
  return T16X2(T16_NAME(__float2, )(a), T16_NAME(__float2, )(b));
}
HD16 T16X2 T16_NAME2(__float22, _rn)(float2 a) { return T16_NAME2(__floats2, _rn)(a.x, a.y); }
HD16 float2 T16_NAME2(__, 2float2)(T16X2 a) { return float2{FLOAT16(a.x), FLOAT16(a.y)}; }
HD16 T16 T16_NAME(__low2, )(T16X2 a) { return a.x; }
HD16 T16 T16_NAME(__high2, )(T16X2 a) { return a.y; }
HD16 float __low2float(T16X2 a) { return FLOAT16(a.x); }
HD16 float __high2float(T16X2 a) { return FLOAT16(a.y); }
HD16 T16X2 T16_NAME2(__low2, )(T16X2 a) { return T16X2(a.x, a.x); }
HD16 T16X2 T16_NAME2(__high2, )(T16X2 a) { return T16X2(a.y, a.y); }
HD16 T16X2 T16_NAME2(__lows2, )(T16X2 a, T16X2 b) { return T16X2(a.x, b.x); }
HD16 T16X2 T16_NAME2(__highs2, )(T16X2 a, T16X2 b) { return T16X2(a.y, b.y); }
HD16 T16X2 __lowhigh2highlow(T16X2 a) { return T16X2(a.y, a.x); }

// ---- arithmetic
#if defined(__CUDA_ARCH__)
#define BINARY16(name, name2, text, value)                                                                            \
  HD16 T16 name(T16 a, T16 b) {                                                                                       \
    unsigned short d;                                                                                                 \
    asm(text("") : "=h"(d) : "h"(a.__x), "h"(b.__x));                                                                 \
    return BITS16(d);                                                                                                 \
  }                                                                                                                   \
  HD16 T16X2 name2(T16X2 a, T16X2 b) {                                                                                \
    unsigned int d;                                                                                                   \
    asm(text("x2") : "=r"(d) : "r"(WORD16(a)), "r"(WORD16(b)));                                                       \
    return PAIR16(d);                                                                                                 \
  }
#define FMA16(name, name2, suffix)                                                                                    \
  HD16 T16 name(T16 a, T16 b, T16 c) {                                                                                \
    unsigned short d;                                                                                                 \
    asm("fma.rn" suffix "." T16_PTX " %0, %1, %2, %3;" : "=h"(d) : "h"(a.__x), "h"(b.__x), "h"(c.__x));               \
    return BITS16(d);                                                                                                 \
  }                                                                                                                   \
  HD16 T16X2 name2(T16X2 a, T16X2 b, T16X2 c) {                                                                       \
    unsigned int d;                                                                                                   \
    asm("fma.rn" suffix "." T16_PTX "x2 %0, %1, %2, %3;" : "=r"(d) : "r"(WORD16(a)), "r"(WORD16(b)), "r"(WORD16(c))); \
    return PAIR16(d);                                                                                                 \
  }
#else
#define BINARY16(name, name2, text, value)                                                                            \
  HD16 T16 name(T16 a, T16 b) {                                                                                       \
    const float x = FLOAT16(a), y = FLOAT16(b);                                                                       \
    return T16_NAME(__float2, )(value);                                                                               \
  }                                                                                                                   \
  HD16 T16X2 name2(T16X2 a, T16X2 b) { return T16X2(name(a.x, b.x), name(a.y, b.y)); }
#define FMA16(name, name2, suffix)                                                                                    \
  HD16 T16 name(T16 a, T16 b, T16 c) {                                                                                \
    const double v = warplens_sixteen::fused(FLOAT16(a), FLOAT16(b), FLOAT16(c));                                     \
    return T16_NAME(__double2, )(sizeof suffix == 6 && v < 0 ? 0.0 : v);                                              \
  }                                                                                                                   \
  HD16 T16X2 name2(T16X2 a, T16X2 b, T16X2 c) { return T16X2(name(a.x, b.x, c.x), name(a.y, b.y, c.y)); }
#endif
FMA16(__hfma, __hfma2, "")
#if T16_ONLY_FUSED
// Before compute capability 9.0: a * 1 + b, b * -1 + a, a * b - 0.
#define ONE_FUSED16(name, name2, one, pair)                                                        \
  HD16 T16 name(T16 a, T16 b) { return one; }                                                      \
  HD16 T16X2 name2(T16X2 a, T16X2 b) { return pair; }
#define CONSTANT16(bits) T16X2(BITS16(bits), BITS16(bits))
ONE_FUSED16(__hadd, __hadd2, __hfma(a, BITS16(0x3f80), b), __hfma2(a, CONSTANT16(0x3f80), b))
ONE_FUSED16(__hsub, __hsub2, __hfma(b, BITS16(0xbf80), a), __hfma2(b, CONSTANT16(0xbf80), a))
ONE_FUSED16(__hmul, __hmul2, __hfma(a, b, BITS16(0x8000)), __hfma2(a, b, CONSTANT16(0x8000)))
ONE_FUSED16(__hadd_rn, __hadd2_rn, __hadd(a, b), __hadd2(a, b))
ONE_FUSED16(__hsub_rn, __hsub2_rn, __hsub(a, b), __hsub2(a, b))
ONE_FUSED16(__hmul_rn, __hmul2_rn, __hmul(a, b), __hmul2(a, b))
#undef ONE_FUSED16
#undef CONSTANT16
#else
BINARY16(__hadd, __hadd2, T16_ADD, x + y)
BINARY16(__hsub, __hsub2, T16_SUB, x - y)
BINARY16(__hmul, __hmul2, T16_MUL, x * y)
BINARY16(__hadd_rn, __hadd2_rn, T16_ADD_RN, x + y)
BINARY16(__hsub_rn, __hsub2_rn, T16_SUB_RN, x - y)
BINARY16(__hmul_rn, __hmul2_rn, T16_MUL_RN, x * y)
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
FMA16(__hfma_relu, __hfma2_relu, ".relu")
#endif
#undef FMA16

// Into [0, 1], and what is not a number to 0.
HD16 T16 T16_NAME(warplens_saturated_, )(T16 a) {
  const float v = FLOAT16(a);
  return v > 1 ? BITS16(T16_FORMAT::kOne) : v > 0 ? a : BITS16(0);
}
#define SATURATED16(name, name2, of)                                                                                 \
  HD16 T16 name(T16 a, T16 b) { return T16_NAME(warplens_saturated_, )(of(a, b)); }                                  \
  HD16 T16X2 name2(T16X2 a, T16X2 b) { return T16X2(name(a.x, b.x), name(a.y, b.y)); }
SATURATED16(__hadd_sat, __hadd2_sat, __hadd_rn)
SATURATED16(__hsub_sat, __hsub2_sat, __hsub_rn)
SATURATED16(__hmul_sat, __hmul2_sat, __hmul_rn)
#undef SATURATED16
HD16 T16 __hfma_sat(T16 a, T16 b, T16 c) { return T16_NAME(warplens_saturated_, )(__hfma(a, b, c)); }
HD16 T16X2 __hfma2_sat(T16X2 a, T16X2 b, T16X2 c) {
  return T16X2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
HD16 T16 __hdiv(T16 a, T16 b) { return T16_NAME(__float2, )(FLOAT16(a) / FLOAT16(b)); }
HD16 T16X2 __h2div(T16X2 a, T16X2 b) { return T16X2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
HD16 T16 __hneg(T16 a) { return BITS16(a.__x ^ 0x8000); }
HD16 T16X2 __hneg2(T16X2 a) { return PAIR16(WORD16(a) ^ 0x80008000u); }
HD16 T16 __habs(T16 a) { return BITS16(a.__x & 0x7fff); }
HD16 T16X2 __habs2(T16X2 a) { return PAIR16(WORD16(a) & 0x7fff7fffu); }
// Complex a * b + c, real part first.
HD16 T16X2 __hcmadd(T16X2 a, T16X2 b, T16X2 c) {
  T16 real = __hfma(a.x, b.x, c.x), imaginary = __hfma(a.x, b.y, c.y);
  return T16X2(__hfma(__hneg(a.y), b.y, real), __hfma(a.y, b.x, imaginary));
}

// ---- minimum and maximum: of a number and a NaN the number; with _nan the NaN
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define T16_MAX(x2) "max." T16_PTX x2 " %0, %1, %2;"
#define T16_MIN(x2) "min." T16_PTX x2 " %0, %1, %2;"
#define T16_MAX_NAN(x2) "max.NaN." T16_PTX x2 " %0, %1, %2;"
#define T16_MIN_NAN(x2) "min.NaN." T16_PTX x2 " %0, %1, %2;"
BINARY16(__hmax, __hmax2, T16_MAX, )
BINARY16(__hmin, __hmin2, T16_MIN, )
BINARY16(__hmax_nan, __hmax2_nan, T16_MAX_NAN, )
BINARY16(__hmin_nan, __hmin2_nan, T16_MIN_NAN, )
#undef T16_MAX
#undef T16_MIN
#undef T16_MAX_NAN
#undef T16_MIN_NAN
#else
#define EXTREME16(name, op, bits)                                                                             \
  HD16 T16 name(T16 a, T16 b) {                                                                               \
    const float x = FLOAT16(a), y = FLOAT16(b);                                                               \
    if (x != x) return y != y ? BITS16(0x7fff) : b;                                                           \
    return y != y || x op y ? a : y op x ? b : BITS16(a.__x bits b.__x);                                      \
  }                                                                                                           \
  HD16 T16 name##_nan(T16 a, T16 b) {                                                                         \
    return FLOAT16(a) != FLOAT16(a) || FLOAT16(b) != FLOAT16(b) ? BITS16(0x7fff) : name(a, b);                \
  }                                                                                                           \
  HD16 T16X2 name##2(T16X2 a, T16X2 b) { return T16X2(name(a.x, b.x), name(a.y, b.y)); }                      \
  HD16 T16X2 name##2_nan(T16X2 a, T16X2 b) { return T16X2(name##_nan(a.x, b.x), name##_nan(a.y, b.y)); }
EXTREME16(__hmax, >, &)
EXTREME16(__hmin, <, |)
#undef EXTREME16
#endif
#undef BINARY16

// ---- comparison; with u, what is unordered counts as true
#define COMPARE16(name, ordered, unordered)                                                                        \
  HD16 bool __h##name(T16 a, T16 b) { const auto x = T16_VALUE(a), y = T16_VALUE(b); return ordered; }             \
  HD16 bool __h##name##u(T16 a, T16 b) { const auto x = T16_VALUE(a), y = T16_VALUE(b); return unordered; }        \
  COMPARE16_PAIRS(__h##name, __h##name##2, __hb##name##2)                                                          \
  COMPARE16_PAIRS(__h##name##u, __h##name##u2, __hb##name##u2)
#define COMPARE16_PAIRS(name, name2, both)                                                                         \
  HD16 T16X2 name2(T16X2 a, T16X2 b) {                                                                             \
    return T16X2(BITS16(name(a.x, b.x) ? T16_FORMAT::kOne : 0), BITS16(name(a.y, b.y) ? T16_FORMAT::kOne : 0));    \
  }                                                                                                                \
  HD16 unsigned int name2##_mask(T16X2 a, T16X2 b) {                                                               \
    return (name(a.x, b.x) ? 0xffffu : 0) | (name(a.y, b.y) ? 0xffff0000u : 0);                                    \
  }                                                                                                                \
  HD16 bool both(T16X2 a, T16X2 b) { return name(a.x, b.x) && name(a.y, b.y); }
COMPARE16(eq, x == y, !(x < y || x > y))
COMPARE16(ne, x < y || x > y, x != y)
COMPARE16(lt, x < y, !(x >= y))
COMPARE16(le, x <= y, !(x > y))
COMPARE16(gt, x > y, !(x <= y))
COMPARE16(ge, x >= y, !(x < y))
#undef COMPARE16
#undef COMPARE16_PAIRS
HD16 bool __hisnan(T16 a) { return (a.__x & 0x7fff) > T16_FORMAT::kInfinity; }
HD16 int __hisinf(T16 a) { return a.__x == T16_FORMAT::kInfinity ? 1 : a.__x == (T16_FORMAT::kInfinity | 0x8000) ? -1 : 0; }
HD16 T16X2 __hisnan2(T16X2 a) {
  return T16X2(BITS16(__hisnan(a.x) ? T16_FORMAT::kOne : 0), BITS16(__hisnan(a.y) ? T16_FORMAT::kOne : 0));
}

// ---- operators
#if !T16_NO_OPERATORS
#define OPERATOR16(op, one)                                                  \
  HD16 T16 operator op(const T16& a, const T16& b) { return one(a, b); }     \
  HD16 T16& operator op##=(T16& a, const T16& b) { return a = one(a, b); }
OPERATOR16(+, __hadd)
OPERATOR16(-, __hsub)
OPERATOR16(*, __hmul)
OPERATOR16(/, __hdiv)
#undef OPERATOR16
HD16 T16 operator+(const T16& a) { return a; }
HD16 T16 operator-(const T16& a) { return __hneg(a); }
HD16 T16& operator++(T16& a) { return a = __hadd(a, BITS16(T16_FORMAT::kOne)); }
HD16 T16& operator--(T16& a) { return a = __hsub(a, BITS16(T16_FORMAT::kOne)); }
HD16 T16 operator++(T16& a, int) { const T16 old = a; ++a; return old; }
HD16 T16 operator--(T16& a, int) { const T16 old = a; --a; return old; }
HD16 bool operator==(const T16& a, const T16& b) { return __heq(a, b); }
HD16 bool operator!=(const T16& a, const T16& b) { return __hneu(a, b); }
HD16 bool operator<(const T16& a, const T16& b) { return __hlt(a, b); }
HD16 bool operator<=(const T16& a, const T16& b) { return __hle(a, b); }
HD16 bool operator>(const T16& a, const T16& b) { return __hgt(a, b); }
HD16 bool operator>=(const T16& a, const T16& b) { return __hge(a, b); }
#endif
#if !T16_NO_PAIR_OPERATORS
#define OPERATOR16(op, two)                                                        \
  HD16 T16X2 operator op(const T16X2& a, const T16X2& b) { return two(a, b); }     \
  HD16 T16X2& operator op##=(T16X2& a, const T16X2& b) { return a = two(a, b); }
OPERATOR16(+, __hadd2)
OPERATOR16(-, __hsub2)
OPERATOR16(*, __hmul2)
OPERATOR16(/, __h2div)
#undef OPERATOR16
HD16 T16X2 operator+(const T16X2& a) { return a; }
HD16 T16X2 operator-(const T16X2& a) { return __hneg2(a); }
HD16 T16X2& operator++(T16X2& a) { return a = T16X2(__hadd(a.x, BITS16(T16_FORMAT::kOne)), __hadd(a.y, BITS16(T16_FORMAT::kOne))); }
HD16 T16X2& operator--(T16X2& a) { return a = T16X2(__hsub(a.x, BITS16(T16_FORMAT::kOne)), __hsub(a.y, BITS16(T16_FORMAT::kOne))); }
HD16 T16X2 operator++(T16X2& a, int) { const T16X2 old = a; ++a; return old; }
HD16 T16X2 operator--(T16X2& a, int) { const T16X2 old = a; --a; return old; }
HD16 bool operator==(const T16X2& a, const T16X2& b) { return __hbeq2(a, b); }
HD16 bool operator!=(const T16X2& a, const T16X2& b) { return __hbneu2(a, b); }
HD16 bool operator<(const T16X2& a, const T16X2& b) { return __hblt2(a, b); }
HD16 bool operator<=(const T16X2& a, const T16X2& b) { return __hble2(a, b); }
HD16 bool operator>(const T16X2& a, const T16X2& b) { return __hbgt2(a, b); }
HD16 bool operator>=(const T16X2& a, const T16X2& b) { return __hbge2(a, b); }
#endif

// ---- functions: computed in float and rounded
#if defined(__CUDA__)
#define FUNCTION16(name, value)                                                           \
  D16 T16 h##name(T16 a) { const float x = FLOAT16(a); return T16_NAME(__float2, )(value); } \
  D16 T16X2 h2##name(T16X2 a) { return T16X2(h##name(a.x), h##name(a.y)); }
FUNCTION16(sqrt, __nvvm_sqrt_rn_f(x))
FUNCTION16(rsqrt, __nvvm_rsqrt_approx_f(x))
FUNCTION16(rcp, __nvvm_rcp_rn_f(x))
FUNCTION16(exp, expf(x))
FUNCTION16(exp2, exp2f(x))
FUNCTION16(exp10, exp10f(x))
FUNCTION16(log, logf(x))
FUNCTION16(log2, log2f(x))
FUNCTION16(log10, log10f(x))
FUNCTION16(sin, sinf(x))
FUNCTION16(cos, cosf(x))
FUNCTION16(tanh, tanhf(x))
FUNCTION16(floor, __builtin_floorf(x))
FUNCTION16(ceil, __builtin_ceilf(x))
FUNCTION16(trunc, __builtin_truncf(x))
FUNCTION16(rint, __builtin_rintf(x))
#undef FUNCTION16
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= T16_TANH_SINCE
D16 T16 htanh_approx(T16 a) {
  unsigned short d;
  asm("tanh.approx." T16_PTX " %0, %1;" : "=h"(d) : "h"(a.__x));
  return BITS16(d);
}
D16 T16X2 h2tanh_approx(T16X2 a) {
  unsigned int d;
  asm("tanh.approx." T16_PTX "x2 %0, %1;" : "=r"(d) : "r"(WORD16(a)));
  return PAIR16(d);
}
#endif

// ---- exchange within a warp
#define SHUFFLE16(name, lanes)                                                                                  \
  D16 T16X2 name(unsigned int mask, T16X2 v, lanes by, int width = 32) {                                        \
    return PAIR16(name(mask, WORD16(v), by, width));                                                            \
  }                                                                                                             \
  D16 T16 name(unsigned int mask, T16 v, lanes by, int width = 32) {                                            \
    return BITS16(name(mask, static_cast<unsigned int>(v.__x), by, width));                                     \
  }
SHUFFLE16(__shfl_sync, int)
SHUFFLE16(__shfl_up_sync, unsigned int)
SHUFFLE16(__shfl_down_sync, unsigned int)
SHUFFLE16(__shfl_xor_sync, int)
#undef SHUFFLE16

// ---- loads and stores with a hint for the caches
#define LOAD16(name)                                                                                                  \
  D16 T16 name(const T16* p) { return BITS16(name(reinterpret_cast<const unsigned short*>(p))); }                     \
  D16 T16X2 name(const T16X2* p) { return PAIR16(name(reinterpret_cast<const unsigned int*>(p))); }
#define STORE16(name)                                                                                                 \
  D16 void name(T16* p, T16 v) { name(reinterpret_cast<unsigned short*>(p), v.__x); }                                 \
  D16 void name(T16X2* p, T16X2 v) { name(reinterpret_cast<unsigned int*>(p), WORD16(v)); }
LOAD16(__ldg)
LOAD16(__ldcg)
LOAD16(__ldca)
LOAD16(__ldcs)
LOAD16(__ldlu)
LOAD16(__ldcv)
STORE16(__stwb)
STORE16(__stcg)
STORE16(__stcs)
STORE16(__stwt)
#undef LOAD16
#undef STORE16

// ---- atomics
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= T16_ATOMIC_SINCE
D16 T16 atomicAdd(T16* p, T16 v) {
  unsigned short old;
  asm volatile("atom.add.noftz." T16_PTX " %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(v.__x) : "memory");
  return BITS16(old);
}
#else
D16 T16 atomicAdd(T16* p, T16 v) {
  unsigned short* word = reinterpret_cast<unsigned short*>(p);
  unsigned short old = *word, seen;
  do {
    seen = old;
    old = atomicCAS(word, seen, __hadd(BITS16(seen), v).__x);
  } while (old != seen);
  return BITS16(old);
}
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= T16_ATOMIC_PAIR_SINCE
D16 T16X2 atomicAdd(T16X2* p, T16X2 v) {
  unsigned int old;
  asm volatile("atom.add.noftz." T16_PTX "x2 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(WORD16(v)) : "memory");
  return PAIR16(old);
}
#else
D16 T16X2 atomicAdd(T16X2* p, T16X2 v) {
  unsigned int* word = reinterpret_cast<unsigned int*>(p);
  unsigned int old = *word, seen;
  do {
    seen = old;
    old = atomicCAS(word, seen, WORD16(__hadd2(PAIR16(seen), v)));
  } while (old != seen);
  return PAIR16(old);
}
#endif
#endif

#undef HD16
#undef D16
#undef FLOAT16
#undef BITS16
#undef PAIR16
#undef WORD16
