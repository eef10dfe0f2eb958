// ptx::Module -> PTX text, one statement a line, in the order of Module::order.
//
// For every module that parse() made without an error, parse(print(module)) is the same module (ptx/equal.h): positions
// and comments are all that is lost.
#pragma once
#include <string>

#include "ptx/module.h"

namespace warplens::ptx {

std::string print(const Module& module);

// One part on its own, as print() would write it, without the newline; for messages and tests.
std::string print(const Instruction& instruction);
std::string print(const Operand& operand);

}  // namespace warplens::ptx
