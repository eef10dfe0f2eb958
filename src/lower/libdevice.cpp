#include "lower/libdevice.h"

#include <bit>
#include <functional>
#include <unordered_map>

#include "ir/math.h"
#include "lower/exponents.h"
#include "lower/families.h"

namespace warplens::lower {
namespace {

using ir::IntCompare;
using ir::Op;
using ir::Rounding;
using ir::Type;
using ir::ValueId;
using Args = std::vector<ValueId>;

struct Entry {
  std::string signature;
  std::function<ValueId(Builder&, const Args&)> value;
  std::function<ValueId(Builder&, const Args&, const MemoryAccess&)> value_with_memory =
      nullptr;  // where there are pointers
};
using Table = std::unordered_map<std::string, Entry>;

ValueId rounded(Builder& b, Op op, Type type, Args args, Rounding rounding) {
  ir::Inst inst;
  inst.op = op;
  inst.type = type;
  inst.rounding = rounding;
  inst.args = std::move(args);
  return b.pure(std::move(inst));
}

// An operation of exactly these arguments.
auto direct(Op op, Type type, Rounding rounding = Rounding::Nearest) {
  return [=](Builder& b, const Args& a) { return rounded(b, op, type, a, rounding); };
}
auto cast_to(Type type, bool sign = false) {
  return [=](Builder& b, const Args& a) { return b.cast(a[0], type, sign); };
}

constexpr struct {
  const char* suffix;
  Rounding rounding;
} kSuffixes[] = {{"_rn", Rounding::Nearest}, {"_rz", Rounding::Zero}, {"_rd", Rounding::Down}, {"_ru", Rounding::Up}};

ValueId one(Builder& b, Type type) {
  return b.constant(type, type == Type::F32 ? std::bit_cast<uint32_t>(1.0f) : std::bit_cast<uint64_t>(1.0));
}

// 1 / sqrt(x) within 1 ulp: y = 1 / s, s = sqrt(x), each rounded, and what both lost: 1 - s y and s^2 - x.
ValueId precise_rsqrt(Builder& b, const Args& a) {
  const auto fma = [&](ValueId x, ValueId y, ValueId z) { return b.pure(Op::FFma, Type::F64, {x, y, z}); };
  const auto finite = [&](ValueId x) {
    return b.pure(Op::TestP, Type::Pred, {x}, static_cast<uint64_t>(ir::FloatClass::Finite));
  };
  const ValueId s = b.unary(Op::FSqrt, a[0]), y = b.binary(Op::FDiv, one(b, Type::F64), s);
  const ValueId of_quotient = fma(b.unary(Op::FNeg, s), y, one(b, Type::F64));
  const ValueId of_root = fma(s, s, b.unary(Op::FNeg, a[0]));
  const ValueId half =
      b.binary(Op::FMul, b.binary(Op::FMul, of_root, y), b.constant(Type::F64, std::bit_cast<uint64_t>(0.5)));
  const ValueId better = fma(y, fma(half, y, of_quotient), y);
  return b.select(b.binary(Op::And, finite(y), finite(a[0])), better, y);
}

// name (f64) and namef (f32).
void both(Table& t, const std::string& name, int arguments, Op op, Rounding rounding = Rounding::Nearest) {
  t[name] = {"d" + std::string(static_cast<size_t>(arguments), 'd'), direct(op, Type::F64, rounding)};
  t[name + "f"] = {"f" + std::string(static_cast<size_t>(arguments), 'f'), direct(op, Type::F32, rounding)};
}

void add_float_arithmetic(Table& t) {
  both(t, "__nv_fabs", 1, Op::FAbs);
  both(t, "__nv_sqrt", 1, Op::FSqrt);
  t["__nv_rsqrtf"] = {"ff", direct(Op::Rsqrt, Type::F32)};
  t["__nv_rsqrt"] = {"dd", precise_rsqrt};
  both(t, "__nv_fmin", 2, Op::FMin);
  both(t, "__nv_fmax", 2, Op::FMax);
  both(t, "__nv_fma", 3, Op::FFma);
  both(t, "__nv_floor", 1, Op::FRound, Rounding::Down);
  both(t, "__nv_ceil", 1, Op::FRound, Rounding::Up);
  both(t, "__nv_trunc", 1, Op::FRound, Rounding::Zero);
  both(t, "__nv_rint", 1, Op::FRound, Rounding::Nearest);
  both(t, "__nv_nearbyint", 1, Op::FRound, Rounding::Nearest);
  both(t, "__nv_round", 1, Op::FRound, Rounding::NearestAway);
  const auto copysign = [](Builder& b, const Args& a) { return b.binary(Op::FCopysign, a[1], a[0]); };
  t["__nv_copysign"] = {"ddd", copysign};
  t["__nv_copysignf"] = {"fff", copysign};
  // x - y where x > y (or one is no number), else 0.
  const auto fdim = [](Builder& b, const Args& a) {
    const auto at_most = static_cast<uint64_t>(ir::FloatCompare::Le);
    return b.select(b.pure(Op::FCmp, Type::Pred, {a[0], a[1]}, at_most), b.constant(b.type(a[0]), 0),
                    b.binary(Op::FSub, a[0], a[1]));
  };
  t["__nv_fdim"] = {"ddd", fdim};
  t["__nv_fdimf"] = {"fff", fdim};
  t["__nv_saturatef"] = {"ff", direct(Op::FSat, Type::F32)};
  for (const auto& [suffix, rounding] : kSuffixes) {
    const std::string s = suffix;
    const Rounding r = rounding;
    const struct {
      const char* name;
      Op op;
      int arguments;
    } operations[] = {
        {"add", Op::FAdd, 2}, {"sub", Op::FSub, 2}, {"mul", Op::FMul, 2}, {"div", Op::FDiv, 2}, {"sqrt", Op::FSqrt, 1}};
    for (const auto& o : operations) {
      const auto count = static_cast<size_t>(o.arguments);
      t["__nv_f" + std::string(o.name) + s] = {"f" + std::string(count, 'f'), direct(o.op, Type::F32, r)};
      t["__nv_d" + std::string(o.name) + s] = {"d" + std::string(count, 'd'), direct(o.op, Type::F64, r)};
    }
    t["__nv_fmaf" + s] = t["__nv_fmaf_ieee" + s] = {"ffff", direct(Op::FFma, Type::F32, r)};
    t["__nv_fma" + s] = {"dddd", direct(Op::FFma, Type::F64, r)};
    t["__nv_frcp" + s] = {
        "ff", [r](Builder& b, const Args& a) { return rounded(b, Op::FDiv, Type::F32, {one(b, Type::F32), a[0]}, r); }};
    t["__nv_drcp" + s] = {
        "dd", [r](Builder& b, const Args& a) { return rounded(b, Op::FDiv, Type::F64, {one(b, Type::F64), a[0]}, r); }};
  }
  const auto not_a_number = [](Type type, uint64_t bits) {
    return [=](Builder& b, const Args&) { return b.constant(type, bits); };  // whatever the tag says
  };
  t["__nv_nan"] = {"dp", not_a_number(Type::F64, 0x7ff8000000000000)};
  t["__nv_nanf"] = {"fp", not_a_number(Type::F32, 0x7fffffff)};
  // Looks at the high word only, and leaves the low word of the result zero.
  t["__nv_rcp64h"] = {
      "dd", [](Builder& b, const Args& a) {
        const auto high = [&](ValueId v) {
          return b.cast(b.binary(Op::And, b.cast(v, Type::I64), b.constant(Type::I64, 0xffffffff00000000)), Type::F64);
        };
        return high(rounded(b, Op::FDiv, Type::F64, {one(b, Type::F64), high(a[0])}, Rounding::Nearest));
      }};
  // In double: of no float does rounding twice give another result (tried with all).
  t["__nv_frsqrt_rn"] = {"ff", [](Builder& b, const Args& a) {
                           const ValueId wide = b.pure(Op::Rsqrt, Type::F64, {b.pure(Op::FExt, Type::F64, {a[0]})});
                           return b.pure(Op::FTrunc, Type::F32, {wide});
                         }};
}

void add_conversions(Table& t) {
  const struct {
    const char* name;
    Type type;
    char letter;
    bool sign;
  } integers[] = {{"int", Type::I32, 'i', true},
                  {"uint", Type::I32, 'i', false},
                  {"ll", Type::I64, 'l', true},
                  {"ull", Type::I64, 'l', false}};
  const struct {
    const char* name;
    Type type;
    char letter;
  } floats[] = {{"float", Type::F32, 'f'}, {"double", Type::F64, 'd'}};
  for (const auto& [suffix, r] : kSuffixes)
    for (const auto& i : integers)
      for (const auto& f : floats) {
        t[std::string("__nv_") + f.name + "2" + i.name + suffix] = {{i.letter, f.letter},
                                                                    direct(i.sign ? Op::FToSI : Op::FToUI, i.type, r)};
        t[std::string("__nv_") + i.name + "2" + f.name + suffix] = {{f.letter, i.letter},
                                                                    direct(i.sign ? Op::SIToF : Op::UIToF, f.type, r)};
      }
  for (const auto& [suffix, r] : kSuffixes)
    t[std::string("__nv_double2float") + suffix] = {"fd", direct(Op::FTrunc, Type::F32, r)};
  t["__nv_float2half_rn"] = {"if", [](Builder& b, const Args& a) {
                               return b.cast(rounded(b, Op::F32ToF16, Type::I16, {a[0]}, Rounding::Nearest), Type::I32);
                             }};
  t["__nv_half2float"] = {
      "fi", [](Builder& b, const Args& a) { return b.pure(Op::F16ToF32, Type::F32, {b.cast(a[0], Type::I16)}); }};
  t["__nv_float_as_int"] = t["__nv_float_as_uint"] = {"if", cast_to(Type::I32)};
  t["__nv_int_as_float"] = t["__nv_uint_as_float"] = {"fi", cast_to(Type::F32)};
  t["__nv_double_as_longlong"] = {"ld", cast_to(Type::I64)};
  t["__nv_longlong_as_double"] = {"dl", cast_to(Type::F64)};
  t["__nv_double2loint"] = {"id", cast_to(Type::I32)};
  t["__nv_double2hiint"] = {"id", [](Builder& b, const Args& a) {
                              return b.cast(b.binary(Op::ShrU, b.cast(a[0], Type::I64), b.constant(Type::I32, 32)),
                                            Type::I32);
                            }};
  t["__nv_hiloint2double"] = {"dii", [](Builder& b, const Args& a) {
                                const ValueId high =
                                    b.binary(Op::Shl, b.cast(a[0], Type::I64), b.constant(Type::I32, 32));
                                return b.cast(b.binary(Op::Or, high, b.cast(a[1], Type::I64)), Type::F64);
                              }};
  // To the nearest integer: lrint by the current mode, lround with ties away from zero; `long` has 64 bits.
  const struct {
    const char* name;
    Rounding rounding;
  } roundings[] = {{"llrint", Rounding::Nearest}, {"llround", Rounding::NearestAway}};
  for (const auto& r : roundings) {
    t[std::string("__nv_") + r.name] = {"ld", direct(Op::FToSI, Type::I64, r.rounding)};
    t[std::string("__nv_") + r.name + "f"] = {"lf", direct(Op::FToSI, Type::I64, r.rounding)};
  }
}

void add_integers(Table& t) {
  const struct {
    const char* name;
    Op op;
    Type type;
  } operations[] = {
      {"min", Op::MinS, Type::I32},      {"max", Op::MaxS, Type::I32},       {"umin", Op::MinU, Type::I32},
      {"umax", Op::MaxU, Type::I32},     {"llmin", Op::MinS, Type::I64},     {"llmax", Op::MaxS, Type::I64},
      {"ullmin", Op::MinU, Type::I64},   {"ullmax", Op::MaxU, Type::I64},    {"mulhi", Op::MulHiS, Type::I32},
      {"umulhi", Op::MulHiU, Type::I32}, {"mul64hi", Op::MulHiS, Type::I64}, {"umul64hi", Op::MulHiU, Type::I64}};
  for (const auto& o : operations)
    t[std::string("__nv_") + o.name] = {o.type == Type::I32 ? "iii" : "lll", direct(o.op, o.type)};
  const auto absolute = [](Builder& b, const Args& a) {
    return b.binary(Op::MaxS, a[0], b.binary(Op::Sub, b.constant(b.type(a[0]), 0), a[0]));
  };
  t["__nv_abs"] = {"ii", absolute};
  t["__nv_llabs"] = {"ll", absolute};
  t["__nv_popc"] = {"ii", direct(Op::Popc, Type::I32)};
  t["__nv_popcll"] = {"il", direct(Op::Popc, Type::I32)};
  t["__nv_clz"] = {"ii", direct(Op::Clz, Type::I32)};
  t["__nv_clzll"] = {"il", direct(Op::Clz, Type::I32)};
  t["__nv_brev"] = {"ii", direct(Op::Brev, Type::I32)};
  t["__nv_brevll"] = {"ll", direct(Op::Brev, Type::I64)};
  // The lowest set bit, from 1; 0 for none: the width less the leading zeros of the reversed word, where there is one.
  const auto first_set = [](Builder& b, const Args& a) {
    const ValueId zeros = b.pure(Op::Clz, Type::I32, {b.unary(Op::Brev, a[0])});
    const ValueId none = b.icmp(IntCompare::Eq, a[0], b.constant(b.type(a[0]), 0));
    return b.select(none, b.constant(Type::I32, 0), b.binary(Op::Add, zeros, b.constant(Type::I32, 1)));
  };
  // The mean of two, rounded down (hadd) or up (rhadd), of 33 bits: what both have, and half of what one has.
  for (const bool sign : {true, false}) {
    const Op shift = sign ? Op::ShrS : Op::ShrU;
    const std::string u = sign ? "" : "u";
    const auto half = [shift](Builder& b, const Args& a) {
      return b.binary(shift, b.binary(Op::Xor, a[0], a[1]), b.constant(Type::I32, 1));
    };
    t["__nv_" + u + "hadd"] = {"iii", [half](Builder& b, const Args& a) {
                                 return b.binary(Op::Add, b.binary(Op::And, a[0], a[1]), half(b, a));
                               }};
    t["__nv_" + u + "rhadd"] = {"iii", [half](Builder& b, const Args& a) {
                                  return b.binary(Op::Sub, b.binary(Op::Or, a[0], a[1]), half(b, a));
                                }};
    t["__nv_" + u + "sad"] = {"iiii", [sign](Builder& b, const Args& a) {
                                const ValueId most = b.binary(sign ? Op::MaxS : Op::MaxU, a[0], a[1]);
                                const ValueId least = b.binary(sign ? Op::MinS : Op::MinU, a[0], a[1]);
                                return b.binary(Op::Add, b.binary(Op::Sub, most, least), a[2]);
                              }};
    t["__nv_" + u + "mul24"] = {"iii", [shift](Builder& b, const Args& a) {
                                  const ValueId eight = b.constant(Type::I32, 8);
                                  const auto low = [&](ValueId v) {
                                    return b.binary(shift, b.binary(Op::Shl, v, eight), eight);
                                  };
                                  return b.binary(Op::Mul, low(a[0]), low(a[1]));
                                }};
  }
  t["__nv_byte_perm"] = {"iiii", [](Builder& b, const Args& a) {
                           const ValueId selectors[4] = {byte_selector(b, a[2], 0), byte_selector(b, a[2], 1),
                                                         byte_selector(b, a[2], 2), byte_selector(b, a[2], 3)};
                           return permute_bytes(b, a[0], a[1], selectors);
                         }};
  t["__nv_ffs"] = {"ii", first_set};
  t["__nv_ffsll"] = {"il", first_set};
}

void add_classes(Table& t) {
  const auto test = [](ir::FloatClass which) {
    return [=](Builder& b, const Args& a) {
      return b.cast(b.pure(Op::TestP, Type::Pred, {a[0]}, static_cast<uint64_t>(which)), Type::I32);
    };
  };
  t["__nv_finitef"] = {"if", test(ir::FloatClass::Finite)};
  t["__nv_isfinited"] = {"id", test(ir::FloatClass::Finite)};
  t["__nv_isinff"] = {"if", test(ir::FloatClass::Infinite)};
  t["__nv_isinfd"] = {"id", test(ir::FloatClass::Infinite)};
  t["__nv_isnanf"] = {"if", test(ir::FloatClass::NotANumber)};
  t["__nv_isnand"] = {"id", test(ir::FloatClass::NotANumber)};
  const auto sign = [](Builder& b, const Args& a) {
    const Type integer = b.type(a[0]) == Type::F64 ? Type::I64 : Type::I32;
    const uint64_t top = static_cast<uint64_t>(ir::bits(integer) - 1);
    return b.cast(b.binary(Op::ShrU, b.cast(a[0], integer), b.constant(Type::I32, top)), Type::I32);
  };
  t["__nv_signbitf"] = {"if", sign};
  t["__nv_signbitd"] = {"id", sign};
}

ValueId math_call(Builder& b, const std::string& name, const Args& args) {
  const auto index = ir::find_math_function(name);
  ir::Inst inst;
  inst.op = Op::MathCall;
  inst.type = ir::type_of_letter(ir::math_function(*index).signature[0]);
  inst.imm = *index;
  inst.args = args;
  return b.pure(std::move(inst));
}

// x^n is pow of double, which holds every n.
ValueId power_of_integer(Builder& b, const Args& a) {
  const ValueId n = b.pure(Op::SIToF, Type::F64, {a[1]});
  if (b.type(a[0]) == Type::F64) return math_call(b, "__nv_pow", {a[0], n});
  return b.pure(Op::FTrunc, Type::F32, {math_call(b, "__nv_pow", {b.pure(Op::FExt, Type::F64, {a[0]}), n})});
}

// sincos and the like yield through pointers, norm reads through one.
void add_pointer_functions(Table& t) {
  const auto two = [](const std::string& first, const std::string& second) {
    return [=](Builder& b, const Args& a, const MemoryAccess& memory) {
      memory.store(a[1], math_call(b, first, {a[0]}));
      memory.store(a[2], math_call(b, second, {a[0]}));
      return ir::kNone;
    };
  };
  t["__nv_sincos"] = {"vdpp", nullptr, two("__nv_sin", "__nv_cos")};
  t["__nv_sincosf"] = t["__nv_fast_sincosf"] = {"vfpp", nullptr, two("__nv_sinf", "__nv_cosf")};
  t["__nv_sincospi"] = {"vdpp", nullptr, two("__nv_sinpi", "__nv_cospi")};
  t["__nv_sincospif"] = {"vfpp", nullptr, two("__nv_sinpif", "__nv_cospif")};
  const auto remquo = [](const char* rest, const char* quotient) {
    return [=](Builder& b, const Args& a, const MemoryAccess& memory) {
      memory.store(a[2], math_call(b, quotient, {a[0], a[1]}));
      return math_call(b, rest, {a[0], a[1]});
    };
  };
  t["__nv_remquo"] = {"dddp", nullptr, remquo("__nv_remainder", "wl_quotient")};
  t["__nv_remquof"] = {"fffp", nullptr, remquo("__nv_remainderf", "wl_quotientf")};
  // The fraction has the argument's sign, of an infinity it is zero.
  const auto modf = [](Builder& b, const Args& a, const MemoryAccess& memory) {
    const ValueId whole = rounded(b, Op::FRound, b.type(a[0]), {a[0]}, Rounding::Zero);
    memory.store(a[1], whole);
    const ValueId infinite = b.pure(Op::TestP, Type::Pred, {a[0]}, static_cast<uint64_t>(ir::FloatClass::Infinite));
    const ValueId rest = b.select(infinite, b.constant(b.type(a[0]), 0), b.binary(Op::FSub, a[0], whole));
    return b.binary(Op::FCopysign, a[0], rest);
  };
  t["__nv_modf"] = {"ddp", nullptr, modf};
  t["__nv_modff"] = {"ffp", nullptr, modf};
  const auto frexp = [](Builder& b, const Args& a, const MemoryAccess& memory) {
    const Fraction fraction = fraction_of(b, a[0]);
    memory.store(a[1], fraction.exponent);
    return fraction.value;
  };
  t["__nv_frexp"] = {"ddp", nullptr, frexp};
  t["__nv_frexpf"] = {"ffp", nullptr, frexp};
  const auto norm = [](Type type, bool reciprocal) {
    return [=](Builder& b, const Args& a, const MemoryAccess& memory) {
      return norm_in_memory(b, memory, a[0], a[1], type, reciprocal);
    };
  };
  t["__nv_norm"] = {"dip", nullptr, norm(Type::F64, false)};
  t["__nv_normf"] = {"fip", nullptr, norm(Type::F32, false)};
  t["__nv_rnorm"] = {"dip", nullptr, norm(Type::F64, true)};
  t["__nv_rnormf"] = {"fip", nullptr, norm(Type::F32, true)};
}

void add_exponents(Table& t) {
  for (const char letter : {'d', 'f'}) {
    const std::string suffix = letter == 'f' ? "f" : "", of_one = {letter, letter}, of_two = of_one + letter;
    t["__nv_ldexp" + suffix] =
        t["__nv_scalbn" + suffix] = {of_one + "i", [](Builder& b, const Args& a) { return scaled(b, a[0], a[1]); }};
    t["__nv_ilogb" + suffix] = {{'i', letter}, [](Builder& b, const Args& a) { return exponent_of(b, a[0]); }};
    t["__nv_logb" + suffix] = {of_one, [](Builder& b, const Args& a) { return exponent_as_float(b, a[0]); }};
    t["__nv_nextafter" + suffix] = {of_two, [](Builder& b, const Args& a) { return next_towards(b, a[0], a[1]); }};
  }
}

void add_functions_of_others(Table& t) {
  const struct {
    const char* fast;
    const char* exact;
    const char* signature;
  } functions[] = {{"__nv_fast_tanf", "__nv_tanf", "ff"},     {"__nv_fast_expf", "__nv_expf", "ff"},
                   {"__nv_fast_exp10f", "__nv_exp10f", "ff"}, {"__nv_fast_logf", "__nv_logf", "ff"},
                   {"__nv_fast_log10f", "__nv_log10f", "ff"}, {"__nv_fast_powf", "__nv_powf", "fff"}};
  for (const auto& f : functions) {
    const std::string exact = f.exact;
    t[f.fast] = {f.signature, [exact](Builder& b, const Args& a) { return math_call(b, exact, a); }};
  }
  t["__nv_powi"] = {"ddi", power_of_integer};
  t["__nv_powif"] = {"ffi", power_of_integer};
  t["__nv_fast_tanhf"] = {"ff", direct(Op::Tanh, Type::F32)};
  t["__nv_fast_sinf"] = {"ff", direct(Op::Sin, Type::F32)};
  t["__nv_fast_cosf"] = {"ff", direct(Op::Cos, Type::F32)};
  t["__nv_fast_log2f"] = {"ff", direct(Op::Lg2, Type::F32)};
  t["__nv_fast_fdividef"] = {"fff", direct(Op::FDiv, Type::F32)};
}

const Table& table() {
  static const Table kTable = [] {
    Table t;
    for (uint32_t i = 1; i < ir::math_function_count(); ++i) {
      const std::string name = ir::math_function(i).name;
      t[name] = {ir::math_function(i).signature, [name](Builder& b, const Args& a) { return math_call(b, name, a); }};
    }
    add_float_arithmetic(t);
    add_conversions(t);
    add_integers(t);
    add_classes(t);
    add_exponents(t);
    add_pointer_functions(t);
    add_functions_of_others(t);
    return t;
  }();
  return kTable;
}

}  // namespace

const char* libdevice_signature(const std::string& name) {
  const auto it = table().find(name);
  return it == table().end() ? nullptr : it->second.signature.c_str();
}

ValueId call_libdevice(Builder& b, const std::string& name, const std::vector<ValueId>& args,
                       const MemoryAccess& memory) {
  const Entry& entry = table().at(name);
  return entry.value ? entry.value(b, args) : entry.value_with_memory(b, args, memory);
}

}  // namespace warplens::lower
