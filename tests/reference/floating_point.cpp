#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "reference/values.h"

namespace warplens::reference {
namespace {

using ir::FloatCompare;
using ir::Op;
using ir::Rounding;
using ir::Type;

// The processor's rounding mode, for one operation. NearestAway has no mode: who needs it rounds by hand.
class WithRounding {
 public:
  explicit WithRounding(Rounding rounding) : before_(std::fegetround()) {
    std::fesetround(rounding == Rounding::Zero   ? FE_TOWARDZERO
                    : rounding == Rounding::Down ? FE_DOWNWARD
                    : rounding == Rounding::Up   ? FE_UPWARD
                                                 : FE_TONEAREST);
  }
  ~WithRounding() { std::fesetround(before_); }

 private:
  int before_;
};

// One width of float: its bits; f32 has one NaN, f64 those that x86 makes and hands on.
template <typename T>
struct Width;
template <>
struct Width<float> {
  static float decode(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
  static uint64_t encode(float v) { return std::isnan(v) ? 0x7fffffffu : std::bit_cast<uint32_t>(v); }
};
template <>
struct Width<double> {
  static double decode(uint64_t bits) { return std::bit_cast<double>(bits); }
  static uint64_t encode(double v) { return std::bit_cast<uint64_t>(v); }
};

template <typename T>
T flush(T value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T{0}, value) : value;
}

template <typename T>
T least(T a, T b, bool maximum) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) == maximum ? b : a;  // -0 < +0
  return (a < b) != maximum ? a : b;
}

template <typename T>
T saturate(T x) {
  if (std::isnan(x) || x <= 0) return T{0};
  return x > 1 ? T{1} : x;
}

template <typename T>
T round_integral(T x, Rounding rounding) {
  if (rounding == Rounding::NearestAway) return std::round(x);
  const WithRounding mode(rounding);
  return std::rint(x);
}

template <typename T>
T approximate(Op op, T x) {
  switch (op) {
    case Op::Ex2:
      return static_cast<T>(std::exp2(static_cast<double>(x)));
    case Op::Lg2:
      return static_cast<T>(std::log2(static_cast<double>(x)));
    case Op::Sin:
      return static_cast<T>(std::sin(static_cast<double>(x)));
    case Op::Cos:
      return static_cast<T>(std::cos(static_cast<double>(x)));
    case Op::Tanh:
      return static_cast<T>(std::tanh(static_cast<double>(x)));
    default:
      return static_cast<T>(1.0 / std::sqrt(static_cast<double>(x)));  // rsqrt
  }
}

template <typename T>
uint64_t arithmetic(const ir::Inst& inst, const std::vector<uint64_t>& args) {
  T x[3] = {};
  for (size_t i = 0; i < args.size() && i < 3; ++i) {
    x[i] = Width<T>::decode(args[i]);
    if (inst.ftz) x[i] = flush(x[i]);
  }
  const uint64_t sign = uint64_t{1} << (sizeof(T) * 8 - 1);
  T result{};
  {
    const WithRounding mode(inst.rounding);
    switch (inst.op) {
      case Op::FAdd:
        result = x[0] + x[1];
        break;
      case Op::FSub:
        result = x[0] - x[1];
        break;
      case Op::FMul:
        result = x[0] * x[1];
        break;
      case Op::FDiv:
        result = x[0] / x[1];
        break;
      case Op::FFma:
        result = std::fma(x[0], x[1], x[2]);
        break;
      case Op::FSqrt:
        result = std::sqrt(x[0]);
        break;
      default:
        break;
    }
  }
  switch (inst.op) {
    case Op::FNeg:
      if (std::isnan(x[0])) return Width<T>::encode(x[0]);
      return std::bit_cast<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>(x[0]) ^ sign;
    case Op::FAbs:
      if (std::isnan(x[0])) return Width<T>::encode(x[0]);
      return std::bit_cast<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>(x[0]) & ~sign;
    case Op::FCopysign:
      return (args[1] & ~sign) | (args[0] & sign);
    case Op::FMin:
    case Op::FMax:
      result = least(x[0], x[1], inst.op == Op::FMax);
      break;
    case Op::FMinNan:
    case Op::FMaxNan:
      result = std::isnan(x[0]) || std::isnan(x[1]) ? std::numeric_limits<T>::quiet_NaN()
                                                    : least(x[0], x[1], inst.op == Op::FMaxNan);
      break;
    case Op::FRound:
      result = round_integral(x[0], inst.rounding);
      break;
    case Op::FSat:
      result = saturate(x[0]);
      break;
    case Op::Ex2:
    case Op::Lg2:
    case Op::Sin:
    case Op::Cos:
    case Op::Tanh:
    case Op::Rsqrt:
      result = approximate(inst.op, x[0]);
      break;
    default:
      break;
  }
  return Width<T>::encode(inst.ftz ? flush(result) : result);
}

