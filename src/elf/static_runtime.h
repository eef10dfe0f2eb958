// Where NVIDIA's CUDA runtime lies in a program that has it linked in (nvcc's default, libcudart_static.a).
//
// The runtime is one object file with one section of code, so all of its functions are in every program that uses one
// of them, at distances that depend on nothing but the release. A program that is not stripped still names them: they
// are hidden symbols of the archive and become local ones of the program. In a stripped program they are found by a
// signature: one stretch of the runtime's code that holds nothing for the linker to fill in is known by its hash, more
// of them confirm it, and a table says how far from there each function lies (RuntimeTable).
#pragma once
#include <string_view>
#include <vector>

#include "elf/runtime_table.h"
#include "elf/view.h"

namespace warplens::elf {

struct Entry {
  std::string_view name;  // within the file's or the table's bytes
  uint64_t address = 0;   // before relocation
};

struct StaticRuntime {
  int major = 0;               // 11, 12, 13: which of our libraries serves it
  std::string_view release;    // "12.9.79" where the table knows it, else empty
  bool by_signature = false;   // false: by its symbols
  std::vector<Entry> entries;  // in no order
};

// A stretch of a program's code as it is linked: `bytes` is what lies at `address`.
struct CodeRange {
  uint64_t address = 0;
  Bytes bytes;
};

// By what only some releases have: 12 has two layouts of cudaDeviceProp, 11 only the first, 13 only the second, under
// the first one's name; texture references ended with 11. has(name): whether the runtime has that function.
template <typename Has>
int major_by_names(Has&& has) {
  if (has("cudaGetDeviceProperties_v2")) return 12;
  return has("cudaBindTexture") || has("__cudaRegisterTexture") ? 11 : 13;
}

// Several tables as one would be: what the first does not know is looked for in the next.
StaticRuntime find_by_symbols(const View& file, std::span<const RuntimeTable> tables);
StaticRuntime find_by_signature(std::span<const CodeRange> code, std::span<const RuntimeTable> tables);

// Quick, and says no for most files: whether it imports what every release of the static runtime needs of the C
// library.
bool may_have_runtime(const View& file);

// Whether it holds the text of cudaGetErrorName's answers, as every static runtime does: for a file in which none was
// found that we know.
bool has_runtime_text(const View& file);

// Empty entries: it has none, or is stripped.
StaticRuntime find_by_symbols(const View& file, const RuntimeTable& table);

// Empty entries: none of the table's releases is there.
StaticRuntime find_by_signature(std::span<const CodeRange> code, const RuntimeTable& table);

}  // namespace warplens::elf
