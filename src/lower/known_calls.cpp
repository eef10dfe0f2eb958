// Functions without a body in the PTX: what the device run-time library would bring.
#include "lower/context.h"

namespace warplens::lower {

bool Context::call_known(const std::string& name, const ptx::Operand* results, const ptx::Operand* arguments) {
  if (name == "__assertfail" || name == "__assert_fail") {
    trap(ir::TrapKind::Assert, where() + ": assertion failed");
    return true;
  }
  return false;
}

}  // namespace warplens::lower
