#include "run/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <span>

namespace warplens::run {
namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kNativeMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kNativeMachine = EM_AARCH64;
#endif

class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path) {
    int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status{};
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      size_ = static_cast<size_t>(status.st_size);
      data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
      if (data_ == MAP_FAILED) data_ = nullptr, size_ = 0;
    }
    if (fd >= 0) close(fd);
  }
  ~MappedFile() {
    if (data_) munmap(data_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // `count` structures at `offset`; empty where the file does not reach that far or the offset is not aligned for them.
  template <typename T>
  std::span<const T> at(uint64_t offset, uint64_t count = 1) const {
    if (offset > size_ || count > (size_ - offset) / sizeof(T) || offset % alignof(T) != 0) return {};
    return {reinterpret_cast<const T*>(static_cast<const char*>(data_) + offset), static_cast<size_t>(count)};
  }
  // The string at `offset` of a table of `size` bytes that starts at `table`.
  std::string string_at(uint64_t table, uint64_t size, uint64_t offset) const {
    if (offset >= size) return "";
    auto bytes = at<char>(table, size);
    if (bytes.empty()) return "";
    return std::string(bytes.data() + offset, strnlen(bytes.data() + offset, size - offset));
  }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
};

bool defines_symbol(const MappedFile& file, const Elf64_Shdr& table, const Elf64_Shdr& names, const char* wanted) {
  for (const Elf64_Sym& symbol : file.at<Elf64_Sym>(table.sh_offset, table.sh_size / sizeof(Elf64_Sym)))
    if (symbol.st_shndx != SHN_UNDEF && file.string_at(names.sh_offset, names.sh_size, symbol.st_name) == wanted)
      return true;
  return false;
}

void read_dynamic(const MappedFile& file, const Elf64_Shdr& section, const Elf64_Shdr& names, ElfFacts& facts) {
  bool rpath = false, runpath = false;
  for (const Elf64_Dyn& entry : file.at<Elf64_Dyn>(section.sh_offset, section.sh_size / sizeof(Elf64_Dyn))) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED)
      facts.needed.push_back(file.string_at(names.sh_offset, names.sh_size, entry.d_un.d_val));
    rpath |= entry.d_tag == DT_RPATH;
    runpath |= entry.d_tag == DT_RUNPATH;
  }
  facts.has_rpath = rpath && !runpath;
}

void read_sections(const MappedFile& file, const Elf64_Ehdr& header, ElfFacts& facts) {
  auto sections = file.at<Elf64_Shdr>(header.e_shoff, header.e_shnum);
  for (const Elf64_Shdr& section : sections) {
    bool linked = section.sh_link < sections.size();
    if (section.sh_type == SHT_DYNAMIC && linked) read_dynamic(file, section, sections[section.sh_link], facts);
    if (section.sh_type == SHT_SYMTAB && linked)
      facts.has_static_cudart |= defines_symbol(file, section, sections[section.sh_link], "__cudaRegisterFatBinary");
    if (header.e_shstrndx >= sections.size()) continue;
    const Elf64_Shdr& names = sections[header.e_shstrndx];
    std::string name = file.string_at(names.sh_offset, names.sh_size, section.sh_name);
    facts.has_fat_binary |= name == ".nv_fatbin" || name == ".nvFatBinSegment";
  }
}

}  // namespace

std::optional<ElfFacts> read_elf(const std::filesystem::path& path) {
  MappedFile file(path);
  auto headers = file.at<Elf64_Ehdr>(0);
  if (headers.empty() || std::memcmp(headers[0].e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  const Elf64_Ehdr& header = headers[0];
  ElfFacts facts;
  facts.is_64bit_native = header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == kNativeMachine;
  if (!facts.is_64bit_native) return facts;
  facts.is_executable = header.e_type == ET_EXEC || header.e_type == ET_DYN;
  for (const Elf64_Phdr& segment : file.at<Elf64_Phdr>(header.e_phoff, header.e_phnum))
    facts.has_interpreter |= segment.p_type == PT_INTERP;
  read_sections(file, header, facts);
  return facts;
}

}  // namespace warplens::run
