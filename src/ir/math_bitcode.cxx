// The functions of math.def as LLVM bitcode, which jit/inline_math.cpp puts in the place of kernels' calls:
//     void NAME_8(R* results, const A* x, const B* y, ...), NAME_16: for a vector of so many lanes
// clang compiles this file, for the library's inside only. All have the parameters of those with the most.
#include <utility>

#include "ir/math_lanes.h"

namespace warplens::ir {

template <typename Of, typename Function>
struct Lanes;
template <typename Of, typename E, typename... A>
struct Lanes<Of, E(A...)> {
  template <int kCount>
  WL_INLINE static void of(E (*one)(A...), void* results, const void* x, const void* y, const void* z, const void* w) {
    const void* const arguments[] = {x, y, z, w};
    [&]<size_t... kAt>(std::index_sequence<kAt...>) __attribute__((always_inline)) {
      some_lanes<typename elementary::VectorOf<double, kCount>::Type, Of>(one, static_cast<E*>(results),
                                                                          static_cast<const A*>(arguments[kAt])...);
    }(std::index_sequence_for<A...>());
  }
};

}  // namespace warplens::ir

// A lane that is rare is the host's one function again, which has that name in the JIT.
#define WL_LANES_OF(name, type, count)                                                                        \
  extern "C" void name##_##count(void* results, const void* x, const void* y, const void* z, const void* w) { \
    warplens::ir::Lanes<warplens::ir::Wide##name, type>::template of<count>(&name, results, x, y, z, w);      \
  }
#define WL_MATH_WIDE(name, signature, type, parameters, value, rare, rare_value) \
  using Type##name = type;                                                       \
  extern "C" Type##name name;                                                    \
  WL_LANES_OF(name, type, 8)                                                     \
  WL_LANES_OF(name, type, 16)
#include "ir/math.def"
