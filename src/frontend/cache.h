// Programs compiled before. An entry is used again while the compiler, its flags, the environment that it heeds and
// every file that it read are the same; what could be missed is a new header that would now be found before an old one.
#pragma once
#include "frontend/compile.h"

namespace warplens::frontend {

// Like compile(), with `request.program` only giving the file's name: the outcome's `program` says where it is.
// Flags that bring in files which the compiler does not list (libraries, response files) are compiled each time.
Result<CompileOutcome> compile_cached(CompileRequest request, const std::filesystem::path& cache_dir,
                                      const Environment& environment);

}  // namespace warplens::frontend
