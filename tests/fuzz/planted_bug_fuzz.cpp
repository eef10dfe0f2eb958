// Reads past a buffer for inputs that start with "warp": the fuzz set-up has to find that by itself, within seconds.
#include <cstddef>
#include <cstdint>
#include <memory>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size >= 4 && data[0] == 'w' && data[1] == 'a' && data[2] == 'r' && data[3] == 'p') {
    const std::unique_ptr<uint8_t[]> copy(new uint8_t[size]);
    volatile size_t past = size;
    return copy[past] == 1 ? -1 : 0;
  }
  return 0;
}
