// Fat binaries inside files: sections of ELF files, files without section headers, bare containers, cubins and PTX
// text.
#include <algorithm>
#include <charconv>

#include "ptx/fatbin_forms.h"
#include "ptx/lexer.h"

namespace warplens::ptx {
namespace {

constexpr uint16_t kMachineCuda = 190;

struct Section {
  std::string_view name;
  Bytes bytes;
};

bool is_elf(Bytes bytes) {
  constexpr uint8_t kClass64 = 2, kLittleEndian = 1;
  return bytes.size() >= 64 && as_text(bytes).starts_with("\177ELF") && read<uint8_t>(bytes, 4) == kClass64 &&
         read<uint8_t>(bytes, 5) == kLittleEndian;
}

uint16_t machine(Bytes elf) { return read<uint16_t>(elf, 18); }

// The sections of an ELF file; none where they have been stripped or make no sense.
std::vector<Section> sections(Bytes elf) {
  const auto table = read<uint64_t>(elf, 40);
  const auto entry_size = read<uint16_t>(elf, 58);
  uint64_t count = read<uint16_t>(elf, 60), names = read<uint16_t>(elf, 62);
  if (table == 0 || entry_size < 64 || table > elf.size()) return {};
  if (count == 0) count = read<uint64_t>(elf, table + 32);       // too many for the header's 16 bits:
  if (names == 0xFFFF) names = read<uint32_t>(elf, table + 40);  // then they are in section 0
  count = std::min<uint64_t>(count, (elf.size() - table) / entry_size);
  if (names >= count) return {};
  const auto contents = [&](uint64_t index) {
    const uint64_t at = table + index * entry_size;
    constexpr uint32_t kNoBits = 8;
    return read<uint32_t>(elf, at + 4) == kNoBits
               ? Bytes()
               : slice(elf, read<uint64_t>(elf, at + 24), read<uint64_t>(elf, at + 32));
  };
  const Bytes name_bytes = contents(names);
  std::vector<Section> result;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string_view name = text_at(name_bytes, read<uint32_t>(elf, table + i * entry_size));
    if (name == ".nv_fatbin" || name == "__nv_relfatbin") result.push_back({name, contents(i)});
  }
  return result;
}

// All containers in a section, one behind the other with padding between them.
Status add_section(const Section& section, std::vector<Container>& out) {
  for (Bytes rest = section.bytes; rest.size() >= 16;) {
    if (!starts_with_fatbin(rest)) {
      rest = rest.subspan(8);
      continue;
    }
    Result<Container> container = read_fatbin(rest);
    if (!container) return container.error();
    container->origin.assign(section.name);
    container->relocatable = section.name == "__nv_relfatbin";
    out.push_back(std::move(*container));
    rest = rest.subspan((fatbin_size(rest) + 7) / 8 * 8 <= rest.size() ? (fatbin_size(rest) + 7) / 8 * 8 : rest.size());
  }
  return Ok{};
}

// Without section headers: whatever has a container's magic number and makes sense as one.
void scan(Bytes bytes, std::vector<Container>& out) {
  for (uint64_t at = 0; bytes.size() - at >= 16;) {
    const Bytes rest = bytes.subspan(at);
    Result<Container> container = starts_with_fatbin(rest) ? read_fatbin(rest) : Error{};
    if (!container || container->images.empty()) {
      at += 8;  // containers are aligned to 8 bytes in memory, and so in the file
      continue;
    }
    container->origin = "a file without section headers";
    out.push_back(std::move(*container));
    at = std::min<uint64_t>(bytes.size(), (at + fatbin_size(rest) + 7) / 8 * 8);
  }
}

Container of_one_image(Image image, std::string origin) {
  Container container;
  container.origin = std::move(origin);
  container.images.push_back(std::move(image));
  return container;
}

Image bare_image(ImageKind kind, Bytes bytes) {
  Image image;
  image.kind = kind;
  image.flags = kImage64Bit;
  image.stored = bytes;
  image.unpacked_size = bytes.size();
  if (kind == ImageKind::Ptx) read_ptx_header(as_text(bytes), image.sm, image.version_major, image.version_minor);
  // ABI version 7 keeps sm in bits 0-7 of the ELF header's flags, version 8 and later in bits 8-15.
  if (kind == ImageKind::Cubin) image.sm = read<uint32_t>(bytes, 48) >> (read<uint8_t>(bytes, 8) >= 8 ? 8 : 0) & 0xFF;
  return image;
}

// The end of an ELF file, as far as its headers tell: for a cubin whose size nobody gave.
uint64_t elf_size(Bytes header) {
  const uint64_t section_end =
      read<uint64_t>(header, 40) + uint64_t{read<uint16_t>(header, 58)} * read<uint16_t>(header, 60);
  const uint64_t program_end =
      read<uint64_t>(header, 32) + uint64_t{read<uint16_t>(header, 54)} * read<uint16_t>(header, 56);
  return std::max({section_end, program_end, uint64_t{64}});
}

}  // namespace

