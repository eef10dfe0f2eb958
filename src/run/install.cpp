#include "run/install.h"

#include <initializer_list>

namespace warplens::run {
namespace fs = std::filesystem;
namespace {

fs::path first_existing(std::initializer_list<fs::path> folders) {
  std::error_code ignored;
  for (const fs::path& folder : folders)
    if (fs::exists(folder, ignored)) return fs::canonical(folder, ignored);
  return {};
}

}  // namespace

Result<Install> find_install() {
  std::error_code failed;
  fs::path executable = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return Error{"cannot find where warplens is: /proc/self/exe: " + failed.message(), "mount /proc"};
  fs::path here = executable.parent_path();
  Install install;
  install.libraries = first_existing({here / "lib", here / "../lib/warplens"});
  install.headers = first_existing({here / "include/warplens/cuda", here / "../include/warplens/cuda"});
  install.toolkit = first_existing({here / "toolkit", here / "../share/warplens/toolkit"});
  if (install.libraries.empty() || install.headers.empty())
    return Error{"the files that belong to " + executable.string() +
                     " are missing: " + (install.libraries.empty() ? "lib/" : "include/warplens/cuda/"),
                 "build all of Warplens, or install it again"};
  return install;
}

}  // namespace warplens::run
