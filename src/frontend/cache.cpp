#include "frontend/cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>

#include "base/file.h"

namespace warplens::frontend {
namespace fs = std::filesystem;
namespace {

constexpr size_t kMaxEntries = 64;

// What tells that a file is not the one it was: size, inode and time of change. Empty if it is not there.
std::string stamp(const fs::path& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return "";
  return fmt::format("{}.{}.{}.{:09}", status.st_size, status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

bool changed_since(const fs::path& path, std::chrono::system_clock::time_point when) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return true;
  auto modified = std::chrono::seconds(status.st_mtim.tv_sec) + std::chrono::nanoseconds(status.st_mtim.tv_nsec);
  return modified >= when.time_since_epoch();
}

// Flags whose every input is in the list of files that the compiler writes.
bool lists_its_inputs(const std::string& flag) {
  for (const char* prefix : {"-D",
                             "-U",
                             "-I",
                             "-std",
                             "--std",
                             "-O",
                             "-arch",
                             "--gpu-architecture",
                             "-gencode",
                             "--generate-code",
                             "-W",
                             "-w",
                             "-G",
                             "-g",
                             "-lineinfo",
                             "--generate-line-info",
                             "-use_fast_math",
                             "--use_fast_math",
                             "--expt",
                             "-expt",
                             "--extended",
                             "-extended",
                             "-fmad",
                             "--fmad",
                             "-ftz",
                             "-prec",
                             "-maxrregcount",
                             "--maxrregcount"})
    if (flag.rfind(prefix, 0) == 0)
      return flag != "-gencode" && flag != "-arch" && flag != "-I";  // value in the next word
  return false;
}

bool heeded_by_compilers(std::string_view variable) {
  for (std::string_view prefix : {"NVCC_", "CUDA", "CPATH=", "C_INCLUDE_PATH=", "CPLUS_INCLUDE_PATH=", "CCC_", "GCC_",
                                  "COMPILER_PATH=", "LIBRARY_PATH=", "PATH=", "SOURCE_DATE_EPOCH="})
    if (variable.substr(0, prefix.size()) == prefix) return true;
  return false;
}

std::string key_text(const CompileRequest& request, const Toolchain& toolchain, const Environment& environment) {
  std::error_code ignored;
  std::string text = fmt::format("2\n{} {}\n{}\nsm {}\n{}\n{}\n", toolchain.path, stamp(toolchain.path),
                                 fs::absolute(request.source, ignored).string(), request.sm,
                                 fs::current_path(ignored).string(), request.include_dir.string());
  if (!request.link) text += "an object\n";
  for (const std::string& flag : request.flags) text += "flag " + flag + "\n";
  for (const std::string& variable : environment.strings())
    if (heeded_by_compilers(variable)) text += "env " + variable + "\n";
  return text;
}

std::string hash(std::string_view text) {  // FNV-1a; the whole text is compared too
  uint64_t h = 0xcbf29ce484222325;
  for (unsigned char c : text) h = (h ^ c) * 0x100000001b3;
  return fmt::format("{:016x}", h);
}

// One folder a program: the program, `key` (key_text), `files` (stamp and path of each dependency) and `messages`.
class Entry {
 public:
  Entry(fs::path folder, std::string key) : folder_(std::move(folder)), key_(std::move(key)) {}

  bool valid(const std::string& name) const {
    if (access((folder_ / name).c_str(), R_OK) != 0 || read_file(folder_ / "key") != key_) return false;
    std::istringstream files(read_file(folder_ / "files").value_or(""));
    for (std::string line; std::getline(files, line);) {
      size_t space = line.find(' ');
      if (space == line.npos || stamp(line.substr(space + 1)) != line.substr(0, space)) return false;
    }
    return true;
  }

  std::string messages() const { return read_file(folder_ / "messages").value_or(""); }

  // Moves a finished folder into place; another run may do the same at the same time, and either is as good.
  bool adopt(const fs::path& made, const CompileOutcome& outcome) const {
    std::ofstream(made / "key") << key_;
    std::ofstream(made / "messages") << outcome.messages;
    std::ofstream files(made / "files");
    for (const std::string& file : outcome.dependencies) files << stamp(file) << ' ' << file << '\n';
    files.close();
    if (!files) return false;
    std::error_code failed;
    fs::remove_all(folder_, failed);
    fs::rename(made, folder_, failed);
    return !failed;
  }

 private:
  fs::path folder_;
  std::string key_;
};

void drop_oldest(const fs::path& root) {
  std::error_code failed;
  std::vector<std::pair<fs::file_time_type, fs::path>> entries;
  for (const auto& entry : fs::directory_iterator(root, failed))
    entries.emplace_back(entry.last_write_time(failed), entry);
  std::sort(entries.begin(), entries.end());
  for (size_t i = 0; i + kMaxEntries < entries.size(); ++i) fs::remove_all(entries[i].second, failed);
}

// A dependency that changed while the compiler ran may have been read before or after.
bool safe_to_keep(const CompileOutcome& outcome, std::chrono::system_clock::time_point start) {
  return !outcome.dependencies.empty() && std::none_of(outcome.dependencies.begin(), outcome.dependencies.end(),
                                                       [&](const auto& file) { return changed_since(file, start); });
}

}  // namespace

Result<CompileOutcome> compile_cached(CompileRequest request, const fs::path& cache_dir,
                                      const Environment& environment) {
  Result<Toolchain> toolchain = find_toolchain(request.compiler, request.compiler_path, environment);
  if (!toolchain) return toolchain.error();
  std::string name = request.program.filename().string(), key = key_text(request, *toolchain, environment);
  fs::path root = cache_dir / "programs", folder = root / hash(key);
  bool cacheable = std::all_of(request.flags.begin(), request.flags.end(), lists_its_inputs);
  Entry entry(folder, key);
  if (cacheable && entry.valid(name)) {
    CompileOutcome outcome;
    outcome.messages = entry.messages();
    outcome.compiler = toolchain->path;
    outcome.program = folder / name;
    outcome.from_cache = true;
    return outcome;
  }
  std::error_code failed;
  fs::create_directories(root, failed);
  std::string made = (root / "new-XXXXXX").string();
  if (!cacheable || failed || !mkdtemp(made.data())) return compile(request, environment);
  auto start = std::chrono::system_clock::now();
  CompileRequest into_cache = request;
  into_cache.program = fs::path(made) / name;
  Result<CompileOutcome> outcome = compile(into_cache, environment);
  if (outcome && outcome->exit_code == 0) {
    bool kept = safe_to_keep(*outcome, start) && entry.adopt(made, *outcome);
    if (kept)
      outcome->program = folder / name;
    else
      fs::copy_file(into_cache.program, request.program, fs::copy_options::overwrite_existing, failed),
          outcome->program = request.program;
    if (!kept && failed) return Error{"cannot write '" + request.program.string() + "': " + failed.message(), ""};
  }
  fs::remove_all(made, failed);
  drop_oldest(root);
  return outcome;
}

}  // namespace warplens::frontend
