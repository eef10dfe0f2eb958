#include "ir/math.h"

#include <array>
#include <unordered_map>

#include "ir/math_lanes.h"

namespace warplens::ir {
namespace {

template <typename D, typename Of, typename E, typename... A>
WL_INLINE void each_lane(uint32_t n, E* results, const A*... arguments) {
  const auto rare_value = [](auto... x)
                              __attribute__((always_inline)) { return Of::rare_value(static_cast<double>(x)...); };
  for (uint32_t i = 0; i < n; i += elementary::kLanes<D>)
    some_lanes<D, Of>(rare_value, results + i, (arguments + i)...);
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
