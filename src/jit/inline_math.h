// Device math inside kernels.
#pragma once
#include "llvm/IR/Module.h"

namespace warplens::jit {

// Calls of math.def's whole-vector functions (NAME_wide, as codegen makes them) of `lanes` lanes, 8 or 16: each becomes
// the function's body, of the bitcode that is made of src/ir/math_bitcode.cxx. What stays a call of the host's: bodies
// above a size, and all of a kernel that they would make too large. Both compute the same bits.
void inline_math(llvm::Module& kernel, unsigned lanes);

}  // namespace warplens::jit
