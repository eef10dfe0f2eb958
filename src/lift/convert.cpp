// Between integers and floats, and floats of different widths: each is one PTX conversion.
#include "lift/families.h"

namespace warplens::lift {
namespace {

std::string rounding_word(Lifter& l, bool integral) {
  const std::string i = integral ? "i" : "";
  switch (l.rounding()) {
    case ir::Rounding::Zero:
      return ".rz" + i;
    case ir::Rounding::Down:
      return ".rm" + i;
    case ir::Rounding::Up:
      return ".rp" + i;
    default:
      return ".rn" + i;
  }
}

// A source of a float type, in a register of its kind: the name of the register and the value.
struct Source {
  std::string type, name;
  ValueId value;
};

Source float_source(Lifter& l, const Operand& o, const std::string& type) {
  if (type == "f64") return {type, "%e1", l.f64(o)};
  if (type == "f32") return {type, "%f1", l.f32(o)};
  ValueId v = l.raw(o);
  if (o.has("H1_H1") || o.has("H1")) v = l.binary(Op::ShrU, v, l.k32(16));
  if (o.absolute) v = l.binary(Op::And, v, l.k32(0x7fff));
  if (o.negated) v = l.binary(Op::Xor, v, l.k32(0x8000));
  return {type, "%h1", l.b().cast(v, Type::I16)};
}

std::string lower_case(std::string word) {
  for (char& letter : word)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter | 32);
  return word;
}

bool is_float_type(const std::string& m) { return m == "F64" || m == "F32" || m == "F16" || m == "BF16"; }
bool is_integer_type(const std::string& m) {
  return m == "S64" || m == "U64" || m == "S32" || m == "U32" || m == "S16" || m == "U16" || m == "S8" || m == "U8";
}

// Types among the modifiers, in order.
std::vector<std::string> types(Lifter& l, bool (*is)(const std::string&)) {
  std::vector<std::string> out;
  for (const std::string& m : l.instruction().modifiers)
    if (is(m) && l.has(m)) out.push_back(lower_case(m));
  return out;
}

void write_float(Lifter& l, const std::string& type) {
  if (type == "f64") return l.set_wide(l.operand(0), l.ptx_result("%e0"));
  if (type == "f32") return l.set(l.operand(0), l.ptx_result("%f0"));
  l.set(l.operand(0), l.b().cast(l.ptx_result("%h0"), Type::I32));
}

std::string register_for(const std::string& type) {
  if (type == "f64") return "%e0";
  if (type == "f32") return "%f0";
  return "%h0";
}

}  // namespace

// I2F[.F64][.rounding][.source type] d, x;  I2FP.F32.S32 d, x
void lift_IntegerToFloat(Lifter& l) {
  const auto to_types = types(l, is_float_type), from_types = types(l, is_integer_type);
  const std::string to = to_types.empty() ? "f32" : to_types[0], from = from_types.empty() ? "s32" : from_types[0];
  const Operand& o = l.operand(1);
  ValueId x;
  std::string name = "%r1";
  if (from == "s64" || from == "u64") {
    x = l.wide(o);
    name = "%d1";
  } else {
    x = l.word(o);
    const unsigned bits = from == "s32" || from == "u32" ? 32 : from == "s16" || from == "u16" ? 16 : 8;
    unsigned at = 0;
    for (unsigned k = 1; k < 4; ++k)
      if (o.has("B" + std::to_string(k))) at = 8 * k;
    if (o.has("H1")) at = 16;
    if (bits < 32) {
      const ValueId up = l.binary(Op::Shl, x, l.k32(32 - bits - at));
      x = l.binary(from[0] == 's' ? Op::ShrS : Op::ShrU, up, l.k32(32 - bits));
    }
  }
  const std::string wide_from = from.size() == 3 && from[1] != '8' && from != "s16" && from != "u16" ? from
                                : from[0] == 's'                                                     ? "s32"
                                                                                                     : "u32";
  l.ptx("cvt" + rounding_word(l, false) + "." + to + "." + wide_from + " " + register_for(to) + ", " + name + ";",
        {{name, x}});
  write_float(l, to);
}

// F2I[.FTZ][.to type][.source type][.rounding][.NTZ] d, x
void lift_FloatToInteger(Lifter& l) {
  const auto from_types = types(l, is_float_type), to_types = types(l, is_integer_type);
  const std::string from = from_types.empty() ? "f32" : from_types[0], to = to_types.empty() ? "s32" : to_types[0];
  const Source source = float_source(l, l.operand(1), from);
  const bool wide = to == "s64" || to == "u64";
  const std::string ftz = l.has("FTZ") && from == "f32" ? ".ftz" : "";
  const std::string name = wide ? "%d0" : "%r0";
  l.ptx("cvt" + rounding_word(l, true) + ftz + "." + to + "." + from + " " + name + ", " + source.name + ";",
        {{source.name, source.value}});
  if (wide) return l.set_wide(l.operand(0), l.ptx_result("%d0"));
  l.set(l.operand(0), l.ptx_result("%r0"));
}

