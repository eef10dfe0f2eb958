// What the audit library has to say, on stderr and in the record of the run.
#pragma once
#include <string>

namespace warplens::audit {

// The variable's value, or "".
std::string environment(const char* name);

void say_error(const std::string& what, const std::string& hint);

}  // namespace warplens::audit
