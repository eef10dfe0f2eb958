// The SIMD functions on two halves or four bytes of a word, as the CUDA math API defines them, in plain arithmetic: current
// GPUs have no instructions for them either.
#pragma once
#pragma GCC system_header

// Each lane of kBits, from its signed or unsigned values a and b.
#define WARPLENS_LANES(name, count, type, value)                                                         \
  WARPLENS_DEVICE unsigned int __v##name##count(unsigned int x, unsigned int y) {                                \
    constexpr int kBits = 32 / count;                                                                            \
    constexpr unsigned int kMask = ~0u >> (32 - kBits);                                                          \
    unsigned int result = 0;                                                                                     \
    _Pragma("unroll") for (int at = 0; at < 32; at += kBits) {                                                   \
      const int a = static_cast<type>(x >> at & kMask), b = static_cast<type>(y >> at & kMask);                  \
      result |= (static_cast<unsigned int>(value) & kMask) << at;                                                \
    }                                                                                                            \
    return result;                                                                                               \
  }
// Signed and unsigned, of both widths. The types hold a lane's values.
#define WARPLENS_SIGNED(name, value)                   \
  WARPLENS_LANES(name, 2, short, value)              \
  WARPLENS_LANES(name, 4, signed char, value)
#define WARPLENS_UNSIGNED(name, value)                 \
  WARPLENS_LANES(name, 2, unsigned short, value)     \
  WARPLENS_LANES(name, 4, unsigned char, value)
