// Whether two modules say the same thing: all of them compared, except where in the text (SourcePos) each part stood.
#pragma once
#include "ptx/module.h"

namespace warplens::ptx {

bool equal(const Operand& a, const Operand& b);
bool equal(const Module& a, const Module& b);

}  // namespace warplens::ptx
