#include "lower/families.h"
#include "ptx/instructions.h"

namespace warplens::lower {
namespace {

void refuse_instruction(Context& c, const Instr& i) { c.unsupported(i); }

// Only the opcodes that run are asked for by name.
#define WL_HANDLER_Core(name) &lower_##name
#define WL_HANDLER_Partly(name) &lower_##name
#define WL_HANDLER_Refused(name) &refuse_instruction
constexpr Handler kHandlers[] = {
#define WL_PTX(name, text, family, status, note) WL_HANDLER_##status(name),
#include "ptx/instructions.def"
#undef WL_PTX
};

bool is_plain_integer(ScalarType type, int least_bits) {
  return type.is_integer() && !type.packed && type.bits >= least_bits && type.bits <= 64;
}

// What a type modifier may be in families whose handlers take that for granted.
bool fits(ptx::Opcode opcode, ptx::Family family, ScalarType type) {
  using enum ptx::Opcode;
  switch (family) {
    case ptx::Family::Integer: {
      const bool any_width = opcode == Addc || opcode == Subc || opcode == Madc || opcode == Sad;
      if (opcode == Dp4a || opcode == Dp2a || opcode == Mul24 || opcode == Mad24)
        return is_plain_integer(type, 32) && type.bits == 32;
      return is_plain_integer(type, any_width ? 16 : 32);
    }
    case ptx::Family::Logic: {
      const bool predicates = opcode == And || opcode == Or || opcode == Xor || opcode == Not;
      return is_plain_integer(type, 16) || (predicates && type.is_pred());
    }
    case ptx::Family::Float: {
      if (opcode == Ex2 || opcode == Tanh) return type.is_half() || type == kF32;
      if (opcode == Sin || opcode == Cos || opcode == Lg2) return type == kF32;
      return type.is_wide_float() && !type.packed;
    }
    case ptx::Family::Compare: {
      if (type.is_pred()) return opcode == Selp;
      return (type.packed ? type.is_half() : type.bits >= 16) && type.total_bits() <= 64;
    }
    case ptx::Family::Atomic:
      return !type.is_pred() && (type.packed ? type.is_half() : type.bits >= 16) && type.total_bits() <= 64;
    case ptx::Family::Warp:
      return type.is_pred() || (!type.packed && type.bits >= 32 && type.bits <= 64);
    default:
      return true;
  }
}

}  // namespace

void check_types(Context& c, const Instr& i) {
  const auto opcode = ptx::find_opcode(i.text.opcode);
  if (!opcode) return;
  for (const ScalarType type : i.types)
    if (!fits(*opcode, ptx::info(*opcode).family, type)) c.unsupported(i);
}

Handler find_handler(std::string_view opcode) {
  const auto found = ptx::find_opcode(opcode);
  return found ? kHandlers[static_cast<size_t>(*found)] : nullptr;
}

bool branches_around(std::string_view opcode) {
  using enum ptx::Opcode;
  const auto found = ptx::find_opcode(opcode);
  if (!found) return false;
  switch (*found) {
    case Alloca:
    case Brx:
    case Call:
    case Ret:
    case Exit:
    case Trap:
    case Brkpt:
    case Bar:
    case Barrier:
    case Wmma:
    case Mma:
    case Ldmatrix:
    case Stmatrix:
    case Movmatrix:
      return true;
    default:
      return false;
  }
}

}  // namespace warplens::lower
