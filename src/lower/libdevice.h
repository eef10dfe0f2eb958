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

// Stores a value where a pointer argument (a generic address) points to.
using StoreThrough = std::function<void(ir::ValueId pointer, ir::ValueId value)>;

// The function's value; arguments have the types of its signature. kNone where the result is 'v'.
ir::ValueId call_libdevice(Builder& b, const std::string& name, const std::vector<ir::ValueId>& args,
                           const StoreThrough& store);

}  // namespace warplens::lower
