// From random bits to distributions. Uniform numbers are those of (0, 1]; normal ones come in pairs by the Box-Muller
// transform, the second kept in the state.
#pragma once
#pragma GCC system_header

namespace warplens_curand {

WARPLENS_DEVICE float unit(unsigned int bits) { return bits * 0x1p-32f + 0x1p-33f; }
WARPLENS_DEVICE double unit(unsigned int low, unsigned int high) {
  const unsigned long long bits = low ^ static_cast<unsigned long long>(high) << 21;
  return bits * 0x1p-53 + 0x1p-54;
}

WARPLENS_DEVICE float2 box_muller(float radius, float angle) {
  const float length = sqrtf(-2.0f * logf(radius));
  float2 v;
  __sincosf(angle, &v.x, &v.y);
  v.x *= length;
  v.y *= length;
  return v;
}
WARPLENS_DEVICE float2 box_muller(unsigned int x, unsigned int y) {
  constexpr float kTurn = 0x1p-32f * 6.2831855f;
  return box_muller(unit(x), y * kTurn + kTurn / 2);
}
WARPLENS_DEVICE double2 box_muller(double radius, double half_turns) {
  const double length = sqrt(-2.0 * log(radius));
  double2 v;
  sincospi(half_turns, &v.x, &v.y);
  v.x *= length;
  v.y *= length;
  return v;
}
WARPLENS_DEVICE double2 box_muller(unsigned int a, unsigned int b, unsigned int c, unsigned int d) {
  const unsigned long long bits = c ^ static_cast<unsigned long long>(d) << 21;
  return box_muller(unit(a, b), bits * 0x1p-52 + 0x1p-53);
}

// Of any state with 32 random bits at a time.
template <typename State>
WARPLENS_DEVICE float uniform(State* s) {
  return unit(curand(s));
}
template <typename State>
WARPLENS_DEVICE double uniform_double(State* s) {
  const unsigned int low = curand(s), high = curand(s);
  return unit(low, high);
}
template <typename State>
WARPLENS_DEVICE float2 normal2(State* s) {
  const unsigned int x = curand(s), y = curand(s);
  return box_muller(x, y);
}
template <typename State>
WARPLENS_DEVICE double2 normal2_double(State* s) {
  const unsigned int a = curand(s), b = curand(s), c = curand(s), d = curand(s);
  return box_muller(a, b, c, d);
}
// Of Philox one number is enough.
WARPLENS_DEVICE double uniform_double(Philox* s) { return curand(s) * 0x1p-32 + 0x1p-32; }
// Of MRG32k3a, whose numbers are no bits.
constexpr double kMrgUnit = 0x1.000000d10000bp-32;
WARPLENS_DEVICE float uniform(Mrg* s) { return static_cast<float>(mrg_next(s) * kMrgUnit); }
WARPLENS_DEVICE double uniform_double(Mrg* s) { return mrg_next(s) * kMrgUnit; }
WARPLENS_DEVICE float2 normal2(Mrg* s) {
  const float radius = uniform(s), angle = uniform(s) * 6.2831855f;
  return box_muller(radius, angle);
}
WARPLENS_DEVICE double2 normal2_double(Mrg* s) {
  const double radius = uniform_double(s), half_turns = uniform_double(s) * 2;
  return box_muller(radius, half_turns);
}

// The second number of a pair waits in the state; one kept for the normal distribution is not used for the log-normal, nor
// the other way round.
enum Kept { kNothing, kNormal, kLogNormal };

template <typename State>
WARPLENS_DEVICE float normal(State* s) {
  if (s->kept == kNormal) {
    s->kept = kNothing;
    return s->number;
  }
  const float2 v = normal2(s);
  s->number = v.y;
  s->kept = kNormal;
  return v.x;
}
template <typename State>
WARPLENS_DEVICE double normal_double(State* s) {
  if (s->kept_double == kNormal) {
    s->kept_double = kNothing;
    return s->number_double;
  }
  const double2 v = normal2_double(s);
  s->number_double = v.y;
  s->kept_double = kNormal;
  return v.x;
}
template <typename State>
WARPLENS_DEVICE float log_normal(State* s, float mean, float deviation) {
  if (s->kept == kLogNormal) {
    s->kept = kNothing;
    return s->number;
  }
  const float2 v = normal2(s);
  s->number = expf(mean + deviation * v.y);
  s->kept = kLogNormal;
  return expf(mean + deviation * v.x);
}
template <typename State>
WARPLENS_DEVICE double log_normal_double(State* s, double mean, double deviation) {
  if (s->kept_double == kLogNormal) {
    s->kept_double = kNothing;
    return s->number_double;
  }
  const double2 v = normal2_double(s);
  s->number_double = exp(mean + deviation * v.y);
  s->kept_double = kLogNormal;
  return exp(mean + deviation * v.x);
}

extern "C" __device__ unsigned int __warplens_curand_poisson_with_lambda_from_64_to_4000();

// Small: how many uniform numbers can be multiplied before the product falls below exp(-lambda) (Knuth). Large: normal.
template <typename State>
WARPLENS_DEVICE unsigned int poisson(State* s, double lambda) {
  if (lambda >= 4000)
    return static_cast<unsigned int>(sqrt(lambda) * normal_double(s) + lambda + 0.5);
  if (lambda >= 64) return __warplens_curand_poisson_with_lambda_from_64_to_4000();
  unsigned int k = 0;
  const float limit = expf(static_cast<float>(lambda));
  float p = limit;
  do {
    ++k;
    p *= uniform(s);
  } while (p > 1.0f);
  return k - 1;
}

}  // namespace warplens_curand

