// Parts of sentences that several rules need.
#pragma once
#include <string>

#include "findings/access.h"

namespace warplens::findings {

std::string verb(const Access& access);  // "read", "write", "update"
std::string name(const Access& access);  // "`in`", or "global memory" where it has none
std::string bytes(int64_t n);            // "4,096 bytes", "1 byte"
// "1,179,648 sectors -> 262,144 [counted]"
std::string fewer(const char* unit, uint64_t now, uint64_t then, const char* fidelity);
double per(uint64_t a, uint64_t b);  // a / b, 0 for b = 0

}  // namespace warplens::findings
