// A static library: ar's format, as GNU ar and LLVM write it (common archive format, System V names).
#pragma once
#include <string_view>
#include <vector>

#include "elf/view.h"

namespace warplens::elf {

struct ArchiveMember {
  std::string_view name;
  Bytes bytes;  // aligned to 2 only: copy them before View::of
};

bool is_archive(Bytes bytes);

// The members that are files, in order; stops where the archive is damaged.
std::vector<ArchiveMember> archive_members(Bytes bytes);

}  // namespace warplens::elf
