#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"
#include "reference/values.h"

namespace warplens::reference {
namespace {

using ir::IntCompare;
using ir::Op;
using ir::Type;
using Wide = unsigned __int128;
using SignedWide = __int128;

bool compare(IntCompare how, uint64_t a, uint64_t b, Type type) {
  const int64_t sa = as_signed(a, type), sb = as_signed(b, type);
  switch (how) {
    case IntCompare::Eq:
      return a == b;
    case IntCompare::Ne:
      return a != b;
    case IntCompare::LtS:
      return sa < sb;
    case IntCompare::LeS:
      return sa <= sb;
    case IntCompare::GtS:
      return sa > sb;
    case IntCompare::GeS:
      return sa >= sb;
    case IntCompare::LtU:
      return a < b;
    case IntCompare::LeU:
      return a <= b;
    case IntCompare::GtU:
      return a > b;
    case IntCompare::GeU:
      return a >= b;
  }
  return false;
}

uint64_t divide(Op op, uint64_t a, uint64_t b, Type type) {
  const int64_t sa = as_signed(a, type), sb = as_signed(b, type);
  const bool quotient = op == Op::DivS || op == Op::DivU;
  if (b == 0) return ~uint64_t{0};
  if (op == Op::DivU) return a / b;
  if (op == Op::RemU) return a % b;
  if (sb == -1) return quotient ? uint64_t{0} - a : 0;  // INT_MIN / -1 wraps to INT_MIN
  return static_cast<uint64_t>(quotient ? sa / sb : sa % sb);
}

uint64_t reverse(uint64_t value, int bits) {
  uint64_t result = 0;
  for (int i = 0; i < bits; ++i) result |= (value >> i & 1) << (bits - 1 - i);
  return result;
}

uint64_t integer(const ir::Inst& inst, const std::vector<uint64_t>& args, const std::vector<Type>& types) {
  const Type type = inst.type;
  const int bits = ir::bits(type);
  const uint64_t a = args[0], b = args.size() > 1 ? args[1] : 0;
  const int64_t sa = as_signed(a, types[0]);
  const int64_t sb = args.size() > 1 ? as_signed(b, types[1]) : 0;
  switch (inst.op) {
    case Op::Add:
      return a + b;
    case Op::Sub:
      return a - b;
    case Op::Mul:
      return a * b;
    case Op::MulHiS:
      return static_cast<uint64_t>(static_cast<SignedWide>(sa) * sb >> bits);
    case Op::MulHiU:
      return static_cast<uint64_t>(static_cast<Wide>(a) * b >> bits);
    case Op::DivS:
    case Op::DivU:
    case Op::RemS:
    case Op::RemU:
      return divide(inst.op, a, b, type);
    case Op::MinS:
      return sa < sb ? a : b;
    case Op::MaxS:
      return sa > sb ? a : b;
    case Op::MinU:
      return std::min(a, b);
    case Op::MaxU:
      return std::max(a, b);
    case Op::And:
      return a & b;
    case Op::Or:
      return a | b;
    case Op::Xor:
      return a ^ b;
    case Op::Not:
      return ~a;
    case Op::Shl:
      return b >= static_cast<uint64_t>(bits) ? 0 : a << b;
    case Op::ShrU:
      return b >= static_cast<uint64_t>(bits) ? 0 : a >> b;
    case Op::ShrS:
      return static_cast<uint64_t>(sa >> std::min<uint64_t>(b, static_cast<uint64_t>(bits) - 1));
    case Op::Popc:
      return static_cast<uint64_t>(std::popcount(a));
    case Op::Clz:
      return static_cast<uint64_t>(std::countl_zero(a) - (64 - ir::bits(types[0])));
    case Op::Brev:
      return reverse(a, bits);
    case Op::Trunc:
    case Op::ZExt:
    case Op::Bitcast:
      return a;
    case Op::SExt:
      return static_cast<uint64_t>(sa);
    case Op::ICmp:
      return compare(static_cast<IntCompare>(inst.imm), a, b, types[0]);
    case Op::Select:
      return a ? args[1] : args[2];
    default:
      break;
  }
  WL_CHECK(false, std::string("the reference does not know ") + ir::info(inst.op).text);
}

}  // namespace

uint64_t compute(const ir::Inst& inst, const std::vector<uint64_t>& args, const std::vector<Type>& types) {
  if (inst.op == Op::MathCall) return compute_math_call(inst, args) & mask_of(inst.type);
  if (is_float_operation(inst.op)) return compute_float(inst, args, types) & mask_of(inst.type);
  return integer(inst, args, types) & mask_of(inst.type);
}

namespace {

uint64_t combine_halves(const ir::Inst& inst, uint64_t a, uint64_t b) {
  using ir::AtomicOp;
  const auto op = static_cast<AtomicOp>(inst.imm2);
  const bool brain = op == AtomicOp::BF16Add || op == AtomicOp::BF16Min || op == AtomicOp::BF16Max;
  const int exponent = brain ? 8 : 5, mantissa = brain ? 7 : 10;
  uint64_t result = 0;
  for (int shift = 0; shift < ir::bits(inst.type); shift += 16) {
    const double x = decode_half(static_cast<uint16_t>(a >> shift), exponent, mantissa),
                 y = decode_half(static_cast<uint16_t>(b >> shift), exponent, mantissa);
    const bool less = x < y || (x == y && std::signbit(x));
    double value = x + y;
    if (op == AtomicOp::F16Min || op == AtomicOp::BF16Min) value = std::isnan(x) ? y : std::isnan(y) || less ? x : y;
    if (op == AtomicOp::F16Max || op == AtomicOp::BF16Max) value = std::isnan(y) ? x : std::isnan(x) || less ? y : x;
    result |= uint64_t{encode_half(value, exponent, mantissa, ir::Rounding::Nearest)} << shift;
  }
  return result;
}

uint64_t float_atomic(const ir::Inst& inst, Op op, bool is_global, uint64_t a, uint64_t b) {
  if (is_global && op == Op::FAdd && inst.type == Type::F64) {
    if (std::isnan(std::bit_cast<double>(b))) return b;
    if (std::isnan(std::bit_cast<double>(a))) return a;
  }
  ir::Inst pure;
  pure.op = op;
  pure.type = inst.type;
  pure.ftz = is_global && op == Op::FAdd && inst.type == Type::F32;
  return compute_float(pure, {a, b}, {inst.type, inst.type});
}

}  // namespace

// lower/mbarrier.cpp: arrivals, those of later phases, bytes, parity.
uint64_t arrive(uint64_t state, uint64_t change) {
  const auto field = [](uint64_t word, int from, int bits) { return word >> from & ((uint64_t{1} << bits) - 1); };
  const auto as_bytes = [&](uint64_t word) {
    const auto bits = static_cast<int64_t>(field(word, 40, 22));
    return bits >= 1 << 21 ? bits - (1 << 22) : bits;
  };
  uint64_t parity = field(state, 63, 1);
  uint64_t waiting = field(state, 0, 20) - field(change, 0, 20);
  const uint64_t later = field(state, 20, 20) - field(change, 20, 20);
  const int64_t bytes = as_bytes(state) + as_bytes(change);
  if (waiting == 0 && bytes == 0) {
    parity = 1 - parity;
    waiting = later;
  }
  return parity << 63 | field(static_cast<uint64_t>(bytes), 0, 22) << 40 | field(later, 0, 20) << 20 |
         field(waiting, 0, 20);
}

uint64_t atomic_result(const ir::Inst& inst, bool is_global, uint64_t old, uint64_t operand, uint64_t second) {
  using ir::AtomicOp;
  const int64_t so = as_signed(old, inst.type), sb = as_signed(operand, inst.type);
  switch (static_cast<AtomicOp>(inst.imm2)) {
    case AtomicOp::Add:
      return old + operand;
    case AtomicOp::MinS:
      return so < sb ? old : operand;
    case AtomicOp::MaxS:
      return so > sb ? old : operand;
    case AtomicOp::MinU:
      return std::min(old, operand);
    case AtomicOp::MaxU:
      return std::max(old, operand);
    case AtomicOp::And:
      return old & operand;
    case AtomicOp::Or:
      return old | operand;
    case AtomicOp::Xor:
      return old ^ operand;
    case AtomicOp::Exch:
      return operand;
    case AtomicOp::Cas:
      return old == operand ? second : old;
    case AtomicOp::Inc:
      return old >= operand ? 0 : old + 1;
    case AtomicOp::Dec:
      return old == 0 || old > operand ? operand : old - 1;
    case AtomicOp::FAdd:
      return float_atomic(inst, Op::FAdd, is_global, old, operand);
    case AtomicOp::FMin:
      return float_atomic(inst, Op::FMin, is_global, old, operand);
    case AtomicOp::FMax:
      return float_atomic(inst, Op::FMax, is_global, old, operand);
    case AtomicOp::F16Add:
    case AtomicOp::BF16Add:
    case AtomicOp::F16Min:
    case AtomicOp::F16Max:
    case AtomicOp::BF16Min:
    case AtomicOp::BF16Max:
      return combine_halves(inst, old, operand);
    case AtomicOp::Arrive:
      return arrive(old, operand);
  }
  return old;
}

}  // namespace warplens::reference
