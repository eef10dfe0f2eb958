#include "lower/exponents.h"

#include <bit>
#include <limits>

namespace warplens::lower {
namespace {

using ir::FloatClass;
using ir::FloatCompare;
using ir::IntCompare;
using ir::Op;
using ir::Type;
using ir::ValueId;

// A number and its bits, the exponent's among them.
class Number {
 public:
  Number(Builder& b, ValueId x)
      : b_(b),
        x_(x),
        type_(b.type(x)),
        integer_(type_ == Type::F64 ? Type::I64 : Type::I32),
        fraction_bits_(type_ == Type::F64 ? 52 : 23),
        most_(type_ == Type::F64 ? 0x7ff : 0xff),
        sign_(uint64_t{1} << (ir::bits(type_) - 1)) {}

  Type type() const { return type_; }
  Type integer() const { return integer_; }
  uint64_t sign() const { return sign_; }
  uint64_t most() const { return most_; }  // what infinities have as exponent
  int64_t bias() const { return static_cast<int64_t>(most_ / 2); }
  uint64_t fraction_bits() const { return fraction_bits_; }
  ValueId bits() const { return b_.cast(x_, integer_); }

  ValueId is(FloatClass which) const { return b_.pure(Op::TestP, Type::Pred, {x_}, static_cast<uint64_t>(which)); }
  ValueId is_zero() const {
    return b_.pure(Op::FCmp, Type::Pred, {x_, b_.constant(type_, 0)}, static_cast<uint64_t>(FloatCompare::Eq));
  }
  ValueId is_plain() const {  // finite and not zero: the functions below are of such numbers
    return b_.binary(Op::And, is(FloatClass::Finite), b_.unary(Op::Not, is_zero()));
  }

  // The bits of the number as if it were a normal one: 2^shift times a subnormal one.
  ValueId normal_bits() {
    if (normal_ != ir::kNone) return normal_;
    const ValueId large = b_.binary(Op::FMul, x_, power(shift()));
    is_small_ = b_.icmp(IntCompare::Eq, field(bits()), b_.constant(integer_, 0));
    return normal_ = b_.select(is_small_, b_.cast(large, integer_), bits());
  }
  // The exponent of that, biased, an I32 that is 0 or less for subnormal numbers.
  ValueId biased_exponent() {
    const ValueId of_bits = b_.cast(field(normal_bits()), Type::I32);
    return b_.select(is_small_, b_.binary(Op::Sub, of_bits, word(shift())), of_bits);
  }
  // The sign and fraction of the number with another exponent, biased, an I32 between 0 and most().
  ValueId with_exponent(ValueId biased) {
    const ValueId others = b_.binary(Op::And, normal_bits(), b_.constant(integer_, ~(most_ << fraction_bits_)));
    return b_.cast(b_.binary(Op::Or, others, shifted(biased)), type_);
  }
  ValueId infinity() const {  // of its sign
    return b_.cast(b_.binary(Op::Or, b_.binary(Op::And, bits(), b_.constant(integer_, sign_)),
                             b_.constant(integer_, most_ << fraction_bits_)),
                   type_);
  }
  ValueId power(int64_t n) const {  // 2^n
    return b_.constant(type_, static_cast<uint64_t>(bias() + n) << fraction_bits_);
  }
  ValueId word(int64_t n) const { return b_.constant(Type::I32, static_cast<uint64_t>(n)); }

 private:
  int64_t shift() const { return static_cast<int64_t>(fraction_bits_) + 1; }
  ValueId field(ValueId bits) const {
    return b_.binary(Op::And, b_.binary(Op::ShrU, bits, b_.constant(Type::I32, fraction_bits_)),
                     b_.constant(integer_, most_));
  }
  ValueId shifted(ValueId biased) const {
    return b_.binary(Op::Shl, b_.cast(biased, integer_), b_.constant(Type::I32, fraction_bits_));
  }

