#include "run/input.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/process.h"
#include "run/elf.h"

namespace warplens::run {
namespace fs = std::filesystem;
namespace {

constexpr const char* kScriptMagic = "#!";
constexpr const char* kRuntimePrefix = "libcudart.so.";

bool is_source(const fs::path& path) { return path.extension() == ".cu"; }

std::string quoted(const fs::path& path) { return fmt::format("'{}'", path.string()); }

Error not_cuda(const fs::path& program, const std::string& why) {
  return {quoted(program) + " is not a CUDA program: " + why,
          "give a .cu file, or a program built with 'nvcc -lineinfo -cudart shared'"};
}

bool starts_with(const fs::path& path, std::string_view magic) {
  std::string start(magic.size(), 0);
  std::ifstream(path, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
  return start == magic;
}

std::string runtime_of(const ElfFacts& facts) {
  for (const std::string& name : facts.needed)
    if (name.rfind(kRuntimePrefix, 0) == 0) return name;
  return "";
}

struct Library {
  std::string name;
  fs::path path;  // empty: not found
};

// What the loader would load, all levels, as it says itself ("name => path (address)"); it runs nothing of the program.
std::vector<Library> loaded_libraries(const fs::path& program, Environment environment) {
  environment.set("LD_TRACE_LOADED_OBJECTS", "1");
  Result<ProcessOutput> trace = run_process({fs::absolute(program).string()}, environment);
  std::vector<Library> libraries;
  if (!trace) return libraries;
  std::istringstream lines(trace->output);
  for (std::string line; std::getline(lines, line);) {
    size_t arrow = line.find(" => "), name = line.find_first_not_of(" \t");
    if (arrow == line.npos) continue;
    std::string target = line.substr(arrow + 4);
    if (size_t address = target.rfind(" ("); address != target.npos) target.resize(address);
    libraries.push_back({line.substr(name, arrow - name), target == "not found" ? fs::path() : fs::path(target)});
  }
  return libraries;
}

Error static_runtime(const fs::path& file) {
  return {quoted(file) + " has NVIDIA's CUDA runtime linked into it, which Warplens cannot replace yet",
          "rebuild it with '-cudart shared' (CMake: CUDA_RUNTIME_LIBRARY Shared), and -lineinfo for source lines"};
}

Result<CudaUse> served(const fs::path& program, const std::string& runtime, bool must_preload,
                       const fs::path& library_dir) {
  if (fs::exists(library_dir / runtime)) return CudaUse{runtime, must_preload};
  return Error{quoted(program) + " needs " + runtime + ", a CUDA runtime version that Warplens does not stand in for",
               "rebuild it with CUDA 13"};
}

// The CUDA code, or the RPATH, may be in a library that the program loads.
Result<CudaUse> inspect_libraries(const fs::path& program, const ElfFacts& facts, const fs::path& library_dir,
                                  Environment environment) {
  environment.prepend_path("LD_LIBRARY_PATH", library_dir.string());
  std::string runtime;
  bool other_runtime = false;
  for (const Library& library : loaded_libraries(program, environment)) {
    if (library.name.rfind(kRuntimePrefix, 0) == 0) {
      runtime = library.name;
      std::error_code ignored;
      other_runtime = !library.path.empty() && !fs::equivalent(library.path, library_dir / runtime, ignored);
      continue;
    }
    if (library.path.empty()) continue;
    if (auto other = read_elf(library.path); other && other->has_fat_binary && other->has_static_cudart)
      return static_runtime(library.path);
  }
  // It may load libcuda or a runtime later, as Python does, or start programs that do.
  if (runtime.empty()) return CudaUse{};
  return served(program, runtime, other_runtime, library_dir);
}

}  // namespace

Result<Input> find_input(const std::string& name, const Environment& environment, Refusal& refusal) {
  fs::path path = name;
  std::error_code ignored;
  if (!fs::exists(path, ignored) && name.find('/') == name.npos && !is_source(path))
    if (std::string found = environment.find_program(name); !found.empty()) path = found;
  refusal = Refusal::NotFound;
  if (!fs::exists(path, ignored)) return Error{"no such file: " + quoted(path), "check the name and the folder"};
  refusal = Refusal::CannotRun;
  if (fs::is_directory(path, ignored))
    return Error{quoted(path) + " is a folder", "name the program or .cu file in it"};
  if (access(path.c_str(), R_OK) != 0) return Error{quoted(path) + " cannot be read", "check its permissions"};
  if (is_source(path)) {
    refusal = Refusal::None;
    return Input{Input::Kind::Source, path};
  }
  if (path.extension() == ".ptx")
    return Error{quoted(path) + " holds kernels, but no program that launches them",
                 "run the program that loads it, or the .cu file that it was made from"};
  if (!starts_with(path, kScriptMagic) && !read_elf(path)) return not_cuda(path, "it is no program at all");
  if (access(path.c_str(), X_OK) != 0)
    return Error{quoted(path) + " is not executable", "make it so: chmod +x " + shell_quoted({path.string()})};
  refusal = Refusal::None;
  return Input{Input::Kind::Program, path};
}

Result<CudaUse> inspect_program(const fs::path& program, const fs::path& library_dir, const Environment& environment) {
  if (starts_with(program, kScriptMagic)) return CudaUse{};
  auto facts = read_elf(program);
  if (!facts) return not_cuda(program, "it is no program at all");
  if (!facts->is_64bit_native) return not_cuda(program, "it is built for another kind of processor");
  if (!facts->is_executable) return not_cuda(program, "it is an object file");
  if (facts->has_fat_binary && facts->has_static_cudart) return static_runtime(program);
  // The loader is asked below, and a program that does without it would just run.
  if (!facts->has_interpreter)
    return not_cuda(program,
                    facts->needed.empty() ? "it is linked statically and holds no device code" : "it is a library");
  if (std::string runtime = runtime_of(*facts); !runtime.empty() && !facts->has_rpath)
    return served(program, runtime, false, library_dir);
  return inspect_libraries(program, *facts, library_dir, environment);
}

}  // namespace warplens::run
