// Sizes and alignments of PTX variables.
#pragma once
#include <cstdint>

#include "ptx/module.h"

namespace warplens::lower {

uint64_t element_bytes(const ptx::Variable& variable);   // of one element, vector components included; textures: 8
uint64_t variable_bytes(const ptx::Variable& variable);  // 0 for an array without a size
// Of memory that is cut into integers: how many bytes the one at `offset` has, 1 to 8.
int64_t word_at(int64_t offset, int64_t size);
uint32_t variable_align(const ptx::Variable& variable);  // as given, else natural; a power of two
constexpr uint64_t round_up(uint64_t value, uint64_t align) { return (value + align - 1) / align * align; }

}  // namespace warplens::lower
