// Rounding to the two formats of 16 bits, by integer arithmetic: for the host, and where the GPU has no instruction.
#pragma once
#pragma GCC system_header

namespace warplens_sixteen {

enum class Rounding { Nearest, Zero, Up, Down };

struct Half {
  static constexpr int kMantissa = 10, kBias = 15;
  static constexpr unsigned short kInfinity = 0x7c00, kOne = 0x3c00;
  static WARPLENS_MEMBER float widen(unsigned short bits) {
    return static_cast<float>(__builtin_bit_cast(_Float16, bits));
  }
};
struct Bfloat {
  static constexpr int kMantissa = 7, kBias = 127;
  static constexpr unsigned short kInfinity = 0x7f80, kOne = 0x3f80;
  static WARPLENS_MEMBER float widen(unsigned short bits) {
    return __builtin_bit_cast(float, static_cast<unsigned int>(bits) << 16);
  }
};

// The finite |value| with so many bits of mantissa and this bias of the exponent, as the bits of such a number; they grow on
// past the largest. `bits` are those of the double.
template <int kMantissa, int kBias>
WARPLENS_HOST_DEVICE unsigned long long rounded_bits(unsigned long long bits, bool nearest, bool away) {
  typedef unsigned long long Bits;
  const int exponent = static_cast<int>(bits >> 52) - 1023, lowest = 1 - kBias;
  const Bits mantissa = exponent == -1023 ? bits : (bits & ((1ull << 52) - 1)) | 1ull << 52;
  int dropped = 52 - kMantissa + (exponent < lowest ? lowest - exponent : 0);
  if (dropped > 62) dropped = 62;
  const Bits rest = mantissa & ((1ull << dropped) - 1), half = 1ull << (dropped - 1);
  Bits kept = mantissa >> dropped;
  if (nearest ? rest > half || (rest == half && (kept & 1)) : away && rest) ++kept;
  return exponent < lowest ? kept : kept + (static_cast<Bits>(exponent + kBias - 1) << kMantissa);
}

template <typename Format>
WARPLENS_HOST_DEVICE unsigned short narrow(double value, Rounding rounding) {
  unsigned long long bits = __builtin_bit_cast(unsigned long long, value);
  const unsigned short sign = static_cast<unsigned short>(bits >> 48 & 0x8000);
  bits &= ~0ull >> 1;
  if (bits > 0x7ffull << 52) return 0x7fff;
  if (bits == 0x7ffull << 52) return sign | Format::kInfinity;
  const bool nearest = rounding == Rounding::Nearest, away = rounding == (sign ? Rounding::Down : Rounding::Up);
  unsigned long long kept = rounded_bits<Format::kMantissa, Format::kBias>(bits, nearest, away);
  if (kept >= Format::kInfinity) kept = nearest || away ? Format::kInfinity : Format::kInfinity - 1;
  return static_cast<unsigned short>(sign | kept);
}

// An integer as a double that rounds further like the integer itself: of the bits that do not fit, whether there were any.
WARPLENS_HOST_DEVICE double sticky(unsigned long long v) {
  if (v >> 53 == 0) return static_cast<double>(v);
  return static_cast<double>((v & ~0x7ffull) | (v & 0x7ff ? 0x800 : 0));
}
WARPLENS_HOST_DEVICE double sticky(long long v) {
  return v < 0 ? -sticky(0ull - static_cast<unsigned long long>(v)) : sticky(static_cast<unsigned long long>(v));
}

WARPLENS_HOST_DEVICE float rounded(float v, Rounding rounding) {
  switch (rounding) {
    case Rounding::Zero: return __builtin_truncf(v);
    case Rounding::Up: return __builtin_ceilf(v);
    case Rounding::Down: return __builtin_floorf(v);
    default: return __builtin_rintf(v);
  }
}
// Saturates, as the conversion instructions do. Not a number is 0, of 64 bits the highest bit alone.
template <typename Integer>
WARPLENS_HOST_DEVICE Integer integer(float v, Rounding rounding) {
  constexpr bool kSigned = static_cast<Integer>(-1) < static_cast<Integer>(1);
  constexpr int kBits = 8 * sizeof(Integer) - (kSigned ? 1 : 0);
  constexpr Integer kLowest = kSigned ? static_cast<Integer>(1ull << (kBits & 63)) : 0;
  constexpr Integer kHighest = static_cast<Integer>(~0ull >> (64 - kBits));
  constexpr float kLimit = 2.0f * static_cast<float>(1ull << (kBits - 1));
  if (v != v) return sizeof(Integer) == 8 ? static_cast<Integer>(1ull << 63) : 0;
  v = rounded(v, rounding);
  if (v >= kLimit) return kHighest;
  if (v < (kSigned ? -kLimit : 0.0f)) return kLowest;
  return static_cast<Integer>(v);
}

// a * b + c with more bits than either format keeps, and odd where it is not exact: one rounding is left to do.
WARPLENS_HOST_DEVICE double fused(float a, float b, float c) {
  const double product = static_cast<double>(a) * b, sum = product + c;
  const double c_part = sum - product, error = (product - (sum - c_part)) + (c - c_part);
  const long long bits = __builtin_bit_cast(long long, sum);
  if (!(error != 0) || sum - sum != 0 || (bits & 1)) return sum;
  return __builtin_bit_cast(double, bits + ((error > 0) == (sum > 0) ? 1 : -1));
}

}  // namespace warplens_sixteen
