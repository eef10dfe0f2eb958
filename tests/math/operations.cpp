#include "math/operations.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

namespace warplens::accuracy {
namespace {

using Bits = std::vector<uint64_t>;

template <typename T>
T decode(uint64_t bits) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(static_cast<uint32_t>(bits));
  else
    return std::bit_cast<T>(bits);
}
template <typename T>
uint64_t encode(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value;
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<uint32_t>(value);
  else
    return std::bit_cast<uint64_t>(value);
}

// f(A...) -> R, of bits.
template <typename R, typename... A, typename F, size_t... I>
Bits call(const F& f, const Bits& x, std::index_sequence<I...>) {
  return {encode<R>(static_cast<R>(f(decode<A>(x[I])...)))};
}
template <typename R, typename... A, typename F>
Operation of(F f) {
  return [f](const Bits& x) { return call<R, A...>(f, x, std::index_sequence_for<A...>()); };
}

struct Direction {
  const char* suffix;
  int mode;
};
constexpr Direction kDirections[] = {
    {"_rn", FE_TONEAREST}, {"_rz", FE_TOWARDZERO}, {"_rd", FE_DOWNWARD}, {"_ru", FE_UPWARD}};

// f under a rounding mode.
template <typename F>
auto under(int mode, F f) {
  return [mode, f](auto... x) {
    std::fesetround(mode);
    volatile auto result = f(*const_cast<volatile decltype(x)*>(&x)...);
    std::fesetround(FE_TONEAREST);
    return static_cast<std::remove_volatile_t<decltype(result)>>(result);
  };
}

using Map = std::map<std::string, Operation>;

template <typename T>
void add_arithmetic(Map& m, const std::string& letter, const std::string& fma) {
  for (const Direction& d : kDirections) {
    m[letter + "add" + d.suffix] = of<T, T, T>(under(d.mode, [](T x, T y) { return x + y; }));
    m[letter + "sub" + d.suffix] = of<T, T, T>(under(d.mode, [](T x, T y) { return x - y; }));
    m[letter + "mul" + d.suffix] = of<T, T, T>(under(d.mode, [](T x, T y) { return x * y; }));
    m[letter + "div" + d.suffix] = of<T, T, T>(under(d.mode, [](T x, T y) { return x / y; }));
    m[letter + "rcp" + d.suffix] = of<T, T>(under(d.mode, [](T x) { return 1 / x; }));
    m[letter + "sqrt" + d.suffix] = of<T, T>(under(d.mode, [](T x) { return std::sqrt(x); }));
    m[fma + d.suffix] = of<T, T, T, T>(under(d.mode, [](T x, T y, T z) { return std::fma(x, y, z); }));
  }
}

template <typename I, typename F>
I clamped(F x) {  // x is whole
  if (std::isnan(x)) return 0;
  if (x < static_cast<F>(std::numeric_limits<I>::min())) return std::numeric_limits<I>::min();
  if (x >= std::ldexp(F{1}, std::numeric_limits<I>::digits)) return std::numeric_limits<I>::max();
  return static_cast<I>(x);
}

template <typename I, typename F>
void add_conversion(Map& m, const std::string& integer, const std::string& floating) {
  for (const Direction& d : kDirections) {
    m[floating + "2" + integer + d.suffix] =
        of<I, F>([mode = d.mode](F x) { return clamped<I, F>(under(mode, [](F v) { return std::nearbyint(v); })(x)); });
    m[integer + "2" + floating + d.suffix] = of<F, I>(under(d.mode, [](I x) { return static_cast<F>(x); }));
  }
}

template <typename T>
T smallest(T a, T b, bool maximum) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) == maximum ? b : a;
  return (a < b) != maximum ? a : b;
}

