#include "run/input.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "base/process.h"
#include "elf/mapped_file.h"
#include "inspect/remarks.h"

namespace warplens::run {
namespace fs = std::filesystem;
namespace {

bool is_source(const fs::path& path) { return path.extension() == ".cu"; }

std::string quoted(const fs::path& path) { return fmt::format("'{}'", path.string()); }

bool starts_with(const fs::path& path, std::string_view magic) {
  std::string start(magic.size(), 0);
  std::ifstream(path, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
  return start == magic;
}

Error cannot_run(const fs::path& program, const std::string& why) {
  return {quoted(program) + " cannot be run: " + why, "give a .cu file, a program, or a script that starts one"};
}

Error check_files(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return {quoted(path) + " is a folder", "name the program or .cu file in it"};
  if (access(path.c_str(), R_OK) != 0) return {quoted(path) + " cannot be read", "check its permissions"};
  if (is_source(path)) return {};
  if (path.extension() == ".ptx")
    return {quoted(path) + " holds kernels, but no program that launches them",
            "run the program that loads it, or the .cu file that it was made from"};
  if (!starts_with(path, "#!") && !starts_with(path, ELFMAG)) return cannot_run(path, "it is no program at all");
  if (access(path.c_str(), X_OK) != 0)
    return {quoted(path) + " is not executable", "make it so: chmod +x " + shell_quoted({path.string()})};
  return {};
}

Status check_linkage(const fs::path& program, const inspect::Linkage& linkage) {
  if (auto problem = inspect::linkage_problem(linkage))
    return Error{quoted(program) + " cannot be run: " + problem->what, problem->hint};
  if (!linkage.executable) return cannot_run(program, "it is an object file");
  if (!linkage.has_interpreter && !linkage.needed.empty()) return cannot_run(program, "it is a library");
  return Ok{};
}

}  // namespace

Result<Input> find_input(const std::string& name, const Environment& environment, Refusal& refusal) {
  fs::path path = name;
  std::error_code ignored;
  refusal = Refusal::NotFound;
  if (name.empty()) return Error{"the program's name is empty", "name a .cu file or a program"};
  if (!fs::exists(path, ignored) && name.find('/') == name.npos && !is_source(path))
    if (std::string found = environment.find_program(name); !found.empty()) path = found;
  refusal = Refusal::NotFound;
  if (!fs::exists(path, ignored)) return Error{"no such file: " + quoted(path), "check the name and the folder"};
  refusal = Refusal::CannotRun;
  if (Error error = check_files(path); !error.what.empty()) return error;
  refusal = Refusal::None;
  return Input{is_source(path) ? Input::Kind::Source : Input::Kind::Program, path};
}

Status check_program(const fs::path& program, std::span<const elf::RuntimeTable> runtimes) {
  elf::MappedFile file(program.c_str());
  auto view = elf::View::of(file.bytes());
  if (!view)
    return starts_with(program, ELFMAG) ? Status(cannot_run(program, "it is damaged, or not for 64-bit machines"))
                                        : Ok{};
  return check_linkage(program, inspect::linkage_of(*view, runtimes));
}

}  // namespace warplens::run
