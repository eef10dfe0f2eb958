// An ELF file as it lies in memory, every access checked: a file that is cut short or lies about its tables gives empty
// ones. Allocates nothing and needs no library, for it is also used inside the user's program while that is loaded.
#pragma once
#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace warplens::elf {

using Bytes = std::span<const std::byte>;

#if defined(__aarch64__)
inline constexpr Elf64_Half kNativeMachine = EM_AARCH64;
#else
inline constexpr Elf64_Half kNativeMachine = EM_X86_64;
#endif

class View {
 public:
  // Nothing unless `bytes`, which must be aligned to 8, begin with the header of a 64-bit little-endian ELF file.
  static std::optional<View> of(Bytes bytes);

  const Elf64_Ehdr& header() const { return *header_; }
  std::span<const Elf64_Shdr> sections() const { return sections_; }  // empty if any of them is beyond the file's end
  std::span<const Elf64_Phdr> segments() const { return segments_; }  // likewise

  std::string_view name(const Elf64_Shdr& section) const { return string_at(names_, section.sh_name); }
  const Elf64_Shdr* section(std::string_view name) const;  // the first of that name
  const Elf64_Shdr* section_of_type(Elf64_Word type) const;
  const Elf64_Shdr* linked(const Elf64_Shdr& section) const;  // sh_link
  Bytes contents(const Elf64_Shdr& section) const;            // empty for .bss and for what is beyond the file's end

  // A section's bytes as an array; empty where they are not aligned for it.
  template <typename T>
  std::span<const T> table(const Elf64_Shdr& section) const {
    Bytes bytes = contents(section);
    return at<T>(static_cast<uint64_t>(bytes.data() - bytes_.data()), bytes.size() / sizeof(T));
  }
  // The string at `offset` of a string table; empty if it is not within, or has no end.
  static std::string_view string_at(Bytes table, uint64_t offset);

  Bytes bytes() const { return bytes_; }

 private:
  explicit View(Bytes bytes) : bytes_(bytes) {}
  template <typename T>
  std::span<const T> at(uint64_t offset, uint64_t count) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T) || offset % alignof(T) != 0) return {};
    return {reinterpret_cast<const T*>(bytes_.data() + offset), static_cast<size_t>(count)};
  }
  Bytes bytes_, names_;
  const Elf64_Ehdr* header_ = nullptr;
  std::span<const Elf64_Shdr> sections_;
  std::span<const Elf64_Phdr> segments_;
};

}  // namespace warplens::elf
