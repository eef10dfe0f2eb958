// Instruction tests from tables: a piece of PTX and what it computes, in C++.
//
//   table.add<uint32_t(uint32_t, uint32_t)>(R"(
//       add.u32 %d, %a, %b;
//   )", [](uint32_t a, uint32_t b) { return a + b; });
//
// runs it over edge values of the argument types and pseudo-random ones, on every backend, and compares bit by bit. The
// expected value comes from the C++ alone. Registers: %a %b %c hold the arguments, %d the result, all declared .b<bits>
// (bool: .pred); %t0..%t7 (.b32), %u0..%u7 (.b64), %h0..%h7 (.b16) and %q0..%q7 (.pred) are free.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace warplens::run {

// 16-bit floats and pairs, as bits.
struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};
struct Half2 {
  uint32_t bits;
};
struct BFloat2 {
  uint32_t bits;
};

// Rounds the exact value of a long double once; what the hardware's conversions do.
double to_double(Half h);
double to_double(BFloat h);
Half half_from(double exact);
BFloat bfloat_from(double exact);
inline Half low(Half2 p) { return {static_cast<uint16_t>(p.bits)}; }
inline Half high(Half2 p) { return {static_cast<uint16_t>(p.bits >> 16)}; }
inline BFloat low(BFloat2 p) { return {static_cast<uint16_t>(p.bits)}; }
inline BFloat high(BFloat2 p) { return {static_cast<uint16_t>(p.bits >> 16)}; }
inline Half2 pair(Half low, Half high) { return {low.bits | uint32_t{high.bits} << 16}; }
inline BFloat2 pair(BFloat low, BFloat high) { return {low.bits | uint32_t{high.bits} << 16}; }

enum class Kind : uint8_t { Integer, Float, Double, Half, BFloat, Half2, BFloat2, Pred };
struct ValueType {
  Kind kind = Kind::Integer;
  int bits = 32;
  bool is_signed = false;
};

template <typename T>
constexpr ValueType value_type() {
  if constexpr (std::is_same_v<T, bool>)
    return {Kind::Pred, 1, false};
  else if constexpr (std::is_same_v<T, float>)
    return {Kind::Float, 32, true};
  else if constexpr (std::is_same_v<T, double>)
    return {Kind::Double, 64, true};
  else if constexpr (std::is_same_v<T, Half>)
    return {Kind::Half, 16, true};
  else if constexpr (std::is_same_v<T, BFloat>)
    return {Kind::BFloat, 16, true};
  else if constexpr (std::is_same_v<T, Half2>)
    return {Kind::Half2, 32, true};
  else if constexpr (std::is_same_v<T, BFloat2>)
    return {Kind::BFloat2, 32, true};
  else
    return {Kind::Integer, static_cast<int>(sizeof(T) * 8), std::is_signed_v<T>};
}

template <typename T>
T from_bits(uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>)
    return bits & 1;
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<T>(static_cast<uint16_t>(bits));
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(static_cast<uint32_t>(bits));
  else
    return std::bit_cast<T>(bits);
}
template <typename T>
uint64_t to_bits(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value;
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<uint16_t>(value);
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<uint32_t>(value);
  else
    return std::bit_cast<uint64_t>(value);
}

// How far a result may be from the expected one.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

struct TableRow {
  std::string ptx;
  ValueType result;
  std::vector<ValueType> arguments;
  std::function<uint64_t(const uint64_t*)> expected;
  Tolerance tolerance;
  std::function<bool(const uint64_t*)> skip;  // inputs whose result PTX leaves open
};

class Table {
 public:
  template <typename Signature, typename Expected>
  TableRow& add(std::string ptx, Expected expected, Tolerance tolerance = {}) {
    return add_row(static_cast<Signature*>(nullptr), std::move(ptx), std::move(expected), tolerance);
  }
  // A GoogleTest expectation for each row and backend.
  void run() const;

 private:
  template <typename R, typename... Args, typename Expected>
  TableRow& add_row(R (*)(Args...), std::string ptx, Expected expected, Tolerance tolerance) {
    TableRow row;
    row.ptx = std::move(ptx);
    row.result = value_type<R>();
    row.arguments = {value_type<Args>()...};
    row.expected = [expected](const uint64_t* bits) {
      return call<R, Args...>(expected, bits, std::index_sequence_for<Args...>());
    };
    row.tolerance = tolerance;
    rows_.push_back(std::move(row));
    return rows_.back();
  }
  template <typename R, typename... Args, typename Expected, size_t... I>
  static uint64_t call(const Expected& expected, const uint64_t* bits, std::index_sequence<I...>) {
    return to_bits<R>(expected(from_bits<Args>(bits[I])...));
  }

  std::vector<TableRow> rows_;
};

}  // namespace warplens::run
