// Reading one container, and what a program registers.
#include "ptx/fatbin.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/bytes.h"
#include "ptx/fatbin_forms.h"

namespace warplens::ptx {
namespace {

constexpr uint32_t kWrapperMagic = 0x466243B1;
constexpr uint64_t kHeaderSize = 16, kEntrySize = 64;
constexpr uint64_t kMaxContainerSize = uint64_t{1} << 36;  // of headers in memory; a wild pointer claims more
constexpr const char* kRebuild = "the file may be damaged, or made by a toolkit that Warplens does not know";

Compression compression_of(uint64_t flags) {
  if (flags & kImageLz4) return Compression::Lz4;
  return flags & kImageZstd ? Compression::Zstd : Compression::None;
}

// The options are a record of their own inside the entry's header: where the text starts, and its length.
std::string options_of(Bytes header) {
  const auto record = read<uint32_t>(header, 20);
  if (record < kEntrySize) return {};
  const Bytes text = slice(header, read<uint32_t>(header, record), read<uint32_t>(header, uint64_t{record} + 4));
  std::string_view options = as_text(text);
  options = options.substr(0, options.find('\0'));
  const size_t last = options.find_last_not_of(' ');
  return std::string(options.substr(0, last == std::string_view::npos ? 0 : last + 1));
}

std::string name_of(Bytes header) {
  const auto offset = read<uint32_t>(header, 32);
  return offset < kEntrySize ? std::string() : std::string(as_text(slice(header, offset, read<uint32_t>(header, 36))));
}

// The entry at the front of `bytes`; `size` gets all of its bytes.
Result<Image> read_entry(Bytes bytes, uint64_t& size) {
  const auto header_size = read<uint32_t>(bytes, 4);
  const auto payload_size = read<uint64_t>(bytes, 8);
  if (header_size < kEntrySize || header_size > bytes.size() || payload_size > bytes.size() - header_size) {
    return Error{"an image of a fat binary is larger than the fat binary", kRebuild};
  }
  const Bytes header = bytes.first(header_size);
  const auto compressed_size = read<uint32_t>(header, 16);
  Image image;
  image.kind = static_cast<ImageKind>(read<uint16_t>(header, 0));
  image.version_minor = read<uint16_t>(header, 24);
  image.version_major = read<uint16_t>(header, 26);
  image.sm = read<uint32_t>(header, 28);
  image.flags = read<uint64_t>(header, 40);
  image.options = options_of(header);
  image.name = name_of(header);
  image.compression = compression_of(image.flags);
  const bool packed = image.compression != Compression::None;
  if (packed && compressed_size > payload_size)
    return Error{"a compressed image of a fat binary is larger than its place", kRebuild};
  image.stored = bytes.subspan(header_size, packed ? compressed_size : payload_size);
  image.unpacked_size = packed ? read<uint64_t>(header, 56) : payload_size;
  size = header_size + payload_size;
  return image;
}

// The container at an address, as long as its header says.
Result<Container> read_container_at(const void* address) {
  if (address == nullptr) return Error{"the program registered a fat binary without contents", kRebuild};
  const Bytes header(static_cast<const std::byte*>(address), kHeaderSize);
  const auto size = read<uint64_t>(header, 8);
  if (!starts_with_fatbin(header) || size > kMaxContainerSize)
    return Error{"the program registered something that is no fat binary", kRebuild};
  return read_fatbin({header.data(), read<uint16_t>(header, 6) + size});
}

}  // namespace

bool starts_with_fatbin(Bytes bytes) {
  return bytes.size() >= kHeaderSize && read<uint32_t>(bytes, 0) == kFatbinMagic && read<uint16_t>(bytes, 4) == 1 &&
         read<uint16_t>(bytes, 6) >= kHeaderSize;
}

uint64_t fatbin_size(Bytes bytes) {
  return read<uint16_t>(bytes, 6) + std::min(read<uint64_t>(bytes, 8), kMaxContainerSize);
}

Result<Container> read_fatbin(Bytes bytes) {
  if (!starts_with_fatbin(bytes)) return Error{"not a fat binary, or one of an unknown version", kRebuild};
  const auto header_size = read<uint16_t>(bytes, 6);
  const auto size = read<uint64_t>(bytes, 8);
  if (header_size > bytes.size() || size > bytes.size() - header_size)
    return Error{"a fat binary ends before its images do", kRebuild};
  Container container;
  container.origin = "fat binary";
  for (Bytes rest = bytes.subspan(header_size, size); rest.size() >= kEntrySize;) {
    uint64_t entry_size = 0;
    Result<Image> image = read_entry(rest, entry_size);
    if (!image) return image.error();
    container.images.push_back(std::move(*image));
    rest = rest.subspan(entry_size);
  }
  return container;
}

Result<std::vector<Container>> read_registered(const void* wrapper) {
  struct Wrapper {
    uint32_t magic, version;
    const void* data;
    const void* const* units;
  } w;
  if (wrapper == nullptr) return Error{"the program registered no fat binary", kRebuild};
  std::memcpy(&w, wrapper, sizeof w);
  if (w.magic != kWrapperMagic || w.version < 1 || w.version > 2) {
    return Error{fmt::format("the program registered an unknown form of fat binary (magic {:#x}, version {})", w.magic,
                             w.version),
                 kRebuild};
  }
  std::vector<Container> containers;
  if (w.version == 1 || w.data != nullptr) {
    Result<Container> linked = read_container_at(w.data);
    if (!linked) return linked.error();
    containers.push_back(std::move(*linked));
  }
  for (const void* const* unit = w.version == 2 ? w.units : nullptr; unit != nullptr && *unit != nullptr; ++unit) {
    Result<Container> container = read_container_at(*unit);
    if (!container) return container.error();
    container->origin = "__nv_relfatbin";
    container->relocatable = true;
    containers.push_back(std::move(*container));
  }
  return containers;
}

namespace {

// Whether what was made for an image's architecture runs on sm; machine code of another major never does.
bool runs_on(const Image& image, uint32_t sm) {
  const bool same_major = image.sm / 10 == sm / 10;
  if ((image.flags & kImageArchSpecific) != 0) return image.sm == sm;
  if (image.kind == ImageKind::Cubin || (image.flags & kImageFamily) != 0) return same_major && image.sm <= sm;
  return image.sm <= sm;
}

const Image* best_for(const Container& container, ImageKind kind, uint32_t sm) {
  const auto rank = [](const Image& i) {
    return std::tuple(i.sm, (i.flags & kImageArchSpecific) != 0, (i.flags & kImageFamily) != 0,
                      i.kind == ImageKind::Ptx ? std::pair(i.version_major, i.version_minor) : std::pair(0, 0));
  };
  const Image* best = nullptr;
  for (const Image& image : container.images) {
    if (image.kind == kind && runs_on(image, sm) && (best == nullptr || rank(image) > rank(*best))) best = &image;
  }
  return best;
}

}  // namespace

const Image* machine_code_for(const Container& container, uint32_t sm) {
  return best_for(container, ImageKind::Cubin, sm);
}

const Image* ptx_for(const Container& container, uint32_t sm) { return best_for(container, ImageKind::Ptx, sm); }

const Image* newest_ptx(const Container& container) {
  const auto rank = [](const Image& i) { return std::tuple(i.sm, i.version_major, i.version_minor); };
  const Image* best = nullptr;
  for (const Image& image : container.images) {
    if (image.kind == ImageKind::Ptx && (best == nullptr || rank(image) >= rank(*best))) best = &image;
  }
  return best;
}

}  // namespace warplens::ptx
