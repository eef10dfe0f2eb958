// Any words of any generation: an instruction that can be printed, or an error.
#include <cstdint>
#include <cstring>

#include "sass/decode.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr unsigned kGenerations[] = {75, 80, 86, 89, 90, 100, 120};
  uint64_t words[2] = {};
  if (size < 1) return 0;
  memcpy(words, data + 1, size - 1 < sizeof words ? size - 1 : sizeof words);
  const auto decoded = warplens::sass::decode(words[0], words[1], 0x40, kGenerations[data[0] % 7]);
  if (decoded && print(*decoded).empty()) __builtin_trap();
  return 0;
}
