// A .cu file that the user named, as a program.
#pragma once
#include <filesystem>

#include "frontend/compile.h"
#include "run/install.h"
#include "run/run.h"

namespace warplens::run {

// Compiled now or by an earlier run, with the compiler, flags and GPU of `options`. `folder`: for what is made on the
// way, where options.keep_dir names none. `link` false: an object alone.
Result<frontend::CompileOutcome> compile_source(const RunOptions& options, const std::filesystem::path& source,
                                                const Install& install, const std::filesystem::path& folder,
                                                const Environment& environment, bool link = true);

}  // namespace warplens::run
