// MRG32k3a: P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators",
// Operations Research 47 (1999); jumps by powers of its matrices, as L'Ecuyer, Simard, Chen and Kelton describe (2002).
#pragma once
#pragma GCC system_header

namespace warplens_curand {

struct Mrg {
  unsigned int a[3], b[3];
  int kept, kept_double;  // Kept
  float number;
  double number_double;
};

constexpr unsigned int kMrgModulus1 = 4294967087u, kMrgModulus2 = 4294944443u;

struct MrgMatrix {
  unsigned int at[3][3];
};
struct MrgJump {
  MrgMatrix first, second;
};
// One step, a subsequence (2^76 steps) and a sequence (2^127 steps).
WARPLENS_DEVICE MrgJump mrg_step() {
  return {{{{0u, 1u, 0u}, {0u, 0u, 1u}, {4294156359u, 1403580u, 0u}}},
          {{{0u, 1u, 0u}, {0u, 0u, 1u}, {4293573854u, 0u, 527612u}}}};
}
WARPLENS_DEVICE MrgJump mrg_subsequence() {
  return {{{{82758667u, 1871391091u, 4127413238u}, {3672831523u, 69195019u, 1871391091u}, {3672091415u, 3528743235u, 69195019u}}},
          {{{1511326704u, 3759209742u, 1610795712u}, {4292754251u, 1511326704u, 3889917532u}, {3859662829u, 4292754251u, 3708466080u}}}};
}
WARPLENS_DEVICE MrgJump mrg_sequence() {
  return {{{{2427906178u, 3580155704u, 949770784u}, {226153695u, 1230515664u, 3580155704u}, {1988835001u, 986791581u, 1230515664u}}},
          {{{1464411153u, 277697599u, 1610723613u}, {32183930u, 1464411153u, 1022607788u}, {2824425944u, 32183930u, 2093834863u}}}};
}

WARPLENS_DEVICE unsigned int mrg_times(unsigned int a, unsigned int b, unsigned int modulus) {
  return static_cast<unsigned int>(static_cast<unsigned long long>(a) * b % modulus);
}
WARPLENS_DEVICE MrgMatrix mrg_square(const MrgMatrix& m, unsigned int modulus) {
  MrgMatrix r;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      unsigned long long sum = 0;
      for (int j = 0; j < 3; ++j) sum = (sum + mrg_times(m.at[i][j], m.at[j][k], modulus)) % modulus;
      r.at[i][k] = static_cast<unsigned int>(sum);
    }
  return r;
}
WARPLENS_DEVICE void mrg_apply(const MrgMatrix& m, unsigned int* s, unsigned int modulus) {
  unsigned int r[3];
  for (int i = 0; i < 3; ++i) {
    unsigned long long sum = 0;
    for (int j = 0; j < 3; ++j) sum = (sum + mrg_times(m.at[i][j], s[j], modulus)) % modulus;
    r[i] = static_cast<unsigned int>(sum);
  }
  for (int i = 0; i < 3; ++i) s[i] = r[i];
}
WARPLENS_DEVICE void mrg_skip(Mrg* s, unsigned long long n, MrgJump jump) {
  for (; n; n >>= 1) {
    if (n & 1) {
      mrg_apply(jump.first, s->a, kMrgModulus1);
      mrg_apply(jump.second, s->b, kMrgModulus2);
    }
    if (n > 1) jump = {mrg_square(jump.first, kMrgModulus1), mrg_square(jump.second, kMrgModulus2)};
  }
}

// The seed goes into all six numbers by multiplication.
WARPLENS_DEVICE void mrg_seed(Mrg* s, unsigned long long seed) {
  for (int i = 0; i < 3; ++i) s->a[i] = s->b[i] = 12345;
  if (seed) {
    const unsigned int x = static_cast<unsigned int>(seed) ^ 0x55555555u;
    const unsigned int y = static_cast<unsigned int>(seed >> 32) ^ 0xaaaaaaaau;
    s->a[0] = mrg_times(x, s->a[0], kMrgModulus1);
    s->a[1] = mrg_times(y, s->a[1], kMrgModulus1);
    s->a[2] = mrg_times(x, s->a[2], kMrgModulus1);
    s->b[0] = mrg_times(y, s->b[0], kMrgModulus2);
    s->b[1] = mrg_times(x, s->b[1], kMrgModulus2);
    s->b[2] = mrg_times(y, s->b[2], kMrgModulus2);
  }
  s->kept = s->kept_double = 0;
  s->number = 0;
  s->number_double = 0;
}

// The next number of 1 ... kMrgModulus1.
WARPLENS_DEVICE double mrg_next(Mrg* s) {
  const unsigned long long plus1 = 1403580ull * s->a[1], minus1 = 810728ull * s->a[0];
  const unsigned long long plus2 = 527612ull * s->b[2], minus2 = 1370589ull * s->b[0];
  // A multiple of the modulus above any product that is subtracted.
  const unsigned int p = static_cast<unsigned int>((plus1 + 810728ull * kMrgModulus1 - minus1) % kMrgModulus1);
  const unsigned int q = static_cast<unsigned int>((plus2 + 1370589ull * kMrgModulus2 - minus2) % kMrgModulus2);
  s->a[0] = s->a[1], s->a[1] = s->a[2], s->a[2] = p;
  s->b[0] = s->b[1], s->b[1] = s->b[2], s->b[2] = q;
  return p > q ? static_cast<double>(p - q) : static_cast<double>(p) - q + kMrgModulus1;
}

}  // namespace warplens_curand
