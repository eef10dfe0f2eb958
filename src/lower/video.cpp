// The video instructions: integers that are bytes, halves or words of registers, combined and put into a part of
// another. GPUs of today have none of them: ptxas writes them as others, in 64 bits, and the scalar ones then mean
// something else than the PTX ISA says where numbers leave their type's range. Here they mean what an H200 gives,
// compared over 3000 forms:
//   .sat to u32: below 0 it is 0, but nothing is cut above; the shifts cut, and vshl looks at 34 bits of its result.
//   .sat into a part of d: the smaller of the result, taken as 64 unsigned bits, and the part's largest number; the
//   shifts are cut as words.
//   d.h1: the upper half of the result, not the lower.
//   .min .max: 64 bits of the result against c, both unsigned where d is; of vadd, vsub and shifts with .sat the word's
//   sign is extended first. vset's a stands for d.
//   vmad: words are signed, all of them; .sat and the shift are unsigned if a and b are and nothing is negated.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lower/families.h"

namespace warplens::lower {
namespace {

using ir::IntCompare;
using ir::Op;
using ir::Type;
using ir::ValueId;

// Without its selector and sign.
ptx::Operand bare(const ptx::Operand& operand) {
  ptx::Operand copy = operand;
  copy.component = {};
  if (copy.kind == ptx::Operand::Kind::Register || copy.kind == ptx::Operand::Kind::Symbol) copy.negative = false;
  return copy;
}

// Of ".b3210" the digits from the last on: element 0 first.
std::vector<unsigned> digits(Context& c, std::string_view selector, unsigned most) {
  std::vector<unsigned> result;
  for (size_t k = selector.size(); k-- > 1;) {
    const auto digit = static_cast<unsigned>(selector[k] - '0');
    if (digit > most) c.malformed("selector ." + std::string(selector));
    result.push_back(digit);
  }
  return result;
}

struct Part {
  unsigned first = 0, bits = 32;
};
Part part_of(Context& c, const ptx::Operand& operand) {
  const std::string_view selector = operand.component;
  if (selector.empty()) return {};
  const unsigned bits = selector[0] == 'b' ? 8 : selector[0] == 'h' ? 16 : 0;
  if (bits == 0 || selector.size() != 2) c.malformed("selector ." + std::string(selector));
  return {digits(c, selector, 32 / bits - 1)[0] * bits, bits};
}

std::optional<IntCompare> comparison(const Instr& i) {
  struct Entry {
    std::string_view text;
    IntCompare compare;
  };
  static constexpr Entry kEntries[] = {{"eq", IntCompare::Eq},  {"ne", IntCompare::Ne},  {"lt", IntCompare::LtS},
                                       {"le", IntCompare::LeS}, {"gt", IntCompare::GtS}, {"ge", IntCompare::GeS}};
  for (const Entry& entry : kEntries)
    if (i.has(entry.text)) return entry.compare;
  return std::nullopt;
}

// Sources of any sign lie within the type they are combined in, so that signed operations do for all.
ValueId combine(Context& c, const Instr& i, std::string_view opcode, ValueId x, ValueId y) {
  Builder& b = c.b();
  if (opcode.starts_with("vadd")) return b.binary(Op::Add, x, y);
  if (opcode.starts_with("vsub")) return b.binary(Op::Sub, x, y);
  if (opcode.starts_with("vabsdiff")) return b.binary(Op::MaxS, b.binary(Op::Sub, x, y), b.binary(Op::Sub, y, x));
  if (opcode.starts_with("vmin")) return b.binary(Op::MinS, x, y);
  if (opcode.starts_with("vmax")) return b.binary(Op::MaxS, x, y);
  if (opcode.starts_with("vavrg")) {  // a half is rounded away from zero
    const ValueId sum = b.binary(Op::Add, x, y), zero = b.constant(b.type(x), 0);
    const ValueId one = b.constant(b.type(x), 1);
    const ValueId up = b.select(b.icmp(IntCompare::GeS, sum, zero), one, zero);
    return b.binary(Op::ShrS, b.binary(Op::Add, sum, up), b.constant(Type::I32, 1));
  }
  const auto how = comparison(i);
  if (!opcode.starts_with("vset") || !how) c.unsupported(i);
  return b.cast(b.icmp(*how, x, y), b.type(x));
}

ValueId clamp(Context& c, ValueId x, unsigned bits, bool is_signed) {
  Builder& b = c.b();
  const auto number = [&](int64_t n) { return b.constant(b.type(x), static_cast<uint64_t>(n)); };
  const int64_t low = is_signed ? -(int64_t{1} << (bits - 1)) : 0;
  const int64_t high = (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  return b.binary(Op::MinS, b.binary(Op::MaxS, x, number(low)), number(high));
}

// ---- one at a time: in 64 bits

ValueId source(Context& c, const ptx::Operand& operand, bool is_signed) {
  const ValueId word = c.value(bare(operand), kB32);
  const Part part = part_of(c, operand);
  const ValueId narrow = part.bits == 32 ? word : slice(c.b(), word, part.first, part.bits, is_signed);
  return c.b().cast(narrow, Type::I64, is_signed);
}

// The types' order: of the destination, of a, of b. vset's destination has none.
struct Types {
  bool d, a, b;  // signed?
};
Types types_of(Context& c, const Instr& i, bool has_destination) {
  if (i.types.size() != (has_destination ? 3u : 2u)) c.malformed(i.full_opcode() + " has a wrong number of types");
  const size_t first = has_destination ? 1 : 0;
  return {has_destination && i.type(0).is_signed(), i.type(first).is_signed(), i.type(first + 1).is_signed()};
}

struct Scalar {
  bool is_signed;       // d
  bool sums, shifts;    // vadd vsub, vshl vshr
  bool cuts34 = false;  // vshl
};

ValueId saturate(Context& c, const Scalar& s, const Part& place, ValueId x) {
  Builder& b = c.b();
  const auto number = [&](uint64_t n) { return b.constant(Type::I64, n); };
  if (s.cuts34) {
    const ValueId unused = b.constant(Type::I32, 30);
    x = b.binary(Op::ShrS, b.binary(Op::Shl, x, unused), unused);
  }
  if (place.bits != 32 && !s.shifts)
    return b.binary(Op::MinU, x, number((uint64_t{1} << (place.bits - (s.is_signed ? 1 : 0))) - 1));
  if (s.is_signed || s.shifts) return clamp(c, x, 32, s.is_signed);
  return b.binary(Op::MaxS, x, number(0));
}

ValueId with_second_operation(Context& c, const Instr& i, const Scalar& s, ValueId x) {
  Builder& b = c.b();
  const ValueId z = c.value(i.operand(3), kB32);
  if (i.has("add")) return b.binary(Op::Add, b.cast(x, Type::I32), z);
  if (s.sums || (s.shifts && i.has("sat"))) x = b.cast(b.cast(x, Type::I32), Type::I64, true);
  const Op smaller = s.is_signed ? Op::MinS : Op::MinU, larger = s.is_signed ? Op::MaxS : Op::MaxU;
  return b.cast(b.binary(i.has("min") ? smaller : larger, x, b.cast(z, Type::I64, s.is_signed)), Type::I32);
}

void finish_scalar(Context& c, const Instr& i, const Scalar& s, ValueId x) {
  Builder& b = c.b();
  const Part place = part_of(c, i.operand(0));
  if (i.has("sat")) x = saturate(c, s, place, x);
  ValueId word = b.cast(x, Type::I32);
  if (i.has("add") || i.has("min") || i.has("max")) {
    word = with_second_operation(c, i, s, x);
  } else if (place.bits != 32) {
    const uint32_t mask = ((1u << place.bits) - 1) << place.first;
    const ValueId kept = b.binary(Op::And, c.value(i.operand(3), kB32), b.constant(Type::I32, ~mask));
    const bool upper_half = place.bits == 16 && place.first == 16;
    if (!upper_half) word = b.binary(Op::Shl, word, b.constant(Type::I32, place.first));
    word = b.binary(Op::Or, kept, b.binary(Op::And, word, b.constant(Type::I32, mask)));
  }
  c.write(bare(i.operand(0)), word, kB32);
}

void scalar(Context& c, const Instr& i) {
  const std::string& opcode = i.text.opcode;
  const bool compares = opcode == "vset";
  const Types types = types_of(c, i, !compares);
  const ValueId x = source(c, i.operand(1), types.a), y = source(c, i.operand(2), types.b);
  const Scalar s{compares ? types.a : types.d, opcode == "vadd" || opcode == "vsub", false};
  finish_scalar(c, i, s, combine(c, i, opcode, x, y));
}

void shift(Context& c, const Instr& i) {
  Builder& b = c.b();
  const Types types = types_of(c, i, true);
  const bool left = i.text.opcode == "vshl";
  const ValueId x = source(c, i.operand(1), types.a);
  const ValueId by = b.cast(source(c, i.operand(2), false), Type::I32);
  const ValueId amount = i.has("wrap") ? b.binary(Op::And, by, b.constant(Type::I32, 31))
                                       : b.binary(Op::MinU, by, b.constant(Type::I32, 32));
  finish_scalar(c, i, {types.d, false, true, left}, b.binary(left ? Op::Shl : Op::ShrS, x, amount));
}

// SIMD: `width` bits an element.
void lanes(Context& c, const Instr& i, unsigned width) {
  Builder& b = c.b();
  const unsigned count = 32 / width;
  const std::string& opcode = i.text.opcode;
  const Types types = types_of(c, i, !opcode.starts_with("vset"));
  const ValueId x = c.value(bare(i.operand(1)), kB32), y = c.value(bare(i.operand(2)), kB32);
  const auto selection = [&](const ptx::Operand& operand, unsigned first) {
    std::vector<unsigned> chosen = digits(c, operand.component, 2 * count - 1);
    if (chosen.empty())
      for (unsigned k = 0; k < count; ++k) chosen.push_back(first + k);
    if (chosen.size() != count) c.malformed("selector ." + std::string(std::string_view(operand.component)));
    return chosen;
  };
  const auto from = [&](unsigned which, bool is_signed) {
    return slice(b, which < count ? x : y, which % count * width, width, is_signed);
  };
  const std::vector<unsigned> a = selection(i.operand(1), 0), z = selection(i.operand(2), count);
  std::vector<unsigned> written = digits(c, i.operand(0).component, count - 1);
  if (written.empty())
    for (unsigned k = 0; k < count; ++k) written.push_back(k);
  ValueId result = c.value(i.operand(3), kB32);
  for (const unsigned k : written) {
    ValueId element = combine(c, i, opcode, from(a[k], types.a), from(z[k], types.b));
    if (i.has("sat")) element = clamp(c, element, width, types.d);
    if (i.has("add")) {
      result = b.binary(Op::Add, result, element);
      continue;
    }
    const uint32_t mask = ((1u << width) - 1) << (k * width);
    const ValueId put = b.binary(Op::Shl, element, b.constant(Type::I32, k * width));
    result = b.binary(Op::Or, b.binary(Op::And, result, b.constant(Type::I32, ~mask)),
                      b.binary(Op::And, put, b.constant(Type::I32, mask)));
  }
  c.write(bare(i.operand(0)), result, kB32);
}

}  // namespace

void lower_Vadd(Context& c, const Instr& i) { scalar(c, i); }
void lower_Vsub(Context& c, const Instr& i) { scalar(c, i); }
void lower_Vabsdiff(Context& c, const Instr& i) { scalar(c, i); }
void lower_Vmin(Context& c, const Instr& i) { scalar(c, i); }
void lower_Vmax(Context& c, const Instr& i) { scalar(c, i); }
void lower_Vset(Context& c, const Instr& i) { scalar(c, i); }
void lower_Vshl(Context& c, const Instr& i) { shift(c, i); }
void lower_Vshr(Context& c, const Instr& i) { shift(c, i); }

// d = a * b + c, or one more (.po), shifted right. Of the factors or the addend one may be negated.
void lower_Vmad(Context& c, const Instr& i) {
  Builder& b = c.b();
  const Types types = types_of(c, i, true);
  const auto negate = [&](ValueId x) { return b.binary(Op::Sub, b.constant(Type::I64, 0), x); };
  const auto factor = [&](size_t operand, bool is_signed) {
    return b.cast(b.cast(source(c, i.operand(operand), is_signed), Type::I32), Type::I64, true);
  };
  const bool minus = i.operand(1).negative != i.operand(2).negative, minus_c = i.operand(3).negative;
  const bool is_signed = types.a || types.b || minus || minus_c;
  ValueId product = b.binary(Op::Mul, factor(1, types.a), factor(2, types.b));
  if (minus) product = negate(product);
  ValueId addend = b.cast(c.value(bare(i.operand(3)), kB32), Type::I64, true);
  if (minus_c) addend = negate(addend);
  ValueId result = b.binary(Op::Add, product, addend);
  if (i.has("po")) result = b.binary(Op::Add, result, b.constant(Type::I64, 1));
  if (i.has("shr7") || i.has("shr15"))
    result = b.binary(is_signed ? Op::ShrS : Op::ShrU, result, b.constant(Type::I32, i.has("shr7") ? 7 : 15));
  if (i.has("sat")) result = clamp(c, result, 32, is_signed);
  c.write(bare(i.operand(0)), b.cast(result, Type::I32), kB32);
}

#define WL_SIMD(name)                                                    \
  void lower_##name##2(Context & c, const Instr& i) { lanes(c, i, 16); } \
  void lower_##name##4(Context & c, const Instr& i) { lanes(c, i, 8); }
WL_SIMD(Vadd)
WL_SIMD(Vsub)
WL_SIMD(Vavrg)
WL_SIMD(Vabsdiff)
WL_SIMD(Vmin)
WL_SIMD(Vmax)
WL_SIMD(Vset)
#undef WL_SIMD

}  // namespace warplens::lower
