// Functions of a number's exponent, of f32 and f64: integer operations on its bits, so that they are computed for whole
// vectors. All are exact, but for results that are subnormal, which are rounded once. The values of zeros, infinities
// and NaNs are C's (C17 7.12 and F.10), those that C leaves to the implementation CUDA's.
#pragma once
#include "lower/builder.h"

namespace warplens::lower {

ir::ValueId scaled(Builder& b, ir::ValueId x, ir::ValueId n);  // x 2^n, n any I32: ldexp, scalbn
struct Fraction {
  ir::ValueId value, exponent;  // x = value 2^exponent, value in [1/2, 1), exponent an I32; x and 0 of what has none
};
Fraction fraction_of(Builder& b, ir::ValueId x);     // frexp
ir::ValueId exponent_of(Builder& b, ir::ValueId x);  // ilogb: an I32, its least for 0 and NaN, its largest for infinity
ir::ValueId exponent_as_float(Builder& b, ir::ValueId x);            // logb
ir::ValueId next_towards(Builder& b, ir::ValueId x, ir::ValueId y);  // nextafter

}  // namespace warplens::lower