template <typename T>
bool compare(FloatCompare how, T a, T b) {
  const bool unordered = std::isnan(a) || std::isnan(b);
  switch (how) {
    case FloatCompare::Eq:
      return a == b;
    case FloatCompare::Ne:
      return !unordered && a != b;
    case FloatCompare::Lt:
      return a < b;
    case FloatCompare::Le:
      return a <= b;
    case FloatCompare::Gt:
      return a > b;
    case FloatCompare::Ge:
      return a >= b;
    case FloatCompare::Equ:
      return unordered || a == b;
    case FloatCompare::Neu:
      return unordered || a != b;
    case FloatCompare::Ltu:
      return unordered || a < b;
    case FloatCompare::Leu:
      return unordered || a <= b;
    case FloatCompare::Gtu:
      return unordered || a > b;
    case FloatCompare::Geu:
      return unordered || a >= b;
    case FloatCompare::Num:
      return !unordered;
    case FloatCompare::Nan:
      return unordered;
  }
  return false;
}

template <typename T>
uint64_t compare_bits(const ir::Inst& inst, uint64_t a, uint64_t b) {
  T x = Width<T>::decode(a), y = Width<T>::decode(b);
  if (inst.ftz) {
    x = flush(x);
    y = flush(y);
  }
  return compare(static_cast<FloatCompare>(inst.imm), x, y);
}

template <typename T>
bool is_class(ir::FloatClass which, T x) {
  switch (which) {
    case ir::FloatClass::Finite:
      return std::isfinite(x);
    case ir::FloatClass::Infinite:
      return std::isinf(x);
    case ir::FloatClass::Number:
      return !std::isnan(x);
    case ir::FloatClass::NotANumber:
      return std::isnan(x);
    case ir::FloatClass::Normal:
      return std::isnormal(x) || x == 0;
    case ir::FloatClass::Subnormal:
      return std::fpclassify(x) == FP_SUBNORMAL;
  }
  return false;
}

// Clamped to the result's range; NaN gives 0.
template <typename T>
uint64_t to_integer(const ir::Inst& inst, T x, bool sign) {
  if (std::isnan(x)) return 0;
  const double r = static_cast<double>(round_integral(x, inst.rounding));  // exact: F32 widens, F64 is one
  const int bits = ir::bits(inst.type);
  if (!sign) {
    if (r <= 0) return 0;
    return r >= std::ldexp(1.0, bits) ? ~uint64_t{0} : static_cast<uint64_t>(r);
  }
  if (r >= std::ldexp(1.0, bits - 1)) return (uint64_t{1} << (bits - 1)) - 1;
  if (r < -std::ldexp(1.0, bits - 1)) return uint64_t{1} << (bits - 1);
  return static_cast<uint64_t>(static_cast<int64_t>(r));
}

template <typename T>
uint64_t from_integer(const ir::Inst& inst, uint64_t bits, Type type, bool sign) {
  const WithRounding mode(inst.rounding);
  const volatile uint64_t u = bits;
  const volatile int64_t s = as_signed(bits, type);
  return Width<T>::encode(sign ? static_cast<T>(s) : static_cast<T>(u));
}

uint64_t narrow(const ir::Inst& inst, double x) {
  float result;
  {
    const WithRounding mode(inst.rounding);
    const volatile double value = x;
    result = static_cast<float>(value);
  }
  return std::bit_cast<uint32_t>(inst.ftz ? flush(result) : result);  // a NaN keeps its sign and payload
}

}  // namespace

