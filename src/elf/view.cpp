#include "elf/view.h"

#include <cstring>

namespace warplens::elf {

std::optional<View> View::of(Bytes bytes) {
  View view(bytes);
  auto header = view.at<Elf64_Ehdr>(0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  view.header_ = header.data();
  const Elf64_Ehdr& h = header[0];
  if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB) return std::nullopt;
  // Where a count does not fit its 16 bits, the first section header has it.
  uint64_t sections = h.e_shnum, names = h.e_shstrndx, segments = h.e_phnum;
  auto first = h.e_shoff == 0 ? std::span<const Elf64_Shdr>() : view.at<Elf64_Shdr>(h.e_shoff, 1);
  if (!first.empty()) {
    if (sections == 0) sections = first[0].sh_size;
    if (names == SHN_XINDEX) names = first[0].sh_link;
    if (segments == PN_XNUM) segments = first[0].sh_info;
    if (h.e_shentsize == sizeof(Elf64_Shdr)) view.sections_ = view.at<Elf64_Shdr>(h.e_shoff, sections);
  }
  if (h.e_phentsize == sizeof(Elf64_Phdr)) view.segments_ = view.at<Elf64_Phdr>(h.e_phoff, segments);
  if (names < view.sections_.size()) view.names_ = view.contents(view.sections_[names]);
  return view;
}

const Elf64_Shdr* View::section(std::string_view wanted) const {
  for (const Elf64_Shdr& section : sections_)
    if (name(section) == wanted) return &section;
  return nullptr;
}

const Elf64_Shdr* View::section_of_type(Elf64_Word type) const {
  for (const Elf64_Shdr& section : sections_)
    if (section.sh_type == type) return &section;
  return nullptr;
}

const Elf64_Shdr* View::linked(const Elf64_Shdr& section) const {
  return section.sh_link < sections_.size() ? &sections_[section.sh_link] : nullptr;
}

Bytes View::contents(const Elf64_Shdr& section) const {
  if (section.sh_type == SHT_NOBITS || section.sh_offset > bytes_.size() ||
      section.sh_size > bytes_.size() - section.sh_offset)
    return bytes_.first(0);
  return bytes_.subspan(section.sh_offset, section.sh_size);
}

std::string_view View::string_at(Bytes table, uint64_t offset) {
  if (offset >= table.size()) return {};
  const char* start = reinterpret_cast<const char*>(table.data()) + offset;
  const void* end = std::memchr(start, 0, table.size() - offset);
  return end ? std::string_view(start, static_cast<size_t>(static_cast<const char*>(end) - start)) : std::string_view();
}

}  // namespace warplens::elf
