// XORWOW: G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003), section 3.1. Subsequences begin 2^67
// numbers apart.
#pragma once
#pragma GCC system_header
#include "warplens/curand/xorwow_jumps.h"

namespace warplens_curand {

struct Xorwow {
  unsigned int d, v[5];
  int kept, kept_double;  // Kept
  float number;
  double number_double;
};

constexpr unsigned int kWeyl = 362437;  // what d grows by

WARPLENS_DEVICE void xorwow_step(unsigned int* v) {
  const unsigned int t = v[0] ^ (v[0] >> 2);
  v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}

// The state after the steps that the polynomial names: Horner's scheme, with a step for the unknown.
WARPLENS_DEVICE void xorwow_jump(unsigned int* v, const unsigned int* polynomial) {
  unsigned int r[5] = {};
  for (int i = 159; i >= 0; --i) {
    xorwow_step(r);
    const unsigned int taken = 0u - (polynomial[i / 32] >> (i % 32) & 1);
    for (int k = 0; k < 5; ++k) r[k] ^= v[k] & taken;
  }
  for (int k = 0; k < 5; ++k) v[k] = r[k];
}
WARPLENS_DEVICE void xorwow_skip(Xorwow* s, unsigned long long n) {
  s->d += kWeyl * static_cast<unsigned int>(n);
  if (n < 64) {
    for (; n; --n) xorwow_step(s->v);
    return;
  }
  for (int k = 0; n; ++k, n >>= 1)
    if (n & 1) xorwow_jump(s->v, kElements[k]);
}
// 2^67 times kWeyl is 0 in 32 bits.
WARPLENS_DEVICE void xorwow_skip_sequences(Xorwow* s, unsigned long long n) {
  for (int k = 0; n; ++k, n >>= 1)
    if (n & 1) xorwow_jump(s->v, kSequences[k]);
}

WARPLENS_DEVICE void xorwow_seed(Xorwow* s, unsigned long long seed) {
  const unsigned int a = (static_cast<unsigned int>(seed) ^ 0xaad26b49u) * 1099087573u;
  const unsigned int b = (static_cast<unsigned int>(seed >> 32) ^ 0xf7dcefddu) * 2591861531u;
  s->d = 6615241u + b + a;
  s->v[0] = 123456789u + a;
  s->v[1] = 362436069u ^ a;
  s->v[2] = 521288629u + b;
  s->v[3] = 88675123u ^ b;
  s->v[4] = 5783321u + a;
  s->kept = s->kept_double = 0;
  s->number = 0;
  s->number_double = 0;
}

}  // namespace warplens_curand
