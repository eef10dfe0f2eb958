// The table of data/cudart_static.txt: for each known release of the static CUDA runtime, how its code is recognised
// and where its functions are.
//
//   # comment
//   releases 12.9.79 13.0                                   names, in the order of the columns below
//   text     13.0 490084                                    bytes of code
//   anchor   13.0 OFFSET BYTES START HASH                   the stretch that is looked for; OFFSET is a multiple of 16
//   check    13.0 OFFSET BYTES HASH                         stretches that must be there as well
//   function cudaMalloc 1f3a0 22470                         offset in each release, or - where it has no such function
//
// Offsets are hexadecimal, from the start of the runtime's code; counts of bytes are decimal. START is quick_hash of
// the stretch's first 16 bytes and HASH is hash of all of it. A table holds facts about the libraries, nothing of their
// code.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "elf/view.h"

namespace warplens::elf {

inline constexpr uint64_t kNoOffset = ~uint64_t{0};
inline constexpr size_t kQuickBytes = 16;  // that quick_hash looks at

struct Stretch {
  uint64_t offset = 0, bytes = 0, hash = 0;
};

struct Release {
  std::string_view name;
  uint64_t text_bytes = 0;
  Stretch anchor;
  uint32_t anchor_start = 0;
  std::vector<Stretch> checks;
};

struct KnownFunction {
  std::string_view name;
  std::vector<uint64_t> offsets;  // one a release; kNoOffset: not there
};

struct RuntimeTable {
  std::vector<Release> releases;
  std::vector<KnownFunction> functions;  // by name

  const KnownFunction* find(std::string_view name) const;
  // "13.0.88" -> 13; 0 if it does not begin with a number.
  static int major_of(std::string_view release);
};

// Views into `text`, which must outlive the table. False: a line is malformed; what was read until there is in `table`.
bool read_runtime_table(std::string_view text, RuntimeTable& table);

// Whether a function of that name could be the runtime's: cudaMalloc, __cudaInitModule, but not __cudart123, nor what
// nvcc -rdc=true makes for each translation unit, __cudaRegisterLinkedBinary_...
bool is_runtime_name(std::string_view name);

uint64_t hash(Bytes bytes);  // FNV-1a, 64 bits
uint32_t quick_hash(
    const std::byte* at);  // of kQuickBytes bytes, fast enough to be tried at every 16th byte of a program

}  // namespace warplens::elf
