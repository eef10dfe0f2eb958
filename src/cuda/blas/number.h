// The numbers that matrices are made of, and the ones that are computed with: half precision and integers go through
// float or double. Conversions round to nearest, ties to even, as the GPU's do.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "cuda/blas/abi.h"

namespace warplens::cuda::blas {

struct Half {  // IEEE 754 binary16
  uint16_t bits = 0;
  Half() = default;
  explicit Half(float value);
  explicit operator float() const;
};

struct BFloat16 {  // the upper half of a float
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value);
  explicit operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
};

inline Half::operator float() const {
  const uint32_t sign = uint32_t{bits} >> 15 << 31, exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float small = static_cast<float>(fraction) * 0x1p-24f;
  return sign ? -small : small;
}

inline Half::Half(float value) {
  const uint32_t all = std::bit_cast<uint32_t>(value), magnitude = all & 0x7fffffff;
  const uint32_t sign = all >> 31 << 15;
  uint32_t rounded = 0;
  if (magnitude > 0x7f800000) {
    rounded = 0x7fff;  // NaN, as the GPU writes it
  } else if (magnitude >= 0x477ff000) {
    rounded = 0x7c00;  // 65520 and more are nearer to infinity
  } else if (magnitude >= 0x38800000) {
    rounded = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
  } else {  // subnormal: the sum with 0.5 has its last place where binary16's is
    rounded = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000;
  }
  bits = static_cast<uint16_t>(sign | rounded);
}

inline BFloat16::BFloat16(float value) {
  const uint32_t all = std::bit_cast<uint32_t>(value);
  bits = std::isnan(value) ? 0x7fff : static_cast<uint16_t>((all + 0x7fff + (all >> 16 & 1)) >> 16);
}

template <typename T>
constexpr bool kIsComplex = false;
template <typename T>
constexpr bool kIsComplex<std::complex<T>> = true;
template <typename T>
constexpr bool kIsSmall = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

template <typename T>
struct RealOf {
  using Type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using Type = T;
};
template <typename T>
using Real = typename RealOf<T>::Type;

// What sums are kept in: more exact than a GPU's, whose order of adding is its own.
template <typename T>
using Wide = std::conditional_t<kIsComplex<T>, DoubleComplex, double>;

// From one kind of number to another. A real number becomes a complex one, never the reverse.
template <typename To, typename From>
To convert(From from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (kIsSmall<From>) {
    return convert<To>(static_cast<float>(from));
  } else if constexpr (kIsComplex<To>) {
    if constexpr (kIsComplex<From>)
      return To(static_cast<Real<To>>(from.real()), static_cast<Real<To>>(from.imag()));
    else
      return To(static_cast<Real<To>>(from));
  } else if constexpr (kIsComplex<From>) {
    return convert<To>(from.real());
  } else if constexpr (kIsSmall<To>) {
    return To(static_cast<float>(from));
  } else if constexpr (std::is_same_v<To, int8_t>) {  // saturates
    return static_cast<int8_t>(std::clamp(std::nearbyint(static_cast<double>(from)), -128.0, 127.0));
  } else if constexpr (std::is_same_v<To, int32_t>) {  // sums of products wrap around
    return static_cast<int32_t>(static_cast<uint32_t>(static_cast<int64_t>(std::nearbyint(static_cast<double>(from)))));
  } else {
    return static_cast<To>(from);
  }
}

template <typename T>
Wide<T> wide(T value) {
  return convert<Wide<T>>(value);
}

// a * b + c, rounded once as a GPU's fused multiply-add is.
template <typename T>
T multiply_add(T a, T b, T c) {
  if constexpr (std::is_same_v<T, double>)
    return std::fma(a, b, c);
  else
    return convert<T>(wide(a) * wide(b) + wide(c));
}

template <typename T>
T conjugate(T value) {
  if constexpr (kIsComplex<T>)
    return std::conj(value);
  else
    return value;
}

// visit(T{}) for the type of that name; false if it is not served.
template <typename Visit>
bool with_type(DataType type, Visit&& visit) {
  switch (type) {
    case DataType::R32F:
      return visit(float{}), true;
    case DataType::R64F:
      return visit(double{}), true;
    case DataType::R16F:
      return visit(Half{}), true;
    case DataType::R16BF:
      return visit(BFloat16{}), true;
    case DataType::R8I:
      return visit(int8_t{}), true;
    case DataType::R32I:
      return visit(int32_t{}), true;
    case DataType::C32F:
      return visit(Complex{}), true;
    case DataType::C64F:
      return visit(DoubleComplex{}), true;
  }
  return false;
}

inline uint64_t bytes_of(DataType type) {  // 0: not served
  uint64_t bytes = 0;
  with_type(type, [&](auto value) { bytes = sizeof value; });
  return bytes;
}

template <typename T>
constexpr DataType type_of() {
  if constexpr (std::is_same_v<T, float>) return DataType::R32F;
  if constexpr (std::is_same_v<T, double>) return DataType::R64F;
  if constexpr (std::is_same_v<T, Half>) return DataType::R16F;
  if constexpr (std::is_same_v<T, BFloat16>) return DataType::R16BF;
  if constexpr (std::is_same_v<T, int8_t>) return DataType::R8I;
  if constexpr (std::is_same_v<T, int32_t>) return DataType::R32I;
  if constexpr (std::is_same_v<T, Complex>) return DataType::C32F;
  return DataType::C64F;
}

}  // namespace warplens::cuda::blas
