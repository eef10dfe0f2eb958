// Accesses in words.
#pragma once
#include <string>

#include "report/summary.h"

namespace warplens::report {

std::string kind_words(const AccessRow& row);         // "load 16 B (4x4)", "5 branches"
std::string name_words(const AccessRow& row);         // "argument 1", "tile"; empty if not known
std::string access_words(const AccessRow& row);       // both: "load 16 B (4x4) argument 1"
std::string detail_words(const AccessRow& row);       // the pattern and, if there are several, "16 instructions"
std::string pattern_words(const SiteCounts& counts);  // "unit stride", or "unit stride 97 %, irregular 3 %"

}  // namespace warplens::report
