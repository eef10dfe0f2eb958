// Any bytes as a file or as a registered fat binary: containers come back, and what unpacks stays within the limits.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "ptx/fatbin.h"

using namespace warplens;

namespace {

void look_at(const ptx::Container& container) {
  (void)ptx::newest_ptx(container);
  for (const ptx::Image& image : container.images) {
    constexpr uint64_t kSmall = 1 << 24;  // larger ones are allowed, but cost the fuzzer its time
    if (image.unpacked_size > kSmall) continue;
    const Result<std::string> payload = ptx::unpack(image);
    if (payload && payload->size() > image.unpacked_size) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  if (const auto containers = ptx::read_file_image(bytes)) {
    for (const ptx::Container& container : *containers) look_at(container);
  }
  if (const auto container = ptx::read_fatbin(bytes)) {
    look_at(*container);
    // A container that is whole may also be registered by a program.
    const struct {
      uint32_t magic, version;
      const void *data, *units;
    } wrapper = {0x466243B1, 1, data, nullptr};
    if (const auto registered = ptx::read_registered(&wrapper)) {
      if (registered->size() != 1 || registered->front().images.size() != container->images.size()) std::abort();
    } else {
      std::abort();
    }
  }
  return 0;
}
