#include <array>
#include <type_traits>

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

}  // namespace

Handler find_handler(std::string_view opcode) {
  const auto found = ptx::find_opcode(opcode);
  return found ? kHandlers[static_cast<size_t>(*found)] : nullptr;
}

bool branches_around(std::string_view opcode) {
  using enum ptx::Opcode;
  const auto found = ptx::find_opcode(opcode);
  if (!found) return false;
  switch (*found) {
    case Brx: case Call: case Ret: case Exit: case Trap: case Brkpt: case Bar: case Barrier: return true;
    default: return false;
  }
}

}  // namespace warplens::lower
