#pragma once
#include <string_view>

namespace warplens::cuda::driver {

struct EntryPoint {
  const char* name;  // as cuGetProcAddress is asked for it
  int since;         // the first version of CUDA that has it
  void (*address)();
};

// The newest form of a function that CUDA `version` (12060 is 12.6) has. `known`, where it is null: whether a later one
// has it.
const EntryPoint* find_entry_point(std::string_view name, int version, bool& known);

}  // namespace warplens::cuda::driver
