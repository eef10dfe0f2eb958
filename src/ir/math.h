// The device math functions that a MathCall names: libdevice's __nv_* functions, which code made without NVIDIA's
// toolkit calls instead of inlining them. math.def lists those that are no simple operations.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "ir/ir.h"

namespace warplens::ir {

struct MathFunction {
  const char* name;       // "__nv_sinf"
  const char* signature;  // "ff": the result, then the arguments; i = I32, l = I64, f = F32, d = F64
  void (*host)();         // a C function of that signature, for one lane
  void (*wide)();         // void(uint32_t n, R* results, const A* arguments...): n lanes, a multiple of 8
  void (*plain)();        // the same for any processor, where `wide` is for this one
};

Type type_of_letter(char letter);  // of a signature

uint32_t math_function_count();                     // indices run from 1: 0 names nothing
const MathFunction& math_function(uint32_t index);  // the index that MathCall's imm holds
std::optional<uint32_t> find_math_function(std::string_view name);

}  // namespace warplens::ir
