#include "base/file.h"

#include <fstream>
#include <sstream>
#include <system_error>

namespace warplens {

std::optional<std::string> read_file(const std::filesystem::path& path) {
  std::error_code unknown;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, unknown)) return std::nullopt;
  std::stringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

}  // namespace warplens
