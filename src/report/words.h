// Accesses in words.
#pragma once
#include <string>

#include "report/summary.h"

namespace warplens::report {

std::string access_words(const AccessRow& row);       // "load 16 B (4x4) argument 1, 16 copies"
std::string pattern_words(const SiteCounts& counts);  // "unit stride", or "unit stride 97 %, irregular 3 %"

}  // namespace warplens::report