template <typename T>
void add_floats(Map& m, const std::string& f) {
  m["fmin" + f] = of<T, T, T>([](T x, T y) { return smallest(x, y, false); });
  m["fmax" + f] = of<T, T, T>([](T x, T y) { return smallest(x, y, true); });
  m["fdim" + f] = of<T, T, T>([](T x, T y) { return std::fdim(x, y); });
  m["copysign" + f] = of<T, T, T>([](T x, T y) { return std::copysign(x, y); });
  m["fma" + f] = of<T, T, T, T>([](T x, T y, T z) { return std::fma(x, y, z); });
  m["nextafter" + f] = of<T, T, T>([](T x, T y) { return std::nextafter(x, y); });
  m["ldexp" + f] = of<T, T, int32_t>([](T x, int32_t n) { return std::ldexp(x, n); });
  m["scalbn" + f] = of<T, T, int32_t>([](T x, int32_t n) { return std::scalbn(x, n); });
  m["fmod" + f] = of<T, T, T>([](T x, T y) { return std::fmod(x, y); });
  m["remainder" + f] = of<T, T, T>([](T x, T y) { return std::remainder(x, y); });
  m["logb" + f] = of<T, T>([](T x) { return std::logb(x); });
  m["ilogb" + f] = of<int32_t, T>([](T x) { return std::ilogb(x); });
  m["llrint" + f] = of<int64_t, T>([](T x) { return clamped<int64_t, T>(std::nearbyint(x)); });
  m["llround" + f] = of<int64_t, T>([](T x) { return clamped<int64_t, T>(std::round(x)); });
  m["nan" + f] = [](const Bits&) { return Bits{encode(std::numeric_limits<T>::quiet_NaN())}; };
  m["modf" + f] = [](const Bits& x) {
    T whole;
    const T rest = std::modf(decode<T>(x[0]), &whole);
    return Bits{encode(rest), encode(whole)};
  };
  m["frexp" + f] = [](const Bits& x) {
    int exponent = 0;
    const T value = decode<T>(x[0]), rest = std::frexp(value, &exponent);
    return Bits{encode(rest), encode(std::isfinite(value) ? exponent : 0)};
  };
  m["remquo" + f] = [](const Bits& x) {
    int quotient = 0;
    const T rest = std::remquo(decode<T>(x[0]), decode<T>(x[1]), &quotient);
    return Bits{encode(rest), encode(quotient)};
  };
}

template <typename T>
T mean(T x, T y, int more) {
  return static_cast<T>((int64_t{x} + int64_t{y} + more) >> 1);
}

