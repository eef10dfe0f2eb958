// The device math functions that a MathCall names: libdevice's __nv_* functions, which code made without NVIDIA's
// toolkit calls instead of inlining them.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "ir/ir.h"

namespace warplens::ir {

// signature: result, then arguments: i = I32, l = I64, f = F32, d = F64, p = pointer to what follows ("pf": where an
// F32 result goes; such functions yield several values: component 0 is the returned value, the others follow in order).
struct MathFunction {
  const char* name;       // "__nv_sinf"
  const char* signature;  // "ff"
};

uint32_t math_function_count();
const MathFunction& math_function(uint32_t index);  // the index that MathCall's imm holds
std::optional<uint32_t> find_math_function(std::string_view name);

}  // namespace warplens::ir
