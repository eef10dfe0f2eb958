#include "sass/cubin.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <numeric>

#include "elf/view.h"
#include "sass/attributes.h"

namespace warplens::sass {
namespace {

constexpr uint16_t kMachineCuda = 190;
constexpr uint8_t kOtherEntry = 0x10, kOtherManaged = 0x04;  // of Elf64_Sym::st_other
constexpr uint8_t kTypeObject = 13;                          // STT_CUDA_OBJECT: of -rdc files
constexpr uint64_t kSystemShared = 1024;                     // bytes before a program's shared memory, from sm_90 on

Error damaged(std::string what) {
  return {"the machine code is damaged: " + std::move(what), "build the program again"};
}

std::span<const uint8_t> unsigned_bytes(elf::Bytes bytes) {
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

// ---- sections, symbols, relocations

// A copy that is aligned to 8 bytes; the table of sections, which ptxas puts anywhere, is then at one too.
std::vector<uint64_t> aligned_copy(std::span<const uint8_t> bytes) {
  Elf64_Ehdr header{};
  if (bytes.size() >= sizeof header) std::memcpy(&header, bytes.data(), sizeof header);
  const uint64_t table = header.e_shoff, size = uint64_t{header.e_shnum} * sizeof(Elf64_Shdr);
  const bool moved = table % alignof(Elf64_Shdr) != 0 && table <= bytes.size() && size <= bytes.size() - table;
  const uint64_t end = (bytes.size() + 7) / 8 * 8;
  std::vector<uint64_t> copy((end + (moved ? size : 0)) / 8);
  auto* to = reinterpret_cast<uint8_t*>(copy.data());
  std::copy(bytes.begin(), bytes.end(), to);
  if (moved) {
    std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(table), size, to + end);
    header.e_shoff = end;
    std::memcpy(to, &header, sizeof header);
  }
  return copy;
}

// A section's bytes as an array, at whatever address they are.
template <typename T>
std::vector<T> entries(const elf::View& file, const Elf64_Shdr& header) {
  const elf::Bytes bytes = file.contents(header);
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  return out;
}

Status read_sections(const elf::View& file, Cubin& out) {
  for (const Elf64_Shdr& header : file.sections()) {
    Section section;
    section.name = file.name(header);
    section.bytes = unsigned_bytes(file.contents(header));
    section.size = header.sh_size;
    section.alignment = header.sh_addralign;
    section.info = header.sh_info;
    section.flags = header.sh_flags;
    if (header.sh_type != SHT_NULL && header.sh_type != SHT_NOBITS && section.bytes.size() != section.size &&
        !section.name.starts_with(".nv.global") && !section.name.starts_with(".nv.shared"))
      return damaged(fmt::format("section '{}' is beyond its end", section.name));
    out.sections.push_back(std::move(section));
  }
  if (out.sections.empty()) return damaged("it has no sections");
  return Ok{};
}

Symbol::Kind kind_of(const Elf64_Sym& symbol) {
  switch (ELF64_ST_TYPE(symbol.st_info)) {
    case STT_NOTYPE:
      return Symbol::Kind::None;
    case STT_OBJECT:
    case kTypeObject:
      return Symbol::Kind::Object;
    case STT_FUNC:
      return Symbol::Kind::Function;
    case STT_SECTION:
      return Symbol::Kind::Section;
    default:
      return Symbol::Kind::Other;
  }
}

void read_symbols(const elf::View& file, Cubin& out) {
  const Elf64_Shdr* table = file.section_of_type(SHT_SYMTAB);
  if (table == nullptr) return;
  const Elf64_Shdr* strings = file.linked(*table);
  const elf::Bytes names = strings ? file.contents(*strings) : elf::Bytes();
  const Elf64_Shdr* wide = file.section_of_type(SHT_SYMTAB_SHNDX);  // where a section's number needs more than 16 bits
  const auto wide_sections = wide ? entries<uint32_t>(file, *wide) : std::vector<uint32_t>();
  for (const Elf64_Sym& entry : entries<Elf64_Sym>(file, *table)) {
    Symbol symbol;
    uint32_t section = entry.st_shndx;
    if (section == SHN_XINDEX && out.symbols.size() < wide_sections.size()) section = wide_sections[out.symbols.size()];
    if (section < out.sections.size()) symbol.section = section;
    symbol.kind = kind_of(entry);
    symbol.name = elf::View::string_at(names, entry.st_name);
    if (symbol.kind == Symbol::Kind::Section) symbol.name = out.sections[symbol.section].name;
    symbol.offset = entry.st_value;
    symbol.size = entry.st_size;
    symbol.local = ELF64_ST_BIND(entry.st_info) == STB_LOCAL;
    symbol.entry = symbol.kind == Symbol::Kind::Function && (entry.st_other & kOtherEntry) != 0;
    symbol.managed = symbol.kind == Symbol::Kind::Object && (entry.st_other & kOtherManaged) != 0;
    out.symbols.push_back(symbol);
  }
}

template <typename Entry>
Status read_relocations(const elf::View& file, const Elf64_Shdr& header, Cubin& out) {
  if (header.sh_info >= out.sections.size()) return damaged("relocations of a section that is not there");
  Section& section = out.sections[header.sh_info];
  for (const Entry& entry : entries<Entry>(file, header)) {
    Relocation relocation{entry.r_offset, &relocation_type(ELF64_R_TYPE(entry.r_info)),
                          static_cast<uint32_t>(ELF64_R_SYM(entry.r_info)), 0};
    if (relocation.symbol >= out.symbols.size()) return damaged("a relocation by a symbol that is not there");
    if constexpr (std::is_same_v<Entry, Elf64_Rela>)
      relocation.addend = entry.r_addend;
    else
      relocation.addend = static_cast<int64_t>(field(relocation, section.bytes).value_or(0));
    section.relocations.push_back(relocation);
  }
  std::stable_sort(section.relocations.begin(), section.relocations.end(),
                   [](const Relocation& a, const Relocation& b) { return a.offset < b.offset; });
  return Ok{};
}

Status read_relocations(const elf::View& file, Cubin& out) {
  for (const Elf64_Shdr& header : file.sections()) {
    if (header.sh_type != SHT_REL && header.sh_type != SHT_RELA) continue;
    const Status status = header.sh_type == SHT_REL ? read_relocations<Elf64_Rel>(file, header, out)
                                                    : read_relocations<Elf64_Rela>(file, header, out);
    if (!status) return status;
  }
  return Ok{};
}

// ---- functions

constexpr std::string_view kText = ".text.";

bool is_code(const Section& section) { return section.name.starts_with(kText); }

Status read_functions(Cubin& out) {
  for (uint32_t i = 0; i < out.symbols.size(); ++i) {
    const Symbol& symbol = out.symbols[i];
    if (symbol.kind != Symbol::Kind::Function || !is_code(out.sections[symbol.section]) || symbol.size == 0) continue;
    const auto bytes = out.sections[symbol.section].bytes;
    if (symbol.offset > bytes.size() || symbol.size > bytes.size() - symbol.offset)
      return damaged(fmt::format("the code of '{}' is beyond its section", symbol.name));
    Function function;
    function.name = symbol.name;
    function.symbol = i;
    function.section = symbol.section;
    function.offset = symbol.offset;
    function.code = bytes.subspan(symbol.offset, symbol.size);
    function.kernel = symbol.entry;
    out.functions.push_back(std::move(function));
  }
  std::stable_partition(out.functions.begin(), out.functions.end(), [](const Function& f) { return f.kernel; });
  return Ok{};
}

// The function that a section of code is named after. Null: none.
Function* owner(Cubin& cubin, const std::vector<Function*>& owners, uint32_t section) {
  return section < cubin.sections.size() ? owners[section] : nullptr;
}

std::vector<Function*> owners(Cubin& cubin) {
  std::vector<Function*> result(cubin.sections.size(), nullptr);
  for (Function& function : cubin.functions)
    if (cubin.sections[function.section].name.substr(kText.size()) == function.name)
      result[function.section] = &function;
  return result;
}

void read_banks(Cubin& out) {
  constexpr std::string_view kBank = ".nv.constant";
  for (uint32_t i = 0; i < out.sections.size(); ++i) {
    const Section& section = out.sections[i];
    if (!section.name.starts_with(kBank)) continue;
    const std::string_view rest = section.name.substr(kBank.size());
    ConstantBank bank;
    const auto [end, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), bank.bank);
    if (failed != std::errc()) continue;
    bank.section = i;
    if (end != rest.data() + rest.size()) {  // .NAME
      if (section.info >= out.sections.size() || !is_code(out.sections[section.info])) continue;
      bank.function = section.info;
    }
    out.banks.push_back(bank);
  }
}

void read_shared(Cubin& out, const std::vector<Function*>& by_section) {
  for (Function& function : out.functions)
    if (function.kernel && out.sm >= 90) function.reserved_shared = kSystemShared;
  for (const Section& section : out.sections) {
    if (!section.name.starts_with(".nv.shared.") || section.info == 0) continue;
    Function* function = owner(out, by_section, section.info);
    if (function == nullptr) continue;
    const uint64_t reserved = out.relocatable ? 0 : function->reserved_shared;
    function->shared_bytes = section.size - std::min(section.size, reserved);
  }
}

Status read_attributes(Cubin& out, const std::vector<Function*>& by_section) {
  std::vector<Function*> by_symbol(out.symbols.size(), nullptr);
  for (Function& function : out.functions) by_symbol[function.symbol] = &function;
  for (const Section& section : out.sections) {
    if (!section.name.starts_with(".nv.info")) continue;
    const bool good = section.name == ".nv.info"
                          ? read_file_attributes(section.bytes, by_symbol)
                          : read_function_attributes(section.bytes, owner(out, by_section, section.info));
    if (!good) return damaged(fmt::format("section '{}' ends within an attribute", section.name));
  }
  return Ok{};
}

// CUDA 11 and 12 (ABI version 7) keep the number of barriers in a section's flags.
void read_barriers(Cubin& out, const std::vector<Function*>& by_section) {
  for (uint32_t i = 0; i < out.sections.size(); ++i)
    if (by_section[i] != nullptr) by_section[i]->barriers = out.sections[i].flags >> 20 & 0x7F;
}

}  // namespace

