#include "elf/build_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "elf/archive.h"

namespace warplens::elf {
namespace {

constexpr size_t kChecks = 16;          // stretches that confirm, one in each such part of the code
constexpr uint64_t kJumpBytes = 5;      // what a redirected function is overwritten with
constexpr uint64_t kLeastAnchor = 256;  // shorter ones might be another program's code by chance

// The bytes of the code that are the same in every program: all but what the linker fills in, and the instructions that
// it may exchange while doing so (x86-64 psABI, "GOTPCRELX relaxation" and "TLS relaxation").
std::vector<bool> fixed_bytes(const View& object, size_t text_index) {
  const Elf64_Shdr& text = object.sections()[text_index];
  std::vector<bool> fixed(object.contents(text).size(), true);
  for (const Elf64_Shdr& section : object.sections()) {
    if (section.sh_type != SHT_RELA || section.sh_info != text_index) continue;
    for (const Elf64_Rela& rela : object.table<Elf64_Rela>(section)) {
      uint64_t before = 0, after = 4;
      switch (ELF64_R_TYPE(rela.r_info)) {
        case R_X86_64_64:
          after = 8;
          break;
        case R_X86_64_GOTPCREL:
        case R_X86_64_GOTPCRELX:
        case R_X86_64_REX_GOTPCRELX:
        case R_X86_64_GOTTPOFF:
          before = 3;
          break;
        case R_X86_64_TLSGD:
        case R_X86_64_TLSLD:
          before = 4, after = 16;
          break;
        default:
          break;
      }
      uint64_t from = rela.r_offset < before ? 0 : rela.r_offset - before;
      for (uint64_t i = from; i < rela.r_offset + after && i < fixed.size(); ++i) fixed[i] = false;
    }
  }
  return fixed;
}

// Stretches of fixed bytes, each beginning at a multiple of 16, the longest first.
std::vector<Stretch> stretches_of(const std::vector<bool>& fixed) {
  std::vector<Stretch> stretches;
  for (size_t at = 0; at < fixed.size();) {
    size_t end = at;
    while (end < fixed.size() && fixed[end]) ++end;
    if (end - at >= kQuickBytes) stretches.push_back({at, end - at, 0});
    at = (std::max(end, at + 1) + 15) / 16 * 16;
  }
  std::sort(stretches.begin(), stretches.end(),
            [](auto& a, auto& b) { return a.bytes != b.bytes ? a.bytes > b.bytes : a.offset < b.offset; });
  return stretches;
}

bool choose_anchor(Bytes code, const std::vector<Stretch>& stretches, Release& release) {
  for (const Stretch& stretch : stretches) {
    if (stretch.bytes < kLeastAnchor) return false;
    uint32_t start = quick_hash(code.data() + stretch.offset);
    size_t same = 0;
    for (size_t at = 0; at + kQuickBytes <= code.size(); at += 16) same += quick_hash(code.data() + at) == start;
    if (same != 1) continue;
    release.anchor = stretch;
    release.anchor.hash = hash(code.subspan(stretch.offset, stretch.bytes));
    release.anchor_start = start;
    return true;
  }
  return false;
}

void choose_checks(Bytes code, const std::vector<Stretch>& stretches, Release& release) {
  for (size_t part = 0; part < kChecks; ++part) {
    auto in_part = [&](const Stretch& s) { return s.offset * kChecks / code.size() == part; };
    auto longest = std::find_if(stretches.begin(), stretches.end(), in_part);
    if (longest == stretches.end() || longest->offset == release.anchor.offset) continue;
    release.checks.push_back(*longest);
    release.checks.back().hash = hash(code.subspan(longest->offset, longest->bytes));
  }
}

// The section that defines __cudaRegisterFatBinary; 0 if none does.
size_t text_section(const View& object, std::span<const Elf64_Sym> symbols, Bytes names) {
  for (const Elf64_Sym& symbol : symbols)
    if (symbol.st_shndx < object.sections().size() && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
        View::string_at(names, symbol.st_name) == "__cudaRegisterFatBinary")
      return symbol.st_shndx;
  return 0;
}

Result<BuiltRelease> build_from_object(const View& object, std::string_view name) {
  const Elf64_Shdr* section = object.section_of_type(SHT_SYMTAB);
  const Elf64_Shdr* strings = section ? object.linked(*section) : nullptr;
  if (!strings) return Error{"the object has no symbols", ""};
  auto symbols = object.table<Elf64_Sym>(*section);
  Bytes names = object.contents(*strings);
  size_t index = text_section(object, symbols, names);
  if (index == 0) return Error{"it does not define __cudaRegisterFatBinary", ""};

  Bytes code = object.contents(object.sections()[index]);
  BuiltRelease built;
  built.release.name = name;
  built.release.text_bytes = code.size();
  std::vector<Stretch> stretches = stretches_of(fixed_bytes(object, index));
  if (!choose_anchor(code, stretches, built.release)) return Error{"no stretch of its code is free of relocations", ""};
  choose_checks(code, stretches, built.release);

  std::map<uint64_t, std::vector<std::string>> starts;  // of all functions
  for (const Elf64_Sym& symbol : symbols) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx != index || symbol.st_value >= code.size())
      continue;
    std::string_view function = View::string_at(names, symbol.st_name);
    auto& here = starts[symbol.st_value];
    if (ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL && is_runtime_name(function)) here.emplace_back(function);
  }
  for (auto it = starts.begin(); it != starts.end(); ++it) {
    auto next = std::next(it);
    uint64_t room = (next == starts.end() ? code.size() : next->first) - it->first;
    if (!it->second.empty() && room < kJumpBytes) return Error{it->second[0] + " is too short to be redirected", ""};
    for (const std::string& function : it->second) built.functions.emplace_back(function, it->first);
  }
  return built;
}