Map make_operations() {
  Map m;
  add_arithmetic<float>(m, "f", "fmaf");
  add_arithmetic<double>(m, "d", "fma");
  for (const Direction& d : kDirections) m[std::string("fmaf_ieee") + d.suffix] = m[std::string("fmaf") + d.suffix];
  for (const Direction& d : kDirections)
    m[std::string("double2float") + d.suffix] =
        of<float, double>(under(d.mode, [](double x) { return static_cast<float>(x); }));
  add_conversion<int32_t, float>(m, "int", "float"), add_conversion<uint32_t, float>(m, "uint", "float");
  add_conversion<int64_t, float>(m, "ll", "float"), add_conversion<uint64_t, float>(m, "ull", "float");
  add_conversion<int32_t, double>(m, "int", "double"), add_conversion<uint32_t, double>(m, "uint", "double");
  add_conversion<int64_t, double>(m, "ll", "double"), add_conversion<uint64_t, double>(m, "ull", "double");
  add_floats<float>(m, "f");
  add_floats<double>(m, "");
  m["frsqrt_rn"] = of<float, float>([](float x) { return static_cast<float>(1 / sqrtl(x)); });
  m["saturatef"] = of<float, float>([](float x) { return x > 0 ? std::min(x, 1.0f) : 0.0f; });
  m["rcp64h"] = of<double, double>([](double x) {
    const auto high = [](double v) { return decode<double>(encode(v) & 0xffffffff00000000); };
    return high(1 / high(x));
  });
  m["float2half_rn"] = of<uint32_t, float>(
      [](float x) -> uint32_t { return std::isnan(x) ? 0x7fff : std::bit_cast<uint16_t>(static_cast<_Float16>(x)); });
  m["half2float"] = of<float, uint32_t>(
      [](uint32_t x) { return static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(x))); });
  const Operation same = [](const Bits& x) { return x; };
  for (const char* name :
       {"float_as_int", "float_as_uint", "int_as_float", "uint_as_float", "double_as_longlong", "longlong_as_double"})
    m[name] = same;
  m["double2hiint"] = of<uint32_t, uint64_t>([](uint64_t x) { return static_cast<uint32_t>(x >> 32); });
  m["double2loint"] = of<uint32_t, uint64_t>([](uint64_t x) { return static_cast<uint32_t>(x); });
  m["hiloint2double"] =
      of<uint64_t, uint32_t, uint32_t>([](uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; });

  using I = int32_t;
  using U = uint32_t;
  using L = int64_t;
  using UL = uint64_t;
  __extension__ using Wide = __int128;
  m["abs"] = of<I, I>([](I x) { return x < 0 ? static_cast<I>(0u - static_cast<U>(x)) : x; });
  m["llabs"] = of<L, L>([](L x) { return x < 0 ? static_cast<L>(0ull - static_cast<UL>(x)) : x; });
  m["min"] = of<I, I, I>([](I x, I y) { return std::min(x, y); });
  m["max"] = of<I, I, I>([](I x, I y) { return std::max(x, y); });
  m["umin"] = of<U, U, U>([](U x, U y) { return std::min(x, y); });
  m["umax"] = of<U, U, U>([](U x, U y) { return std::max(x, y); });
  m["llmin"] = of<L, L, L>([](L x, L y) { return std::min(x, y); });
  m["llmax"] = of<L, L, L>([](L x, L y) { return std::max(x, y); });
  m["ullmin"] = of<UL, UL, UL>([](UL x, UL y) { return std::min(x, y); });
  m["ullmax"] = of<UL, UL, UL>([](UL x, UL y) { return std::max(x, y); });
  m["mulhi"] = of<I, I, I>([](I x, I y) { return static_cast<I>((L{x} * y) >> 32); });
  m["umulhi"] = of<U, U, U>([](U x, U y) { return static_cast<U>((UL{x} * y) >> 32); });
  m["mul64hi"] = of<L, L, L>([](L x, L y) { return static_cast<L>((Wide{x} * y) >> 64); });
  m["umul64hi"] =
      of<UL, UL, UL>([](UL x, UL y) { return static_cast<UL>(static_cast<unsigned __int128>(x) * y >> 64); });
  m["mul24"] = of<I, I, I>([](I x, I y) {
    const auto low = [](I v) { return static_cast<I>(static_cast<U>(v) << 8) >> 8; };
    return static_cast<I>(static_cast<U>(L{low(x)} * low(y)));
  });
  m["umul24"] = of<U, U, U>([](U x, U y) { return static_cast<U>(UL{x & 0xffffff} * (y & 0xffffff)); });
  m["popc"] = of<I, U>([](U x) { return std::popcount(x); });
  m["popcll"] = of<I, UL>([](UL x) { return std::popcount(x); });
  m["clz"] = of<I, U>([](U x) { return std::countl_zero(x); });
  m["clzll"] = of<I, UL>([](UL x) { return std::countl_zero(x); });
  m["ffs"] = of<I, U>([](U x) { return x ? std::countr_zero(x) + 1 : 0; });
  m["ffsll"] = of<I, UL>([](UL x) { return x ? std::countr_zero(x) + 1 : 0; });
  const auto reversed = [](UL x, int bits) {
    UL r = 0;
    for (int i = 0; i < bits; ++i) r |= (x >> i & 1) << (bits - 1 - i);
    return r;
  };
  m["brev"] = of<U, U>([=](U x) { return static_cast<U>(reversed(x, 32)); });
  m["brevll"] = of<UL, UL>([=](UL x) { return reversed(x, 64); });
  m["hadd"] = of<I, I, I>([](I x, I y) { return mean(x, y, 0); });
  m["rhadd"] = of<I, I, I>([](I x, I y) { return mean(x, y, 1); });
  m["uhadd"] = of<U, U, U>([](U x, U y) { return mean(x, y, 0); });
  m["urhadd"] = of<U, U, U>([](U x, U y) { return mean(x, y, 1); });
  m["sad"] = of<U, I, I, U>([](I x, I y, U z) { return static_cast<U>(std::abs(L{x} - y)) + z; });
  m["usad"] = of<U, U, U, U>([](U x, U y, U z) { return static_cast<U>(std::abs(L{x} - L{y})) + z; });
  m["byte_perm"] = of<U, U, U, U>([](U x, U y, U s) {
    U r = 0;
    for (int k = 0; k < 4; ++k) {
      const U selector = s >> (4 * k) & 15;
      U byte = static_cast<U>((UL{y} << 32 | x) >> (8 * (selector & 7))) & 0xff;
      if (selector & 8) byte = byte & 0x80 ? 0xff : 0;
      r |= byte << (8 * k);
    }
    return r;
  });
  m["finitef"] = of<I, float>([](float x) { return std::isfinite(x); });
  m["isfinited"] = of<I, double>([](double x) { return std::isfinite(x); });
  m["isinff"] = of<I, float>([](float x) { return std::isinf(x); });
  m["isinfd"] = of<I, double>([](double x) { return std::isinf(x); });
  m["isnanf"] = of<I, float>([](float x) { return std::isnan(x); });
  m["isnand"] = of<I, double>([](double x) { return std::isnan(x); });
  m["signbitf"] = of<I, float>([](float x) { return std::signbit(x); });
  m["signbitd"] = of<I, double>([](double x) { return std::signbit(x); });
  return m;
}

}  // namespace

std::optional<Operation> operation(const std::string& name) {
  static const Map kOperations = make_operations();
  const auto it = kOperations.find(name);
  if (it == kOperations.end()) return std::nullopt;
  return it->second;
}

}  // namespace warplens::accuracy