Result<Cubin> read_cubin(std::span<const uint8_t> bytes) {
  auto storage = std::make_shared<const std::vector<uint64_t>>(aligned_copy(bytes));
  const auto file = elf::View::of(std::as_bytes(std::span(*storage)));
  if (!file || file->header().e_machine != kMachineCuda) return Error{"not machine code of an NVIDIA GPU", ""};
  Cubin out;
  out.storage_ = std::move(storage);
  const bool abi8 = file->header().e_ident[EI_ABIVERSION] >= 8;
  out.sm = file->header().e_flags >> (abi8 ? 8 : 0) & 0xFF;
  out.relocatable = file->header().e_type == ET_REL;
  if (const Status status = read_sections(*file, out); !status) return status.error();
  read_symbols(*file, out);
  if (const Status status = read_relocations(*file, out); !status) return status.error();
  if (const Status status = read_functions(out); !status) return status.error();
  out.by_section_.resize(out.functions.size());
  std::iota(out.by_section_.begin(), out.by_section_.end(), 0);
  std::ranges::stable_sort(out.by_section_, {}, [&](uint32_t index) { return out.functions[index].section; });
  const std::vector<Function*> by_section = owners(out);
  read_banks(out);
  read_shared(out, by_section);
  if (!abi8) read_barriers(out, by_section);
  if (const Status status = read_attributes(out, by_section); !status) return status.error();
  return out;
}

const Function* Cubin::kernel(std::string_view name) const {
  for (const Function& function : functions)
    if (function.kernel && function.name == name) return &function;
  return nullptr;
}

const Function* Cubin::function_at(uint32_t section, uint64_t offset) const {
  const auto of_section = [&](uint32_t index) { return functions[index].section; };
  const auto first = std::ranges::lower_bound(by_section_, section, {}, of_section);
  const Function* best = nullptr;
  for (auto at = first; at != by_section_.end() && of_section(*at) == section; ++at) {
    const Function& function = functions[*at];
    if (offset < function.offset || offset - function.offset >= function.code.size()) continue;
    if (best == nullptr || function.code.size() < best->code.size()) best = &function;
  }
  return best;
}

const Section* Cubin::section(std::string_view name) const {
  for (const Section& section : sections)
    if (section.name == name) return &section;
  return nullptr;
}

const Section* Cubin::bank(const Function& function, uint8_t number) const {
  const Section* shared = nullptr;
  for (const ConstantBank& bank : banks) {
    if (bank.bank != number) continue;
    if (bank.function == function.section) return &sections[bank.section];
    if (bank.function == 0) shared = &sections[bank.section];
  }
  return shared;
}

}  // namespace warplens::sass
