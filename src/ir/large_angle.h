// Angles of many turns.
#pragma once
#include <cstdint>

namespace warplens::ir {

// Of each of n angles in radians whose magnitude is above `limit` (at least 2^19): the quarter turns in it, as
// whole + high + low with high + low in [-1/2, 1/2], to 62 bits and more; whole modulo 2^9; NaN if it is infinite.
// For the others 0.
// The name is one that compiled kernels find, too.
void quarter_turns_of_large(int n, double limit, const double* x, double* high, double* low,
                            uint64_t* whole) asm("wl_quarter_turns_of_large");

}  // namespace warplens::ir
