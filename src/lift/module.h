// The kernels of a module as machine code, where that can be had and run.
#pragma once
#include <cstdint>
#include <span>

#include "base/diagnostic.h"
#include "base/result.h"
#include "ir/ir.h"

namespace warplens::lift {

// Puts the machine code of `cubin` in the place of the kernels of `module`, which were lowered from the PTX of the same
// program. A kernel that cannot be run as machine code stays as it is, and a diagnostic of the kernel says why. Symbols
// are added for constants of the compiler's.
// Error: what is no cubin.
Status use_machine_code(ir::Module& module, std::span<const uint8_t> cubin, Diagnostics& diagnostics);

}  // namespace warplens::lift
