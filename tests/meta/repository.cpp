#include "meta/repository.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace warplens::meta {

namespace fs = std::filesystem;

static bool is_skipped_folder(const std::string& name) {
  return name == ".git" || name == "out" || name == "build" || name.starts_with("build-");
}

std::vector<File> read_repository(const std::string& top) {
  std::vector<File> files;
  for (auto it = fs::recursive_directory_iterator(top); it != fs::recursive_directory_iterator(); ++it) {
    if (it->is_directory() && is_skipped_folder(it->path().filename().string())) it.disable_recursion_pending();
    if (!it->is_regular_file()) continue;
    std::ifstream in(it->path(), std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    if (text.str().find('\0') != std::string::npos) continue;
    files.push_back({fs::relative(it->path(), top).generic_string(), text.str()});
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.path < b.path; });
  return files;
}

std::string source_folder(std::string_view path) {
  if (!path.starts_with("src/")) return "";
  path.remove_prefix(4);
  const size_t slash = path.find('/');
  return slash == std::string_view::npos ? "" : std::string(path.substr(0, slash));
}

bool is_cpp(std::string_view path) { return path.ends_with(".cpp") || path.ends_with(".h"); }

}  // namespace warplens::meta
