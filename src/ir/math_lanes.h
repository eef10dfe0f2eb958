// The functions of math.def over vectors of lanes, for each compiler that makes code of them: GCC for calls from the
// host (math.cpp), clang for what kernels take in (math_bitcode.cxx).
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>

#include "ir/elementary.h"
#include "ir/precise.h"
#include "ir/precise_angles.h"
#include "ir/precise_bessel.h"
#include "ir/precise_errors.h"
#include "ir/precise_gamma.h"
#include "ir/precise_remainders.h"

namespace warplens::ir {

using elementary::Mask;

inline int32_t quotient(double x, double y) {
  int low = 0;
  std::remquo(x, y, &low);
  return low;
}

// kLanes<D> lanes: converted to double, computed, and back; those that are rare by themselves.
template <typename D, typename Of, typename Rare, typename E, typename... A>
WL_INLINE void some_lanes(Rare rare_value, E* results, const A*... arguments) {
  using elementary::kLanes;
  const auto load = []<typename T>(const T* from) __attribute__((always_inline)) {
    typename elementary::VectorOf<T, kLanes<D>>::Type v;
    std::memcpy(&v, from, sizeof v);
    return __builtin_convertvector(v, D);
  };
  // One NaN: which of several an operation hands on depends on the order that a compiler gives its operands.
  const D value = Of::value(load(arguments)...);
  const auto values = __builtin_convertvector(elementary::select(value == value, value, elementary::kNan),
                                              typename elementary::VectorOf<E, kLanes<D>>::Type);
  const Mask<D> rare = Of::template rare<D>(load(arguments)...);
  std::memcpy(results, &values, sizeof values);
  if (!elementary::any_of(rare)) return;
  for (int i = 0; i < kLanes<D>; ++i)
    if (rare[i]) results[i] = static_cast<E>(rare_value(arguments[i]...));
}

#define WL_MATH_WIDE(name, signature, type, parameters, value_, rare_, rare_value_) \
  struct Wide##name {                                                               \
    template <typename D>                                                           \
    WL_INLINE static D value parameters {                                           \
      return value_;                                                                \
    }                                                                               \
    template <typename D>                                                           \
    WL_INLINE static Mask<D> rare parameters {                                      \
      return rare_;                                                                 \
    }                                                                               \
    template <std::same_as<double> D>                                               \
    WL_INLINE static double rare_value parameters {                                 \
      return rare_value_;                                                           \
    }                                                                               \
  };
#include "ir/math.def"

}  // namespace warplens::ir
