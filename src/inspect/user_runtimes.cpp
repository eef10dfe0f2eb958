#include "inspect/user_runtimes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/file.h"
#include "elf/build_table.h"
#include "elf/mapped_file.h"
#include "elf/static_runtime.h"

namespace warplens::inspect {
namespace fs = std::filesystem;
namespace {

constexpr const char* kArchive = "libcudart_static.a";

void add_if_there(const fs::path& path, std::vector<fs::path>& found) {
  std::error_code failed;
  fs::path real = fs::canonical(path, failed);
  if (!failed && std::find(found.begin(), found.end(), real) == found.end()) found.push_back(real);
}

// "13" + the path: the number says which of our libraries serves it.
std::string release_name(const elf::BuiltRelease& built, const fs::path& path) {
  auto has = [&](const char* name) {
    return std::any_of(built.functions.begin(), built.functions.end(), [&](const auto& f) { return f.first == name; });
  };
  std::string place = path.parent_path().string();
  std::replace(place.begin(), place.end(), ' ', '_');
  return fmt::format("{}.x:{}", elf::major_by_names(has), place);
}

bool is_known(const elf::Release& release, const elf::RuntimeTable& known) {
  return std::any_of(known.releases.begin(), known.releases.end(), [&](const elf::Release& r) {
    return r.text_bytes == release.text_bytes && r.anchor.hash == release.anchor.hash;
  });
}

// One column, or "".
std::string table_of(const fs::path& archive, const elf::RuntimeTable& known) {
  elf::MappedFile file(archive.c_str());
  auto built = elf::build_release(file.bytes(), "");
  if (!built || is_known(built->release, known)) return "";
  std::string name = release_name(*built, archive);
  built->release.name = name;
  return elf::with_release({}, *built);
}

// What is written for an archive stays true while its path, size and time do.
fs::path cache_file(const fs::path& cache_dir, const fs::path& archive) {
  std::error_code failed;
  auto size = fs::file_size(archive, failed);
  auto time = fs::last_write_time(archive, failed).time_since_epoch().count();
  std::string key = fmt::format("{} {} {} {}", archive.string(), size, time, WARPLENS_VERSION);
  return cache_dir / fmt::format("cudart-{:016x}.txt", elf::hash(std::as_bytes(std::span(key))));
}

std::string cached_table_of(const fs::path& archive, const elf::RuntimeTable& known, const fs::path& cache_dir) {
  if (cache_dir.empty()) return table_of(archive, known);
  fs::path path = cache_file(cache_dir, archive);
  if (auto text = read_file(path)) return *text;
  std::string table = table_of(archive, known);
  std::error_code ignored;
  fs::create_directories(cache_dir, ignored);
  fs::path temporary = path.string() + "." + std::to_string(getpid());
  std::ofstream(temporary, std::ios::binary) << table << std::flush;
  fs::rename(temporary, path, ignored);
  return table;
}

}  // namespace

std::vector<fs::path> find_runtime_archives(const Environment& environment) {
  std::vector<fs::path> found;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string root = environment.get(variable); !root.empty())
      for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib"})
        add_if_there(fs::path(root) / folder / kArchive, found);
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/usr/local", failed))
    if (entry.path().filename().string().starts_with("cuda")) add_if_there(entry.path() / "lib64" / kArchive, found);
  add_if_there(fs::path("/usr/lib/x86_64-linux-gnu") / kArchive, found);
  return found;
}

std::string user_runtime_table(const std::vector<fs::path>& archives, const elf::RuntimeTable& known,
                               const fs::path& cache_dir) {
  std::string text;
  for (const fs::path& archive : archives) {
    std::string one = cached_table_of(archive, known, cache_dir);
    if (one.empty()) continue;
    elf::RuntimeTable all, more;
    if (!elf::read_runtime_table(text, all) || !elf::read_runtime_table(one, more) || more.releases.size() != 1)
      continue;
    elf::BuiltRelease built{more.releases[0], {}};
    for (const elf::KnownFunction& f : more.functions) built.functions.emplace_back(f.name, f.offsets[0]);
    text = elf::with_release(all, built);
  }
  return text;
}

}  // namespace warplens::inspect