// I2I.to.from.SAT d, x
void lift_IntegerToInteger(Lifter& l) {
  const auto both = types(l, is_integer_type);
  if (both.size() != 2 || !l.has("SAT") || (both[1] != "s32" && both[1] != "u32")) l.refuse_form();
  const std::string to = both[0] == "u8" || both[0] == "s8" || both[0] == "u16" || both[0] == "s16" ? "%r0" : "";
  if (to.empty()) l.refuse_form();
  l.ptx("cvt.sat." + both[0] + "." + both[1] + " %r0, %r1;", {{"%r1", l.word(l.operand(1))}});
  l.set(l.operand(0), l.ptx_result("%r0"));
}

// I2IP.U8.S32.SAT d, x, y, z: x and y clamped, x the upper one, above z's bits.
void lift_PackIntegers(Lifter& l) {
  const auto both = types(l, is_integer_type);
  if (both.size() != 2 || both[1] != "s32" || !l.has("SAT")) l.refuse_form();
  const bool halves = both[0].ends_with("16");
  const std::string text = "cvt.pack.sat." + both[0] + ".s32" + (halves ? "" : ".b32") + " %r0, %r1, %r2";
  l.ptx(text + (halves ? ";" : ", %r3;"), {{"%r1", l.word(l.operand(1))},
                                           {"%r2", l.word(l.operand(2))},
                                           {"%r3", halves ? l.k32(0) : l.word(l.operand(3))}});
  l.set(l.operand(0), l.ptx_result("%r0"));
}

// F2IP.U8.F32[.TRUNC].NTZ d, x, y, z: bytes of x and y, x the upper one, above z's bits.
void lift_PackFloatsAsIntegers(Lifter& l) {
  const auto to = types(l, is_integer_type);
  if (to.size() != 1 || (to[0] != "u8" && to[0] != "s8") || !l.has("F32")) l.refuse_form();
  const auto byte = [&](const Operand& o) {
    l.ptx("cvt" + rounding_word(l, true) + (l.has("FTZ") ? ".ftz." : ".") + to[0] + ".f32 %r0, %f1;",
          {{"%f1", l.f32(o)}});
    return l.binary(Op::And, l.ptx_result("%r0"), l.k32(0xff));
  };
  const ValueId low = byte(l.operand(2)), high = l.binary(Op::Shl, byte(l.operand(1)), l.k32(8));
  const ValueId above = l.binary(Op::Shl, l.word(l.operand(3)), l.k32(16));
  l.set(l.operand(0), l.binary(Op::Or, l.binary(Op::Or, low, high), above));
}

// F2F[.FTZ].to.from[.rounding] d, x
void lift_FloatToFloat(Lifter& l) {
  const auto both = types(l, is_float_type);
  if (both.size() != 2) l.refuse_form();
  const std::string &to = both[0], &from = both[1];
  const std::string rounded = rounding_word(l, false);
  const Source source = float_source(l, l.operand(1), from);
  const auto width = [](const std::string& t) { return t == "f64" ? 64 : t == "f32" ? 32 : 16; };
  std::string text = "cvt";
  if (width(to) < width(from) || (width(to) == 16 && to != from)) text += rounded;
  if (l.has("FTZ") && (to == "f32" || from == "f32")) text += ".ftz";
  if (l.has("SAT")) text += ".sat";
  l.ptx(text + "." + to + "." + from + " " + register_for(to) + ", " + source.name + ";",
        {{source.name, source.value}});
  write_float(l, to);
}

// F2FP.F16.F32.PACK_AB d, x, y: x becomes the upper half.
void lift_PackFloats(Lifter& l) {
  const std::vector<std::string>& m = l.instruction().modifiers;
  std::string to;
  const bool of_floats = l.has("F32");
  for (const std::string& word : m)
    if ((word == "F16" || word == "BF16") && l.has(word)) to = word == "F16" ? "f16" : "bf16";
  if (l.has("MERGE_C") && !to.empty() && l.operands() == 3 && l.operand(2).number == sass::kRZ) {
    const std::string limits = std::string(l.has("RELU") ? ".relu" : "") + (l.has("SATFINITE") ? ".satfinite" : "");
    l.ptx("cvt" + rounding_word(l, false) + limits + "." + to + ".f32 %h0, %f1;", {{"%f1", l.f32(l.operand(1))}});
    return l.set(l.operand(0), l.b().cast(l.ptx_result("%h0"), Type::I32));
  }
  if (to.empty() || (!l.has("PACK_AB") && !of_floats)) l.refuse_form();
  std::string text = "cvt" + rounding_word(l, false);
  if (l.has("RELU")) text += ".relu";
  if (l.has("SATFINITE")) text += ".satfinite";
  l.ptx(text + "." + to + "x2.f32 %r0, %f1, %f2;", {{"%f1", l.f32(l.operand(1))}, {"%f2", l.f32(l.operand(2))}});
  l.set(l.operand(0), l.ptx_result("%r0"));
}

// FRND[.FTZ][.type][.rounding] d, x
void lift_RoundFloat(Lifter& l) {
  const auto found = types(l, is_float_type);
  const std::string type = found.empty() ? "f32" : found[0];
  const Source source = float_source(l, l.operand(1), type);
  const std::string ftz = l.has("FTZ") && type == "f32" ? ".ftz" : "";
  l.ptx("cvt" + rounding_word(l, true) + ftz + "." + type + "." + type + " " + register_for(type) + ", " + source.name +
            ";",
        {{source.name, source.value}});
  write_float(l, type);
}

}  // namespace warplens::lift