#define WARPLENS_CURAND(state)                                                                                       \
  WARPLENS_DEVICE float curand_uniform(state* s) { return warplens_curand::uniform(s); }                             \
  WARPLENS_DEVICE double curand_uniform_double(state* s) { return warplens_curand::uniform_double(s); }              \
  WARPLENS_DEVICE float curand_normal(state* s) { return warplens_curand::normal(s); }                               \
  WARPLENS_DEVICE float2 curand_normal2(state* s) { return warplens_curand::normal2(s); }                            \
  WARPLENS_DEVICE double curand_normal_double(state* s) { return warplens_curand::normal_double(s); }                \
  WARPLENS_DEVICE double2 curand_normal2_double(state* s) { return warplens_curand::normal2_double(s); }             \
  WARPLENS_DEVICE float curand_log_normal(state* s, float mean, float deviation) {                                   \
    return warplens_curand::log_normal(s, mean, deviation);                                                               \
  }                                                                                                                  \
  WARPLENS_DEVICE float2 curand_log_normal2(state* s, float mean, float deviation) {                                 \
    const float2 v = curand_normal2(s);                                                                              \
    return float2{expf(mean + deviation * v.x), expf(mean + deviation * v.y)};                                       \
  }                                                                                                                  \
  WARPLENS_DEVICE double curand_log_normal_double(state* s, double mean, double deviation) {                         \
    return warplens_curand::log_normal_double(s, mean, deviation);                                                         \
  }                                                                                                                  \
  WARPLENS_DEVICE double2 curand_log_normal2_double(state* s, double mean, double deviation) {                       \
    const double2 v = curand_normal2_double(s);                                                                      \
    return double2{exp(mean + deviation * v.x), exp(mean + deviation * v.y)};                                        \
  }                                                                                                                  \
  WARPLENS_DEVICE unsigned int curand_poisson(state* s, double lambda) { return warplens_curand::poisson(s, lambda); }
WARPLENS_CURAND(curandStateXORWOW_t)
WARPLENS_CURAND(curandStatePhilox4_32_10_t)
WARPLENS_CURAND(curandStateMRG32k3a_t)
#undef WARPLENS_CURAND

// ---- four at a time, of Philox
WARPLENS_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10_t* s) {
  const uint4 v = curand4(s);
  return float4{warplens_curand::unit(v.x), warplens_curand::unit(v.y), warplens_curand::unit(v.z),
                warplens_curand::unit(v.w)};
}
WARPLENS_DEVICE double2 curand_uniform2_double(curandStatePhilox4_32_10_t* s) {
  const uint4 v = curand4(s);
  return double2{warplens_curand::unit(v.x, v.y), warplens_curand::unit(v.z, v.w)};
}
WARPLENS_DEVICE double4 curand_uniform4_double(curandStatePhilox4_32_10_t* s) {
  const double2 a = curand_uniform2_double(s), b = curand_uniform2_double(s);
  return double4{a.x, a.y, b.x, b.y};
}
WARPLENS_DEVICE float4 curand_normal4(curandStatePhilox4_32_10_t* s) {
  const uint4 v = curand4(s);
  const float2 a = warplens_curand::box_muller(v.x, v.y), b = warplens_curand::box_muller(v.z, v.w);
  return float4{a.x, a.y, b.x, b.y};
}
WARPLENS_DEVICE double4 curand_normal4_double(curandStatePhilox4_32_10_t* s) {
  const double2 a = curand_normal2_double(s), b = curand_normal2_double(s);
  return double4{a.x, a.y, b.x, b.y};
}
WARPLENS_DEVICE float4 curand_log_normal4(curandStatePhilox4_32_10_t* s, float mean, float deviation) {
  const float4 v = curand_normal4(s);
  return float4{expf(mean + deviation * v.x), expf(mean + deviation * v.y), expf(mean + deviation * v.z),
                expf(mean + deviation * v.w)};
}
WARPLENS_DEVICE double4 curand_log_normal4_double(curandStatePhilox4_32_10_t* s, double mean, double deviation) {
  const double4 v = curand_normal4_double(s);
  return double4{exp(mean + deviation * v.x), exp(mean + deviation * v.y), exp(mean + deviation * v.z),
                 exp(mean + deviation * v.w)};
}
WARPLENS_DEVICE uint4 curand_poisson4(curandStatePhilox4_32_10_t* s, double lambda) {
  uint4 v;
  v.x = curand_poisson(s, lambda);
  v.y = curand_poisson(s, lambda);
  v.z = curand_poisson(s, lambda);
  v.w = curand_poisson(s, lambda);
  return v;
}
