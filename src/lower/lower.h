// PTX -> IR: every kernel of a module in SSA form with all device functions inlined.
#pragma once
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "ir/ir.h"
#include "ptx/module.h"

namespace warplens::lower {

struct LowerResult {
  ir::Module module;
  Diagnostics
      diagnostics;  // what the text has wrong, and what Warplens cannot run yet; the module is valid all the same
};

// Never fails: what cannot be translated becomes a Trap of kind Unsupported at that place, so that only executing it is
// refused. The result passes ir::verify, its blocks stand in reverse post-order and none is unreachable.
// `file_name` is the PTX's name as the user knows it, for diagnostics.
LowerResult lower(const ptx::Module& module, std::string_view file_name);

// Joins the modules of one relocatable program (nvcc -rdc) by name: a definition replaces declarations, names that are
// local to their module are kept apart, the files of line information are renumbered. Two definitions of one name that
// are not weak: a diagnostic, and the first wins.
struct LinkResult {
  ptx::Module module;
  Diagnostics diagnostics;
};
LinkResult link(std::vector<ptx::Module> modules);

}  // namespace warplens::lower
