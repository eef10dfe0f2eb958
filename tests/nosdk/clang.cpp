#include "nosdk/clang.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace warplens::test {
namespace fs = std::filesystem;
namespace {

const fs::path kReference = fs::path(WARPLENS_SOURCE_DIR) / "../shared";

}  // namespace

Compiled compile_with_clang(const fs::path& source, const std::vector<std::string>& flags) {
  Folder folder;
  frontend::CompileRequest request;
  request.source = source;
  request.program = folder / "program";
  request.compiler = frontend::Compiler::Clang;
  request.flags = flags;
  request.include_dir = fs::path(WARPLENS_SOURCE_DIR) / "include/warplens/cuda";
  request.library_dir = fs::path(WARPLENS_BINARY_DIR) / "lib";
  Result<frontend::CompileOutcome> outcome = frontend::compile(request, Environment(environ));
  Compiled compiled;
  if (!outcome) {
    compiled.messages = outcome.error().what;
    return compiled;
  }
  compiled.ok = outcome->exit_code == 0;
  compiled.messages = outcome->messages;
  compiled.dependencies = outcome->dependencies;
  std::ifstream file(request.program.string() + ".ptx");
  std::stringstream text;
  text << file.rdbuf();
  compiled.ptx = text.str();
  return compiled;
}

Compiled compile_text_with_clang(const std::string& source) {
  Folder folder;
  std::ofstream(folder / "text.cu") << source << "\nint main() { return 0; }\n";
  return compile_with_clang(folder / "text.cu");
}

std::vector<std::string> hiding_the_toolkit() {
  if (geteuid() != 0 || std::system("unshare -m true 2>/dev/null") != 0) return {};
  return {"unshare", "-m", "sh", "-c",
          "for folder in /usr/local/cuda*/ /usr/local/include; do"
          "  [ ! -d $folder ] || mount -t tmpfs none $folder || exit 125; done;"
          "while nvcc=$(command -v nvcc); do mount --bind /dev/null \"$nvcc\" || exit 125; done;"
          "exec \"$0\" \"$@\""};
}

std::vector<fs::path> seeds() {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(kReference / "seeds", ignored))
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

fs::path probes() {
  fs::path file = kReference / "probes/probes.cu";
  return fs::exists(file) ? file : fs::path();
}

}  // namespace warplens::test
