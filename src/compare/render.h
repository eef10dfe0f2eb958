// A Comparison for people and for programs.
#pragma once
#include <string>

#include "compare/compare.h"

namespace warplens::compare {

struct RenderOptions {
  bool all = false;    // equal figures too, not only their number
  bool color = false;  // ANSI colours
};

std::string render_text(const Comparison& comparison, const RenderOptions& options);

inline constexpr const char* kSchema = "warplens-compare/1";

// {"schema", "agrees", "equal", "different", "counted_different", "launches": [{"index", "kernel", "grid", "block",
// "code", "other_machine_code", "figures": [...], "places": [{"where", "figures"}]}], "only_in_run", "only_in_profile",
// "warnings"}; a figure is {"name", "run", "profile", "equal", "fidelity", "as_ptx", "cause"}.
std::string render_json(const Comparison& comparison);

}  // namespace warplens::compare
