// min and max of every arithmetic type, on host and device, as the CUDA math API has them. Where the signedness differs
// both count as unsigned; of a number and a NaN the number wins.
#pragma once
#pragma GCC system_header

#define WARPLENS_MIN_MAX(attributes, result, left, right)                                                              \
  static __inline__ attributes WARPLENS_NO_LINES result min(left a, right b) { return result(a) < result(b) ? result(a) : result(b); }   \
  static __inline__ attributes WARPLENS_NO_LINES result max(left a, right b) { return result(a) > result(b) ? result(a) : result(b); }
#define WARPLENS_MIN_MAX_FLOAT(left, right, low, high)                                                                 \
  WARPLENS_HOST_DEVICE auto min(left a, right b) { return low(a, b); }                                \
  WARPLENS_HOST_DEVICE auto max(left a, right b) { return high(a, b); }

typedef unsigned int warplens_uint;
typedef unsigned long warplens_ulong;
typedef long long warplens_llong;
typedef unsigned long long warplens_ullong;

WARPLENS_MIN_MAX(__host__, int, int, int)  // clang's headers have the device's
WARPLENS_MIN_MAX(__host__ __device__, warplens_uint, unsigned int, unsigned int)
WARPLENS_MIN_MAX(__host__ __device__, warplens_uint, unsigned int, int)
WARPLENS_MIN_MAX(__host__ __device__, warplens_uint, int, unsigned int)
WARPLENS_MIN_MAX(__host__ __device__, long, long, long)
WARPLENS_MIN_MAX(__host__ __device__, warplens_ulong, unsigned long, unsigned long)
WARPLENS_MIN_MAX(__host__ __device__, warplens_ulong, unsigned long, long)
WARPLENS_MIN_MAX(__host__ __device__, warplens_ulong, long, unsigned long)
WARPLENS_MIN_MAX(__host__ __device__, warplens_llong, long long, long long)
WARPLENS_MIN_MAX(__host__ __device__, warplens_ullong, unsigned long long, unsigned long long)
WARPLENS_MIN_MAX(__host__ __device__, warplens_ullong, unsigned long long, long long)
WARPLENS_MIN_MAX(__host__ __device__, warplens_ullong, long long, unsigned long long)
WARPLENS_MIN_MAX_FLOAT(float, float, __builtin_fminf, __builtin_fmaxf)
WARPLENS_MIN_MAX_FLOAT(double, double, __builtin_fmin, __builtin_fmax)
WARPLENS_MIN_MAX_FLOAT(float, double, __builtin_fmin, __builtin_fmax)
WARPLENS_MIN_MAX_FLOAT(double, float, __builtin_fmin, __builtin_fmax)
#undef WARPLENS_MIN_MAX
#undef WARPLENS_MIN_MAX_FLOAT
