// NVIDIA's device library by name: __nv_sinf and its like, as operations of the IR.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lower/builder.h"

namespace warplens::lower {

// "dd": the letters of ir/math.h for the result and each argument, 'p' for a pointer; nullptr for an unknown function.
// A result of 'v' is none.
const char* libdevice_signature(const std::string& name);

// Accesses through pointer arguments, which are generic addresses.
struct MemoryAccess {
  std::function<void(ir::ValueId pointer, ir::ValueId value)> store;
  std::function<ir::ValueId(ir::ValueId pointer, ir::Type type)> load;
};

// The function's value; arguments have the types of its signature. kNone where the result is 'v'. May add blocks: then
// the builder ends in another one.
ir::ValueId call_libdevice(Builder& b, const std::string& name, const std::vector<ir::ValueId>& args,
                           const MemoryAccess& memory);

// The root of the sum of squares of the n (I32) elements at `pointer`, F32 or F64; infinite if one is, 0 for n < 1.
ir::ValueId norm_in_memory(Builder& b, const MemoryAccess& memory, ir::ValueId n, ir::ValueId pointer, ir::Type element,
                           bool reciprocal);

}  // namespace warplens::lower
