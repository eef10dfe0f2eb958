// Opcodes whose family the type decides.
#include "lower/families.h"

namespace warplens::lower {
namespace {

void arithmetic(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  if (i.types.size() > 1 && !(i.types[0] == i.types[1])) c.unsupported(i);  // add.f32.f16: mixed precision
  if (type.is_half()) return lower_half_arithmetic(c, i);
  if (type.kind == ScalarType::Kind::Float) return lower_float_arithmetic(c, i);
  const std::string& opcode = i.text.opcode;
  const bool has_packed_form = opcode == "add" || opcode == "sub" || opcode == "min" || opcode == "max";
  if (type.is_pred() || type.bits < 16 || type.bits > 64 || (type.packed && (type.bits != 16 || !has_packed_form)))
    c.unsupported(i);
  lower_integer_arithmetic(c, i);
}

}  // namespace

void lower_Add(Context& c, const Instr& i) { arithmetic(c, i); }
void lower_Sub(Context& c, const Instr& i) { arithmetic(c, i); }
void lower_Mul(Context& c, const Instr& i) { arithmetic(c, i); }
void lower_Mad(Context& c, const Instr& i) { arithmetic(c, i); }
void lower_Fma(Context& c, const Instr& i) { arithmetic(c, i); }
void lower_Div(Context& c, const Instr& i) { arithmetic(c, i); }
void lower_Rem(Context& c, const Instr& i) { arithmetic(c, i); }
void lower_Abs(Context& c, const Instr& i) { arithmetic(c, i); }
void lower_Neg(Context& c, const Instr& i) { arithmetic(c, i); }
void lower_Min(Context& c, const Instr& i) { arithmetic(c, i); }
void lower_Max(Context& c, const Instr& i) { arithmetic(c, i); }

}  // namespace warplens::lower
