// A file as text.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace warplens {

// All of it; nullopt where it cannot be read, or is a folder.
std::optional<std::string> read_file(const std::filesystem::path& path);

}  // namespace warplens
