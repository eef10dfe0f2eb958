#include "run/compile.h"

#include "frontend/cache.h"

namespace warplens::run {
namespace fs = std::filesystem;

Result<frontend::CompileOutcome> compile_source(const RunOptions& options, const fs::path& source,
                                                const Install& install, const fs::path& folder,
                                                const Environment& environment, bool link) {
  const fs::path& kept = options.keep_dir.empty() ? folder : options.keep_dir;
  std::error_code failed;
  fs::create_directories(kept, failed);
  if (failed) return Error{"cannot make the folder '" + kept.string() + "': " + failed.message(), ""};
  frontend::CompileRequest request;
  request.source = source;
  request.program = kept / source.stem();
  request.compiler = options.compiler;
  request.compiler_path = options.compiler_path;
  request.sm = options.sm;
  request.flags = options.compiler_flags;
  request.include_dir = install.headers;
  request.library_dir = install.libraries;
  request.color = options.color;
  request.link = link;
  const bool cached = options.keep_dir.empty() && !options.cache_dir.empty();
  return cached ? frontend::compile_cached(request, options.cache_dir, environment)
                : frontend::compile(request, environment);
}

}  // namespace warplens::run
