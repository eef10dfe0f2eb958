#include "sass/compile.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <regex>

#include "base/file.h"
#include "base/process.h"
#include "base/toolkit.h"

namespace warplens::sass {
namespace fs = std::filesystem;
namespace {

constexpr const char* kInstallHint =
    "install NVIDIA's CUDA toolkit, or its package for Python ('pip install nvidia-cuda-nvcc'), or name a ptxas";

// ---- the tool

// nullopt: not NVIDIA's ptxas.
std::optional<Ptxas> identify(const std::string& path, const Environment& environment) {
  const auto run = run_process({path, "--version"}, environment, std::chrono::seconds(10));
  if (!run || run->exit_code != 0 || run->timed_out || !run->output.starts_with("ptxas: NVIDIA")) return std::nullopt;
  static const std::regex kVersion("release [0-9.]+, V([0-9.]+)");
  std::smatch found;
  if (!std::regex_search(run->output, found, kVersion)) return std::nullopt;
  return Ptxas{path, found[1], run->output};
}

// Our libraries must not be in the tools.
Environment for_tools(Environment environment) {
  for (const char* name : {"LD_AUDIT", "LD_PRELOAD"}) environment.unset(name);
  return environment;
}

class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& parent) : path_(parent / "warplens-ptxas-XXXXXX") {
    std::string name = path_.string();
    path_ = mkdtemp(name.data()) ? fs::path(name) : fs::path();
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// ---- what PTX says of itself

// "90a" of ".target sm_90a, debug"; "" if there is none.
std::string target_of(const std::string& text) {
  for (size_t at = text.find(".target"); at != text.npos; at = text.find(".target", at + 1)) {
    const size_t line = text.rfind('\n', at) + 1;  // npos + 1 is 0: the first line
    const size_t start = text.find_first_not_of(" \t", at + 7);
    if (text.find_first_not_of(" \t", line) != at || start == text.npos || text.compare(start, 3, "sm_") != 0) continue;
    const size_t end = text.find_first_not_of("0123456789af", start + 3);
    return text.substr(start + 3, std::min(end, text.size()) - start - 3);
  }
  return "";
}

// sm_90; sm_90a where that is what a text is for.
std::string architecture(const AssembleRequest& request) {
  const std::string plain = std::to_string(request.sm);
  for (const std::string& text : request.texts)
    if (const std::string target = target_of(text); target.size() == plain.size() + 1 && target.starts_with(plain))
      return "sm_" + target;
  return "sm_" + plain;
}

// ---- the cache: a file of the key's length, the key, and the machine code

constexpr size_t kMaxEntries = 1024;

std::string key_text(const Ptxas& ptxas, const AssembleRequest& request, const std::string& arch) {
  std::string key = fmt::format("1\n{}\n{}\n", ptxas.identity, arch);
  for (const std::string& option : request.options) key += fmt::format("option {} {}\n", option.size(), option);
  for (const std::string& text : request.texts) key += fmt::format("text {}\n{}\n", text.size(), text);
  return key;
}

std::string hash(std::string_view text) {  // FNV-1a; the whole key is compared too
  uint64_t h = 0xcbf29ce484222325;
  for (const unsigned char c : text) h = (h ^ c) * 0x100000001b3;
  return fmt::format("{:016x}", h);
}

class Cache {
 public:
  Cache(const fs::path& cache_dir, std::string key)
      : folder_(cache_dir / "machine_code"), file_(folder_ / (hash(key) + ".cubin")), key_(std::move(key)) {}

  std::optional<std::string> find() const {
    const auto stored = read_file(file_);
    const std::string head = fmt::format("{}\n{}", key_.size(), key_);
    if (!stored || !stored->starts_with(head)) return std::nullopt;
    return stored->substr(head.size());
  }

  // Written aside and renamed, so that another process never reads half a file. Failure to write is not an error.
  void keep(const std::string& cubin) const {
    std::error_code failed;
    fs::create_directories(folder_, failed);
    const fs::path aside = fmt::format("{}.{}", file_.string(), getpid());
    {
      std::ofstream out(aside, std::ios::binary);
      out << key_.size() << '\n' << key_ << cubin;
      if (!out.flush()) failed = std::make_error_code(std::errc::io_error);
    }
    if (!failed) fs::rename(aside, file_, failed);
    if (failed) fs::remove(aside, failed);
    drop_oldest();
  }

 private:
  void drop_oldest() const {
    std::error_code failed;
    std::vector<std::pair<fs::file_time_type, fs::path>> entries;
    for (const auto& entry : fs::directory_iterator(folder_, failed))
      entries.emplace_back(entry.last_write_time(failed), entry);
    std::sort(entries.begin(), entries.end());
    for (size_t i = 0; i + kMaxEntries < entries.size(); ++i) fs::remove(entries[i].second, failed);
  }

