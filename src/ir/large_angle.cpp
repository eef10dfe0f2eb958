#include "ir/large_angle.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace warplens::ir {
namespace {

struct QuarterTurns {
  double high, low;
  uint64_t whole;
};

// Payne and Hanek: x is m 2^e with m whole, and of m 2^e 2/pi only the last bits before the point and what follows are
// computed. They come from 192 bits of 2/pi, since multiples of 4 fall away; no double is nearer to a multiple of pi/2
// than 2^-62.
QuarterTurns quarter_turns(double x) {
  if (!std::isfinite(x)) return {std::nan(""), 0, 0};
  static constexpr uint64_t kTwoOverPi[] = {
      0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
      0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
      0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
      0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};
  const uint64_t raw = std::bit_cast<uint64_t>(x), m = (raw & ((1ull << 52) - 1)) | 1ull << 52;
  const int e = static_cast<int>(raw >> 52 & 2047) - 1075, skipped = std::max(e - 2, 0);
  const auto word = [&](int i) {
    const int at = skipped / 64 + i, shift = skipped % 64;
    return shift == 0 ? kTwoOverPi[at] : kTwoOverPi[at] << shift | kTwoOverPi[at + 1] >> (64 - shift);
  };
  // m times 192 bits: the point stands before bit 192 + skipped - e from the right.
  uint64_t product[5] = {};
  unsigned __int128 carry = 0;
  for (int i = 0; i < 3; ++i) {
    carry += static_cast<unsigned __int128>(m) * word(2 - i);
    product[i] = static_cast<uint64_t>(carry);
    carry >>= 64;
  }
  product[3] = static_cast<uint64_t>(carry);
  const int point = 192 + skipped - e;
  const auto bits_from = [&](int low) {  // 64 bits of the product, from its bit `low` on
    const int at = low / 64, shift = low % 64;
    return shift == 0 ? product[at] : product[at] >> shift | product[at + 1] << (64 - shift);
  };
  // What follows the point as a signed number: above one half the next quarter turn is nearer.
  const auto first = static_cast<int64_t>(bits_from(point - 64));
  const uint64_t second = bits_from(point - 128);
  const uint64_t whole = bits_from(point) + (first < 0 ? 1 : 0);
  const double high = static_cast<double>(first >> 32) * 0x1p-32;
  const double middle = static_cast<double>(first & 0xffffffff) * 0x1p-64, low = static_cast<double>(second) * 0x1p-128;
  const double sum = high + middle, rest = (middle - (sum - high)) + low;
  return std::signbit(x) ? QuarterTurns{-sum, -rest, -whole} : QuarterTurns{sum, rest, whole};
}

}  // namespace

void quarter_turns_of_large(int n, double limit, const double* x, double* high, double* low, uint64_t* whole) {
  for (int i = 0; i < n; ++i) {
    const QuarterTurns turns = std::fabs(x[i]) > limit ? quarter_turns(x[i]) : QuarterTurns{0, 0, 0};
    high[i] = turns.high, low[i] = turns.low, whole[i] = turns.whole;
  }
}

}  // namespace warplens::ir
