// Accesses in words.
#pragma once
#include <optional>
#include <string>

#include "report/summary.h"

namespace warplens::report {

// What PTX calls an address, in the program's words: the parameter's name, "argument 2" for "name_param_1" where it has
// none; of "f()::tile", "tile" will do.
std::string operand_words(const std::string& operand, const std::vector<Parameter>& parameters);

// An access without line information: "PTX line 80: ld.global.f32", "machine code 0x110: LDG.E R2, desc[UR4][R2.64]".
std::string place_words(const std::string& opcode, uint32_t ptx_line, std::optional<uint32_t> machine_offset);

std::string kind_words(const AccessRow& row);         // "load 16 B (4x4)", "5 branches"
std::string name_words(const AccessRow& row);         // "argument 1", "tile"; empty if not known
std::string access_words(const AccessRow& row);       // both: "load 16 B (4x4) argument 1"
std::string detail_words(const AccessRow& row);       // the pattern and, if there are several, "16 instructions"
std::string pattern_words(const SiteCounts& counts);  // "unit stride", or "unit stride 97 %, irregular 3 %"

}  // namespace warplens::report
