// Reads the text form of print.h back. print(parse(text)) == text for everything that print wrote (raw numbers apart).
#pragma once
#include <string_view>

#include "base/result.h"
#include "ir/ir.h"

namespace warplens::ir {

Result<Module> parse(std::string_view text);

}  // namespace warplens::ir