bool looks_like_ptx(std::string_view text) {
  Diagnostics ignored;
  Reporter reporter({}, ignored);
  return Lexer(text, reporter).next().text == ".version";
}

void read_ptx_header(std::string_view text, uint32_t& sm, int& major, int& minor) {
  Diagnostics ignored;
  Reporter reporter({}, ignored);
  Lexer lexer(text, reporter);
  for (Token t = lexer.next(); t.text == ".version" || t.text == ".target" || t.text == ".address_size";
       t = lexer.next()) {
    const bool is_version = t.text == ".version", is_target = t.text == ".target";
    const std::string_view value = lexer.next().text;
    const char* end = value.data() + value.size();
    if (is_version) {
      const char* dot = std::from_chars(value.data(), end, major).ptr;
      if (dot != end) std::from_chars(dot + 1, end, minor);
    }
    const size_t digits = value.find('_');  // sm_90a, compute_90
    if (is_target && digits != std::string_view::npos) std::from_chars(value.data() + digits + 1, end, sm);
    while (is_target && lexer.peek() == ',') {
      lexer.next();
      lexer.next();
    }
  }
}

Result<std::vector<Container>> read_file_image(Bytes bytes) {
  std::vector<Container> containers;
  if (is_elf(bytes) && machine(bytes) != kMachineCuda) {
    const std::vector<Section> found = sections(bytes);
    for (const Section& section : found) {
      if (const Status status = add_section(section, containers); !status) return status.error();
    }
    const auto table = read<uint64_t>(bytes, 40);
    if (found.empty() && (table == 0 || table >= bytes.size())) scan(bytes, containers);
    return containers;
  }
  if (is_elf(bytes)) {
    containers.push_back(of_one_image(bare_image(ImageKind::Cubin, bytes), "cubin"));
  } else if (starts_with_fatbin(bytes)) {
    Result<Container> container = read_fatbin(bytes);
    if (!container) return container.error();
    containers.push_back(std::move(*container));
  } else if (looks_like_ptx(as_text(bytes))) {
    containers.push_back(of_one_image(bare_image(ImageKind::Ptx, bytes), "PTX text"));
  } else {
    return Error{"neither a program nor device code", "expected an ELF file, a fat binary, a cubin or PTX text"};
  }
  return containers;
}

Result<Container> read_module_image(const void* image) {
  if (image == nullptr) return Error{"no module image was given", ""};
  const auto* first = static_cast<const std::byte*>(image);
  // Stops at the text's end: an image may be shorter than a magic number.
  const auto starts = [&](const char* magic) { return std::strncmp(static_cast<const char*>(image), magic, 4) == 0; };
  if (starts("\x50\xED\x55\xBA")) {
    const Bytes header(first, 16);
    return read_fatbin({first, fatbin_size(header)});
  }
  if (starts("\177ELF")) {
    const Bytes header(first, 64);
    return of_one_image(bare_image(ImageKind::Cubin, {first, elf_size(header)}), "cubin");
  }
  const Bytes text(first, std::strlen(static_cast<const char*>(image)));
  if (looks_like_ptx(as_text(text))) return of_one_image(bare_image(ImageKind::Ptx, text), "PTX text");
  return Error{"a module image that is neither a fat binary, a cubin nor PTX text", ""};
}

}  // namespace warplens::ptx
