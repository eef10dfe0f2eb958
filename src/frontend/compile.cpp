#include "frontend/compile.h"

#include <chrono>

#include "base/file.h"
#include "frontend/compilers.h"

namespace warplens::frontend {

Result<CompileOutcome> compile(const CompileRequest& request, const Environment& environment) {
  Result<Toolchain> toolchain = find_toolchain(request.compiler, request.compiler_path, environment);
  if (!toolchain) return toolchain.error();
  auto start = std::chrono::steady_clock::now();
  Result<CompileOutcome> outcome = toolchain->compiler == Compiler::Nvcc
                                       ? compile_with_nvcc(request, toolchain->path, environment)
                                       : compile_with_clang(request, toolchain->path, environment);
  if (!outcome) return outcome;
  outcome->compiler = toolchain->path;
  outcome->program = request.program;
  outcome->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

bool has_flag(const std::vector<std::string>& flags, std::initializer_list<const char*> prefixes) {
  for (const std::string& flag : flags)
    for (const char* prefix : prefixes)
      if (flag.rfind(prefix, 0) == 0) return true;
  return false;
}

std::vector<std::string> read_depfile(const std::filesystem::path& path) {
  std::string text = read_file(path).value_or(""), word;
  std::vector<std::string> words;
  size_t at = text.find(": ");
  if (at == text.npos) return {};
  auto flush = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (at += 2; at < text.size(); ++at) {
    bool escaped = text[at] == '\\' && at + 1 < text.size();
    if (escaped && text[at + 1] == '\n')
      flush(), ++at;
    else if (escaped && (text[at + 1] == ' ' || text[at + 1] == '#'))
      word += text[++at];
    else if (text[at] == '$' && at + 1 < text.size() && text[at + 1] == '$')
      word += text[++at];
    else if (text[at] == ' ' || text[at] == '\t')
      flush();
    else if (text[at] == '\n')
      break;
    else
      word += text[at];
  }
  flush();
  return words;
}

}  // namespace warplens::frontend
