// Making the table of RuntimeTable from the static runtime's own archive, as it comes with a CUDA toolkit.
#pragma once
#include <string>

#include "base/result.h"
#include "elf/runtime_table.h"

namespace warplens::elf {

// One release, with views into the archive's bytes for names.
struct BuiltRelease {
  Release release;
  std::vector<std::pair<std::string, uint64_t>> functions;
};

// `archive`: the bytes of a libcudart_static.a. Error: it is none, or its code has no stretch to know it by.
Result<BuiltRelease> build_release(Bytes archive, std::string_view name);

// The table as text, with `built` as one more column, or in place of the column of that name.
std::string with_release(const RuntimeTable& table, const BuiltRelease& built);

}  // namespace warplens::elf
