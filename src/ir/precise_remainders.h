// What division leaves, of doubles, in the manner of precise.h: fmod, remainder and remquo's quotient. All are exact.
//
// The quotient of magnitudes x / y, cut off, is q or q + 1 where q is right, for rounding keeps the order of numbers
// and q is one. Then x - q y, a multiple of the smaller of their last places, fits a double, and a fused multiply-add
// gives it. That holds while q is a number of the last place 1; what is longer, and what has no quotient, is the C
// library's.
#pragma once
#include "ir/precise.h"

namespace warplens::ir::precise {

template <typename D>
struct Division {
  D rest;            // 0 to |y|
  Bits<D> quotient;  // of a Whole
};
WL_LANES Mask<D> is_long_division(D x, D y) {
  const D quotient = magnitude(x) / magnitude(y);
  return select(magnitude(y) < kInfinity, select(quotient < 0x1p51, D{}, 1.0), 1.0) != 0;
}
WL_LANES Division<D> divided(D x, D y) {
  const D a = magnitude(x), b = magnitude(y), quotient = elementary::truncated_below_2_51(a / b);
  const D rest = fma(-quotient, b, a);
  const Mask<D> over = rest < 0;
  return {select(over, rest + b, rest), bits(quotient + 0x1.8p52) + (Bits<D>)over};
}
WL_LANES D fmod(D x, D y) { return with_sign(divided(x, y).rest, x); }

// To the nearest quotient, of two the even one.
template <typename D>
WL_INLINE Mask<D> is_nearer_to_next(Division<D> of, D y) {
  const D other = magnitude(y) - of.rest;  // rounded where it is the larger one by far
  return (of.rest > other) | ((of.rest == other) & ((Mask<D>)(of.quotient & 1) != 0));
}
WL_LANES D remainder(D x, D y) {
  const Division<D> of = divided(x, y);
  const D rest = select(is_nearer_to_next(of, y), of.rest - magnitude(y), of.rest);
  return from_bits<D>(bits(rest) ^ (bits(x) & elementary::kSign));
}
// The low three bits of the quotient, with its sign.
WL_LANES D low_quotient(D x, D y) {
  const Division<D> of = divided(x, y);
  const Bits<D> low = (of.quotient - (Bits<D>)is_nearer_to_next(of, y)) & 7;
  return with_sign(from_bits<D>(low | bits(all<D>(0x1p52))) - 0x1p52, from_bits<D>(bits(x) ^ bits(y)));
}

}  // namespace warplens::ir::precise
