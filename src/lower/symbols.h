// Module variables: .global and .const with their initial bytes.
#pragma once
#include "lower/context.h"

namespace warplens::lower {

// Makes an ir::Symbol of each, function-level ones included, and fills ModuleContext::symbols. Names that cannot be
// used (textures, samplers) are entered as Name::Kind::Unusable.
void declare_symbols(ModuleContext& module);

}  // namespace warplens::lower
