// What the parts of the fat binary reader share. Internal to src/ptx.
#pragma once
#include <cstdint>

#include "ptx/bytes.h"
#include "ptx/fatbin.h"

namespace warplens::ptx {

inline constexpr uint32_t kFatbinMagic = 0xBA55ED50;

// Whether a container's header is at the front of the bytes; its size may still be wrong.
bool starts_with_fatbin(Bytes bytes);

// What that header claims, header included.
uint64_t fatbin_size(Bytes bytes);

// Whether text is PTX: .version comes first, after blanks and comments.
bool looks_like_ptx(std::string_view text);

// sm and version of PTX text, from its .target and .version; sm 0 if it has no such target.
void read_ptx_header(std::string_view text, uint32_t& sm, int& major, int& minor);

}  // namespace warplens::ptx
