// What compiled code calls for an Op::Matrix.
#pragma once
#include <cstdint>

namespace warplens::jit {

// `imm`: an ir::Matrix, packed. Register k of lane l lies at in[k * 32 + l], and comes back at out[k * 32 + l]: 32 bits
// each, 64 for f64.
extern "C" void wl_matrix(uint64_t imm, const void* in, void* out);

}  // namespace warplens::jit