  Builder& b_;
  ValueId x_;
  Type type_, integer_;
  uint64_t fraction_bits_, most_, sign_;
  ValueId normal_ = ir::kNone, is_small_ = ir::kNone;
};

constexpr uint64_t kLeast = 0x80000000, kLargest = 0x7fffffff;

}  // namespace

ValueId scaled(Builder& b, ValueId x, ValueId n) {
  Number number(b, x);
  constexpr int64_t kFar = 5000, kBelow = 64;  // beyond all exponents; more than a fraction has bits
  n = b.binary(Op::MaxS, b.binary(Op::MinS, n, number.word(kFar)), number.word(-kFar));
  const ValueId exponent = b.binary(Op::Add, number.biased_exponent(), n);
  // A subnormal result is that of a normal one, and rounded by the last product.
  const ValueId raised = b.binary(Op::MaxS, b.binary(Op::Add, exponent, number.word(kBelow)), number.word(1));
  const ValueId is_small = b.icmp(IntCompare::LeS, exponent, number.word(0));
  const ValueId is_large = b.icmp(IntCompare::GeS, exponent, number.word(static_cast<int64_t>(number.most())));
  const ValueId used = b.select(is_small, raised, exponent);
  const ValueId value = number.with_exponent(b.select(is_large, number.word(1), used));
  const ValueId small = b.binary(Op::FMul, value, number.power(-kBelow));
  const ValueId finite = b.select(is_small, small, value);
  return b.select(number.is_plain(), b.select(is_large, number.infinity(), finite), b.binary(Op::FAdd, x, x));
}

Fraction fraction_of(Builder& b, ValueId x) {
  Number number(b, x);
  const ValueId plain = number.is_plain(), before_1 = number.word(number.bias() - 1);
  const ValueId exponent = b.binary(Op::Sub, number.biased_exponent(), before_1);
  return {b.select(plain, number.with_exponent(before_1), x), b.select(plain, exponent, number.word(0))};
}

ValueId exponent_of(Builder& b, ValueId x) {
  Number number(b, x);
  const ValueId exponent = b.binary(Op::Sub, number.biased_exponent(), number.word(number.bias()));
  const ValueId other =
      b.select(number.is(FloatClass::Infinite), b.constant(Type::I32, kLargest), b.constant(Type::I32, kLeast));
  return b.select(number.is_plain(), exponent, other);
}

ValueId exponent_as_float(Builder& b, ValueId x) {
  Number number(b, x);
  const ValueId exponent = b.binary(Op::Sub, number.biased_exponent(), number.word(number.bias()));
  const ValueId value = b.pure(Op::SIToF, number.type(), {exponent});
  const ValueId minus_infinity = b.constant(number.type(), number.sign() | number.most() << number.fraction_bits());
  return b.select(number.is_plain(), value, b.select(number.is_zero(), minus_infinity, b.binary(Op::FMul, x, x)));
}

ValueId next_towards(Builder& b, ValueId x, ValueId y) {
  Number number(b, x);
  const auto compare = [&](FloatCompare how) {
    return b.pure(Op::FCmp, Type::Pred, {x, y}, static_cast<uint64_t>(how));
  };
  const Type integer = number.integer();
  const ValueId bits = number.bits(), zero = b.constant(integer, 0);
  const ValueId negative = b.icmp(IntCompare::LtS, bits, zero);
  // Away from zero the bits count up.
  const ValueId away = b.binary(Op::Xor, compare(FloatCompare::Lt), negative);
  const ValueId step = b.select(away, b.constant(integer, 1), b.constant(integer, ~uint64_t{0}));
  const ValueId sign = b.binary(Op::And, b.cast(y, integer), b.constant(integer, number.sign()));
  const ValueId smallest = b.binary(Op::Or, sign, b.constant(integer, 1));
  const ValueId moved = b.select(number.is_zero(), smallest, b.binary(Op::Add, bits, step));
  const ValueId next = b.select(compare(FloatCompare::Eq), y, b.cast(moved, number.type()));
  return b.select(compare(FloatCompare::Nan), b.binary(Op::FAdd, x, y), next);
}

}  // namespace warplens::lower
