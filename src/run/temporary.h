// A folder that goes away with its owner.
#pragma once
#include <filesystem>

#include "base/result.h"

namespace warplens::run {

class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make(const std::filesystem::path& parent);
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder() = default;
  std::filesystem::path path_;
};

}  // namespace warplens::run
