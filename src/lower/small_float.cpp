// cvt to and from pairs of 8-bit floats: e4m3 (no infinity, one NaN a sign) and e5m2 (a half cut short). What does not
// fit becomes the largest number (.satfinite, which every such conversion has), and every NaN 0x7f. An H200 agrees for
// every half and every pair of bytes.
#include "lower/families.h"

namespace warplens::lower {
namespace {

using ir::IntCompare;
using ir::Op;
using ir::Type;
using ir::ValueId;

struct Format {
  unsigned mantissa, bias;
  uint32_t largest;  // number
};
constexpr Format kE4m3{3, 7, 0x7e}, kE5m2{2, 15, 0x7b};

class SmallFloats {
 public:
  SmallFloats(Context& c, const Instr& i, const Format& format) : b_(c.b()), format_(format), relu_(i.has("relu")) {}

  // From an F32, to the low 8 bits of an I32.
  ValueId narrow(ValueId x) {
    const unsigned cut = 23 - format_.mantissa;
    const ValueId bits = b_.cast(x, Type::I32);
    const ValueId magnitude = And(bits, 0x7fffffff);
    // Ties to even; past the exponent's end the largest number.
    const ValueId last = And(b_.binary(Op::ShrU, magnitude, number(cut)), 1);
    const ValueId rounded = b_.binary(Op::Add, b_.binary(Op::Add, magnitude, number((1u << (cut - 1)) - 1)), last);
    const ValueId exponent =
        b_.binary(Op::Sub, b_.binary(Op::ShrU, rounded, number(cut)), number((127 - format_.bias) << format_.mantissa));
    const ValueId normal = b_.binary(Op::MinU, exponent, number(format_.largest));
    // Below the normal numbers: multiples of the smallest, by an addition that puts its bit at the bottom.
    const uint32_t smallest = 127 - format_.bias + 1 - format_.mantissa;  // its exponent, as F32 has it
    const uint32_t anchor = (smallest + 23) << 23;
    const ValueId sum = b_.binary(Op::FAdd, b_.cast(magnitude, Type::F32), b_.constant(Type::F32, anchor));
    const ValueId subnormal = b_.binary(Op::Sub, b_.cast(sum, Type::I32), number(anchor));
    const ValueId is_small = b_.icmp(IntCompare::LtU, magnitude, number((127 - format_.bias + 1) << 23));
    ValueId result = b_.select(is_small, subnormal, normal);
    const ValueId sign = And(b_.binary(Op::ShrU, bits, number(24)), 0x80);
    result = relu_ ? b_.select(b_.icmp(IntCompare::Eq, sign, number(0)), result, number(0))
                   : b_.binary(Op::Or, result, sign);
    return b_.select(b_.icmp(IntCompare::GtU, magnitude, number(0x7f800000)), number(0x7f), result);
  }

  // From the byte at `at` of an I32, to an I16 that is a half.
  ValueId widen(ValueId pair, unsigned at) {
    const ValueId byte = slice(b_, pair, at, 8, false);
    const ValueId magnitude = And(byte, 0x7f), sign = b_.binary(Op::Shl, And(byte, 0x80), number(8));
    ValueId half = b_.binary(Op::Shl, magnitude, number(8));
    uint32_t nan_from = 0x7d;
    if (format_.bias == 7) {  // the exponent counts from 7 instead of 15
      const ValueId small =
          b_.pure(Op::F16ToF32, Type::F32, {b_.cast(b_.binary(Op::Shl, magnitude, number(7)), Type::I16)});
      const ValueId scaled = b_.binary(Op::FMul, small, b_.constant(Type::F32, 0x43800000));  // 256
      half = b_.cast(b_.pure(Op::F32ToF16, Type::I16, {scaled}), Type::I32);
      nan_from = 0x7f;
    }
    const ValueId positive = b_.icmp(IntCompare::Eq, sign, number(0));
    half = relu_ ? b_.select(positive, half, number(0)) : b_.binary(Op::Or, half, sign);
    half = b_.select(b_.icmp(IntCompare::GeU, magnitude, number(nan_from)), number(0x7fff), half);
    return b_.cast(half, Type::I16);
  }

 private:
  ValueId number(uint32_t bits) { return b_.constant(Type::I32, bits); }
  ValueId And(ValueId x, uint32_t mask) { return b_.binary(Op::And, x, number(mask)); }
  Builder& b_;
  const Format& format_;
  const bool relu_;
};

}  // namespace

void convert_small_floats(Context& c, const Instr& i) {
  const bool e4m3 = i.has("e4m3x2"), e5m2 = i.has("e5m2x2");
  if (e4m3 == e5m2 || !i.has("rn") || i.types.size() != 1) c.unsupported(i);
  Builder& b = c.b();
  SmallFloats floats(c, i, e4m3 ? kE4m3 : kE5m2);
  constexpr ScalarType kHalf{ScalarType::Kind::Float, 16, false}, kB16{ScalarType::Kind::Bits, 16, false};
  const auto pack = [&](ValueId high, ValueId low) {
    return b.binary(Op::Or, b.binary(Op::Shl, high, b.constant(Type::I32, 8)), low);
  };
  const ScalarType type = i.type(0);
  const bool pair = type.packed && type.element() == kHalf;
  if (pair && i.text.modifiers.back() != "f16x2") {  // d.f16x2, a
    const ValueId bytes = b.cast(c.value(i.operand(1), kB16), Type::I32);
    const ValueId low = floats.widen(bytes, 0), high = floats.widen(bytes, 8);
    return c.write(i.operand(0), pack_halves(c, low, high), kB32);
  }
  if (!i.has("satfinite") || (!pair && type != kF32)) c.unsupported(i);
  ValueId high = ir::kNone, low = ir::kNone;
  if (pair) {
    const ValueId halves = c.value(i.operand(1), kB32);
    const auto element = [&](unsigned at) {
      return b.pure(Op::F16ToF32, Type::F32, {b.cast(slice(b, halves, at, 16, false), Type::I16)});
    };
    high = element(16), low = element(0);
  } else {  // d, a, b: a is the upper one
    high = c.value(i.operand(1), kF32), low = c.value(i.operand(2), kF32);
  }
  c.write(i.operand(0), b.cast(pack(floats.narrow(high), floats.narrow(low)), Type::I16), kB16);
}

}  // namespace warplens::lower
