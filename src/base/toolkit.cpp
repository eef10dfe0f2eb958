#include "base/toolkit.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <sstream>

namespace warplens {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<unsigned> numbers_of(std::string_view version) {
  std::vector<unsigned> out;
  for (const char *at = version.data(), *end = at + version.size(); at < end; ++at) {
    unsigned number = 0;
    const auto [next, failed] = std::from_chars(at, end, number);
    if (failed == std::errc()) out.push_back(number), at = next;
  }
  return out;
}

// Where a Python in `prefix` keeps its packages.
std::vector<fs::path> site_packages(const fs::path& prefix) {
  std::vector<fs::path> out;
  for (const fs::path& python : folders_in(prefix / "lib")) {
    if (!python.filename().string().starts_with("python3")) continue;
    for (const char* name : {"site-packages", "dist-packages"}) out.push_back(python / name);
  }
  return out;
}

// nvidia/cuda_nvcc/bin of CUDA 11 and 12, nvidia/cu13/bin, triton/backends/nvidia/bin.
void add_package_folders(const fs::path& prefix, std::vector<fs::path>& out) {
  for (const fs::path& packages : site_packages(prefix)) {
    for (const fs::path& package : folders_in(packages / "nvidia"))
      if (package.filename().string().starts_with("cu")) out.push_back(package / "bin");
    out.push_back(packages / "triton/backends/nvidia/bin");
  }
}

std::vector<fs::path> path_folders(const Environment& environment) {
  std::vector<fs::path> out;
  std::istringstream text(environment.get("PATH"));
  for (std::string folder; std::getline(text, folder, ':');) out.emplace_back(folder.empty() ? "." : folder);
  return out;
}

}  // namespace

std::vector<fs::path> installed_toolkits(const fs::path& root) {
  std::vector<fs::path> versions, out;
  for (const fs::path& folder : folders_in(root))
    if (folder.filename().string().starts_with("cuda-")) versions.push_back(folder);
  std::sort(versions.begin(), versions.end(), [](const fs::path& a, const fs::path& b) {
    return numbers_of(a.filename().string()) > numbers_of(b.filename().string());
  });
  std::error_code unknown;
  if (fs::is_directory(root / "cuda", unknown)) out.push_back(root / "cuda");
  out.insert(out.end(), versions.begin(), versions.end());
  return out;
}

std::vector<std::string> toolkit_programs(const std::string& name, const Environment& environment,
                                          const fs::path& root) {
  std::vector<fs::path> folders;
  if (const std::string toolkit = environment.get("CUDA_PATH"); !toolkit.empty())
    folders.push_back(fs::path(toolkit) / "bin");
  const std::vector<fs::path> path = path_folders(environment);
  folders.insert(folders.end(), path.begin(), path.end());
  for (const fs::path& toolkit : installed_toolkits(root)) folders.push_back(toolkit / "bin");
  if (const std::string python = environment.get("VIRTUAL_ENV"); !python.empty()) add_package_folders(python, folders);
  for (const fs::path& folder : path)
    if (folder.filename() == "bin") add_package_folders(folder.parent_path(), folders);
  if (const std::string home = environment.get("HOME"); !home.empty())
    add_package_folders(fs::path(home) / ".local", folders);
  std::vector<std::string> out;
  for (const fs::path& folder : folders) {
    std::string program = (folder / name).string();
    std::error_code unknown;
    if (access(program.c_str(), X_OK) != 0 || !fs::is_regular_file(program, unknown)) continue;
    if (std::find(out.begin(), out.end(), program) == out.end()) out.push_back(std::move(program));
  }
  return out;
}

}  // namespace warplens
