#include "ir/math.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>
#include <unordered_map>

#include "ir/elementary.h"
#include "ir/precise.h"
#include "ir/precise_angles.h"
#include "ir/precise_bessel.h"
#include "ir/precise_errors.h"
#include "ir/precise_gamma.h"
#include "ir/precise_remainders.h"

namespace warplens::ir {
namespace {

int32_t quotient(double x, double y) {
  int low = 0;
  std::remquo(x, y, &low);
  return low;
}

// kCount lanes from `first` on: converted to double, computed, and back.
template <typename D, typename Of, typename E, typename... A>
WL_INLINE void some_lanes(E* results, const A*... arguments) {
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
  std::memcpy(results, &values, sizeof values);
  const auto rare = Of::rare(load(arguments)...);
  int64_t any = 0;
  for (int i = 0; i < kLanes<D>; ++i) any |= rare[i];
  if (any == 0) return;
  for (int i = 0; i < kLanes<D>; ++i)
    if (rare[i]) results[i] = static_cast<E>(Of::rare_value(static_cast<double>(arguments[i])...));
}
template <typename D, typename Of, typename E, typename... A>
WL_INLINE void each_lane(uint32_t n, E* results, const A*... arguments) {
  for (uint32_t i = 0; i < n; i += elementary::kLanes<D>) some_lanes<D, Of>(results + i, (arguments + i)...);
}

// For two generations of processors (of GCC 12's code for 512 bits, that for masks is slower), and for one lane: none
// computes other bits.
template <typename Of, typename Function>
struct ForProcessors;
template <typename Of, typename E, typename... A>
struct ForProcessors<Of, E(A...)> {
  static void plain(uint32_t n, E* results, const A*... arguments) {
    each_lane<elementary::VectorOf<double, 2>::Type, Of>(n, results, arguments...);
  }
#if defined(__x86_64__)
  [[gnu::target("arch=x86-64-v3")]] static void avx2(uint32_t n, E* results, const A*... arguments) {
    each_lane<elementary::VectorOf<double, 4>::Type, Of>(n, results, arguments...);
  }
#endif
  template <auto kWide>
  static E one(A... arguments) {
    E results[4];
    const auto everywhere = [](auto x) { return std::array<decltype(x), 4>{x, x, x, x}; };
    kWide(4, results, everywhere(arguments).data()...);
    return results[0];
  }
  static MathFunction functions(const char* name, const char* signature) {
    const auto of = [&](auto* one, auto* wide) {
      return MathFunction{name, signature, reinterpret_cast<void (*)()>(one), reinterpret_cast<void (*)()>(wide),
                          reinterpret_cast<void (*)()>(&plain)};
    };
#if defined(__x86_64__)
    if (__builtin_cpu_supports("x86-64-v3")) return of(&one<&avx2>, &avx2);
#endif
    return of(&one<&plain>, &plain);
  }
};
using elementary::Mask;
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

constexpr MathFunction kNothing{"", "", nullptr, nullptr, nullptr};

const std::vector<MathFunction>& functions() {
  static const std::vector<MathFunction> kFunctions = {
      kNothing,
#define WL_MATH_WIDE(name, signature, type, parameters, value, rare, rare_value) \
  ForProcessors<Wide##name, type>::functions(#name, signature),
#include "ir/math.def"
  };
  return kFunctions;
}

}  // namespace

Type type_of_letter(char letter) {
  switch (letter) {
    case 'i':
      return Type::I32;
    case 'l':
      return Type::I64;
    case 'f':
      return Type::F32;
    case 'd':
      return Type::F64;
    default:
      return Type::Void;
  }
}

uint32_t math_function_count() { return static_cast<uint32_t>(functions().size()); }
const MathFunction& math_function(uint32_t index) { return index < functions().size() ? functions()[index] : kNothing; }

std::optional<uint32_t> find_math_function(std::string_view name) {
  static const auto kByName = [] {
    std::unordered_map<std::string_view, uint32_t> table;
    for (uint32_t i = 1; i < functions().size(); ++i) table.emplace(functions()[i].name, i);
    return table;
  }();
  const auto it = kByName.find(name);
  if (it == kByName.end()) return std::nullopt;
  return it->second;
}

}  // namespace warplens::ir
