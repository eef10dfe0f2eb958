#include "inspect/linkage.h"

#include <algorithm>

namespace warplens::inspect {
namespace {

constexpr std::string_view kRuntimePrefix = "libcudart.so.";

void read_dynamic(const elf::View& file, Linkage& out) {
  const Elf64_Shdr* section = file.section_of_type(SHT_DYNAMIC);
  const Elf64_Shdr* strings = section ? file.linked(*section) : nullptr;
  if (!strings) return;
  elf::Bytes names = file.contents(*strings);
  for (const Elf64_Dyn& entry : file.table<Elf64_Dyn>(*section)) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) out.needed.emplace_back(elf::View::string_at(names, entry.d_un.d_val));
  }
}

// Whether it leaves the symbol to another object: a library of device code whose program has the runtime.
bool imports(const elf::View& file, Elf64_Word table_type, std::string_view wanted) {
  const Elf64_Shdr* symbols = file.section_of_type(table_type);
  const Elf64_Shdr* strings = symbols ? file.linked(*symbols) : nullptr;
  if (!strings) return false;
  elf::Bytes names = file.contents(*strings);
  auto table = file.table<Elf64_Sym>(*symbols);
  return std::any_of(table.begin(), table.end(), [&](const Elf64_Sym& symbol) {
    return symbol.st_shndx == SHN_UNDEF && elf::View::string_at(names, symbol.st_name) == wanted;
  });
}

std::vector<elf::CodeRange> code_of(const elf::View& file) {
  std::vector<elf::CodeRange> code;
  for (const Elf64_Phdr& segment : file.segments())
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) && segment.p_offset <= file.bytes().size() &&
        segment.p_filesz <= file.bytes().size() - segment.p_offset)
      code.push_back({segment.p_vaddr, file.bytes().subspan(segment.p_offset, segment.p_filesz)});
  return code;
}

bool is_cut(const elf::View& file) {
  if (file.header().e_phnum != 0 && file.segments().empty()) return true;
  auto beyond = [&](const Elf64_Phdr& segment) {
    return segment.p_offset > file.bytes().size() || segment.p_filesz > file.bytes().size() - segment.p_offset;
  };
  return std::any_of(file.segments().begin(), file.segments().end(), beyond);
}

void find_runtime(const elf::View& file, std::span<const elf::RuntimeTable> tables, Linkage& out) {
  bool may_have = elf::may_have_runtime(file);
  elf::StaticRuntime inside;
  if (may_have) inside = elf::find_by_symbols(file, tables);
  if (may_have && inside.entries.empty() && out.stripped) inside = elf::find_by_signature(code_of(file), tables);
  auto shared = std::find_if(out.needed.begin(), out.needed.end(),
                             [](const std::string& name) { return name.starts_with(kRuntimePrefix); });
  if (!inside.entries.empty()) {
    out.runtime = Linkage::Runtime::Static;
    out.major = inside.major;
    out.release = inside.release;
    out.by_signature = inside.by_signature;
    out.functions = inside.entries.size();
  } else if (shared != out.needed.end()) {
    out.runtime = Linkage::Runtime::Shared;
    out.library = *shared;
  } else if (imports(file, SHT_DYNSYM, "__cudaRegisterFatBinary")) {
    out.runtime = Linkage::Runtime::Shared;
  } else if (out.stripped && may_have && elf::has_runtime_text(file)) {
    out.runtime = Linkage::Runtime::Unknown;
  }
}

}  // namespace

Linkage linkage_of(const elf::View& file, std::span<const elf::RuntimeTable> tables) {
  Linkage out;
  const Elf64_Ehdr& header = file.header();
  out.damaged = is_cut(file);
  out.native = header.e_machine == elf::kNativeMachine;
  out.executable = header.e_type == ET_EXEC || header.e_type == ET_DYN;
  out.stripped = !file.section_of_type(SHT_SYMTAB);
  out.has_device_code = file.section(".nv_fatbin") || file.section(".nvFatBinSegment");
  for (const Elf64_Phdr& segment : file.segments()) out.has_interpreter |= segment.p_type == PT_INTERP;
  read_dynamic(file, out);
  out.uses_driver = std::find(out.needed.begin(), out.needed.end(), "libcuda.so.1") != out.needed.end();
  if (out.executable) find_runtime(file, tables, out);
  return out;
}

}  // namespace warplens::inspect
