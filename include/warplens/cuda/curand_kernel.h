// Random numbers in kernels, as cuRAND's device API documents them: XORWOW, Philox4_32_10 and MRG32k3a, uniform, normal,
// log-normal and Poisson. The numbers are cuRAND's own (tests/nosdk). Poisson with 64 <= lambda < 4000, quasi-random and
// discrete generators are refused: cuRAND's method for them is not documented.
#pragma once
#pragma GCC system_header
#define CURAND_KERNEL_H_  // programs ask for it
#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__cplusplus)
#include "warplens/curand/mrg32k3a.h"
#include "warplens/curand/philox.h"
#include "warplens/curand/xorwow.h"

typedef warplens_curand::Xorwow curandStateXORWOW;
typedef warplens_curand::Philox curandStatePhilox4_32_10;
typedef warplens_curand::Mrg curandStateMRG32k3a;
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;

// ---- XORWOW
WARPLENS_DEVICE unsigned int curand(curandStateXORWOW_t* s) {
  warplens_curand::xorwow_step(s->v);
  s->d += warplens_curand::kWeyl;
  return s->v[4] + s->d;
}
WARPLENS_DEVICE void skipahead(unsigned long long n, curandStateXORWOW_t* s) { warplens_curand::xorwow_skip(s, n); }
WARPLENS_DEVICE void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* s) {
  warplens_curand::xorwow_skip_sequences(s, n);
}
WARPLENS_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                 curandStateXORWOW_t* s) {
  warplens_curand::xorwow_seed(s, seed);
  skipahead_sequence(subsequence, s);
  skipahead(offset, s);
}

// ---- Philox
WARPLENS_DEVICE unsigned int curand(curandStatePhilox4_32_10_t* s) {
  const uint4 o = s->output;
  const unsigned int result = s->used == 0 ? o.x : s->used == 1 ? o.y : s->used == 2 ? o.z : o.w;
  if (++s->used == 4) {
    warplens_curand::philox_advance(s, 1);
    s->output = warplens_curand::philox(s->counter, s->key);
    s->used = 0;
  }
  return result;
}
WARPLENS_DEVICE uint4 curand4(curandStatePhilox4_32_10_t* s) {
  const uint4 old = s->output;
  warplens_curand::philox_advance(s, 1);
  const uint4 next = s->output = warplens_curand::philox(s->counter, s->key);
  switch (s->used) {
    case 0: return old;
    case 1: return uint4{old.y, old.z, old.w, next.x};
    case 2: return uint4{old.z, old.w, next.x, next.y};
    default: return uint4{old.w, next.x, next.y, next.z};
  }
}
WARPLENS_DEVICE void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* s) { warplens_curand::philox_skip(s, n); }
WARPLENS_DEVICE void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* s) {
  warplens_curand::philox_advance_sequences(s, n);
  s->output = warplens_curand::philox(s->counter, s->key);
}
WARPLENS_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                 curandStatePhilox4_32_10_t* s) {
  *s = curandStatePhilox4_32_10_t{};
  s->key = uint2{static_cast<unsigned int>(seed), static_cast<unsigned int>(seed >> 32)};
  warplens_curand::philox_advance_sequences(s, subsequence);
  skipahead(offset, s);
}

// ---- MRG32k3a
WARPLENS_DEVICE unsigned int curand(curandStateMRG32k3a_t* s) {
  return static_cast<unsigned int>(warplens_curand::mrg_next(s) * 1.000000048662);  // 1 ... m to 32 bits
}
WARPLENS_DEVICE void skipahead(unsigned long long n, curandStateMRG32k3a_t* s) {
  warplens_curand::mrg_skip(s, n, warplens_curand::mrg_step());
}
WARPLENS_DEVICE void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t* s) {
  warplens_curand::mrg_skip(s, n, warplens_curand::mrg_subsequence());
}
WARPLENS_DEVICE void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t* s) {
  warplens_curand::mrg_skip(s, n, warplens_curand::mrg_sequence());
}
WARPLENS_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                 curandStateMRG32k3a_t* s) {
  warplens_curand::mrg_seed(s, seed);
  skipahead_subsequence(subsequence, s);
  skipahead(offset, s);
}

#include "warplens/curand/distributions.h"
#endif
