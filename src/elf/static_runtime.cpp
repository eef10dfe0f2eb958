#include "elf/static_runtime.h"

#include <algorithm>
#include <cstring>

namespace warplens::elf {
namespace {

bool may_be_of_runtime(const Elf64_Sym& symbol, std::string_view name) {
  // Hidden in the archive, hence local in the program; what the program itself exports is its own.
  bool local = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL || ELF64_ST_VISIBILITY(symbol.st_other) == STV_HIDDEN;
  return local && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF && is_runtime_name(name);
}

// Which column of the table the distances between the functions are those of; releases.size() if none. All of `entries`
// are in the table.
size_t column_of(const std::vector<Entry>& entries, const RuntimeTable& table) {
  std::vector<const KnownFunction*> known;
  for (const Entry& entry : entries) known.push_back(table.find(entry.name));
  for (size_t column = 0; column < table.releases.size(); ++column) {
    uint64_t base = 0;
    size_t same = 0;
    for (size_t i = 0; i < entries.size(); ++i) {
      uint64_t offset = known[i] ? known[i]->offsets[column] : kNoOffset;
      if (offset == kNoOffset || (same > 0 && entries[i].address - offset != base)) {
        same = 0;
        break;
      }
      base = entries[i].address - offset;
      ++same;
    }
    if (same > 0) return column;
  }
  return table.releases.size();
}

int major_of(const std::vector<Entry>& entries) {
  return major_by_names([&](const char* name) {
    return std::any_of(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == name; });
  });
}

bool matches(Bytes text, const Stretch& stretch) {
  return stretch.offset <= text.size() && stretch.bytes <= text.size() - stretch.offset &&
         hash(text.subspan(stretch.offset, stretch.bytes)) == stretch.hash;
}

// Whether the runtime's code is there if its anchor starts at `at`; and then where it begins.
bool confirmed(const CodeRange& range, size_t at, const Release& release, uint64_t& base) {
  if (at < release.anchor.offset || range.bytes.size() - (at - release.anchor.offset) < release.text_bytes)
    return false;
  Bytes text = range.bytes.subspan(at - release.anchor.offset, release.text_bytes);
  if (!matches(text, release.anchor)) return false;
  for (const Stretch& check : release.checks)
    if (!matches(text, check)) return false;
  base = range.address + at - release.anchor.offset;
  return true;
}

StaticRuntime runtime_at(uint64_t base, size_t column, const RuntimeTable& table) {
  StaticRuntime found;
  found.release = table.releases[column].name;
  found.major = RuntimeTable::major_of(found.release);
  found.by_signature = true;
  for (const KnownFunction& function : table.functions)
    if (function.offsets[column] != kNoOffset)
      found.entries.push_back({function.name, base + function.offsets[column]});
  return found;
}

}  // namespace

bool may_have_runtime(const View& file) {
  const Elf64_Shdr* symbols = file.section_of_type(SHT_DYNSYM);
  const Elf64_Shdr* strings = symbols ? file.linked(*symbols) : nullptr;
  if (!strings) return true;  // it has no section headers: nothing says no
  Bytes names = file.contents(*strings);
  unsigned found = 0;
  for (const Elf64_Sym& symbol : file.table<Elf64_Sym>(*symbols)) {
    if (symbol.st_shndx != SHN_UNDEF) continue;
    std::string_view name = View::string_at(names, symbol.st_name);
    found |= unsigned{name == "dlsym"} | unsigned{name == "dlopen"} << 1 | unsigned{name == "pthread_once"} << 2;
  }
  return found == 7;
}

bool has_runtime_text(const View& file) {
  std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  constexpr std::string_view kName("cudaErrorInvalidValue", sizeof "cudaErrorInvalidValue");  // with its NUL
  return memmem(text.data(), text.size(), kName.data(), kName.size()) != nullptr;
}

// By symbols every table finds a runtime; the best is the one that knows the release.
StaticRuntime find_by_symbols(const View& file, std::span<const RuntimeTable> tables) {
  StaticRuntime found;
  for (const RuntimeTable& table : tables)
    if (found.release.empty())
      if (StaticRuntime next = find_by_symbols(file, table); found.entries.empty() || !next.release.empty())
        found = std::move(next);
  return found;
}

StaticRuntime find_by_signature(std::span<const CodeRange> code, std::span<const RuntimeTable> tables) {
  StaticRuntime found;
  for (const RuntimeTable& table : tables)
    if (found.entries.empty()) found = find_by_signature(code, table);
  return found;
}

StaticRuntime find_by_symbols(const View& file, const RuntimeTable& table) {
  StaticRuntime found;
  const Elf64_Shdr* symbols = file.section_of_type(SHT_SYMTAB);
  const Elf64_Shdr* strings = symbols ? file.linked(*symbols) : nullptr;
  if (!strings) return found;
  Bytes names = file.contents(*strings);
  std::vector<Entry> unknown;
  uint64_t lowest = ~uint64_t{0}, highest = 0;
  bool registers = false;
  for (const Elf64_Sym& symbol : file.table<Elf64_Sym>(*symbols)) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
    Entry entry{View::string_at(names, symbol.st_name), symbol.st_value};
    if (!may_be_of_runtime(symbol, entry.name)) continue;
    if (!table.find(entry.name)) {
      unknown.push_back(entry);
      continue;
    }
    registers |= entry.name == "__cudaRegisterFatBinary";
    lowest = std::min(lowest, entry.address), highest = std::max(highest, entry.address);
    found.entries.push_back(entry);
  }
  if (!registers) return {};
  size_t column = column_of(found.entries, table);
  if (column < table.releases.size()) {
    found.release = table.releases[column].name;
    found.major = RuntimeTable::major_of(found.release);
    return found;
  }
  // A release that is not in the table may have functions that are not, among the ones that are.
  for (const Entry& entry : unknown)
    if (entry.address > lowest && entry.address < highest) found.entries.push_back(entry);
  found.major = major_of(found.entries);
  return found;
}

StaticRuntime find_by_signature(std::span<const CodeRange> code, const RuntimeTable& table) {
  // One look-up for all releases: bit n is set if a release's anchor may start with a hash whose low bits are n.
  uint64_t possible[16] = {};
  for (const Release& release : table.releases)
    possible[release.anchor_start >> 6 & 15] |= uint64_t{1} << (release.anchor_start & 63);
  for (const CodeRange& range : code) {
    for (size_t at = (16 - range.address % 16) % 16; at + kQuickBytes <= range.bytes.size(); at += 16) {
      uint32_t start = quick_hash(range.bytes.data() + at);
      if (!(possible[start >> 6 & 15] >> (start & 63) & 1)) continue;
      for (size_t column = 0; column < table.releases.size(); ++column) {
        uint64_t base = 0;
        if (table.releases[column].anchor_start == start && confirmed(range, at, table.releases[column], base))
          return runtime_at(base, column, table);
      }
    }
  }
  return {};
}

}  // namespace warplens::elf