  fs::path folder_, file_;
  std::string key_;
};

// ---- running the tools

// What a tool said, without where its files were; of many lines the first.
std::string said(std::string text, const fs::path& folder) {
  constexpr size_t kMaxBytes = 2000;
  for (size_t at; (at = text.find(folder.string() + "/")) != text.npos;) text.erase(at, folder.string().size() + 1);
  if (text.size() > kMaxBytes) text = text.substr(0, text.rfind('\n', kMaxBytes)) + "\n...";
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

Error failure_of(const Ptxas& ptxas, const std::string& arch, const std::string& text) {
  static const std::regex kVersion("Unsupported \\.version ([0-9.]+); current version is '([0-9.]+)'");
  std::smatch found;
  if (std::regex_search(text, found, kVersion))
    return {fmt::format("ptxas {} is too old for this PTX: it is of version {}, and ptxas takes {} at most",
                        ptxas.version, found[1].str(), found[2].str()),
            "name a newer ptxas, or build the program with an older toolkit"};
  if (text.find("is not defined for option 'gpu-name'") != text.npos)
    return {fmt::format("ptxas {} makes no code for {}", ptxas.version, arch), "name a ptxas of another release"};
  return {fmt::format("ptxas {} does not take the program's PTX for {}: {}", ptxas.version, arch, text), ""};
}

class Assembly {
 public:
  Assembly(const Ptxas& ptxas, const AssembleRequest& request, std::string arch, const Environment& environment)
      : ptxas_(ptxas),
        request_(request),
        arch_(std::move(arch)),
        environment_(for_tools(environment)),
        folder_(environment.get("TMPDIR").empty() ? fs::path("/tmp") : fs::path(environment.get("TMPDIR"))) {}

  Result<std::string> run() {
    if (folder_.path().empty())
      return Error{"cannot make a temporary folder", "set TMPDIR to a folder that can be written"};
    std::vector<std::string> parts;
    for (const std::string& text : request_.texts) {
      const fs::path input = folder_.path() / fmt::format("text{}.ptx", parts.size());
      std::ofstream(input, std::ios::binary) << text;
      parts.push_back(fs::path(input).replace_extension(".cubin").string());
      std::vector<std::string> command = {ptxas_.path, "-arch=" + arch_, "-lineinfo"};
      if (request_.texts.size() > 1) command.push_back("-c");
      command.insert(command.end(), request_.options.begin(), request_.options.end());
      command.insert(command.end(), {input.string(), "-o", parts.back()});
      if (const Status status = tool(command, "ptxas"); !status) return status.error();
    }
    std::string made = parts.front();
    if (parts.size() > 1) {
      made = (folder_.path() / "linked.cubin").string();
      if (const Status status = link(parts, made); !status) return status.error();
    }
    auto cubin = read_file(made);
    if (!cubin || !cubin->starts_with("\177ELF"))
      return Error{"ptxas " + ptxas_.version + " wrote no machine code", ""};
    return *std::move(cubin);
  }

 private:
  Status link(std::vector<std::string> parts, const std::string& made) {
    const std::string nvlink = environment_.find_program((fs::path(ptxas_.path).parent_path() / "nvlink").string());
    if (nvlink.empty())
      return Error{fmt::format("a program of {} parts (-rdc=true) needs nvlink, which is not beside {}", parts.size(),
                               ptxas_.path),
                   "install all of NVIDIA's CUDA toolkit, or build the program without -rdc=true"};
    std::vector<std::string> command = {nvlink, "-arch=" + arch_, "-o", made};
    command.insert(command.end(), parts.begin(), parts.end());
    return tool(command, "nvlink");
  }

  Status tool(const std::vector<std::string>& command, const char* name) {
    const auto run = run_process(command, environment_, request_.limit);
    if (!run) return run.error();
    if (run->timed_out)
      return Error{fmt::format("{} was not done with the program after {} s", name, request_.limit.count() / 1000.0),
                   "give it more time"};
    if (run->exit_code == 0) return Ok{};
    const std::string text = said(run->errors + run->output, folder_.path());
    if (name == std::string_view("ptxas")) return failure_of(ptxas_, arch_, text);
    return Error{"nvlink cannot link the program's parts: " + text, ""};
  }

  const Ptxas& ptxas_;
  const AssembleRequest& request_;
  std::string arch_;
  Environment environment_;
  TemporaryFolder folder_;
};

}  // namespace

Result<Ptxas> find_ptxas(const std::string& path, const Environment& environment) {
  const Environment clean = for_tools(environment);
  if (!path.empty()) {
    const std::string found = environment.find_program(path);
    if (found.empty()) return Error{"no ptxas '" + path + "' that can be executed", "check the path"};
    if (auto ptxas = identify(found, clean)) return *ptxas;
    return Error{"'" + found + "' is not NVIDIA's ptxas", "check the path"};
  }
  for (const std::string& candidate : toolkit_programs("ptxas", environment))
    if (auto ptxas = identify(candidate, clean)) return *ptxas;
  return Error{"no ptxas on this machine", kInstallHint};
}

Result<Assembled> assemble(const Ptxas& ptxas, const AssembleRequest& request, const Environment& environment) {
  if (request.texts.empty()) return Error{"no PTX to assemble", ""};
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const std::string arch = architecture(request);
  std::optional<Cache> cache;
  if (!request.cache_dir.empty()) cache.emplace(request.cache_dir, key_text(ptxas, request, arch));
  if (cache)
    if (auto found = cache->find()) return Assembled{*std::move(found), true, seconds()};
  Result<std::string> made = Assembly(ptxas, request, arch, environment).run();
  if (!made) return made.error();
  if (cache) cache->keep(*made);
  return Assembled{std::move(*made), false, seconds()};
}

}  // namespace warplens::sass
