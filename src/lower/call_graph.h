// Which function may call which: filled in once a module, before anything is lowered.
#pragma once
#include "lower/context.h"

namespace warplens::lower {

// .alias: another name of a function.
void alias_functions(ModuleContext& module);

// ModuleContext::addressed and ::allocates.
void find_addressed(ModuleContext& module);

}  // namespace warplens::lower