uint16_t encode_half(double value, int exponent, int mantissa, Rounding rounding) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const int least_exponent = 2 - (1 << (exponent - 1));
  const auto infinity = static_cast<uint64_t>(((1 << exponent) - 1) << mantissa);
  if (std::isnan(value)) return 0x7fff;
  if (std::isinf(value)) return static_cast<uint16_t>(sign | infinity);
  if (value == 0) return sign;
  int e = 0;
  std::frexp(value, &e);
  const int at = std::max(e - 1, least_exponent);
  const double scaled = std::ldexp(std::fabs(value), mantissa - at);  // the last bit of the result is worth 1
  const WithRounding nearest(Rounding::Nearest);
  double whole = std::floor(scaled);
  const double rest = scaled - whole;
  const bool odd = std::fmod(whole, 2) == 1;
  const bool up = rounding == Rounding::Nearest       ? rest > 0.5 || (rest == 0.5 && odd)
                  : rounding == Rounding::NearestAway ? rest >= 0.5
                  : rounding == Rounding::Up          ? rest > 0 && !sign
                  : rounding == Rounding::Down        ? rest > 0 && sign
                                                      : false;
  if (up) whole += 1;
  // `whole` holds the leading one, which adds 1 to the exponent's field.
  const uint64_t bits = (static_cast<uint64_t>(at - least_exponent) << mantissa) + static_cast<uint64_t>(whole);
  if (bits < infinity) return static_cast<uint16_t>(sign | bits);
  const bool to_infinity = rounding == Rounding::Nearest || rounding == Rounding::NearestAway ||
                           (rounding == Rounding::Up && !sign) || (rounding == Rounding::Down && sign);
  return static_cast<uint16_t>(sign | (to_infinity ? infinity : infinity - 1));
}

double decode_half(uint16_t bits, int exponent, int mantissa) {
  const int field = bits >> mantissa & ((1 << exponent) - 1), fraction = bits & ((1 << mantissa) - 1);
  const int least_exponent = 2 - (1 << (exponent - 1));
  const double sign = bits & 0x8000 ? -1.0 : 1.0;
  if (field == (1 << exponent) - 1) return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
  if (field == 0) return sign * std::ldexp(fraction, least_exponent - mantissa);
  return sign * std::ldexp(fraction + (1 << mantissa), field - 1 + least_exponent - mantissa);
}

bool is_float_operation(Op op) { return (op >= Op::SIToF && op <= Op::Rsqrt) || op == Op::FCmp || op == Op::TestP; }

uint64_t compute_float(const ir::Inst& inst, const std::vector<uint64_t>& args, const std::vector<Type>& types) {
  const uint64_t a = args[0];
  const bool wide = types[0] == Type::F64;
  switch (inst.op) {
    case Op::SIToF:
    case Op::UIToF:
      return inst.type == Type::F64 ? from_integer<double>(inst, a, types[0], inst.op == Op::SIToF)
                                    : from_integer<float>(inst, a, types[0], inst.op == Op::SIToF);
    case Op::FToSI:
    case Op::FToUI:
      return wide ? to_integer(inst, Width<double>::decode(a), inst.op == Op::FToSI)
                  : to_integer(inst, Width<float>::decode(a), inst.op == Op::FToSI);
    case Op::FExt: {
      const float x = Width<float>::decode(a);
      if (inst.ftz) return Width<double>::encode(Width<float>::decode(Width<float>::encode(flush(x))));
      return Width<double>::encode(x);
    }
    case Op::FTrunc:
      return narrow(inst, Width<double>::decode(a));
    case Op::F16ToF32:
      return Width<float>::encode(static_cast<float>(decode_half(static_cast<uint16_t>(a), 5, 10)));
    case Op::BF16ToF32:
      return (a & 0xffff) << 16;
    case Op::F32ToF16:
      return encode_half(Width<float>::decode(a), 5, 10, inst.rounding);
    case Op::F64ToF16:
      return encode_half(Width<double>::decode(a), 5, 10, inst.rounding);
    case Op::F32ToBF16:
      return encode_half(Width<float>::decode(a), 8, 7, inst.rounding);
    case Op::FCmp:
      return wide ? compare_bits<double>(inst, a, args[1]) : compare_bits<float>(inst, a, args[1]);
    case Op::TestP: {
      const auto which = static_cast<ir::FloatClass>(inst.imm);
      return wide ? is_class(which, Width<double>::decode(a)) : is_class(which, Width<float>::decode(a));
    }
    default:
      return wide ? arithmetic<double>(inst, args) : arithmetic<float>(inst, args);
  }
}

}  // namespace warplens::reference
