#include "base/check.h"
#include "ir/math.h"
#include "reference/values.h"

namespace warplens::reference {

uint64_t compute_math_call(const ir::Inst& inst, const std::vector<uint64_t>& args) {
  WL_CHECK(false, std::string("the reference does not know ") + ir::math_function(static_cast<uint32_t>(inst.imm)).name);
}

}  // namespace warplens::reference
