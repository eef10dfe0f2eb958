#include "run/temporary.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace warplens::run {

Result<TemporaryFolder> TemporaryFolder::make(const std::filesystem::path& parent) {
  std::string name = (parent / "warplens-XXXXXX").string();
  if (!mkdtemp(name.data()))
    return Error{"cannot make a folder in '" + parent.string() + "': " + std::strerror(errno),
                 "set TMPDIR to a folder that can be written"};
  TemporaryFolder folder;
  folder.path_ = name;
  return folder;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace warplens::run
