#include "lower/layout.h"

#include <algorithm>
#include <bit>

#include "lower/types.h"

namespace warplens::lower {

uint64_t element_bytes(const ptx::Variable& variable) {
  const auto type = parse_type(variable.type);
  const uint64_t scalar = type ? std::max<uint64_t>(type->bytes(), 1) : 8;
  return scalar * static_cast<uint64_t>(std::clamp(variable.vector, 1, 8));
}

uint64_t variable_bytes(const ptx::Variable& variable) {
  constexpr uint64_t kLimit = uint64_t{1} << 40;  // what no GPU has; keeps products from overflowing
  uint64_t bytes = element_bytes(variable);
  for (const uint64_t dim : variable.dims) {
    if (dim != 0 && bytes > kLimit / dim) return kLimit;
    bytes *= dim;
  }
  if (variable.is_array && variable.dims.empty()) return 0;
  return bytes;
}

int64_t word_at(int64_t offset, int64_t size) {
  int64_t bytes = 8;
  while (offset % bytes != 0 || offset + bytes > size) bytes /= 2;
  return bytes;
}

uint32_t variable_align(const ptx::Variable& variable) {
  if (variable.align != 0 && std::has_single_bit(variable.align)) return variable.align;
  return static_cast<uint32_t>(std::bit_floor(element_bytes(variable)));
}

}  // namespace warplens::lower
