// The attributes of .nv.info sections. Internal to src/sass.
#pragma once
#include <span>
#include <vector>

#include "sass/cubin.h"

namespace warplens::sass {

// Those of the whole file, which name functions by their symbols. False: a section that ends within an attribute.
bool read_file_attributes(std::span<const uint8_t> bytes, const std::vector<Function*>& by_symbol);

// Those of one function; null: only looks whether they are whole.
bool read_function_attributes(std::span<const uint8_t> bytes, Function* function);

}  // namespace warplens::sass
