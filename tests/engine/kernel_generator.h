// Random kernels whose result is determined: valid PTX without data races, with structured (and some not so structured)
// control flow. A kernel reads `in` and `big`, which nobody writes; every thread writes places of `out` that are its
// own; `atomics` takes operations whose order does not matter; shared memory changes hands at barriers.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/dim3.h"

namespace warplens::engine_test {

// What a launch's parameters are, in the order of the parameter buffer.
struct Arguments {
  uint64_t in = 0;       // the middle of kInBytes readable bytes
  uint64_t out = 0;      // the start of GeneratedKernel::out_bytes
  uint64_t atomics = 0;  // the start of kAtomicBytes
  uint64_t big = 0;      // the middle of memory that reaches kBigReach further in both directions
  uint64_t wide = 0;     // anything
  uint32_t s0 = 0, s1 = 0;
  uint32_t small = 0;  // 0..63
  uint32_t bound = 0;  // to compare thread indices with
  uint32_t table[16] = {};
};
static_assert(sizeof(Arguments) == 120);

inline constexpr uint64_t kInBytes = 64 << 10;
inline constexpr uint64_t kAtomicBytes = 4096;
inline constexpr uint64_t kBigReach = (uint64_t{1} << 34) + (1 << 20);  // a 32-bit index times 4, and some
inline constexpr uint64_t kBigWindow = 64
                                       << 10;  // readable data lies this far around each place that a wrap can lead to

struct GeneratedKernel {
  std::string text;  // PTX; its one kernel is "generated"
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  uint64_t out_bytes = 0;
  uint32_t in_align = 16, out_align = 16;  // what Arguments::in and ::out must be multiples of
  bool uses_big = false;
};

GeneratedKernel generate(uint64_t seed);

}  // namespace warplens::engine_test