// All bits of the lane, or 1, where it holds.
#define WARPLENS_COMPARE(name, op)                     \
  WARPLENS_UNSIGNED(cmp##name##u, a op b ? ~0u : 0)    \
  WARPLENS_UNSIGNED(set##name##u, a op b)              \
  WARPLENS_SIGNED(cmp##name##s, a op b ? ~0u : 0)      \
  WARPLENS_SIGNED(set##name##s, a op b)
#define WARPLENS_LIMIT (static_cast<int>(kMask >> 1))

WARPLENS_UNSIGNED(add, a + b)
WARPLENS_UNSIGNED(sub, a - b)
WARPLENS_SIGNED(addss, min(max(a + b, -WARPLENS_LIMIT - 1), WARPLENS_LIMIT))
WARPLENS_SIGNED(subss, min(max(a - b, -WARPLENS_LIMIT - 1), WARPLENS_LIMIT))
WARPLENS_UNSIGNED(addus, min(a + b, static_cast<int>(kMask)))
WARPLENS_UNSIGNED(subus, max(a - b, 0))
WARPLENS_SIGNED(avgs, (a + b + (a + b >= 0)) >> 1)
WARPLENS_UNSIGNED(avgu, (a + b + 1) >> 1)
WARPLENS_UNSIGNED(haddu, (a + b) >> 1)
WARPLENS_SIGNED(maxs, max(a, b))
WARPLENS_SIGNED(mins, min(a, b))
WARPLENS_UNSIGNED(maxu, max(a, b))
WARPLENS_UNSIGNED(minu, min(a, b))
WARPLENS_SIGNED(absdiffs, a > b ? a - b : b - a)
WARPLENS_UNSIGNED(absdiffu, a > b ? a - b : b - a)
WARPLENS_UNSIGNED(cmpeq, a == b ? ~0u : 0)
WARPLENS_UNSIGNED(cmpne, a != b ? ~0u : 0)
WARPLENS_UNSIGNED(seteq, a == b)
WARPLENS_UNSIGNED(setne, a != b)
WARPLENS_COMPARE(gt, >)
WARPLENS_COMPARE(ge, >=)
WARPLENS_COMPARE(lt, <)
WARPLENS_COMPARE(le, <=)
#undef WARPLENS_COMPARE
#undef WARPLENS_SIGNED
#undef WARPLENS_UNSIGNED

// Of one argument.
#define WARPLENS_ONE(name, of)                                                                        \
  WARPLENS_DEVICE unsigned int __v##name##2(unsigned int x) { return __v##of##2(x, 0); }              \
  WARPLENS_DEVICE unsigned int __v##name##4(unsigned int x) { return __v##of##4(x, 0); }
WARPLENS_LANES(warplens_abs, 2, short, (b, a < 0 ? -a : a))
WARPLENS_LANES(warplens_abs, 4, signed char, (b, a < 0 ? -a : a))
WARPLENS_LANES(warplens_absss, 2, short, (b, min(a < 0 ? -a : a, WARPLENS_LIMIT)))
WARPLENS_LANES(warplens_absss, 4, signed char, (b, min(a < 0 ? -a : a, WARPLENS_LIMIT)))
WARPLENS_LANES(warplens_neg, 2, short, (b, -a))
WARPLENS_LANES(warplens_neg, 4, signed char, (b, -a))
WARPLENS_LANES(warplens_negss, 2, short, (b, min(-a, WARPLENS_LIMIT)))
WARPLENS_LANES(warplens_negss, 4, signed char, (b, min(-a, WARPLENS_LIMIT)))
WARPLENS_ONE(abs, warplens_abs)
WARPLENS_ONE(absss, warplens_absss)
WARPLENS_ONE(neg, warplens_neg)
WARPLENS_ONE(negss, warplens_negss)
#undef WARPLENS_ONE

// Sums over the lanes of the absolute differences.
#define WARPLENS_SUM(name, of, count, bits)                                                           \
  WARPLENS_DEVICE unsigned int __v##name##count(unsigned int x, unsigned int y) {                     \
    const unsigned int differences = __v##of##count(x, y);                                            \
    unsigned int sum = 0;                                                                             \
    _Pragma("unroll") for (int at = 0; at < 32; at += bits) sum += differences >> at & (~0u >> (32 - bits)); \
    return sum;                                                                                       \
  }
WARPLENS_SUM(sads, absdiffs, 2, 16)
WARPLENS_SUM(sads, absdiffs, 4, 8)
WARPLENS_SUM(sadu, absdiffu, 2, 16)
WARPLENS_SUM(sadu, absdiffu, 4, 8)
#undef WARPLENS_SUM

// ---- DPX: maximum and minimum with an addition before, of three, against zero (relu), or with the choice made known
#define WARPLENS_DPX(name, type, arguments, value) \
  WARPLENS_DEVICE type __v##name arguments { return value; }
#define WARPLENS_DPX_32(type, t, ADD)                                                                                 \
  WARPLENS_DPX(iaddmax_##t, type, (type a, type b, type c), max(ADD, c))                                              \
  WARPLENS_DPX(iaddmin_##t, type, (type a, type b, type c), min(ADD, c))                                              \
  WARPLENS_DPX(imax3_##t, type, (type a, type b, type c), max(max(a, b), c))                                          \
  WARPLENS_DPX(imin3_##t, type, (type a, type b, type c), min(min(a, b), c))                                          \
  WARPLENS_DEVICE type __vibmax_##t(type a, type b, bool* first) { return *first = a >= b, *first ? a : b; }          \
  WARPLENS_DEVICE type __vibmin_##t(type a, type b, bool* first) { return *first = a <= b, *first ? a : b; }
WARPLENS_DPX_32(int, s32, static_cast<int>(static_cast<unsigned int>(a) + static_cast<unsigned int>(b)))
WARPLENS_DPX_32(unsigned int, u32, a + b)
#undef WARPLENS_DPX_32
WARPLENS_DPX(iaddmax_s32_relu, int, (int a, int b, int c), max(__viaddmax_s32(a, b, c), 0))
WARPLENS_DPX(iaddmin_s32_relu, int, (int a, int b, int c), max(__viaddmin_s32(a, b, c), 0))
WARPLENS_DPX(imax3_s32_relu, int, (int a, int b, int c), max(__vimax3_s32(a, b, c), 0))
WARPLENS_DPX(imin3_s32_relu, int, (int a, int b, int c), max(__vimin3_s32(a, b, c), 0))
WARPLENS_DPX(imax_s32_relu, int, (int a, int b), max(max(a, b), 0))
WARPLENS_DPX(imin_s32_relu, int, (int a, int b), max(min(a, b), 0))

#define WARPLENS_DPX_16(t, s)                                                                                    \
  WARPLENS_DPX(iaddmax_##t, unsigned int, (unsigned int a, unsigned int b, unsigned int c), __vmax##s##2(__vadd2(a, b), c)) \
  WARPLENS_DPX(iaddmin_##t, unsigned int, (unsigned int a, unsigned int b, unsigned int c), __vmin##s##2(__vadd2(a, b), c)) \
  WARPLENS_DPX(imax3_##t, unsigned int, (unsigned int a, unsigned int b, unsigned int c), __vmax##s##2(__vmax##s##2(a, b), c)) \
  WARPLENS_DPX(imin3_##t, unsigned int, (unsigned int a, unsigned int b, unsigned int c), __vmin##s##2(__vmin##s##2(a, b), c)) \
  WARPLENS_DEVICE unsigned int __vibmax_##t(unsigned int a, unsigned int b, bool* high, bool* low) {                   \
    const unsigned int first = __vcmpge##s##2(a, b);                                                                   \
    *high = first >> 31;                                                                                               \
    *low = first & 1;                                                                                                  \
    return (a & first) | (b & ~first);                                                                                 \
  }                                                                                                                    \
  WARPLENS_DEVICE unsigned int __vibmin_##t(unsigned int a, unsigned int b, bool* high, bool* low) {                   \
    const unsigned int first = __vcmple##s##2(a, b);                                                                   \
    *high = first >> 31;                                                                                               \
    *low = first & 1;                                                                                                  \
    return (a & first) | (b & ~first);                                                                                 \
  }
WARPLENS_DPX_16(s16x2, s)
WARPLENS_DPX_16(u16x2, u)
#undef WARPLENS_DPX_16
#define WARPLENS_DPX_RELU(name) \
  WARPLENS_DPX(name##_relu, unsigned int, (unsigned int a, unsigned int b, unsigned int c), __vmaxs2(__v##name(a, b, c), 0))
WARPLENS_DPX_RELU(iaddmax_s16x2)
WARPLENS_DPX_RELU(iaddmin_s16x2)
WARPLENS_DPX_RELU(imax3_s16x2)
WARPLENS_DPX_RELU(imin3_s16x2)
WARPLENS_DPX(imax_s16x2_relu, unsigned int, (unsigned int a, unsigned int b), __vmaxs2(__vmaxs2(a, b), 0))
WARPLENS_DPX(imin_s16x2_relu, unsigned int, (unsigned int a, unsigned int b), __vmaxs2(__vmins2(a, b), 0))
#undef WARPLENS_DPX_RELU
#undef WARPLENS_DPX
#undef WARPLENS_LANES
#undef WARPLENS_LIMIT
