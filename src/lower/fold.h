// What a pure operation is worth knowing about at once: constants, identities, casts of casts.
#pragma once
#include <optional>

#include "ir/ir.h"
#include "lower/builder.h"

namespace warplens::lower {

// The value that `inst` equals, if it needs no instruction of its own.
std::optional<ir::ValueId> fold(Builder& builder, const ir::Inst& inst);

bool commutes(ir::Op op);  // of the integer operations

}  // namespace warplens::lower
