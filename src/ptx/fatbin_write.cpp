#include <algorithm>

#include "ptx/fatbin_forms.h"

namespace warplens::ptx {
namespace {

uint64_t padded(uint64_t size) { return (size + 7) / 8 * 8; }

// The 64 bytes that every entry starts with, and the strings behind them.
std::string entry_header(const ImageSource& image, uint64_t payload_size) {
  const uint64_t name_end = 64 + padded(image.name.empty() ? 0 : image.name.size() + 1);
  const uint64_t options_end = name_end + (image.options.empty() ? 0 : 8 + padded(image.options.size() + 1));
  std::string out;
  append<uint16_t>(out, static_cast<uint16_t>(image.kind));
  append<uint16_t>(out, 0x0101);
  append<uint32_t>(out, static_cast<uint32_t>(options_end));
  append<uint64_t>(out, payload_size);
  append<uint32_t>(out, 0);  // not compressed
  append<uint32_t>(out, image.options.empty() ? 0 : static_cast<uint32_t>(name_end));
  append<uint16_t>(out, static_cast<uint16_t>(image.version_minor));
  append<uint16_t>(out, static_cast<uint16_t>(image.version_major));
  append<uint32_t>(out, image.sm);
  append<uint32_t>(out, 64);
  append<uint32_t>(out, static_cast<uint32_t>(image.name.size()));
  append<uint64_t>(out, image.flags & ~(kImageLz4 | kImageZstd));
  append<uint64_t>(out, 0);
  append<uint64_t>(out, 0);
  out += image.name;
  out.resize(name_end, '\0');
  if (!image.options.empty()) {
    append<uint32_t>(out, static_cast<uint32_t>(name_end + 8));
    append<uint32_t>(out, static_cast<uint32_t>(image.options.size()));
    out += image.options;
  }
  out.resize(options_end, '\0');
  return out;
}

}  // namespace

Result<ImageSource> ptx_image(std::string text) {
  ImageSource image;
  while (!text.empty() && text.back() == '\0') text.pop_back();
  read_ptx_header(text, image.sm, image.version_major, image.version_minor);
  if (image.sm == 0 || image.version_major == 0) return Error{"PTX text without .version or .target", "is it PTX?"};
  image.payload = std::move(text);
  return image;
}

std::string write_fatbin(std::span<const ImageSource> images) {
  std::string body;
  for (const ImageSource& image : images) {
    const bool ends_in_nul = image.kind == ImageKind::Ptx;
    const uint64_t size = padded(image.payload.size() + (ends_in_nul ? 1 : 0));
    body += entry_header(image, size);
    body += image.payload;
    body.resize(body.size() + size - image.payload.size(), '\0');
  }
  std::string out;
  append<uint32_t>(out, kFatbinMagic);
  append<uint16_t>(out, 1);
  append<uint16_t>(out, 16);
  append<uint64_t>(out, body.size());
  return out + body;
}

}  // namespace warplens::ptx
