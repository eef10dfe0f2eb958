// The handlers of machine instructions, by family. dispatch.cpp makes its table from instructions.def.
#pragma once
#include "lift/lifter.h"

namespace warplens::lift {

#define WL_SASS(name, handler) void lift_##handler(Lifter&);
#include "lift/instructions.def"
#undef WL_SASS

}  // namespace warplens::lift