std::string lines_of(const Release& r) {
  std::string out = fmt::format("text {} {}\nanchor {} {:x} {} {:08x} {:016x}\n", r.name, r.text_bytes, r.name,
                                r.anchor.offset, r.anchor.bytes, r.anchor_start, r.anchor.hash);
  for (const Stretch& check : r.checks)
    out += fmt::format("check {} {:x} {} {:016x}\n", r.name, check.offset, check.bytes, check.hash);
  return out;
}

}  // namespace

Result<BuiltRelease> build_release(Bytes archive, std::string_view name) {
  for (const ArchiveMember& member : archive_members(archive)) {
    std::vector<uint64_t> aligned((member.bytes.size() + 7) / 8);
    auto* bytes = reinterpret_cast<std::byte*>(aligned.data());
    std::copy(member.bytes.begin(), member.bytes.end(), bytes);
    auto object = View::of({bytes, member.bytes.size()});
    if (!object) continue;
    if (auto built = build_from_object(*object, name)) return built;
  }
  return Error{"no object in it holds a CUDA runtime that can be recognised", "name a toolkit's libcudart_static.a"};
}

std::string with_release(const RuntimeTable& table, const BuiltRelease& built) {
  std::vector<const Release*> releases;
  std::map<std::string, std::vector<uint64_t>> rows;
  size_t replaced = table.releases.size();
  for (size_t i = 0; i < table.releases.size(); ++i) {
    bool same = table.releases[i].name == built.release.name;
    if (same) replaced = i;
    releases.push_back(same ? &built.release : &table.releases[i]);
  }
  if (replaced == table.releases.size()) releases.push_back(&built.release);
  for (const KnownFunction& function : table.functions) {
    auto& row = rows[std::string(function.name)] = function.offsets;
    row.resize(releases.size(), kNoOffset);
    row[replaced] = kNoOffset;
  }
  for (const auto& [name, offset] : built.functions) {
    auto& row = rows[name];
    row.resize(releases.size(), kNoOffset);
    row[replaced] = offset;
  }
  std::string out = "releases";
  for (const Release* release : releases) out += fmt::format(" {}", release->name);
  out += "\n";
  for (const Release* release : releases) out += lines_of(*release);
  for (const auto& [name, offsets] : rows) {
    if (std::all_of(offsets.begin(), offsets.end(), [](uint64_t o) { return o == kNoOffset; })) continue;
    out += "function " + name;
    for (uint64_t offset : offsets) out += offset == kNoOffset ? " -" : fmt::format(" {:x}", offset);
    out += "\n";
  }
  return out;
}

}  // namespace warplens::elf
