// What a fetch from a texture and an access to a surface mean, one lane at a time and without haste: point and linear
// filters of one to three dimensions and layers, of single-precision floats and of integers read as they are or as
// fractions. Written from the rules of src/exec/sample.cpp in exact arithmetic, not from its code.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/texture_access.h"

namespace warplens::reference {

struct Texture {
  int dimensions = 1;
  int64_t size[3] = {1, 1, 1};
  int64_t layers = 0;  // 0: none
  int bits = 32, channels = 1;
  bool floats = true, is_signed = false;
  char* data = nullptr;  // texels one after the other
  enum Mode { Wrap, Clamp, Mirror, Border } mode = Clamp;
  bool linear = false, normalized = false, fractions = false;
  float border[4] = {};
};

// arguments: as the IR has them, after the handle. Results are 32 bits each.
std::vector<uint32_t> fetch(const Texture& texture, const TextureAccess& access,
                            const std::vector<uint64_t>& arguments);

// The element's place; null: nowhere. `error`: "out of bounds", "misaligned" or "".
char* surface_element(const Texture& surface, const TextureAccess& access, const std::vector<uint64_t>& arguments,
                      int64_t bytes, std::string* error);

}  // namespace warplens::reference
