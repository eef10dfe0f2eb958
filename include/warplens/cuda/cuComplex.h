// Complex numbers over float2 and double2.
#pragma once
#pragma GCC system_header
#define CU_COMPLEX_H_  // programs ask for it
#include <math.h>

#include "vector_functions.h"

#if defined(__cplusplus)
#define WARPLENS_COMPLEX WARPLENS_HOST_DEVICE
#else
#define WARPLENS_COMPLEX static __inline__
typedef struct float2 float2;
typedef struct double2 double2;
#endif
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

WARPLENS_COMPLEX float cuCrealf(cuFloatComplex a) { return a.x; }
WARPLENS_COMPLEX float cuCimagf(cuFloatComplex a) { return a.y; }
WARPLENS_COMPLEX cuFloatComplex make_cuFloatComplex(float real, float imaginary) {
  cuFloatComplex r;
  r.x = real;
  r.y = imaginary;
  return r;
}
WARPLENS_COMPLEX cuFloatComplex cuConjf(cuFloatComplex a) { return make_cuFloatComplex(a.x, -a.y); }
WARPLENS_COMPLEX cuFloatComplex cuCaddf(cuFloatComplex a, cuFloatComplex b) { return make_cuFloatComplex(a.x + b.x, a.y + b.y); }
WARPLENS_COMPLEX cuFloatComplex cuCsubf(cuFloatComplex a, cuFloatComplex b) { return make_cuFloatComplex(a.x - b.x, a.y - b.y); }
WARPLENS_COMPLEX cuFloatComplex cuCmulf(cuFloatComplex a, cuFloatComplex b) {
  return make_cuFloatComplex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
// Scaled, so that a quotient that can be represented is found.
WARPLENS_COMPLEX cuFloatComplex cuCdivf(cuFloatComplex a, cuFloatComplex b) {
  const float scale = 1.0f / (fabsf(b.x) + fabsf(b.y));
  const float ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;
  const float inverse = 1.0f / (bx * bx + by * by);
  return make_cuFloatComplex((ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse);
}
WARPLENS_COMPLEX float cuCabsf(cuFloatComplex a) {
  const float x = fabsf(a.x), y = fabsf(a.y), high = x > y ? x : y, low = x > y ? y : x;
  if (high == 0 || high > 3.402823466e38f || low > 3.402823466e38f) return x + y;
  const float ratio = low / high;
  return high * sqrtf(1.0f + ratio * ratio);
}
WARPLENS_COMPLEX cuFloatComplex cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c) {
  return make_cuFloatComplex(a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y);
}

WARPLENS_COMPLEX double cuCreal(cuDoubleComplex a) { return a.x; }
WARPLENS_COMPLEX double cuCimag(cuDoubleComplex a) { return a.y; }
WARPLENS_COMPLEX cuDoubleComplex make_cuDoubleComplex(double real, double imaginary) {
  cuDoubleComplex r;
  r.x = real;
  r.y = imaginary;
  return r;
}
WARPLENS_COMPLEX cuDoubleComplex cuConj(cuDoubleComplex a) { return make_cuDoubleComplex(a.x, -a.y); }
WARPLENS_COMPLEX cuDoubleComplex cuCadd(cuDoubleComplex a, cuDoubleComplex b) { return make_cuDoubleComplex(a.x + b.x, a.y + b.y); }
WARPLENS_COMPLEX cuDoubleComplex cuCsub(cuDoubleComplex a, cuDoubleComplex b) { return make_cuDoubleComplex(a.x - b.x, a.y - b.y); }
WARPLENS_COMPLEX cuDoubleComplex cuCmul(cuDoubleComplex a, cuDoubleComplex b) {
  return make_cuDoubleComplex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
// Scaled, so that a quotient that can be represented is found.
WARPLENS_COMPLEX cuDoubleComplex cuCdiv(cuDoubleComplex a, cuDoubleComplex b) {
  const double scale = 1.0 / (fabs(b.x) + fabs(b.y));
  const double ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;
  const double inverse = 1.0 / (bx * bx + by * by);
  return make_cuDoubleComplex((ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse);
}
WARPLENS_COMPLEX double cuCabs(cuDoubleComplex a) {
  const double x = fabs(a.x), y = fabs(a.y), high = x > y ? x : y, low = x > y ? y : x;
  if (high == 0 || high > 1.79769313486231570e+308 || low > 1.79769313486231570e+308) return x + y;
  const double ratio = low / high;
  return high * sqrt(1.0 + ratio * ratio);
}
WARPLENS_COMPLEX cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) {
  return make_cuDoubleComplex(a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y);
}

WARPLENS_COMPLEX cuComplex make_cuComplex(float real, float imaginary) { return make_cuFloatComplex(real, imaginary); }
WARPLENS_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return make_cuDoubleComplex(a.x, a.y); }
WARPLENS_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return make_cuFloatComplex((float)a.x, (float)a.y);
}
#undef WARPLENS_COMPLEX
