// Grid and block shapes, as in CUDA: x is fastest.
#pragma once
#include <cstdint>

namespace warplens {

inline constexpr uint32_t kWarpSize = 32;

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

}  // namespace warplens
